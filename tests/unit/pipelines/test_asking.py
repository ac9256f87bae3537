"""How a pipeline asks its engine: the same asker, gate and limits as a read, and stages that are `async`."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

import pytest
from PIL import Image

import quire
from quire.core.engine import ReadLine, Recognition
from quire.core.types import BBox, Layout, Region
from quire.pages.recognize.codec import encode_recognitions
from quire.pages.recognize.echo import EchoEngine
from quire.pages.recognize.plain import from_function
from quire.pipeline import (
    Pipeline,
    cancelled,
    classifier,
    detector,
    exporter,
    postprocessor,
    preprocessor,
    recognizer,
    region_preprocessor,
    save,
)
from quire.reading.picture_questions import ROOM
from quire.recognize import fallback
from tests import scans
from tests.fakes.engines import AsyncEngine, BadEngine, NumberEngine, calls, held, said_of
from tests.runtime.tracking import wait_until
from tests.unit.system.workers.watching import living

pytestmark = pytest.mark.processes

PATIENCE_S = 60
LEFT, RIGHT = BBox(0.0, 0.0, 0.5, 1.0), BBox(0.5, 0.0, 0.4, 1.0)


@pytest.fixture
def sheets(saved):
    return saved(scans.numbered_scans(3), "scan.pdf")


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.png"
    Image.new("L", (200, 100), 255).save(path, dpi=(100, 100))
    return path


class Told(list):
    def __call__(self, event):
        self.append(event)

    def of(self, kind, stage="recognize"):
        return [event for event in self if (event.stage, event.kind) == (stage, kind)]


@pytest.mark.parametrize("how", ["exit", "segfault"])
def test_an_engine_that_crashes_costs_its_page_and_not_the_program(sheets, how):
    told = Told()
    result = Pipeline(BadEngine(how=how, on=(2,)), on_event=told)(sheets)
    assert [page.status for page in result.pages] == ["ok", "failed", "ok"]
    assert result.pages[0].text == said_of(1)
    assert "bad: the worker" in result.pages[1].info.reason
    assert [event.payload["outcome"] for event in told.of("attempt")] == ["ok", "crashed", "ok"]


@pytest.mark.parametrize("how", ["hang", "raise", "half", "outside", "not a number"])
def test_an_engine_that_misbehaves_in_its_worker_costs_its_page(sheets, how, tmp_path):
    outcomes = {"hang": "timeout", "raise": "failed"}
    told = Told()
    engine = BadEngine(how=how, on=(2,), timeout_s=3.0 if how == "hang" else 30.0, log=tmp_path / "calls")
    result = Pipeline(engine, on_event=told)(sheets)
    assert [page.status for page in result.pages] == ["ok", "failed", "ok"]
    assert [event.payload["outcome"] for event in told.of("attempt")] == ["ok", outcomes.get(how, "garbage"), "ok"]


def test_cancelling_ends_the_worker_of_an_engine_that_hangs(sheets, tmp_path):
    log = tmp_path / "calls"
    pipeline = Pipeline(BadEngine(how="hang", on=(2,), log=log))
    stopper = threading.Thread(target=lambda: (wait_until(lambda: held(log), "it never hung"), pipeline.cancel()))
    stopper.start()
    result = pipeline(sheets)
    stopper.join()
    assert [page.status for page in result.pages] == ["ok", "skipped", "skipped"]
    wait_until(lambda: not living(held(log)), "its processes are left behind")


def test_regions_of_a_picture_that_is_too_large_for_a_worker_are_sent_one_by_one(page, monkeypatch):
    monkeypatch.setattr("quire.reading.picture_questions.MAX_DATA", ROOM + 15_000)
    halves = detector(lambda picture: Layout((Region("a", LEFT), Region("b", RIGHT))), name="halves")
    told = Told()
    result = Pipeline(halves, EchoEngine(), on_event=told)(page)
    assert [block.text for block in result] == ["echo", "echo"]
    assert sorted(event.payload["region_id"] for event in told.of("attempt")) == ["a", "b"]
    whole = Pipeline(EchoEngine())(page)
    assert "echo: a picture of 200 x 100 pixels is too large for a worker process" in whole.pages[0].info.reason


@dataclass(frozen=True)
class Dirty(NumberEngine):
    """Answers with what no block may hold."""

    name: str = "dirty"

    def answer(self, number: int) -> bytes:
        nan = float("nan")
        lines = (
            ReadLine("good\x00 text", BBox(0.1, 0.1, 0.5, 0.1), 42.0),
            ReadLine("sticks out", BBox(0.5, 0.5, 0.502, 0.1), 1.005),
            ReadLine("stands nowhere", BBox(nan, nan, nan, nan), 0.5),
        )
        return encode_recognitions([Recognition(self.name, lines)])


def test_what_an_engine_says_passes_the_same_gate_as_in_a_read(sheets):
    [recognition] = Pipeline(Dirty())(sheets, pages="1").recognitions[1]
    assert [line.text for line in recognition.lines] == ["good text", "sticks out"]
    assert [line.confidence for line in recognition.lines] == [None, 1.0]
    assert all(line.bbox.right <= 1.0 for line in recognition.lines)


def test_attempts_are_told_as_in_a_read(sheets, tmp_path):
    first, second = Told(), Told()
    for told in (first, second):
        Pipeline(NumberEngine(), cache=tmp_path / "answers", on_event=told)(sheets, pages="1")
    [asked], [found] = first.of("attempt"), second.of("attempt")
    assert set(asked.payload) == {"engine", "outcome", "reason", "region_id", "ms", "tier", "queue_ms"}
    assert (asked.payload["engine"], asked.payload["outcome"], asked.payload["tier"]) == ("numbers", "ok", "asked")
    assert (found.payload["outcome"], found.payload["tier"]) == ("hit", "exact")
    assert asked.key == found.key is not None


def test_the_limit_of_an_engine_counts_over_pipelines_and_reads(sheets, tmp_path):
    under_way, most, lock, two = [0], [0], threading.Lock(), threading.Barrier(2)

    def count(picture, question):
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        try:
            two.wait(0.2)  # met only if another question is under way
        except threading.BrokenBarrierError:
            two.reset()
        with lock:
            under_way[0] -= 1
        return [ReadLine("text", BBox(0.1, 0.1, 0.2, 0.1))]

    engine = from_function("one at a time", count, policy="io", max_concurrency=1)
    results = []
    reads = [lambda: Pipeline(engine, page_concurrency=2)(sheets) for _ in range(3)]
    reads.append(lambda: quire.read(sheets, engines=engine))
    threads = [threading.Thread(target=lambda read=read: results.append(read().status)) for read in reads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert (results, most) == (["complete"] * 4, [1])


@pytest.mark.parametrize("surface", ["read", "pipeline"])
def test_a_question_past_its_time_keeps_its_place(sheets, surface):
    over, under_way, most, lock = threading.Event(), [0], [0], threading.Lock()

    def hang(picture, question):
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        over.wait(PATIENCE_S)
        with lock:
            under_way[0] -= 1
        return "late"

    engine = from_function(f"hangs in a {surface}", hang, policy="io", timeout_s=-1.9, max_concurrency=1)
    try:
        if surface == "read":
            result = quire.read(sheets, engines=engine)
        else:
            result = Pipeline(engine, page_concurrency=3)(sheets)
    finally:
        over.set()
    assert [page.status for page in result.pages] == ["failed"] * 3
    assert most == [1]
    reasons = "".join(page.info.reason for page in result.pages)
    assert "no answer within" in reasons and "has not returned from an earlier request" in reasons


@pytest.mark.parametrize("policy", ["cpu", "io"])
def test_an_engine_may_be_async_in_a_read_and_in_a_pipeline(sheets, policy):
    engine = AsyncEngine(policy=policy)
    read = quire.read(sheets, engines=engine)
    piped = Pipeline(engine)(sheets)
    assert [page.text for page in read.pages] == [page.text for page in piped.pages] == [said_of(n) for n in (1, 2, 3)]
    careful = quire.read(sheets, engines=fallback(BadEngine(), engine))
    assert [page.text for page in careful.pages] == [said_of(n) for n in (1, 2, 3)]


def test_every_stage_may_be_async(page, tmp_path):
    @preprocessor
    async def same(picture):
        return picture

    @detector
    async def halves(picture):
        return Layout((Region("a", LEFT), Region("b", RIGHT)))

    @classifier
    async def plain(layout, picture):
        return layout

    @region_preprocessor
    async def untouched(crop):
        return [crop]

    @recognizer
    async def width(picture, question):
        return str(picture.width)

    @postprocessor
    async def doubtful(recognition):
        return replace(recognition, language="en")

    written = []

    @exporter
    async def keep(result):
        written.append(result.to_text().split())

    result = Pipeline(same, halves, plain, untouched, width, doubtful, keep)(page)
    assert [block.text for block in result] == ["100", "80"]
    assert written == [["100", "80"]]
    assert {one.language for one in result.recognitions[1]} == {"en"}


def test_classes_with_async_methods_are_stages_and_can_be_composed(page):
    class Halves:
        name = "halves"

        async def detect(self, picture, page=1):
            return Layout((Region("a", LEFT), Region("b", RIGHT)))

    @recognizer
    def width(picture, question):
        return str(picture.width)

    for detect in (Halves(), quire.pipelines.detect.fallback(Halves())):
        assert [block.text for block in Pipeline(detect, width)(page)] == ["100", "80"]


@pytest.mark.parametrize("slot", ["detect", "recognize", "export"])
def test_a_stage_sees_that_it_is_cancelled(page, slot):
    begun, seen = threading.Event(), []

    def work():
        if pipeline.cancelled is False and not begun.is_set():
            assert cancelled() is False
            begun.set()
            while not cancelled():
                stop.wait(0.01)
            seen.append(slot)

    stop = threading.Event()

    @detector
    def find(picture):
        if slot == "detect":
            work()
        return Layout((Region("a", LEFT),))

    @recognizer
    def read(picture, question):
        if slot == "recognize":
            work()
        return "text"

    @exporter
    def write(result):
        if slot == "export":
            work()

    pipeline = Pipeline(find, read, write)
    stopper = threading.Thread(target=lambda: (begun.wait(PATIENCE_S), pipeline.cancel()))
    stopper.start()
    pipeline(page)
    stopper.join()
    deadline = threading.Event()
    for _ in range(PATIENCE_S * 100):
        if seen:
            break
        deadline.wait(0.01)  # an engine is left to notice by itself
    assert seen == [slot]
    assert cancelled() is False, "there is no pipeline here"


def test_an_exporter_that_fails_shows_in_the_result_when_errors_are_attached(page, tmp_path):
    @recognizer
    def text(picture, question):
        return "text"

    broken = exporter(lambda result: 1 / 0, name="broken")
    result = Pipeline(text, broken, save(tmp_path / "out"), error_policy="attach")(page)
    assert [str(error) for error in result.errors] == [
        "export stage broken failed: ZeroDivisionError: division by zero"
    ]
    assert (tmp_path / "out" / "page.png.md").exists()
    assert Pipeline(text)(page).errors == ()


def test_equal_regions_of_a_run_are_one_question(page, tmp_path):
    log = []

    @recognizer
    def count(picture, question):
        log.append(picture.size)
        return "text"

    @detector
    def three(picture):
        return Layout(tuple(Region(name, BBox(0.3 * at, 0, 0.3, 1)) for at, name in enumerate("abc")))

    assert [block.text for block in Pipeline(three, count)(page)] == ["text"] * 3
    assert log == [(60, 100)]


def test_the_language_and_the_words_of_an_engine_that_gives_blocks_are_told(sheets):
    told = Told()
    engine = from_function("blocks", lambda picture, question: "three words here", policy="io")
    quire.read(sheets, engines=engine, pages="1", on_event=told.append)
    [finished] = told.of("finished")
    assert (finished.payload["words"], "language" in finished.payload) == (3, False)
    spoken = replace(engine, name="speaks", function=lambda p, q: [Recognition("speaks", (LINE,), language="de")])
    told.clear()
    quire.read(sheets, engines=spoken, pages="1", on_event=told.append)
    assert told.of("finished")[0].payload["language"] == "de"


LINE = ReadLine("drei Worte hier", BBox(0.1, 0.1, 0.5, 0.05))


def test_a_cached_pipeline_and_a_read_of_the_same_engine_note_every_question(sheets, tmp_path):
    log = tmp_path / "calls"
    for _ in range(2):
        Pipeline(NumberEngine(log=log), cache=tmp_path / "answers", page_concurrency=2)(sheets)
    assert sorted(calls(log)) == ["numbers 1", "numbers 2", "numbers 3"]
