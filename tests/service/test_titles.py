"""docling's PDF pipeline knows no titles, and docling-serve's own tests look for `## ` and the title of a paper."""

from __future__ import annotations

import base64

import pytest

from tests.conftest import ROOT
from tests.service.safety.conftest import guarded

pytestmark = pytest.mark.processes

SAMPLE = (ROOT / "examples" / "sample.pdf").read_bytes()


def test_the_title_of_a_pdf_is_a_heading_on_the_routes_of_docling_alone(tmp_path):
    with guarded(tmp_path) as server:
        converted = server.convert("sample.pdf", SAMPLE, options={"to_formats": ["md", "json"]}).json["document"]
        assert "\n## Quarterly Report\n" in converted["md_content"]
        assert not any(text["label"] == "title" for text in converted["json_content"]["texts"])
        source = {"kind": "file", "base64_string": base64.b64encode(SAMPLE).decode(), "filename": "sample.pdf"}
        chunks = server.ask("POST", "/v1/chunk/hierarchical/source", {"sources": [source]}).json["chunks"]
        above = {chunk["headings"][0] for chunk in chunks if chunk["headings"]}
        assert len(above) > 1, "the title is not above every other heading"
        noted = server.convert("a.md", b"# Harbour\n\nBoats.\n").json["document"]["md_content"]
        assert noted.startswith("# Harbour"), "Markdown has titles in docling as well"
        run = server.read("sample.pdf", SAMPLE)
        assert b"\n# Quarterly Report\n" in server.get(f"/api/documents/{run}.1/exports/md").body


def test_a_setting_gives_our_levels(tmp_path):
    with guarded(tmp_path, titles=True) as server:
        assert "\n# Quarterly Report\n" in server.convert("sample.pdf", SAMPLE).json["document"]["md_content"]
