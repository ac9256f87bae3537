"""Facts: which content was made for which key. One SQLite file that several processes may share."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from quire.errors import StoreError
from quire.keys import ArtifactKey, Digest

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    key TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    stage TEXT NOT NULL,
    document TEXT NOT NULL,
    page INTEGER,
    size INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS facts_of_document ON facts (document, stage, page);
CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM schema_version);
"""


class Fact(NamedTuple):
    """`digest` is the content that `stage` made for `key`."""

    key: ArtifactKey
    digest: Digest
    stage: str
    document: str
    page: int | None
    size: int


class Facts:
    """The table of facts. The caller keeps threads apart; SQLite keeps processes apart."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
        except BaseException:
            self._database.close()
            raise

    def find(self, key: ArtifactKey) -> Digest | None:
        row = self._database.execute("SELECT digest FROM facts WHERE key = ?", (key,)).fetchone()
        return Digest(row[0]) if row else None

    def add(self, facts: Sequence[Fact]) -> None:
        """Record all of them, or none."""
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?)", facts)
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise

    def close(self) -> None:
        self._database.close()

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        if not self._has_schema():
            self._database.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        (version,) = self._database.execute("SELECT version FROM schema_version").fetchone()
        if version != SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} has schema version {version}, this Quire reads version {SCHEMA_VERSION}; "
                "update Quire or choose another folder for the store"
            )

    def _has_schema(self) -> bool:
        found = self._database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'schema_version'")
        (count,) = found.fetchone()
        return bool(count)
