"""Both databases, for records that must work on either."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quire.database.database import Database
from quire.database.sqlite import SqliteDatabase
from tests.marking import on_servers
from tests.servers.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres_database(postgres_server: PostgresServer) -> Iterator[Database]:
    """One for all tests: making it takes longer than most of them."""
    from quire.database.postgres import PostgresDatabase

    database = PostgresDatabase(postgres_server.create())
    yield database
    database.close()


@pytest.fixture(params=["sqlite", on_servers("postgresql")])
def either_database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database without files, outputs and quarantine."""
    if request.param == "sqlite":
        database: Database = SqliteDatabase(None)
        yield database
        database.close()
        return
    database = request.getfixturevalue("postgres_database")
    for table in ("files", "outputs", "quarantine"):
        database.change(f"DELETE FROM {table}")
    yield database
