"""Pictures of pages: the same from every surface, and a page that ends its worker costs that page."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

import quire
from quire import Flow
from quire.core.document import Document, PageImage, RenderOptions
from quire.core.errors import CorruptError, InputError, LimitError
from quire.core.opened import Opened
from quire.durable.flows.step_work import GROUP as STEP
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.reading.worker_rendering import AHEAD, GROUP, draw, show
from quire.runtime.local import inline
from quire.store.files import FileStore
from quire.store.images import PageImages
from quire.system.workers import Job, shared_pool
from tests import documents
from tests.fakes.readers import StrangeSource

pytestmark = [pytest.mark.processes, pytest.mark.both_readers]

SMALL = RenderOptions(dpi=30)
PAGES = 5


@pytest.fixture
def report(saved) -> Path:
    return saved(documents.simple(PAGES))


def source_of(path: Path) -> Opened:
    with Document(path) as document:
        return Opened(path, path.name, document.id)


def strange(path: Path, pages: dict[int, str] | None = None, notes: Path | None = None) -> StrangeSource:
    known = source_of(path)
    return StrangeSource(path, known.name, known.id, pages=pages or {}, notes=notes)


def plainly(path: Path, options: RenderOptions) -> list[bytes]:
    """Drawn by one thread of this process."""
    with Document(path) as document:
        numbers = range(1, document.page_count + 1)
        return [image.png for image in document.reader.render(numbers, options, threads=1)]


def outcomes(images: list[PageImage | InputError]) -> list[int | str]:
    """The number of each page that was drawn, the message of each that was not."""
    return [str(image.args[0]) if isinstance(image, InputError) else image.number for image in images]


class TestEverySurface:
    """Gives byte for byte what one thread of one process draws."""

    @pytest.mark.parametrize("threads", [1, 2, 3])
    def test_a_worker(self, saved, threads):
        path = saved(documents.simple(GROUP + 3))
        drawn = list(draw(source_of(path), range(1, GROUP + 4), SMALL, threads=threads))
        assert [image.png for image in drawn] == plainly(path, SMALL)
        assert [image.number for image in drawn] == list(range(1, GROUP + 4))
        assert {(image.dpi, Image.open(BytesIO(image.png)).size) for image in drawn} == {
            (30, (drawn[0].width, drawn[0].height))
        }

    def test_page_images(self, report, tmp_path):
        with FileStore(tmp_path / "store") as store, Document(report) as document:
            PageImages(store).save(document, options=SMALL, threads=3)
            kept = [PageImages(store).load(document.id, number, SMALL) for number in range(1, PAGES + 1)]
        assert kept == plainly(report, SMALL)

    def test_the_component_render(self, report, tmp_path):
        with FileStore(tmp_path / "store") as store:
            told = DRAW.run(report, store=store).output
            kept = [store.objects.read(entry["image"]) for entry in told]
        assert kept == plainly(report, RenderOptions(dpi=30))

    def test_the_pictures_of_a_result_and_of_the_command_line(self, report, tmp_path):
        result = quire.read(report)
        one = list(result.pictures(threads=1))
        assert list(result.pictures(threads=3)) == one
        command = [sys.executable, "-m", "quire", "read", str(report), "--show", "-o", str(tmp_path)]
        assert subprocess.run(command).returncode == 0
        assert [(tmp_path / f"report.page-{number}.png").read_bytes() for number in range(1, PAGES + 1)] == one

    def test_a_searchable_pdf_of_pictures(self, tmp_path, monkeypatch):
        pytest.importorskip("pikepdf")
        pages = [Image.open(BytesIO(png)).convert("L") for png in plainly_simple()]
        pages[0].save(tmp_path / "scan.tif", save_all=True, append_images=pages[1:], dpi=(100, 100))
        result = quire.read(tmp_path / "scan.tif", ocr="never")
        written = []
        for threads in ("1", "3"):
            monkeypatch.setenv("QUIRE_THREADS", threads)
            written.append(result.to_pdf())
        assert written[0] == written[1]

    def test_a_sheet_too_large_for_its_dpi(self, saved):
        """Is shown with the maximum resolution, and is an error when pictures of that size are requested."""
        path = saved(huge_page())
        result = quire.read(path)
        (shown,) = show(source_of(path), [1], result.blocks)
        assert [shown] == list(result.pictures(threads=1))
        (drawn,) = draw(source_of(path), [1])
        assert isinstance(drawn, LimitError)


class TestIncidents:
    """With real workers."""

    @pytest.mark.parametrize("threads", [1, 2])
    @pytest.mark.parametrize(
        ("how", "reason"),
        [
            ("crash", "could not be drawn: the worker was killed by SIGSEGV"),
            ("raise", "could not be drawn: ZeroDivisionError: a bug of the renderer"),
            ("eat", "could not be drawn: the job needed more memory"),
        ],
    )
    def test_a_page_that_ends_its_worker_costs_itself(self, report, how, reason, threads):
        told = outcomes(list(draw(strange(report, {3: how}), range(1, PAGES + 1), SMALL, threads=threads)))
        assert told[:2] + told[3:] == [1, 2, 4, 5]
        assert str(told[2]).startswith(reason)

    def test_so_does_one_that_hangs(self, report):
        told = outcomes(list(draw(strange(report, {2: "hang"}), range(1, PAGES + 1), SMALL, page_s=10)))
        assert told == [1, "could not be drawn: no answer within 10 s", 3, 4, 5]

    def test_the_page_is_named(self, report):
        *_, last = draw(strange(report, {PAGES: "crash"}), range(1, PAGES + 1), SMALL)
        assert (last.document, last.page) == ("report.pdf", PAGES)

    def test_boxes_are_drawn_on_the_others(self, report):
        result = quire.read(report)
        pictures = list(show(strange(report, {1: "crash", 4: "crash"}), range(1, PAGES + 1), result.blocks))
        expected = list(result.pictures(threads=1))
        assert [at for at, png in enumerate(pictures, 1) if isinstance(png, InputError)] == [1, 4]
        assert [png for png in pictures if png in expected] == [expected[at] for at in (1, 2, 4)]

    def test_a_document_that_cannot_be_opened_is_tried_once(self, report):
        opening = strange(report, {0: "crash"})
        with pytest.raises(CorruptError, match=r"report\.pdf: cannot be opened: the worker was killed"):
            list(draw(opening, range(1, PAGES + 1), SMALL))

    def test_a_file_that_changed_is_refused(self, report):
        source = source_of(report)
        report.write_bytes(documents.simple(1))
        with pytest.raises(InputError, match="has changed"):
            list(draw(source, [1], SMALL))

    def test_a_caller_that_stops_leaves_the_workers_free(self, report):
        coming = draw(strange(report, {2: "hang"}), range(1, PAGES + 1), SMALL)
        next(coming)
        coming.close()
        job = Job("tests.fakes.jobs:double", 2)
        every = [shared_pool().submit(job, timeout_s=30) for _ in range(shared_pool().workers)]
        assert [future.result(timeout=60).header["number"] for future in every] == [4] * len(every)

    def test_a_bad_page_of_the_component_is_told_and_tried_again(self, saved, tmp_path):
        path = saved(huge_page(2))
        events: list[quire.Event] = []
        with FileStore(tmp_path / "store") as store:
            for _ in range(2):
                bad, good = ALL.run(path, store=store, on_event=events.append).output
                assert "pass the limit" in bad["error"] and good["image"].endswith("page-002.png")
        drawn = [(event.kind, event.page) for event in events if event.stage == "render"]
        assert drawn == [("failed", 1), ("finished", 2), ("failed", 1)]


def test_the_worker_draws_no_more_than_a_few_pages_ahead(saved, tmp_path):
    """So memory does not grow with the document."""
    path, notes = saved(documents.simple(20)), tmp_path / "notes"
    ahead = []
    for taken, _ in enumerate(draw(strange(path, notes=notes), range(1, 21), SMALL, threads=1), 1):
        ahead.append(len(notes.read_text().split()) - taken)
    assert max(ahead) <= AHEAD + 2  # two wait here, one is offered by the worker, one is drawn


def test_each_picture_is_told_with_its_size(report, tmp_path):
    events: list[quire.Event] = []
    with FileStore(tmp_path / "store") as store:
        DRAW.run(report, store=store, on_event=events.append)
        drawn = [event for event in events if event.stage == "render"]
        assert [(event.kind, event.page) for event in drawn] == [("finished", page) for page in range(1, PAGES + 1)]
        assert len({event.id for event in drawn}) == PAGES
        for event, png in zip(drawn, plainly(report, SMALL), strict=True):
            width, height = Image.open(BytesIO(png)).size
            assert {"bytes": len(png), "width": width, "height": height}.items() <= event.payload.items()
            assert isinstance(event.payload["ms"], float)
        DRAW.run(report, store=store, on_event=events.append)
    assert len([event for event in events if event.stage == "render"]) == PAGES, "a second run draws nothing"


def test_groups_of_pages_are_steps_of_their_own_and_a_replay_draws_none_again(saved, tmp_path):
    path = saved(documents.simple(STEP + 2))
    with FileStore(tmp_path / "store") as store:
        known = workflows_on(store, workers=1, definitions=True)
        with inline(known, pools=pools_for(1), replay_always=True) as runtime:
            run = runtime.submit("flow", {"flow": DRAW.definition.to_json(), "inputs": {"source": str(path)}})
            told = runtime.result(run, timeout_s=120)["output"]
            events = [event for event in runtime.events(run) if event.stage == "render"]
    assert [entry["page"] for entry in told] == list(range(1, STEP + 3))
    assert sorted(event.page for event in events) == list(range(1, STEP + 3))


def plainly_simple() -> list[bytes]:
    with Document(documents.simple(4)) as document:
        return [image.png for image in document.reader.render(range(1, 5), RenderOptions(dpi=100))]


def huge_page(pages: int = 1) -> bytes:
    """The first page is so large that its picture at 150 dpi passes the limit of pixels."""

    def draw_pages(canvas) -> None:
        canvas.setPageSize((14_000, 14_000))
        canvas.drawString(100, 100, "A very large sheet")
        canvas.showPage()
        for _ in range(pages - 1):
            canvas.setPageSize((200, 200))
            canvas.drawString(20, 20, "A small one")
            canvas.showPage()

    return documents.drawn(draw_pages)


def _flow(options: str) -> Flow:
    return Flow.from_yaml(f"""
        name: draw
        inputs: {{source: document}}
        steps:
          - {{id: pictures, component: render, input: {{document: {{$input: source}}}}, options: {options}}}
        output: {{$step: pictures}}
    """)


DRAW, ALL = _flow("{dpi: 30}"), _flow("{}")
