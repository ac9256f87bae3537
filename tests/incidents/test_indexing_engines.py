"""`quire index` and `quire search` with the index in a search engine: killed, repeated, rebuilt, deleted from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quire.durable.document_index import Index
from quire.durable.indexing import delivery
from quire.retrieval.search.engine_places import open_engine
from tests.fakes.engine_server import EngineServer
from tests.fakes.hashed_words import HashedWords, offer
from tests.fakes.opensearch_server import opensearch_server
from tests.incidents.test_indexing import ship
from tests.unit.cli.batches import Desk
from tests.unit.retrieval.search.indexes import contents

pytestmark = pytest.mark.processes

EMBEDDER = HashedWords()


@pytest.fixture
def server() -> Iterator[EngineServer]:
    with opensearch_server() as running:
        yield running


@pytest.fixture
def desk(tmp_path, monkeypatch, server) -> Desk:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUIRE_INDEX", f"opensearch+{server.url}/reports")
    offer(EMBEDDER, monkeypatch.setattr)
    desk = Desk(tmp_path)
    for number in range(3):
        desk.add(f"{number}.pdf", ship(number))
    return desk


def test_an_index_in_an_engine_lives_like_one_in_the_store(desk, server, monkeypatch):
    address = f"opensearch+{server.url}/reports"

    def index(*arguments: object, code: int = 0) -> str:
        return desk.quire("index", *arguments, "--store", "store", "--embedder", EMBEDDER.name, code=code).stdout

    put, puts = delivery.IndexDelivery.put, []

    def putting(*arguments: object, **more: object) -> int:
        puts.append(arguments[1])
        if len(puts) == 2:
            server.faults.append(lambda _: (400, {"error": "broken for good"}))
        return put(*arguments, **more)

    monkeypatch.setattr(delivery.IndexDelivery, "put", putting)
    index("in", "--workers", "1", code=9)
    server.faults.clear()
    assert f"3 documents, 3 chunks in {address}" in index("in")
    done = len(puts)
    index("in")
    assert len(puts) == done, "what is indexed is not indexed again"

    indexed = contents(open_engine(address))
    index("--rebuild")
    assert contents(open_engine(address)) == indexed
    [version] = open_engine(address).versions()
    assert version.is_current and version.name.endswith("-2")

    with Index("store", engine=address, embedder=EMBEDDER.name) as searched:
        assert searched.search("ship number 1 toll")[0].name == "1.pdf"
    desk.quire("store", "delete", "in/1.pdf", "--store", "store", "--yes")
    with Index("store", engine=address, embedder=EMBEDDER.name) as searched:
        assert {hit.name for hit in searched.search("ship number 1 toll")} <= {"0.pdf", "2.pdf"}
    assert not desk.folder.joinpath("store", "search.sqlite3").exists()
