"""The retrievers of the examples, in the frameworks that they are for."""

from __future__ import annotations

import json
import sys
import time
from urllib.request import Request, urlopen

import pytest

import quire
from tests import documents
from tests.conftest import ROOT
from tests.service.safety.conftest import form_of

EXAMPLES = ROOT / "examples" / "retrievers"
PATIENCE_S = 60.0


def asked(url: str, body: bytes | None = None, content_type: str = "") -> dict:
    with urlopen(Request(url, body, {"Content-Type": content_type} if body else {}), timeout=60) as answer:
        return json.load(answer)


def test_langchain_retrieves_passages_with_their_places(client, server):
    program = client("langchain", "with_retriever")
    run = asked(f"{server.url}/api/runs", *form_of([("files", "plans.pdf", documents.simple(3))]))["id"]
    until = time.monotonic() + PATIENCE_S
    while not asked(f"{server.url}/api/search?q=chapter&in={run}")["hits"]:
        assert time.monotonic() < until, "it was not indexed"
        time.sleep(0.05)
    found = program.call("retrieve", folder=EXAMPLES, url=server.url, query=f"chapter in:{run}", k=2)
    assert len(found) == 2
    text, metadata = found[0]
    assert metadata["name"] == "plans.pdf"
    assert metadata["crop"].startswith(f"/api/documents/{run}.1/pages/{metadata['page']}/crop?box=")
    assert text and set(metadata["bbox"]) == {"left", "top", "width", "height"}


@pytest.mark.processes
def test_llama_index_retrieves_nodes_with_their_places(tmp_path, monkeypatch):
    pytest.importorskip("llama_index.core", reason="llama-index-core is too large for the tests: install it by hand")
    (tmp_path / "plans.pdf").write_bytes(documents.simple(3))
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    from llama_index_retriever import QuireRetriever

    with quire.Index(tmp_path / "store", embedder="none") as index:
        index.add(tmp_path / "plans.pdf")
        node, *_ = QuireRetriever(index, k=2).retrieve("chapter 2")
    assert node.node.metadata["page"] == 2 and node.score > 0
