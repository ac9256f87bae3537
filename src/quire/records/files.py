"""Files that were hashed: who knows a path, its size and its time need not read it again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from quire.keys import Digest
from quire.records.database import Database, in_portions
from quire.records.places import path_text

SETTLED_NS = 2_000_000_000
"""A file changed less than this before it was hashed may change again within the same tick of its file system's
clock; nobody could tell, so it is not trusted."""


class Seen(NamedTuple):
    """A file as it was: its size and the time it was changed, in nanoseconds of the calendar clock."""

    size: int
    modified_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Seen:
        return cls(status.st_size, status.st_mtime_ns)


class Hashed(NamedTuple):
    """The digest of a file. `seen` is from before it was read, `hashed_ns` from when that began."""

    path: str
    seen: Seen
    digest: Digest
    hashed_ns: int

    @property
    def settled(self) -> bool:
        return self.hashed_ns - self.seen.modified_ns >= SETTLED_NS


class Files:
    """The table of files. Any thread may use it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, files: Mapping[str, Seen]) -> dict[str, Digest]:
        """The digests of those that look as they did when they were hashed; asked in few statements for all."""
        texts = {path_text(path): path for path in files}
        found: dict[str, Digest] = {}
        for portion, marks in in_portions(texts):
            rows = self._database.rows(
                f"SELECT path, size, modified, digest FROM files WHERE path IN ({marks})", portion
            )
            for text, size, modified, digest in rows:
                path = texts[str(text)]
                if files[path] == (size, modified):
                    found[path] = Digest(str(digest))
        return found

    def remember(self, hashed: Iterable[Hashed]) -> None:
        """Keep those that can be trusted, and drop what was known of the others."""
        every = list(hashed)
        settled = [(path_text(h.path), *h.seen, h.digest) for h in every if h.settled]
        self.forget([h.path for h in every if not h.settled])
        with self._database.transaction():
            self._database.change_many(
                "INSERT INTO files (path, size, modified, digest) VALUES (?, ?, ?, ?) ON CONFLICT (path) "
                "DO UPDATE SET size = excluded.size, modified = excluded.modified, digest = excluded.digest",
                settled,
            )

    def forget(self, paths: Sequence[str]) -> None:
        for portion, marks in in_portions([path_text(path) for path in paths]):
            self._database.change(f"DELETE FROM files WHERE path IN ({marks})", portion)
