"""What someone sees who looks at a document that was read: made once, from the store."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from dataclasses import dataclass
from threading import Event, Semaphore

import pytest
from openpyxl import load_workbook
from PIL import Image

from quire.core.errors import InputError, StoreError, UsageError
from quire.core.types import BBox
from quire.durable.deletion import delete_documents
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.reads.sources import keep_source
from quire.durable.views.views import DocumentViews
from quire.durable.worker_workflows import workflows_on
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore
from quire.system.workers import Job, shared_pool
from quire.system.workers.pool import Lane
from tests import documents

pytestmark = pytest.mark.processes


@dataclass
class Room:
    """A store with a runtime, and views of what was read."""

    store: FileStore
    runtime: LocalRuntime
    views: DocumentViews
    folder: object

    def read(self, data, name="report.pdf", **options):
        path = self.folder / name
        path.write_bytes(data)
        source = SourceRef.of(path)
        keep_source(self.store, source)
        stored = SourceRef(source.id, source.name, source.path, stored=True)
        run = self.runtime.submit("document", ReadRequest(stored, **options).to_json())
        return self.runtime.result(run, timeout_s=120)

    def load(self, reference, kept):
        return self.views.load(reference, kept.digest)

    def page(self, reference, number, **options):
        return json.loads(self.load(reference, self.views.page(reference, number, **options)))

    def picture(self, reference, number, **options):
        png = self.load(reference, self.views.picture(reference, number, **options))
        return Image.open(io.BytesIO(png)).convert("RGB")

    def crop(self, reference, number, box, **options):
        return Image.open(io.BytesIO(self.views.crop(reference, number, box, **options))).convert("RGB")


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = tmp_path_factory.mktemp("views")
    with FileStore(folder / "store") as store, LocalRuntime(store.database, workflows_on(store, workers=1)) as runtime:
        views = DocumentViews(DocumentSteps(store, workers=1))
        yield Room(store, runtime, views, folder)
        views.close()


def test_a_page_has_the_blocks_of_the_json_export(room):
    reference = room.read(documents.headings_and_lists())
    exported = json.loads(load_result(room.store, reference).to_json(words=True))
    listed = room.views.pages(reference)
    assert [page["number"] for page in listed.pages] == [page["number"] for page in exported["document"]["pages"]]
    view = room.page(reference, 1, words=True)
    assert view["blocks"] == [block for block in exported["blocks"] if block["page"] == 1]
    assert [block["id"] for block in room.page(reference, 1)["blocks"]] == [block["id"] for block in view["blocks"]]
    assert "words" not in room.page(reference, 1)["blocks"][0]
    assert view["page"]["engine"] == "native" and view["page"]["has_image"]


def test_a_block_that_continues_is_on_both_pages_with_the_words_of_each(room):
    reference = room.read(documents.paragraph_over_pages())
    first, second = (room.page(reference, number, words=True) for number in (1, 2))
    (shared,) = {block["id"] for block in first["blocks"]} & {block["id"] for block in second["blocks"]}
    here, there = (
        [word["text"] for block in page["blocks"] if block["id"] == shared for word in block["words"]]
        for page in (first, second)
    )
    assert (here[-1], there[0]) == ("the", "ships")


def test_views_are_made_once(room, monkeypatch):
    reference = room.read(documents.simple(2))
    first = room.views.page(reference, 2), room.views.picture(reference, 2), room.views.export(reference, "md")
    room.store.flush()
    monkeypatch.setattr(room.views, "_pool", None)
    monkeypatch.setattr(room.views._steps, "requested", None)
    again = room.views.page(reference, 2), room.views.picture(reference, 2), room.views.export(reference, "md")
    assert first == again


def test_a_page_that_was_not_read_is_an_error(room):
    reference = room.read(documents.simple(3), pages="2")
    assert room.page(reference, 2)["page"]["number"] == 2
    with pytest.raises(UsageError, match=r"page 1 of report\.pdf was not read"):
        room.views.page(reference, 1)


def red_on_a_turned_page():
    """A red rectangle on a cropped page turned by 90 degrees: see `RED`."""

    def draw(canvas):
        canvas.setCropBox((100, 200, 500, 700))
        canvas.setPageRotation(90)
        canvas.setFillColorRGB(1, 0, 0)
        canvas.rect(150, 600, 50, 60, stroke=0, fill=1)

    return documents.drawn(draw, size=(842, 595))  # reportlab takes the displayed size


RED = BBox(0.8, 0.125, 0.12, 0.125)


def test_a_crop_shows_the_box_of_a_turned_and_cropped_page(room):
    reference = room.read(red_on_a_turned_page())
    page = room.picture(reference, 1, dpi=144)
    assert page.size == (1000, 800)
    crop = room.crop(reference, 1, RED, dpi=144)
    assert crop.size == (120, 100)
    assert crop.getcolors() == [(120 * 100, (255, 0, 0))]
    wider = room.crop(reference, 1, BBox(0.75, 0.1, 0.2, 0.2), dpi=144)
    left, top, right, bottom = Image.eval(wider.getchannel("G"), lambda value: 255 - value).getbbox()
    assert (left, top, right, bottom) == pytest.approx((50, 20, 170, 120), abs=1)


def test_a_picture_is_the_same_from_a_new_store(room, tmp_path):
    data = documents.ruled_table()
    first = room.views.crop(room.read(data), 1, BBox(0, 0, 0.5, 0.5), dpi=80)
    with FileStore(tmp_path / "store") as store, LocalRuntime(store.database, workflows_on(store)) as runtime:
        views = DocumentViews(DocumentSteps(store))
        other = Room(store, runtime, views, tmp_path)
        assert views.crop(other.read(data), 1, BBox(0, 0, 0.5, 0.5), dpi=80) == first
        views.close()


def test_a_huge_page_is_drawn_smaller(room):
    reference = room.read(documents.huge_page())
    picture = room.picture(reference, 1, dpi=100)
    assert picture.width * picture.height < 120_000_000


@pytest.mark.parametrize("dpi", [19, 301])
def test_other_resolutions_are_refused(room, dpi):
    with pytest.raises(UsageError, match="choose 20 to 300"):
        room.views.picture(room.read(documents.simple()), 1, dpi=dpi)


def test_a_page_that_does_not_exist_is_not_drawn(room):
    with pytest.raises((InputError, UsageError)):
        room.views.picture(room.read(documents.simple()), 9)


def test_exports_are_one_file_or_an_archive(room):
    reference = room.read(documents.ruled_table(), name="prices.pdf")
    markdown = room.views.export(reference, "md")
    assert (markdown.name, markdown.media_type) == ("prices.md", "text/markdown")
    assert room.load(reference, markdown).decode() == load_result(room.store, reference).to_markdown()
    tables = room.views.export(reference, "csv")
    assert (tables.name, tables.media_type) == ("prices.csv.zip", "application/zip")
    with zipfile.ZipFile(io.BytesIO(room.load(reference, tables))) as archive:
        assert archive.namelist() == ["prices.table-1.csv"]
    with pytest.raises(UsageError, match="there is no format 'doc'"):
        room.views.export(reference, "doc")


def test_a_table_is_written_in_each_format(room):
    reference = room.read(documents.ruled_table())
    (row,) = room.views.pages(reference).tables
    (block,) = load_result(room.store, reference).tables
    assert (row["block"], row["rows"], row["columns"]) == (block.id, block.table.rows, block.table.columns)
    written = {
        name: room.load(reference, room.views.table(reference, block.id, name)) for name in ("csv", "json", "html")
    }
    assert list(csv.reader(io.StringIO(written["csv"].decode()))) == block.table.grid()
    assert len(json.loads(written["json"])["cells"]) == len(block.table.cells)
    assert written["html"].startswith(b"<table")
    book = load_workbook(io.BytesIO(room.load(reference, room.views.table(reference, block.id, "xlsx"))))
    assert book.sheetnames == ["Tables", "Table 1"]
    with pytest.raises(UsageError, match="has no table p9-b9"):
        room.views.table(reference, "p9-b9", "csv")


def test_search_finds_text_across_lines_and_says_where(room):
    def draw(canvas):
        canvas.setFont("Times-Roman", 12)
        for y, line in ((700, "The yellow h\xe4user were built by a"), (684, "very patient carpenter of the town.")):
            canvas.drawString(72, y, line)

    reference = room.read(documents.drawn(draw))
    found = json.loads(room.views.search(reference, "HAUSER were  built by a Very patient"))
    (hit,) = found["hits"]
    assert (found["total"], hit["page"], hit["start"]) == (1, 1, 11)
    assert "h\xe4user" in hit["snippet"] and "\n" not in hit["snippet"]
    (carpenter,) = json.loads(room.views.search(reference, "carpenter"))["hits"]
    box = carpenter["bbox"]
    assert box["top"] > hit["bbox"]["top"] and box["width"] < hit["bbox"]["width"]
    words = [word for block in room.page(reference, 1, words=True)["blocks"] for word in block["words"]]
    assert box == next(word["bbox"] for word in words if word["text"] == "carpenter")


def test_search_finds_the_cell_of_a_table(room):
    reference = room.read(documents.ruled_table())
    (block,) = load_result(room.store, reference).tables
    cell = next(cell for cell in block.table.cells if cell.row == 1 and cell.text)
    hits = json.loads(room.views.search(reference, cell.text))["hits"]
    assert any(hit["block"] == block.id and hit["bbox"]["top"] == pytest.approx(cell.bbox.top) for hit in hits)


def test_search_counts_all_and_returns_the_first(room):
    reference = room.read(documents.simple(3))
    everything = json.loads(room.views.search(reference, "the", limit=1000))
    some = json.loads(room.views.search(reference, "the", limit=2))
    assert some["hits"] == everything["hits"][:2]
    assert some["total"] == everything["total"] == len(everything["hits"]) > 2
    with pytest.raises(UsageError, match="empty"):
        room.views.search(reference, " ")


def test_a_deleted_document_cannot_be_looked_at(room):
    room.views.pages(room.read(documents.simple(3), pages="1"))  # has the same contents
    reference = room.read(documents.simple(2), name="gone.pdf", pages="1")
    room.views.pages(reference)
    (room.folder / "gone.pdf").unlink()
    with FileStore(room.folder / "store") as other:  # another process does it
        delete_documents(other, [reference["source"]["id"]])
    room.store.flush()
    left = room.store.database.rows("SELECT stage FROM facts WHERE document = ?", (reference["source"]["id"],))
    assert left == [], "nothing of it comes back"
    for look in (
        lambda: room.views.pages(reference),
        lambda: room.views.page(reference, 1),
        lambda: room.views.search(reference, "a"),
        lambda: room.views.export(reference, "md"),
        lambda: room.views.picture(reference, 1),
        lambda: room.views.crop(reference, 1, RED),
    ):
        with pytest.raises(StoreError, match=r"gone\.pdf was deleted"):
            look()


def test_an_export_does_not_wait_for_workers_that_read(room):
    reference = room.read(documents.simple(), name="while-others-read.pdf")
    asked, release = Semaphore(0), Event()

    def hold(name, header, data):
        asked.release()
        assert release.wait(60)
        return {}, b""

    job = Job("tests.fakes.jobs:ask", "more")
    lanes = (Lane.LONG, Lane.BRIEF)  # all workers of the pool that reads
    held = [shared_pool(1).submit(job, timeout_s=60, on_request=hold, lane=lane) for lane in lanes]
    try:
        assert all(asked.acquire(timeout=60) for _ in held)
        assert room.views.export(reference, "md").name == "while-others-read.md"
    finally:
        release.set()
        assert all(one.result(60) for one in held)
