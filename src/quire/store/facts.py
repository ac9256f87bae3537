"""Facts: which content was made for which key. One SQLite file that several processes may share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from quire.engine import Attempt
from quire.errors import StoreError
from quire.keys import ArtifactKey, Digest

SCHEMA_VERSION = 2

_VERSION_1 = """
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
_VERSION_2 = """
CREATE TABLE IF NOT EXISTS attempts (
    document TEXT NOT NULL,
    page INTEGER NOT NULL,
    reading TEXT NOT NULL,
    noted INTEGER NOT NULL,
    number INTEGER NOT NULL,
    engine TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    ms REAL NOT NULL,
    PRIMARY KEY (document, page, reading, number)
) WITHOUT ROWID;
UPDATE schema_version SET version = 2;
"""
_MIGRATIONS = {0: _VERSION_1, 1: _VERSION_2}
"""From each version to the next one; 0 is an empty file."""


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
        with self._transaction() as database:
            database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?)", facts)

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        of_page = document, page
        with self._transaction() as database:
            last = database.execute("SELECT max(noted) FROM attempts WHERE document = ? AND page = ?", of_page)
            noted = (last.fetchone()[0] or 0) + 1
            rows = [
                (*of_page, reading, noted, number, attempt.engine, attempt.outcome, attempt.reason, attempt.ms)
                for number, attempt in enumerate(attempts, start=1)
            ]
            database.execute(
                "DELETE FROM attempts WHERE document = ? AND page = ? AND reading = ?", (*of_page, reading)
            )
            database.executemany("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def path_of(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        asked = (
            "SELECT engine, outcome, reason, ms FROM attempts WHERE document = ? AND page = ? AND reading = ? "
            "ORDER BY number"
        )
        return tuple(Attempt(*row) for row in self._database.execute(asked, (document, page, reading)))

    def paths(self, document: str) -> dict[int, tuple[Attempt, ...]]:
        asked = (
            "SELECT page, reading FROM attempts WHERE document = ? AND number = 1 ORDER BY page, noted"  # the last wins
        )
        last = dict(self._database.execute(asked, (document,)).fetchall())
        return {page: self.path_of(document, page, reading) for page, reading in last.items()}

    def close(self) -> None:
        self._database.close()

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        for version in range(self._version(), SCHEMA_VERSION):
            with self._transaction() as database:
                if self._version() == version:  # else another process was faster
                    for statement in _MIGRATIONS[version].split(";"):
                        database.execute(statement)
        version = self._version()
        if version != SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} has schema version {version}, this Quire reads version {SCHEMA_VERSION}; "
                "update Quire or choose another folder for the store"
            )

    def _version(self) -> int:
        found = self._database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'schema_version'")
        if not found.fetchone()[0]:
            return 0
        (version,) = self._database.execute("SELECT version FROM schema_version").fetchone()
        return int(version)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it, or none."""
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            yield database
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise
