"""All engines of an index, for what must hold on each.

With QUIRE_TEST_OPENSEARCH or QUIRE_TEST_QDRANT, like opensearch+http://localhost:9200, a real one takes the place of
the fake.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from quire.database.postgres import PostgresDatabase
from quire.retrieval.search.backend import Indexes
from quire.retrieval.search.engine_places import open_engine
from quire.retrieval.search.postgres_index import PostgresIndexes
from quire.retrieval.search.sqlite_index import SqliteIndexes
from tests.fakes.engine_server import EngineServer
from tests.fakes.opensearch_server import opensearch_server
from tests.fakes.qdrant_server import qdrant_server
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


@pytest.fixture(scope="module")
def fake_opensearch() -> Iterator[EngineServer]:
    with opensearch_server() as server:
        yield server


@pytest.fixture(scope="module")
def fake_qdrant() -> Iterator[EngineServer]:
    with qdrant_server() as server:
        yield server


@pytest.fixture
def opensearch_address(fake_opensearch: EngineServer) -> str:
    """Of an index of its own."""
    server = os.environ.get("QUIRE_TEST_OPENSEARCH") or f"opensearch+{fake_opensearch.url}"
    return f"{server}/t{secrets.token_hex(4)}"


@pytest.fixture
def qdrant_address(fake_qdrant: EngineServer) -> str:
    server = os.environ.get("QUIRE_TEST_QDRANT") or f"qdrant+{fake_qdrant.url}"
    return f"{server}/t{secrets.token_hex(4)}"


@pytest.fixture
def opensearch_indexes(opensearch_address: str) -> Iterator[Indexes]:
    yield from opened(opensearch_address)


@pytest.fixture
def qdrant_indexes(qdrant_address: str) -> Iterator[Indexes]:
    yield from opened(qdrant_address)


def opened(address: str) -> Iterator[Indexes]:
    indexes = open_engine(address)
    yield indexes
    for version in indexes.versions():
        indexes.drop(version.name)


@pytest.fixture(params=["sqlite", on_servers("postgres"), "opensearch", "qdrant"])
def indexes(request: pytest.FixtureRequest) -> Indexes:
    found: Indexes = request.getfixturevalue(f"{request.param}_indexes")
    return found


@pytest.fixture(params=["sqlite", on_servers("postgres")])
def transactional_indexes(request: pytest.FixtureRequest) -> Indexes:
    """Of engines in which a removal is one moment."""
    found: Indexes = request.getfixturevalue(f"{request.param}_indexes")
    return found


@pytest.fixture(params=["opensearch", "qdrant"])
def engine_indexes(request: pytest.FixtureRequest) -> Indexes:
    """Of search engines that are there already."""
    found: Indexes = request.getfixturevalue(f"{request.param}_indexes")
    return found


@pytest.fixture
def indexes_elsewhere(transactional_indexes: Indexes, tmp_path: Path) -> Iterator[Indexes]:
    """The same index, opened as another process does it."""
    if isinstance(transactional_indexes, PostgresIndexes):
        yield transactional_indexes  # each thread has its own connection
        return
    with closing(SqliteIndexes(tmp_path / "search.sqlite3")) as opened:
        yield opened
