"""The store in a folder: artifacts as files under their digest, facts in SQLite."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

from quire.engine import Attempt
from quire.errors import StoreError
from quire.keys import ArtifactKey, Digest, digest_bytes
from quire.store.facts import Fact, Facts

BATCH = 128
"""Artifacts that are synced and recorded together."""
STALE_S = 86_400
"""Age from which a file left behind by a killed process is removed."""


class FileStore:
    """Artifacts in `objects/ab/cdef…`, facts in `facts.sqlite3`. Any thread may use it, and several processes.

    Content is written to a temporary name at once; every `BATCH` artifacts, and on `flush` and `close`, the
    files are synced and renamed and then their facts are committed. A process that dies before that loses the
    batch, never a part of an artifact. A fact whose file is not there counts for nothing: somebody removed it, or
    the machine lost power before it had stored the new name.
    """

    lasting = True

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._objects = self.folder / "objects"
        self._waiting = self.folder / "waiting"
        self._lock = RLock()
        self._pending: dict[ArtifactKey, Fact] = {}  # to be recorded
        self._files: dict[Digest, Path] = {}  # to be synced and renamed before that
        self._count = 0
        with self._explained("write to"):
            self._objects.mkdir(parents=True, exist_ok=True)
            self._waiting.mkdir(exist_ok=True)
            self._remove_stale()
            self._facts = Facts(self.folder / "facts.sqlite3")

    def find(self, key: ArtifactKey) -> Digest | None:
        with self._lock, self._explained("read"):
            if key in self._pending:
                return self._pending[key].digest
            digest = self._facts.find(key)
            return digest if digest is not None and self._path(digest).exists() else None

    def load(self, digest: Digest) -> bytes:
        with self._lock:
            path = self._files.get(digest) or self._path(digest)
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                raise StoreError(f"artifact {digest} is missing from {self.folder}; read the document again") from None
            except OSError as error:
                raise StoreError(f"cannot read {path}: {error.strerror}") from error
        if digest_bytes(data) != digest:
            raise StoreError(
                f"artifact {path} is damaged: its content does not have the digest in its name; delete that file and "
                "read the document again"
            )
        return data

    def save(self, key: ArtifactKey, data: bytes, *, stage: str, document: str, page: int | None = None) -> Digest:
        digest = digest_bytes(data)
        with self._lock:
            if digest not in self._files and not self._path(digest).exists():
                self._write(digest, data)
            self._pending[key] = Fact(key, digest, stage, document, page, len(data))
            if len(self._pending) >= BATCH:
                self.flush()
        return digest

    def flush(self) -> None:
        """Sync and record everything saved so far."""
        with self._lock, self._explained("write to"):
            if not self._pending:
                return
            for digest in list(self._files):
                self._publish(digest)
            self._facts.add(list(self._pending.values()))
            self._pending.clear()

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        with self._lock, self._explained("write to"):
            self._facts.note_path(document, page, reading, attempts)

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        with self._lock, self._explained("read"):
            return self._facts.path_of(document, page, reading)

    def paths(self, document: str) -> Mapping[int, tuple[Attempt, ...]]:
        with self._lock, self._explained("read"):
            return self._facts.paths(document)

    def close(self) -> None:
        """Record what is pending and let go of the database. Artifacts can still be loaded."""
        with self._lock:
            try:
                self.flush()
            finally:
                for path in self._files.values():  # of a batch that could not be written
                    path.unlink(missing_ok=True)
                self._facts.close()

    def __enter__(self) -> FileStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _path(self, digest: Digest) -> Path:
        return Path(f"{self._objects}/{digest[:2]}/{digest[2:]}")

    def _write(self, digest: Digest, data: bytes) -> None:
        self._count += 1
        path = self._waiting / f"{os.getpid()}-{id(self):x}-{self._count}"
        with self._explained("write to"):
            try:
                self._files[digest] = path
                path.write_bytes(data)
            except BaseException:  # an interrupt too
                path.unlink(missing_ok=True)
                self._files.pop(digest, None)
                raise

    def _publish(self, digest: Digest) -> None:
        path, final = self._files[digest], self._path(digest)
        file = os.open(path, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
        try:
            path.replace(final)
        except FileNotFoundError:
            final.parent.mkdir(exist_ok=True)
            path.replace(final)
        del self._files[digest]

    def _remove_stale(self) -> None:
        before = time.time() - STALE_S
        for path in self._waiting.iterdir():
            with suppress(OSError):
                if path.stat().st_mtime < before:
                    path.unlink()

    @contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        """Turn what the system says into a StoreError that names the folder and what to do."""
        try:
            yield
        except OSError as error:
            advice = "make room or choose another folder for the store"
            raise StoreError(f"cannot {doing} the store {self.folder}: {error.strerror}; {advice}") from error
        except sqlite3.ProgrammingError as error:
            raise StoreError(f"the store {self.folder} is closed") from error
        except sqlite3.OperationalError as error:
            advice = "make room, or wait for the process that holds it"
            raise StoreError(f"cannot {doing} the store {self.folder}: {error}; {advice}") from error
        except sqlite3.DatabaseError as error:
            advice = "delete that file: what it records is made again"
            raise StoreError(f"{self.folder / 'facts.sqlite3'} is damaged ({error}); {advice}") from error
