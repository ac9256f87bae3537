"""A cache of file digests: a file with the same path, size and modification time is not read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quire.core.hashing import FileState, Hashed
from quire.core.keys import Digest
from quire.database.database import Database, change_in, rows_in, upsert
from quire.database.paths import path_text


class HashedFiles:
    """The table of files. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, files: Mapping[str, FileState]) -> dict[str, Digest]:
        """The digests of the files that are unchanged since they were hashed, in few statements."""
        texts = {path_text(path): path for path in files}
        found: dict[str, Digest] = {}
        query = "SELECT path, size, modified, digest FROM files WHERE path IN ({})"
        for text, size, modified, digest in rows_in(self._database, query, texts):
            path = texts[str(text)]
            if files[path].look == (size, modified):
                found[path] = Digest(str(digest))
        return found

    def remember(self, hashed: Iterable[Hashed]) -> None:
        """Keep the digests that can be trusted, and drop older entries of the others."""
        every = list(hashed)
        settled = [(path_text(h.path), *h.state.look, h.digest) for h in every if h.settled]
        self.forget([h.path for h in every if not h.settled])
        with self._database.transaction():
            self._database.change_many(upsert("files", "path", "path, size, modified, digest"), settled)

    def forget(self, paths: Sequence[str]) -> None:
        change_in(self._database, "DELETE FROM files WHERE path IN ({})", [path_text(path) for path in paths])
