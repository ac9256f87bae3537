"""docling-client 2.143.0, the client of docling itself, and its command `docling convert-remote`."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.documents import many_pages
from tests.service.clients.calling import ClientProgram, ClientRefused
from tests.service.clients.conftest import KEY, needed

STEM_NAMES = ["report.doctags", "report.html", "report.json", "report.md", "report.txt"]


@pytest.fixture
def docling(client) -> ClientProgram:
    return client("docling", "with_docling")


def test_the_server_says_that_it_is_healthy_and_names_its_version(docling, server):
    answer = docling.call("about", url=server.url)
    assert answer["health"] == "ok" and answer["version"]["docling-serve"] == "1.38.2"


@pytest.mark.parametrize("watcher", ["websocket", "polling"])
def test_a_pdf_is_converted_with_pages_and_places(docling, server, files, watcher):
    answer = docling.call("convert", url=server.url, source=files / "report.pdf", watcher=watcher)
    assert (answer["status"], answer["name"], answer["file"]) == ("success", "report", "report.pdf")
    assert answer["pages"] == [1, 2] and set(answer["boxed"]) == {1, 2}
    assert "Chapter 1" in answer["markdown"]


def test_a_word_file_and_a_stream_are_converted(docling, server, files):
    assert docling.call("convert", url=server.url, source=files / "letter.docx")["status"] == "success"
    answer = docling.call("convert_stream", url=server.url, name="notes.md", text="# Tides\n\nHigh water at noon.\n")
    assert answer["markdown"] == "# Tides\n\nHigh water at noon." and answer["name"] == "notes"


def test_a_document_by_url_has_the_name_in_the_url(docling, server, site):
    answer = docling.call("convert", url=server.url, source=f"{site}/harbour.md")
    assert answer["name"] == "harbour" and "salt" in answer["markdown"]


def test_options_of_the_client_are_honoured(docling, server, files):
    answer = docling.call("convert", url=server.url, source=files / "report.pdf", options={"page_range": [2, 2]})
    assert answer["pages"] == [2] and set(answer["boxed"]) == {2}


def test_several_files_come_back_in_their_order_beside_a_broken_one(docling, server, files, broken):
    sources = [files / "report.pdf", broken, files / "harbour.md", files / "letter.docx"]
    answer = docling.call("convert_all", url=server.url, sources=sources)
    assert [one["file"] for one in answer] == ["report.pdf", "broken.pdf", "harbour.md", "letter.docx"]
    assert [one["status"] for one in answer] == ["success", "failure", "success", "success"]


def test_a_broken_file_raises_an_error_that_says_why(docling, server, broken):
    with pytest.raises(ClientRefused, match=r"broken\.pdf") as refused:
        docling.call("convert", url=server.url, source=broken)
    assert refused.value.kind == "ConversionError"
    answer = docling.call("convert", url=server.url, source=broken, raises=False)
    assert answer["status"] == "failure" and answer["errors"][0][1] == "backend_failure"


def test_a_zip_has_a_file_per_format(docling, server, files):
    answer = docling.call("submit_zip", url=server.url, source=files / "report.pdf")
    assert answer == {"type": "application/zip", "filename": "converted_docs.zip", "names": STEM_NAMES}


def test_referenced_pictures_are_in_the_zip(docling, server, files):
    answer = docling.call("submit_zip", url=server.url, source=files / "figure.pdf", image_export_mode="referenced")
    pictures = [name for name in answer["names"] if name.startswith("artifacts/") and name.endswith(".png")]
    assert pictures


@pytest.mark.parametrize("watcher", ["websocket", "polling"])
def test_a_task_is_followed_until_it_has_succeeded(docling, server, files, watcher):
    states, answer = docling.call("watch", url=server.url, source=files / "report.pdf", watcher=watcher)
    assert states[-1] == "success" and set(states) <= {"pending", "started", "success"}
    assert answer["name"] == "report"


def test_a_long_poll_answers_when_the_task_has_ended(docling, server, saved):
    status = docling.call("poll", url=server.url, source=saved(many_pages(40), "many.pdf"))
    assert status["task_status"] == "success" and status["task_meta"]["num_succeeded"] == 1


def test_a_cleared_result_is_gone(docling, server, files):
    with pytest.raises(ClientRefused, match="was not found") as refused:
        docling.call("fetch_cleared", url=server.url, source=files / "harbour.md")
    assert refused.value.kind == "TaskNotFoundError"


def test_an_early_fetch_must_wait(docling, server, saved):
    with pytest.raises(ClientRefused, match="is not ready") as refused:
        docling.call("fetch_early", url=server.url, source=saved(many_pages(200), "long.pdf"))
    assert refused.value.kind == "ResultNotReadyError"


@pytest.mark.parametrize("chunker", ["hybrid", "hierarchical"])
def test_chunks_name_their_headings_and_pages(docling, server, files, chunker):
    answer = docling.call("chunk", url=server.url, source=files / "report.pdf", chunker=chunker)
    first = answer["chunks"][0]
    assert first["filename"] == "report.pdf" and first["page_numbers"] == [1]
    assert any("Chapter 1" in (chunk["headings"] or []) for chunk in answer["chunks"])
    assert (first["num_tokens"] is None) == (chunker == "hierarchical")
    assert answer["documents"][0]["status"] == "success"


def test_a_batch_is_written_to_a_bucket(docling, server, site, bucket):
    name = bucket.create().split("/")[2]
    counts = docling.call(
        "batch",
        url=server.url,
        source=[f"{site}/report.pdf", f"{site}/harbour.md"],
        endpoint=bucket.url.removeprefix("http://"),
        verify_ssl=False,
        access_key="quire",
        secret_key="quire-secret",
        bucket=name,
        key_prefix="read/",
    )
    assert (counts["num_converted"], counts["num_succeeded"], counts["num_failed"]) == (2, 2, 0)
    with urllib.request.urlopen(f"{bucket.url}/{name}?list-type=2", timeout=30) as listing:
        listed = listing.read().decode()
    assert all(f"{stem}.{ending}" in listed for stem in ("report", "harbour") for ending in ("md", "json"))


@pytest.mark.parametrize("watcher", ["websocket", "polling"])
def test_the_asynchronous_client_converts_several_at_once(docling, server, files, watcher):
    names = ["report.pdf", "harbour.md", "letter.docx", "figure.pdf"]
    answer = docling.call(
        "convert_concurrently", url=server.url, sources=[files / name for name in names], watcher=watcher
    )
    assert answer == [[index, name, "success"] for index, name in enumerate(names)]


def test_the_asynchronous_client_follows_a_task(docling, server, files):
    states, answer = docling.call("convert_async", url=server.url, source=files / "report.pdf")
    assert states[-1] == "success" and answer["pages"] == [1, 2]


def test_a_key_is_asked_for_over_http_and_websocket(docling, guarded, files):
    with pytest.raises(ClientRefused, match=r"401|Unauthorized"):
        docling.call("convert", url=guarded.url, source=files / "harbour.md")
    for watcher in ("websocket", "polling"):
        states, answer = docling.call(
            "watch", url=guarded.url, source=files / "report.pdf", api_key=KEY, watcher=watcher
        )
        assert states[-1] == "success" and answer["name"] == "report"


def test_a_tenant_header_is_accepted_where_tenants_are_not_separated(docling, server, files):
    answer = docling.call(
        "convert", url=server.url, source=files / "report.pdf", headers={"X-Tenant-Id": "harbour"}, watcher="polling"
    )
    assert answer["status"] == "success"


def test_convert_remote_converts_a_folder(environment, server, files, broken, tmp_path):
    """Files of every requested format appear, and a broken document fails the command as it does with docling-serve."""
    done = convert_remote(environment, tmp_path, files, *as_options("md", "json", "html"), "--service-url", server.url)
    assert done.returncode == 0, done.stderr
    stems = ("report", "figure", "harbour", "letter")
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {
        f"{stem}.{ending}" for stem in stems for ending in ("md", "json", "html")
    }
    assert json.loads((tmp_path / "out" / "report.json").read_text())["schema_name"] == "DoclingDocument"


def as_options(*formats: str) -> list[str]:
    return [part for format in formats for part in ("--to", format)]


def convert_remote(environment, folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    program = needed("clients") / "docling" / "bin" / "docling"
    command = [program, "convert-remote", *map(str, arguments), "--output", str(folder / "out")]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_convert_remote_sends_a_key_and_reports_a_broken_file(environment, guarded, files, broken, tmp_path):
    with_key = ["--service-url", guarded.url, "--api-key", KEY]
    done = convert_remote(environment, tmp_path, files / "report.pdf", *as_options("md"), *with_key)
    assert done.returncode == 0 and (tmp_path / "out" / "report.md").read_text().startswith("## Chapter 1")
    done = convert_remote(environment, tmp_path, broken, *with_key)
    assert done.returncode != 0 and "broken.pdf" in done.stderr + done.stdout


def test_separated_tenants_need_their_header_on_every_request(docling, guarded, files):
    """This client sends it with the submission only, so the task of the tenant is not found afterwards."""
    with pytest.raises(ClientRefused, match="not found") as refused:
        docling.call(
            "convert",
            url=guarded.url,
            source=files / "harbour.md",
            api_key=KEY,
            headers={"X-Tenant-Id": "harbour"},
            watcher="polling",
        )
    assert refused.value.kind == "TaskNotFoundError"
