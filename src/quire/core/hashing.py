"""Digests of files, and the state of a file that reveals a later change."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import BinaryIO, NamedTuple

from quire.core.keys import Digest
from quire.core.regular_files import open_file

SETTLED_NS = 2_000_000_000
"""The coarsest clock of a file system, FAT: a file that was changed less than this before it was hashed may change
again without a new modification time, so its digest is not cached."""
TICK_NS = 20_000_000
"""The same for file systems with fractions of a second: they take the time from the scheduler's clock."""


class FileState(NamedTuple):
    """The `stat` of a file; times are in nanoseconds of wall-clock time."""

    size: int
    modified_ns: int
    changed_ns: int = 0
    """The ctime: it changes with the content, even when the modification time is set back."""
    device: int = 0
    inode: int = 0

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino)

    @classmethod
    def at(cls, path: str | Path) -> FileState:
        """The state of the file at a path. Raises OSError."""
        return cls.of(os.stat(path))  # noqa: PTH116 - called for every page and for ten thousand files

    @property
    def look(self) -> tuple[int, int]:
        """Size and modification time: what survives a remount or a copy of the volume."""
        return self.size, self.modified_ns

    def shows_changes(self, at_ns: int) -> bool:
        """Whether every change of the file from `at_ns` on changes its state."""
        return at_ns - self._last_ns >= self.tick_ns

    @property
    def tick_ns(self) -> int:
        """The nanoseconds by which the clock of the file system may lag behind; whole seconds indicate a coarse one."""
        return TICK_NS if self._last_ns % 1_000_000_000 else SETTLED_NS

    @property
    def _last_ns(self) -> int:
        return max(self.modified_ns, self.changed_ns)


class Hashed(NamedTuple):
    """The digest of a file. `state` is from before it was read, `hashed_ns` is when reading began."""

    path: str
    state: FileState
    digest: Digest
    hashed_ns: int

    @property
    def settled(self) -> bool:
        """Whether the digest belongs to every file of that path, size and modification time."""
        return self.hashed_ns - self.state.modified_ns >= SETTLED_NS

    def holds(self, state: FileState) -> bool:
        """Whether the digest belongs to the file in that state."""
        return self.state == state and self.state.shows_changes(self.hashed_ns)


def hash_file(path: str | Path) -> Hashed:
    """Read a file for its digest, in pieces. Raises OSError."""
    began = time.time_ns()
    with open_file(path) as file:
        state = FileState.of(os.fstat(file.fileno()))
        return Hashed(str(path), state, digest_file(file), began)


def digest_file(file: BinaryIO) -> Digest:
    """The digest of the rest of an open file."""
    return Digest(hashlib.file_digest(file, "sha256").hexdigest())  # type: ignore[arg-type]


def steady_state(path: str | Path) -> FileState:
    """A state of the file that every later change alters; waits for the next tick after a recent change.

    Raises OSError.
    """
    state = FileState.at(path)
    if not state.shows_changes(time.time_ns()):
        time.sleep(state.tick_ns / 1e9)
        return FileState.at(path)
    return state
