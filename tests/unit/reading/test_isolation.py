"""`read(isolate=True)` and the command line: the file is parsed in workers, and what it does there costs a page."""

from __future__ import annotations

import subprocess
import sys

import pytest

import quire
from quire.core.errors import CorruptError
from quire.reading import worker_pages
from tests import bombs, documents, scans

pytestmark = [pytest.mark.processes, pytest.mark.both_readers]

PAGES = 40


@pytest.mark.parametrize("make", [documents.headings_and_lists, documents.links_and_outline, documents.form_fields])
def test_an_isolated_read_gives_what_read_gives(make):
    isolated, plain = quire.read(make(), isolate=True), quire.read(make())
    assert isolated.to_json(words=True) == plain.to_json(words=True)


def test_long_documents_and_some_pages_of_them_are_read_the_same(saved, tmp_path):
    path = saved(documents.many_pages(PAGES))
    plain = quire.read(path).to_json(words=True)
    assert quire.read(path, isolate=True, store=tmp_path / "store").to_json(words=True) == plain
    assert quire.read(path, isolate=True, store=tmp_path / "store").to_json(words=True) == plain
    some = quire.read(path, isolate=True, pages="3-5,30")
    assert some.to_json() == quire.read(path, pages="3-5,30").to_json()
    assert [page.text for page in quire.stream(path, isolate=True)] == [page.text for page in quire.stream(path)]


def test_scans_are_read_the_same():
    document = scans.scanned(scans.slip())
    assert (
        quire.read(document, isolate=True, engines="echo").to_json() == quire.read(document, engines="echo").to_json()
    )


def test_a_new_layout_lays_the_stored_texts_out_in_workers(saved, tmp_path, monkeypatch):
    path = saved(documents.many_pages(3))
    plain = quire.read(path, isolate=True, store=tmp_path / "store").to_json()
    monkeypatch.setattr("quire.reading.page_stages.PageBlocks.version", "of tomorrow")
    events = []
    read = quire.read(path, isolate=True, store=tmp_path / "store", on_event=events.append)
    assert read.to_json() == plain
    kinds = [(event.stage, event.kind) for event in events if event.page == 2]
    assert kinds == [("native-text", "hit"), ("page-blocks", "started"), ("page-blocks", "finished")]


@pytest.mark.parametrize(("job", "reason"), [("read_group_dying", "SIGSEGV"), ("read_group_hanging", "within 2 s")])
def test_a_page_that_ends_its_worker_fails_alone(monkeypatch, job, reason):
    monkeypatch.setattr(worker_pages, "READ_GROUP", f"tests.fakes.jobs:{job}")
    monkeypatch.setattr(worker_pages, "PAGE_S", 2.0)
    result = quire.read(documents.many_pages(5), isolate=True)
    assert [page.status for page in result.pages] == ["ok", "ok", "failed", "ok", "ok"]
    assert reason in result.pages[2].info.reason


def test_a_worker_that_mixes_pages_up_is_refused(monkeypatch):
    monkeypatch.setattr(worker_pages, "READ_GROUP", "tests.fakes.jobs:read_group_mixed_up")
    result = quire.read(documents.many_pages(3), isolate=True)
    assert [page.status for page in result.pages[:1]] == ["failed"]
    assert "the worker sent an invalid page" in result.pages[0].info.reason


def test_leaving_a_stream_early_frees_the_workers():
    pages = quire.stream(documents.many_pages(PAGES), isolate=True)
    next(pages)
    pages.close()
    assert len(quire.read(documents.simple(), isolate=True).pages) == 1


def test_a_document_that_cannot_be_opened_says_so():
    with pytest.raises(CorruptError):
        quire.read(b"%PDF-1.4\nnothing", isolate=True)


def test_the_command_line_survives_a_file_that_is_made_to_harm(tmp_path):
    path = tmp_path / "bomb.pdf"
    path.write_bytes(bombs.marked_content())
    done = subprocess.run(
        [sys.executable, "-m", "quire", "read", str(path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode in (3, 5, 8)
    assert "Traceback" not in done.stderr
    assert str(path) in done.stderr
