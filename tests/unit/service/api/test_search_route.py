"""Search over all documents of a server: found after they were read, with their places, gone with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
import pytest

from quire.core.keys import Profile
from quire.durable.deletion import delete_documents
from quire.durable.document_index import Index
from quire.durable.indexing.store_index import open_indexes
from quire.retrieval.embed.codec import encode_dense, normalised
from quire.retrieval.search.backend import IndexProfile
from tests import documents
from tests.changed_code import change_code
from tests.conftest import ROOT
from tests.fakes.embedding_server import embedding_server, reranks, tei_url
from tests.unit.service.api.conftest import SEARCHED, serving, wait_indexed

pytestmark = pytest.mark.processes
SAMPLE = (ROOT / "examples/sample.pdf").read_bytes()


def found(server, query: str, **headers: str) -> list[dict]:
    """The hits, once everything that was read is indexed."""
    assert server.get("/health").status == 200  # it has begun, and looked for what is not indexed
    wait_indexed(server.service)
    answer = server.get(f"/api/search?q={query}", **headers)
    assert answer.status == 200, answer.body
    return answer.json["hits"]


@pytest.fixture(scope="module")
def sample(server) -> str:
    return server.read(SAMPLE, "sample.pdf")


def test_a_hit_has_its_page_its_place_its_crop_and_its_words(server, sample):
    hit = found(server, "inner+harbour+passengers+page:2&kind=table")[0]
    assert (hit["document"], hit["name"], hit["page"]) == (sample, "sample.pdf", 2)
    assert {hit["text"][start:end].lower() for start, end in hit["marks"]} == {"inner", "harbour", "passengers"}
    assert hit["section"][-1] == "2.1.1 By route"
    assert server.get(f"/api/documents/{sample}").json["sha256"] == hit["sha256"]
    page = server.get(f"/api/documents/{sample}/pages/2").json
    assert set(hit["blocks"]) <= {block["id"] for block in page["blocks"]}
    crop = server.get(hit["crop"])
    assert crop.headers["Content-Type"] == "image/png"
    assert crop.picture.height > hit["bbox"]["height"] * page["page"]["height"]  # all of its blocks


def test_filters_choose_documents_kinds_and_pages(server, sample):
    run = sample.rpartition(".")[0]
    assert found(server, f"harbour&in={run}")
    assert found(server, "harbour&in=sample.pdf")
    assert not found(server, "harbour&in=000000000000-1")
    assert {hit["page"] for hit in found(server, f"report&in={run}&k=5")} > {1}
    assert {hit["page"] for hit in found(server, f"report+page:1&in={run}&k=5")} == {1}
    assert len(found(server, f"report&in={run}&k=1")) == 1


@pytest.mark.parametrize("query", ["", "q=", "q=x&k=0", "q=x&k=101", "q=x&kind=sonnet", "q=-not", "q=x+kind:sonnet"])
def test_a_query_that_cannot_work_is_refused_with_the_reason(server, query):
    answer = server.get(f"/api/search?{query}")
    assert answer.status == 422
    assert answer.json["category"] == "usage"


def test_the_same_file_of_two_tenants_is_found_by_each_in_its_own_documents(server):
    first = server.read(documents.simple(1), "ours.pdf", headers={"X-Tenant-Id": "one"})
    second = server.read(documents.simple(1), "theirs.pdf", headers={"X-Tenant-Id": "two"})
    hits = {tenant: found(server, "chapter", X_Tenant_Id=tenant) for tenant in ("one", "two", "three")}
    assert {hit["document"] for hit in hits["one"]} == {first}
    assert {hit["document"] for hit in hits["two"]} == {second}
    assert hits["three"] == []


def test_a_deleted_document_is_gone_at_once(server):
    document = server.read(documents.simple(2), "secret.pdf", headers={"X-Tenant-Id": "brief"})
    assert found(server, "chapter", X_Tenant_Id="brief")
    reference = server.service.documents(server.runs.status(document.rpartition(".")[0]))[0]["reference"]
    delete_documents(server.service.store, [reference["source"]["id"]], scopes=[reference["scope"]])
    assert found(server, "chapter", X_Tenant_Id="brief") == []


def test_the_documents_of_a_forgotten_run_are_not_found(server):
    document = server.read(documents.simple(1), headers={"X-Tenant-Id": "forgetful"})
    assert found(server, "chapter", X_Tenant_Id="forgetful")
    server.service.runtime.forget(document.rpartition(".")[0])
    assert found(server, "chapter", X_Tenant_Id="forgetful") == []


def test_a_document_that_two_runs_have_read_is_found_while_one_of_them_is_there(server):
    tenant = {"X-Tenant-Id": "twice"}
    runs = [server.read(documents.simple(1), name, headers=tenant) for name in ("old.pdf", "new.pdf")]
    first, second = (document.rpartition(".")[0] for document in runs)

    def where(query: str) -> set[tuple[str, str]]:
        return {(hit["document"], hit["path"].partition("/")[0]) for hit in found(server, query, X_Tenant_Id="twice")}

    assert where("chapter") == {(runs[1], second)}
    assert where(f"chapter&in={first}") == {(runs[0], first)}
    server.service.runtime.forget(second)
    assert where("chapter") == where(f"chapter&in={first}") == {(runs[0], first)}
    assert where(f"chapter&in={second}") == set()
    server.service.runtime.forget(first)
    assert where("chapter") == set()


@dataclass(frozen=True)
class HashedWords:
    """An embedder for tests: each word is a dimension."""

    name: str = "hashed"
    version: str = "1"
    family: str = "dense"
    dimension: int = 64
    max_tokens: int = 256
    batch: int = 8
    policy: str = "io"
    profile: Profile = field(default_factory=lambda: IndexProfile("", "hashed"))  # type: ignore[arg-type]
    timeout_s: float = 60.0
    max_concurrency: int = 1

    def embed(self, texts, role) -> bytes:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in text.lower().split():
                row[crc32(word.encode()) % self.dimension] += 1
        return encode_dense(normalised(vectors))


def test_vectors_find_what_has_none_of_the_words(tmp_path, monkeypatch):
    for module in ("read_search", "index_steps"):
        monkeypatch.setattr(f"quire.durable.indexing.{module}.chosen_embedder", lambda _: HashedWords())
    monkeypatch.setattr("quire.durable.indexing.searcher._embedder", lambda _: HashedWords())
    with serving(tmp_path, search="reads", embedder="hashed") as server:
        document = server.read(documents.simple(2))
        (best, *_) = found(server, "chapter")
        assert best["document"] == document and best["scores"]["dense"] > 0 < best["scores"]["lexical"]
        others = found(server, "zeppelin")
        assert others and all(hit["scores"]["lexical"] == 0 and not hit["marks"] for hit in others)


def test_the_reranker_of_the_server_orders_the_hits_when_a_client_asks_for_it(tmp_path):
    with embedding_server(reranks()) as reranker:
        with serving(tmp_path, **SEARCHED, reranker=f"tei:{tei_url(reranker)}") as server:
            server.read(SAMPLE)
            plain, ranked = found(server, "harbour"), found(server, "harbour&rerank=true")
        assert len([request for request in reranker.requests if request.path == "/rerank"]) == 1
    assert {hit["page"] for hit in plain} == {hit["page"] for hit in ranked}
    assert all("rerank" in hit["scores"] for hit in ranked) and not any("rerank" in hit["scores"] for hit in plain)


@pytest.mark.parametrize(
    ("wanted", "status"), [("true", 422), ("http://127.0.0.1:1", 422), ("ms-marco-minilm-l12-v2", 422), ("false", 200)]
)
def test_a_client_cannot_choose_a_reranker_and_none_is_there_by_default(server, sample, wanted, status):
    assert server.get(f"/api/search?q=harbour&rerank={wanted}").status == status


def test_what_an_earlier_server_has_read_is_indexed_at_the_start(tmp_path):
    with serving(tmp_path) as blind:
        first, second = blind.read(SAMPLE), blind.read(SAMPLE)
        refused = blind.get("/api/search?q=harbour")
        assert refused.status == 501
        assert "QUIRE_SERVE_SEARCH" in refused.json["detail"]
    with serving(tmp_path, idle=True, **SEARCHED) as seeing:
        assert {hit["document"] for hit in found(seeing, "harbour")} == {second}
    with serving(tmp_path, idle=True, **SEARCHED) as again:
        assert {hit["document"] for hit in found(again, "harbour")} == {second}
        again.service.runtime.forget(second.rpartition(".")[0])
        assert {hit["document"] for hit in found(again, "harbour")} == {first}


def test_after_an_upgrade_all_is_found_while_it_is_indexed_anew_and_the_old_version_goes(tmp_path, monkeypatch):
    """The new server cannot index at first: what the old one has indexed is found, and then what it indexes itself."""
    with serving(tmp_path, **SEARCHED) as old:
        first, second = (old.read(chapter(count), f"{count}.pdf") for count in (1, 2))
        assert {hit["document"] for hit in found(old, "chapter")} == {first, second}
    change_code(monkeypatch, tmp_path, "lexicon/terms.py")
    with serving(tmp_path, idle=True, **SEARCHED) as busy:
        assert busy.get("/health").status == 200
        hits = busy.get("/api/search?q=chapter").json["hits"]
        assert {hit["document"] for hit in hits} == {first, second}
    with serving(tmp_path, **SEARCHED) as new:
        third = new.read(chapter(3), "3.pdf")
        assert {hit["document"] for hit in found(new, "chapter&k=20")} == {first, second, third}
        (version,) = versions(new)
        assert version.is_current and version.documents == 3
    with serving(tmp_path, **SEARCHED) as again:
        assert {hit["document"] for hit in found(again, "chapter&k=20")} == {first, second, third}
        assert versions(again) == [version]


def test_an_old_version_whose_documents_no_run_has_any_more_goes_too(tmp_path, monkeypatch):
    with serving(tmp_path, **SEARCHED) as old:
        gone, left = (old.read(chapter(count), f"{count}.pdf") for count in (1, 2))
        assert found(old, "chapter")
        old.service.runtime.forget(gone.rpartition(".")[0])
    change_code(monkeypatch, tmp_path, "lexicon/terms.py")
    for _ in range(2):
        with serving(tmp_path, **SEARCHED) as new:
            assert {hit["document"] for hit in found(new, "chapter")} == {left}
    with serving(tmp_path, **SEARCHED) as new:
        found(new, "chapter")
        assert [version.documents for version in versions(new)] == [1]


def test_what_the_command_line_has_indexed_in_the_store_of_a_server_is_kept(tmp_path, monkeypatch):
    path = tmp_path / "own.pdf"
    path.write_bytes(chapter(1))
    with Index(tmp_path / "store", embedder="none") as index:
        index.add(path)
    with serving(tmp_path, **SEARCHED) as old:
        old.read(chapter(2), "2.pdf")
        assert found(old, "chapter")
    change_code(monkeypatch, tmp_path, "lexicon/terms.py")
    for count in (2, 2):
        with serving(tmp_path, **SEARCHED) as new:
            assert found(new, "chapter")
            assert len(versions(new)) == count
    with Index(tmp_path / "store", embedder="none") as index:
        assert [hit.name for hit in index.search("chapter")] == ["own.pdf"]
        index.add(path)
        assert [hit.name for hit in index.search("chapter")] == ["own.pdf"]
    with serving(tmp_path, **SEARCHED) as new:
        assert found(new, "chapter")
        assert len(versions(new)) == 1


def chapter(number):
    return documents.placed([documents.Piece(60, 80, f"The chapter {number} is about ship number {number}.")])


def versions(server):
    indexes = open_indexes(server.service.store)
    try:
        return indexes.versions()
    finally:
        indexes.close()
