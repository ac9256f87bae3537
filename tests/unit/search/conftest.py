"""Both engines of an index, for what must hold on either."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from quire.database.postgres import PostgresDatabase
from quire.search.backend import Indexes
from quire.search.postgres_index import PostgresIndexes
from quire.search.sqlite_index import SqliteIndexes
from tests.marking import on_servers
from tests.servers.postgres import PostgresServer


@pytest.fixture
def sqlite_indexes(tmp_path: Path) -> Iterator[Indexes]:
    with closing(SqliteIndexes(tmp_path / "search.sqlite3")) as indexes:
        yield indexes


@pytest.fixture(scope="session")
def shared_database(postgres_server: PostgresServer) -> Iterator[PostgresDatabase]:
    """One for all tests: making it takes longer than most of them."""
    with closing(PostgresDatabase(postgres_server.create())) as database:
        yield database


@pytest.fixture
def postgres_database(shared_database: PostgresDatabase) -> PostgresDatabase:
    """A database without versions of an index."""
    indexes = PostgresIndexes(shared_database)
    for version in indexes.versions():
        indexes.drop(version.name)
    return shared_database


@pytest.fixture
def postgres_indexes(postgres_database: PostgresDatabase) -> Indexes:
    return PostgresIndexes(postgres_database)


@pytest.fixture(params=["sqlite", on_servers("postgresql")])
def indexes(request: pytest.FixtureRequest) -> Indexes:
    found: Indexes = request.getfixturevalue("postgres_indexes" if request.param == "postgresql" else "sqlite_indexes")
    return found


@pytest.fixture
def indexes_elsewhere(indexes: Indexes, tmp_path: Path) -> Iterator[Indexes]:
    """The same index, opened as another process does it."""
    if isinstance(indexes, PostgresIndexes):
        yield indexes  # each thread has its own connection
        return
    with closing(SqliteIndexes(tmp_path / "search.sqlite3")) as opened:
        yield opened
