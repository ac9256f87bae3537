"""An index with the vectors of a server: its address is not part of the index."""

from __future__ import annotations

import json

import pytest

from quire.durable.indexing.searcher import _embedder, _reranker
from quire.retrieval.embed.embedder_registry import _described, _reranker_at
from tests.conftest import ROOT
from tests.fakes.embedding_server import embedding_server, embeds, reranks, tei_url
from tests.unit.cli.batches import Desk

pytestmark = pytest.mark.processes
QUERY = "punctual sailings"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("QUIRE_EMBED_URL", "QUIRE_EMBED_KEY", "QUIRE_RERANK_KEY", "QUIRE_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    for cache in (_described, _reranker_at, _embedder, _reranker):
        cache.cache_clear()


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Desk:
    desk = Desk(tmp_path_factory.mktemp("library"))
    desk.add("sample.pdf", (ROOT / "examples/sample.pdf").read_bytes())
    with embedding_server(embeds()) as server:
        place = ("--store", desk.folder / "store", "--embedder", f"openai:small@{server.url}", "-q")
        desk.quire("index", desk.folder / "in", *place)
    return desk


def test_a_search_without_the_address_says_which_model_is_missing_and_how_to_name_it(library):
    said = library.quire("search", QUERY, "--store", library.folder / "store", code=2).stderr
    assert "the model small is on a server, and it is not said which" in said
    assert "--embedder openai:small@URL" in said and "QUIRE_EMBED_URL" in said


def test_the_server_may_have_moved_and_is_named_again(library):
    with embedding_server(embeds()) as server:
        command = ["search", QUERY, "--store", library.folder / "store", "--json"]
        hits = json.loads(library.quire(*command, "--embedder", f"openai:small@{server.url}").stdout)["hits"]
        assert hits[0]["scores"]["dense"] > 0
        assert server.requests[-1].body["input"] == [QUERY]


def test_the_address_can_be_in_the_environment_also_for_documents_that_come_later(library, monkeypatch):
    later = library.add("later/sample.pdf", (ROOT / "examples/sample.pdf").read_bytes() + b"\n")
    with embedding_server(embeds()) as server:
        monkeypatch.setenv("QUIRE_EMBED_URL", server.url)
        command = ["search", QUERY, later.parent, "--store", library.folder / "store", "--json"]
        hits = json.loads(library.quire(*command).stdout)["hits"]
        assert {hit["path"] for hit in hits} == {str(later)}
        assert hits[0]["scores"]["dense"] > 0


def test_a_model_of_another_dimension_is_refused(library):
    with embedding_server(embeds(dimension=4)) as server:
        command = ["search", QUERY, "--store", library.folder / "store"]
        said = library.quire(*command, "--embedder", f"openai:small@{server.url}", code=2).stderr
    assert "4 dimensions, the index has 8" in said


def test_the_first_hits_are_reranked_on_request(library, monkeypatch):
    with embedding_server(embeds()) as server, embedding_server(reranks()) as reranker:
        monkeypatch.setenv("QUIRE_EMBED_URL", server.url)
        command = ["search", f"{QUERY} page:1-4", "--store", library.folder / "store", "--k", "2", "--json"]
        hits = json.loads(library.quire(*command, "--rerank", tei_url(reranker)).stdout)["hits"]
        assert len(hits) == 2
        assert all("rerank" in hit["scores"] and "the reranker says" in hit["reason"] for hit in hits)
        [asked] = [request.body for request in reranker.requests if request.path == "/rerank"]
        assert asked["query"] == QUERY, "filters are not part of what is asked"
        assert len(asked["texts"]) > 2
