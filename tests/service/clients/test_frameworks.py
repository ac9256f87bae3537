"""Loaders of frameworks: Haystack, LangChain, docling-mcp, LightRAG and Open WebUI."""

from __future__ import annotations

import json

import pytest

from tests.service.clients.calling import ClientProgram, ClientRefused
from tests.service.clients.conftest import KEY, MARKDOWN


@pytest.fixture
def haystack(client) -> ClientProgram:
    """docling-serve-haystack 2.0.0."""
    return client("docling", "with_haystack")


@pytest.fixture
def langchain(client) -> ClientProgram:
    """langchain-docling 3.0.0."""
    return client("langchain", "with_langchain")


@pytest.fixture
def mcp(client) -> ClientProgram:
    """docling-mcp 3.3.0."""
    return client("docling", "with_mcp")


@pytest.fixture
def lightrag(client) -> ClientProgram:
    """lightrag-hku 1.5.7, without the dependencies that its docling parser does not import."""
    return client("docling", "with_lightrag")


@pytest.fixture
def open_webui(client) -> ClientProgram:
    """The loader of open-webui 0.12.4: its module alone, from the wheel. It shares LangChain's `Document`."""
    return client("langchain", "with_open_webui")


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("awaited", [False, True])
def test_haystack_converts_files_urls_and_streams(haystack, server, files, site, mode, awaited):
    sources = [files / "report.pdf", f"{site}/harbour.md"]
    contents, warnings = haystack.call(
        "convert", url=server.url, sources=sources, mode=mode, awaited=awaited, text=MARKDOWN
    )
    assert contents[0].startswith("## Chapter 1") and contents[1] == contents[2]
    assert contents[1].startswith("# Harbour") and warnings == []


@pytest.mark.parametrize(("export", "begins"), [("text", "Harbour"), ("json", '{"schema_name": "DoclingDocument"')])
def test_haystack_exports_text_and_json(haystack, server, files, export, begins):
    (content,), _ = haystack.call("convert", url=server.url, sources=[files / "harbour.md"], export_type=export)
    assert content.startswith(begins)


def test_haystack_skips_a_broken_file_with_its_reason(haystack, guarded, files, broken):
    sources = [broken, files / "harbour.md"]
    contents, warnings = haystack.call("convert", url=guarded.url, sources=sources, key=KEY, mode="async")
    assert len(contents) == 1 and "broken.pdf" in warnings[0] and "failure" in warnings[0]
    contents, warnings = haystack.call("convert", url=guarded.url, sources=[files / "harbour.md"], key="wrong")
    assert contents == [] and "401" in warnings[0]


def test_langchain_loads_markdown_and_chunks(langchain, server, site):
    """Its converter is docling's client, to which a string is a URL."""
    paths = [f"{site}/report.pdf", f"{site}/harbour.md"]
    loaded = langchain.call("load", url=server.url, paths=paths, export="markdown")
    assert [metadata["source"] for _, metadata in loaded] == paths
    assert loaded[0][0].startswith("## Chapter 1") and "salt" in loaded[1][0]
    chunks = langchain.call("load", url=server.url, paths=paths[:1], export="doc_chunks")
    places = [item["prov"][0]["page_no"] for _, metadata in chunks for item in metadata["dl_meta"]["doc_items"]]
    assert set(places) == {1, 2}


def test_langchain_sends_the_key_of_its_client(langchain, guarded, site):
    ((text, _),) = langchain.call("load", url=guarded.url, paths=[f"{site}/report.pdf"], export="markdown", key=KEY)
    assert text.startswith("## Chapter 1")
    with pytest.raises(ClientRefused):
        langchain.call("load", url=guarded.url, paths=[f"{site}/harbour.md"], export="markdown", key="wrong")


def test_docling_mcp_converts_a_url_and_caches_it(mcp, server, site):
    cached, name, markdown = mcp.call("convert", url=server.url, source=f"{site}/report.pdf")
    assert (cached, name) == (False, "report") and "Chapter 1" in markdown
    assert mcp.call("convert", url=server.url, source=f"{site}/report.pdf")[0] is True


def test_docling_mcp_sends_its_key_and_reports_a_server_that_it_may_not_use(mcp, guarded, site):
    assert mcp.call("convert", url=guarded.url, source=f"{site}/harbour.md", key=KEY)[1] == "harbour"
    with pytest.raises(ClientRefused) as refused:
        mcp.call("convert", url=guarded.url, source=f"{site}/figure.pdf", key="wrong")
    assert refused.value.kind == "ServiceError"


def test_lightrag_downloads_a_bundle_and_builds_blocks(lightrag, server, files, tmp_path):
    made = lightrag.call("parse", url=server.url, source=files / "figure.pdf", folder=tmp_path / "raw")
    assert {"figure.json", "figure.md"} <= set(made["files"])
    document = json.loads((tmp_path / "raw" / "figure.json").read_text())
    uris = [picture["image"]["uri"] for picture in document["pictures"]]
    assert uris and set(uris) <= set(made["files"])
    assert any(block for block in made["blocks"])


def test_lightrag_reads_a_scan_with_forced_ocr(lightrag, server, saved, tmp_path):
    """Its default: OCR of every page."""
    from tests.documents import simple

    source = saved(simple(), "scan.pdf")
    made = lightrag.call("parse", url=server.url, source=source, folder=tmp_path / "raw", force_ocr=True)
    assert "scan.json" in made["files"] and "harbour" in " ".join(made["blocks"]).lower()


def test_lightrag_reports_why_a_file_was_not_converted(lightrag, server, broken, tmp_path):
    with pytest.raises(ClientRefused, match=r"broken\.pdf"):
        lightrag.call("parse", url=server.url, source=broken, folder=tmp_path / "raw")


def test_open_webui_numbers_the_pages(open_webui, server, files):
    loaded = open_webui.call("load", url=server.url, path=files / "report.pdf")
    assert [metadata["page"] for _, metadata in loaded] == [0, 1]
    assert loaded[0][0].startswith("## Chapter 1") and "\f" not in loaded[0][0]


def test_open_webui_passes_on_the_parameters_of_its_administrator(open_webui, server, files):
    """They are form fields as a person typed them into a settings page."""
    params = {"do_ocr": True, "force_ocr": False, "pdf_backend": "dlparse_v4", "table_mode": "accurate"}
    loaded = open_webui.call("load", url=server.url, path=files / "report.pdf", params=params)
    assert len(loaded) == 2


def test_open_webui_sends_its_key_and_reports_a_broken_file_and_a_missing_key(open_webui, guarded, files, broken):
    assert len(open_webui.call("load", url=guarded.url, path=files / "report.pdf", key=KEY)) == 2
    with pytest.raises(ClientRefused, match=r"conversion status failure - .*broken\.pdf"):
        open_webui.call("load", url=guarded.url, path=broken, key=KEY)
    with pytest.raises(ClientRefused, match="Unauthorized"):
        open_webui.call("load", url=guarded.url, path=files / "report.pdf")
