"""A long document is parsed side by side, here and in workers: with the same pages, whatever happens to a worker."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

import quire
from quire.reading import side_by_side, worker_pages
from quire.retrieval.chunk import CHUNKERS, ChunkOptions
from quire.retrieval.chunk.rows import jsonl, rows
from tests import documents, scans
from tests.fakes.engines import NumberEngine

pytestmark = [pytest.mark.processes, pytest.mark.both_readers]

PAGES, FIRST, EACH = 14, 4, 4
GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]


@pytest.fixture(autouse=True)
def soon_long(monkeypatch):
    """Documents are long from a few pages on, and there are two CPUs."""
    monkeypatch.setenv("QUIRE_THREADS", "2")
    monkeypatch.setattr("quire.reading.call.LONG", FIRST + 2 * EACH)
    monkeypatch.setattr(side_by_side, "FIRST", FIRST)
    monkeypatch.setattr(side_by_side, "EACH", EACH)


@pytest.fixture
def jobs(monkeypatch):
    """The pages of every job for a worker."""
    asked = []
    make = worker_pages.WorkerPages._job
    monkeypatch.setattr(
        worker_pages.WorkerPages, "_job", lambda self, pages: (asked.append(pages), make(self, pages))[1]
    )
    return asked


def test_workers_read_the_pages_behind_the_first_ones(jobs):
    document = documents.many_pages(PAGES)
    alone = quire.read(document, threads=1).to_json(words=True)
    assert jobs == []
    assert quire.read(document, threads=2).to_json(words=True) == alone
    assert [page for pages in jobs for page in pages] == list(range(FIRST + 1, PAGES + 1))


def test_a_document_that_is_not_long_enough_for_two_workers_needs_none(jobs, saved, tmp_path):
    quire.read(documents.many_pages(FIRST + 2 * EACH - 1), threads=2)
    path = saved(documents.many_pages(PAGES))
    quire.read(path, threads=2, pages=f"1-{FIRST + EACH}", store=tmp_path / "store")
    quire.read(path, threads=2, store=tmp_path / "store")  # the others are stored
    assert jobs == []


def test_a_new_layout_needs_no_workers_for_stored_texts(jobs, saved, tmp_path, monkeypatch):
    path, store = saved(documents.many_pages(PAGES)), tmp_path / "store"
    plain = quire.read(path, threads=2, store=store).to_json()
    jobs.clear()
    monkeypatch.setattr("quire.reading.page_stages.PageBlocks.version", "of tomorrow")
    assert quire.read(path, threads=2, store=store).to_json() == plain
    assert jobs == []


def test_the_pages_of_a_killed_worker_are_read_by_another(saved, monkeypatch):
    path = saved(documents.many_pages(PAGES))
    alone = quire.read(path, threads=1).to_json(words=True)
    monkeypatch.setattr(worker_pages, "READ_GROUP", "tests.fakes.jobs:read_group_killed_once")
    assert quire.read(path, threads=2).to_json(words=True) == alone
    assert path.with_suffix(".killed").exists()


def test_a_page_that_ends_every_worker_fails_alone(monkeypatch):
    monkeypatch.setattr(worker_pages, "READ_GROUP", "tests.fakes.jobs:read_group_dying")
    monkeypatch.setattr(side_by_side, "FIRST", 2)
    result = quire.read(documents.many_pages(PAGES), threads=2)
    assert [page.number for page in result.pages if page.status == "failed"] == [3]


def test_a_page_that_takes_longer_than_a_worker_may_is_read_here(monkeypatch):
    monkeypatch.setattr(worker_pages, "READ_GROUP", "tests.fakes.jobs:read_group_hanging")
    monkeypatch.setattr(worker_pages, "PAGE_S", 2.0)
    monkeypatch.setattr(side_by_side, "FIRST", 2)
    document = documents.many_pages(PAGES)
    assert quire.read(document, threads=2).to_json() == quire.read(document, threads=1).to_json()


def test_two_reads_at_once_share_the_workers():
    document = documents.many_pages(PAGES)
    alone = quire.read(document, threads=1).to_json(words=True)
    together = Barrier(2)

    def read(_):
        together.wait()
        return quire.read(document, threads=2).to_json(words=True)

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(read, range(2))) == [alone, alone]


def test_leaving_a_stream_early_frees_the_workers():
    pages = quire.stream(documents.many_pages(PAGES), threads=2)
    for _ in range(FIRST + 1):
        next(pages)
    pages.close()
    assert len(quire.read(documents.many_pages(PAGES), threads=2).pages) == PAGES


def report(canvas: Canvas) -> None:
    """Headings, text, a table over two pages in each part, and scans between them."""
    for part in range(1, 5):
        pen = documents.Pen(canvas)
        pen.heading(f"{part} Dues of part {part}", size=16)
        pen.text(documents.prose(6, start=part))
        pen.table([documents.LONG_HEADER, *documents.LONG_ROWS[:20]], GRID, [50, 200, 100])
        canvas.showPage()
        pen = documents.Pen(canvas)
        pen.table([documents.LONG_HEADER, *documents.LONG_ROWS[20:30]], GRID, [50, 200, 100])
        pen.text(documents.prose(4, start=part))
        canvas.showPage()
        scans.scan_page(canvas, scans.numbered_sheet(part))
        canvas.setPageSize(documents.A4)


def test_chunks_are_the_same_bytes_at_any_number_of_workers(jobs):
    document = documents.drawn(report)

    def chunked(workers):
        result = quire.read(document, engines=NumberEngine(), threads=workers, workers=workers)
        return [jsonl(rows(result, result.chunks(ChunkOptions(chunker=name)))) for name in CHUNKERS]

    alone = chunked(1)
    assert jobs == []
    assert chunked(2) == alone
    assert [page for pages in jobs for page in pages] == list(range(FIRST + 1, 13)), "two workers read the others"
    assert b"Sheet number 4" in alone[0] and b'"table"' in alone[1]
