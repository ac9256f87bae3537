"""The page about docling-serve's API names the clients that are tested, in the versions that the scripts fetch."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "reference" / "docling-serve.md"
TESTED = (
    *("docling-client", "docling-serve-client", "docling-serve-haystack"),
    *("langchain-docling", "docling-mcp", "lightrag-hku"),
)


def test_the_page_has_the_versions_of_the_scripts():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    fetched = (ROOT / "scripts" / "clients.sh").read_text()
    wanted = dict(re.findall(r"([\w-]+)==([\d.]+)", fetched))
    versions = {name: wanted[name] for name in TESTED}
    versions["Open WebUI"] = re.findall(r"OPEN_WEBUI=([\d.]+)", fetched)[0]
    versions["ai.docling:docling-serve-client"] = re.findall(
        r"^VERSION=([\d.]+)", (ROOT / "scripts" / "maven.sh").read_text(), re.MULTILINE
    )[0]
    for name, version in versions.items():
        assert any(name in row and f"| {version} |" in row for row in rows), f"{name} {version}"
