"""Finds the index that belongs to facts: in PostgreSQL with them, or in a file beside them."""

from __future__ import annotations

from pathlib import Path

from quire.database.database import Database
from quire.retrieval.search.backend import Indexes

FILE = "search.sqlite3"
"""The index in the folder of a store."""


def indexes_of(database: Database, folder: Path | None, *, make: bool) -> Indexes | None:
    """The index of the facts in a database, of a store in a folder. None where there is none: not yet, without `make`,
    or because a bucket and facts in SQLite have no place for one."""
    if not database.one_machine:
        from quire.retrieval.search.postgres_index import PostgresIndexes, has_indexes

        return PostgresIndexes(database) if make or has_indexes(database) else None
    if folder is None or not (make or (folder / FILE).exists()):
        return None
    from quire.retrieval.search.sqlite_index import SqliteIndexes

    return SqliteIndexes(folder / FILE)
