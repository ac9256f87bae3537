"""The retrievers of the examples, in the frameworks that they are for."""

from __future__ import annotations

import json
import sys
import time
from urllib.request import Request, urlopen

from tests import documents
from tests.conftest import ROOT
from tests.service.clients.calling import PROGRAMS, ClientProgram
from tests.service.clients.conftest import needed
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


def test_llama_index_retrieves_nodes_with_their_places(tmp_path, environment):
    """In this environment, which has Quire, with LlamaIndex beside it."""
    packages = needed("clients") / "llama-index"
    (tmp_path / "plans.pdf").write_bytes(documents.simple(3))
    with ClientProgram([sys.executable, PROGRAMS / "with_llama_index.py"], tmp_path, environment) as program:
        found = program.call("retrieve", folders=[EXAMPLES, packages], path="plans.pdf", query="chapter 2", k=2)
    text, score, metadata = found[0]
    assert (metadata["name"], metadata["page"]) == ("plans.pdf", 2) and score > 0
    assert text and set(metadata["bbox"]) == {"left", "top", "width", "height"}
