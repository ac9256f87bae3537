"""ai.docling:docling-serve-client 0.5.0 from Maven, with Jackson 2."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.clients.calling import ClientProgram, ClientRefused
from tests.service.clients.conftest import KEY, needed

FORMATS = ["MARKDOWN", "JSON", "HTML", "TEXT", "DOCTAGS"]


@pytest.fixture(scope="module")
def java(environment, tmp_path_factory) -> Iterator[ClientProgram]:
    jars = needed("maven")
    program = shutil.which("java")
    assert program is not None
    command = [program, "-cp", f"{jars}/*", Path(__file__).parent / "java" / "Calls.java"]
    started = ClientProgram(command, tmp_path_factory.mktemp("java"), environment)
    yield started
    started.stop()


def test_health_and_clearing(java, server):
    assert java.call("health", url=server.url) == "ok"
    assert java.call("clear", url=server.url) == "ok"


def test_a_pdf_is_converted_to_every_format(java, server, files):
    answer = java.call("convert", url=server.url, source=files / "report.pdf", to=FORMATS)
    assert answer["status"] == "success" and answer["filename"] == "report.pdf" and answer["errors"] == []
    assert answer["pages"] == ["1", "2"] and answer["texts"] > 2
    assert answer["markdown"].startswith("## Chapter 1") and answer["html"].startswith("<!DOCTYPE html>")
    assert "Chapter 1" in answer["text"] and answer["doctags"].startswith("<doctag>")


def test_the_document_of_every_format_can_be_parsed(java, server, files):
    """Its classes know fewer fields than the newest schema; nothing may be in the way of them."""
    for name, tables in (("letter.docx", 1), ("harbour.md", 1), ("figure.pdf", 0)):
        answer = java.call("convert", url=server.url, source=files / name, to=["JSON"])
        assert (answer["status"], answer["tables"]) == ("success", tables), name


def test_a_document_by_url(java, server, site):
    assert "salt" in java.call("convert", url=server.url, source=f"{site}/harbour.md")["markdown"]


def test_a_task_is_awaited(java, server, files):
    answer = java.call("convert_async", url=server.url, source=files / "report.pdf", to=["MARKDOWN"])
    assert answer["status"] == "success"


def test_several_files_come_back_as_a_zip(java, server, files):
    answer = java.call("convert_files", url=server.url, sources=[files / "report.pdf", files / "harbour.md"])
    assert answer["filename"] == "converted_docs.zip" and sorted(answer["names"]) == ["harbour.md", "report.md"]


def test_a_zip_target(java, server, files):
    answer = java.call("convert", url=server.url, source=files / "report.pdf", to=["JSON", "MARKDOWN"], zip=True)
    assert sorted(answer["names"]) == ["report.json", "report.md"]


@pytest.mark.parametrize("chunker", ["hybrid", "hierarchical"])
def test_chunks(java, server, files, chunker):
    chunks = java.call(f"chunk_{chunker}", url=server.url, source=files / "report.pdf")
    assert {page for _, pages in chunks for page in pages} == {1, 2}
    assert chunks[0][0].startswith("Chapter 1\n")


def test_errors(java, server, guarded, files, broken):
    with pytest.raises(ClientRefused, match="Task not found"):
        java.call("poll", url=server.url, task="no-such-task")
    with pytest.raises(ClientRefused, match="Unauthorized"):
        java.call("convert", url=guarded.url, source=files / "harbour.md")
    for name in ("convert", "convert_async"):
        assert java.call(name, url=guarded.url, source=files / "report.pdf", key=KEY)["status"] == "success"
    answer = java.call("convert", url=guarded.url, source=broken, key=KEY)
    assert answer["status"] == "failure" and "broken.pdf" in answer["errors"][0]
