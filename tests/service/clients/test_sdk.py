"""docling-serve-client 1.14.0, a client by others; its package is `docling_serve_sdk`."""

from __future__ import annotations

import pytest

from tests.service.clients.calling import ClientProgram, ClientRefused
from tests.service.clients.conftest import KEY


@pytest.fixture
def sdk(client) -> ClientProgram:
    return client("docling", "with_sdk")


def test_health_version_and_clearing(sdk, server):
    assert sdk.call("about", url=server.url) == ["ok", "1.38.2", "ok"]
    assert sdk.call("clear", url=server.url) == "ok"


def test_a_file_is_converted_to_every_format(sdk, server, files):
    formats = ["md", "json", "html", "text", "doctags"]
    answer = sdk.call("convert_file", url=server.url, path=files / "report.pdf", to_formats=formats)
    document = answer["document"]
    assert answer["status"] == "success" and document["filename"] == "report.pdf"
    assert document["md_content"].startswith("## Chapter 1")
    assert next(iter(document["json_content"])) == "schema_name"
    assert document["html_content"].startswith("<!DOCTYPE html>\n<html>\n<head>")
    assert document["doctags_content"].startswith("<doctag>") and "Chapter 1" in document["text_content"]


def test_a_file_in_the_request_is_converted_with_the_options_of_an_old_release(sdk, server, files):
    """This client sends all options of release 1.14 with their defaults: embedded images, EasyOCR, 604800 seconds."""
    answer = sdk.call("convert_source", url=server.url, path=files / "harbour.md")
    assert answer["status"] == "success" and "salt" in answer["document"]["md_content"]


def test_pictures_are_embedded_as_this_client_asks(sdk, server, files):
    answer = sdk.call("convert_file", url=server.url, path=files / "figure.pdf")
    assert "](data:image/png;base64," in answer["document"]["md_content"]


def test_the_asynchronous_calls(sdk, server, files):
    assert sdk.call("convert_file_async", url=server.url, path=files / "letter.docx")["status"] == "success"
    task, status, result = sdk.call("wait_for_task", url=server.url, path=files / "report.pdf")
    assert task["task_type"] == "convert" and status["task_status"] == "success"
    assert status["task_meta"]["num_succeeded"] == 1 and result["document"]["filename"] == "report.pdf"


@pytest.mark.parametrize("chunker", ["hybrid", "hierarchical"])
def test_chunks(sdk, server, files, chunker):
    answer = sdk.call("chunk", url=server.url, path=files / "harbour.md", chunker=chunker, include_raw_text=True)
    assert [chunk["headings"] for chunk in answer["chunks"]] == [["Harbour"], ["Harbour", "Cargo"]]
    assert answer["chunks"][0]["raw_text"] == "Boats come and go."
    assert answer["chunks"][0]["doc_items"] == ["#/texts/1"] and answer["chunks"][1]["doc_items"] == ["#/tables/0"]


def test_a_tokenizer_that_would_be_downloaded_is_refused(sdk, server, files):
    with pytest.raises(ClientRefused, match="nothing is downloaded") as refused:
        sdk.call("chunk", url=server.url, path=files / "harbour.md", chunker="hybrid", tokenizer="acme/no-such-model")
    assert refused.value.kind == "DoclingValidationError"


def test_errors_are_those_that_the_client_knows(sdk, server, guarded, files, broken):
    with pytest.raises(ClientRefused, match=r"Task not found\.") as refused:
        sdk.call("poll", url=server.url, task="no-such-task")
    assert refused.value.kind == "DoclingAPIError"
    with pytest.raises(ClientRefused, match="Unauthorized"):
        sdk.call("convert_file", url=guarded.url, path=files / "harbour.md")
    _, status, _ = sdk.call("wait_for_task", url=guarded.url, path=files / "report.pdf", key=KEY)
    assert status["task_status"] == "success"
    answer = sdk.call("convert_file", url=guarded.url, path=broken, key=KEY)
    assert answer["status"] == "failure" and "broken.pdf" in answer["errors"][0]["error_message"]
