"""Pipelines of one's own: wiring, running, failing, cancelling."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest
from PIL import Image

from quire.core.affine import Affine
from quire.core.document import READERS, Document
from quire.core.engine import Question, ReadLine, Recognition
from quire.core.errors import ConfigurationError, EngineError, InputError, RecognitionError, UsageError
from quire.core.picture import Picture
from quire.core.types import BBox, GridCell, Layout, Region
from quire.lexicon.rewritten import rewritten
from quire.pages.recognize.echo import EchoEngine, EchoProfile
from quire.pages.render.images import open_images
from quire.pipeline import (
    Pipeline,
    PipelineResult,
    classifier,
    detector,
    exporter,
    postprocessor,
    preprocessor,
    recognizer,
    region_preprocessor,
    save,
)
from quire.pipelines.roles import Crop, PreparedPicture
from quire.store.files import FileStore

LEFT, RIGHT = BBox(0.0, 0.0, 0.5, 0.5), BBox(0.5, 0.0, 0.5, 0.5)


@recognizer
def says_size(picture: Picture, question: Question) -> str:
    return f"{picture.width}x{picture.height}"


@detector
def halves(picture: Picture) -> Layout:
    return Layout((Region("a", LEFT), Region("b", RIGHT)))


@detector
def grid(picture: Picture) -> Layout:
    places = [(row, column) for row in range(2) for column in range(2)]
    return Layout(
        tuple(Region(f"c{r}{c}", BBox(c / 2, r / 2, 0.5, 0.5), "cell", GridCell(r, c), parent="t1") for r, c in places)
    )


@pytest.fixture
def page(tmp_path):
    """A white page of 200 by 100 pixels."""
    path = tmp_path / "page.png"
    Image.new("L", (200, 100), 255).save(path, dpi=(100, 100))
    return path


@pytest.fixture
def pages(tmp_path):
    """Three pages in one file."""
    path = tmp_path / "pages.tiff"
    sheets = [Image.new("L", (200, 100 + 10 * n), 255) for n in range(3)]
    sheets[0].save(path, save_all=True, append_images=sheets[1:], dpi=(100, 100))
    return path


class Told(list):
    """A sink that keeps what it is told."""

    def __call__(self, event):
        self.append(event)

    def of(self, stage, kind):
        return [dict(event.payload) for event in self if (event.stage, event.kind) == (stage, kind)]


def test_an_engine_alone_reads_the_whole_page(page):
    result = Pipeline(says_size)(page)
    assert [block.text for block in result] == ["200x100"]
    assert result.blocks[0].engine == "says_size"
    assert result.status == "complete"


def test_stages_find_their_slot_whatever_their_order():
    clean = postprocessor(lambda recognition: recognition, name="clean")
    pipeline = Pipeline(clean, says_size, halves)
    assert [stage.name for stage in pipeline.stages] == ["halves", "says_size", "clean"]


def test_bytes_and_documents_are_read_like_paths(page):
    pipeline = Pipeline(says_size)
    with Document(page) as document:
        texts = {pipeline(source).blocks[0].text for source in (page, page.read_bytes(), document)}
    assert texts == {"200x100"}


def test_pages_can_be_chosen(pages):
    result = Pipeline(says_size)(pages, pages="2-")
    assert [block.text for block in result] == ["200x110", "200x120"]


def test_regions_are_sent_as_crops_to_an_engine_that_takes_one_at_a_time(page):
    result = Pipeline(halves, says_size)(page)
    assert [(block.text, block.bbox, block.kind) for block in result] == [
        ("100x50", LEFT, "paragraph"),
        ("100x50", RIGHT, "paragraph"),
    ]
    assert [one.region for one in result.recognitions[1]] == ["a", "b"]


def test_regions_are_sent_together_to_an_engine_that_takes_several(page):
    asked = []

    @recognizer(capabilities=("text", "regions"))
    def batch(picture, question):
        asked.append([region.id for region in question.regions])
        return [Recognition("batch", (ReadLine(r.id, r.bbox),), region=r.id) for r in question.regions]

    result = Pipeline(halves, batch)(page)
    assert asked == [["a", "b"]]
    assert [block.text for block in result] == ["a", "b"]


def test_boxes_of_a_crop_are_told_on_the_page(page):
    @recognizer
    def corner(picture, question):
        return [ReadLine("x", BBox(0.5, 0.5, 0.5, 0.5))]

    result = Pipeline(halves, corner)(page)
    assert [one.lines[0].bbox for one in result.recognitions[1]] == [
        BBox(0.25, 0.25, 0.25, 0.25),
        BBox(0.75, 0.25, 0.25, 0.25),
    ]


def test_boxes_of_a_turned_picture_are_told_on_the_displayed_page(page):
    @preprocessor
    def clockwise(picture):
        turned = Picture(picture.height, picture.width, "L", picture.pixels, picture.dpi)
        return PreparedPicture(turned, 90, Affine(0, 1, 0, -1, 0, 1))  # x = v, y = 1 - u

    @recognizer
    def top_left(picture, question):
        return [ReadLine("x", BBox(0.0, 0.0, 0.2, 0.1))]

    told = Told()
    result = Pipeline(clockwise, top_left, on_event=told)(page)
    (line,) = result.recognitions[1][0].lines
    assert (line.bbox, line.angle) == (BBox(0.0, 0.8, 0.1, 0.2), 270)
    assert told.of("preprocess", "finished")[0]["angle"] == 90


def test_a_grid_becomes_a_table(page):
    header = classifier(
        lambda layout, _: Layout(
            tuple(replace(r, role="header") if r.grid and r.grid.row == 0 else r for r in layout.regions)
        ),
        name="header",
    )
    (block,) = Pipeline(grid, header, says_size)(page).blocks
    assert (block.kind, block.table.rows, block.table.columns) == ("table", 2, 2)
    assert [(cell.row, cell.column, cell.header) for cell in block.table.cells] == [
        (0, 0, True),
        (0, 1, True),
        (1, 0, False),
        (1, 1, False),
    ]


def test_blank_regions_are_never_sent_to_the_engine(page):
    asked = []

    @recognizer
    def count(picture, question):
        asked.append(picture)
        return "text"

    @classifier
    def all_but_one(layout, picture):
        return Layout((layout.regions[0], *(replace(region, role="blank") for region in layout.regions[1:])))

    told = Told()
    (block,) = Pipeline(grid, all_but_one, count, on_event=told)(page).blocks
    assert len(asked) == 1
    assert block.table.text == "text"
    assert [p["cell"]["is_blank"] for p in told.of("recognize", "progress")] == [True, True, True, False]


def test_cells_of_a_merge_group_are_read_as_one(page):
    @classifier
    def first_row(layout, picture):
        top = [replace(region, merge_group="m") for region in layout.regions[:2]]
        return Layout((*top, *layout.regions[2:]))

    (block,) = Pipeline(grid, first_row, says_size)(page).blocks
    wide = block.table.cells[0]
    assert (wide.text, wide.column_span) == ("200x50", 2)
    assert len(block.table.cells) == 3


def test_slices_of_a_region_are_read_in_order_and_joined(page):
    @region_preprocessor
    def cut(crop: Crop):
        box = crop.box
        halves = [BBox(box.left, box.top + n * box.height / 2, box.width, box.height / 2) for n in range(2)]
        return [Crop(crop.region, crop.picture.crop(BBox(0, n / 2, 1, 0.5)), halves[n]) for n in range(2)]

    @recognizer
    def line(picture, question):
        return [ReadLine(f"{picture.width}x{picture.height}", BBox(0, 0, 1, 1))]

    told = Told()
    result = Pipeline(halves, cut, line, on_event=told)(page)
    assert [block.text for block in result] == ["100x25\n100x25"] * 2
    assert [line.bbox.top for line in result.recognitions[1][0].lines] == [0.0, 0.25]
    payload = told.of("region_preprocess", "finished")[0]
    assert {k: payload[k] for k in ("transformed", "sliced_in", "sliced_out")} == {
        "transformed": 2,
        "sliced_in": 2,
        "sliced_out": 4,
    }


def test_post_processors_run_in_their_order_and_tell_what_they_changed(page):
    double = postprocessor(lambda recognition: rewritten(recognition, lambda text: text * 2), name="double")
    mark = postprocessor(lambda recognition: rewritten(recognition, lambda text: text + "!"), name="mark")

    told = Told()
    result = Pipeline(halves, says_size, double, mark, on_event=told)(page)
    assert result.blocks[0].text == "100x50100x50!"
    first = told.of("post_process", "finished")[0]
    assert (first["stage"], first["corrected"]) == ("double", 2)
    assert first["changes"][0] == ("a", "100x50", "100x50100x50")


def test_exporters_write_files_and_tell_of_them(page, tmp_path):
    seen = []
    keep = exporter(lambda result: seen.append(result.status), name="keep")
    told = Told()
    Pipeline(says_size, save(tmp_path / "out", "json"), save(tmp_path / "out"), keep, on_event=told)(page)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"page.png.json", "page.png.md"}
    assert [(p["format"], p["bytes"] > 0) for p in told.of("export", "finished")] == [("json", True), ("md", True)]
    assert seen == ["complete"]


@pytest.mark.processes
def test_replace_and_insert_after_give_new_pipelines(page):
    pipeline = Pipeline(halves, says_size)
    other = pipeline.replace("recognize", EchoEngine())
    assert [block.text for block in other(page)] == ["echo", "echo"]
    assert [block.text for block in pipeline(page)] == ["100x50", "100x50"]
    shout = postprocessor(lambda r: replace(r, lines=tuple(replace(l, text="HA") for l in r.lines)), name="shout")
    longer = other.insert_after("recognize", shout).insert_after("shout", postprocessor(lambda r: r, name="last"))
    assert [stage.name for stage in longer.stages] == ["halves", "echo", "shout", "last"]
    assert longer(page).blocks[0].text == "HA"
    assert longer.replace("shout", postprocessor(lambda r: r, name="quiet"))(page).blocks[0].text == "echo"


def test_a_stage_cannot_be_put_where_it_does_not_belong():
    pipeline = Pipeline(says_size)
    with pytest.raises(ConfigurationError, match="cannot come after recognize"):
        pipeline.insert_after("recognize", halves)
    with pytest.raises(ConfigurationError, match="cannot replace recognize"):
        pipeline.replace("recognize", halves)
    with pytest.raises(ConfigurationError, match="has no 'nothing'"):
        pipeline.insert_after("nothing", halves)


def test_a_builder_makes_the_same_pipeline(page, tmp_path):
    told = Told()
    builder = (
        Pipeline.builder()
        .preprocess(preprocessor(lambda picture: picture, name="same"))
        .detect(halves)
        .classify(classifier(lambda layout, _: layout, name="none"))
        .region_preprocess(region_preprocessor(lambda crop: [crop], name="plain"))
        .recognize(says_size, cache=tmp_path / "answers")
        .post_process(postprocessor(lambda recognition: recognition, name="clean"))
        .stage(save(tmp_path / "out"))
        .options(page_concurrency=2, on_event=told)
    )
    pipeline = builder.build()
    assert [block.text for block in pipeline(page)] == ["100x50", "100x50"]
    assert (tmp_path / "answers").is_dir()
    with pytest.raises(ConfigurationError, match="halves is for detect, not for classify"):
        builder.classify(halves)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ([], "needs an OCR engine"),
        ([says_size, says_size], "2 stages for recognize"),
        ([says_size, len], "len is not a stage"),
        ([says_size, halves, grid], "2 stages for detect: halves, grid"),
    ],
)
def test_stages_that_do_not_fit_are_refused_at_construction(stages, message):
    with pytest.raises(ConfigurationError, match=message):
        Pipeline(*stages)


def test_a_capability_that_the_engine_lacks_is_refused_at_construction():
    by_words = detector(lambda picture: Layout(), name="by_words", requires=["word_boxes"])
    with pytest.raises(ConfigurationError, match=r"by_words \(detect\) needs an engine with word_boxes; says_size"):
        Pipeline(by_words, says_size)
    assert Pipeline(by_words, EchoEngine())


@pytest.mark.parametrize(
    "wrong", [{"page_concurrency": 0}, {"error_policy": "ignore"}, {"dpi": True}, {"cache": 7}], ids=str
)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        Pipeline(says_size, **wrong)


@recognizer(name="picky")
def picky(picture, question):
    """Reads no page of 110 rows, and no region of 55."""
    if picture.height in (110, 55):
        raise ValueError("an odd page")
    return "fine"


def test_one_bad_page_never_loses_the_document(pages):
    told = Told()
    result = Pipeline(picky, on_event=told)(pages)
    assert [page.status for page in result.pages] == ["ok", "failed", "ok"]
    assert result.pages[1].info.reason == "picky: ValueError: an odd page"
    assert told.of("recognize", "failed") == [
        {"error": "EngineError", "message": "picky: ValueError: an odd page", "region_id": "page"}
    ]


def test_attach_keeps_the_regions_that_could_be_read(page):
    @recognizer
    def only_left(picture, question):
        if picture.width == 100:
            raise EngineError("only_left", "cannot")
        return "fine"

    uneven = detector(lambda picture: Layout((Region("a", LEFT), Region("b", BBox(0.5, 0, 0.4, 0.5)))), name="uneven")
    result = Pipeline(uneven, only_left, error_policy="attach")(page)
    assert [(one.text, one.error) for one in result.recognitions[1]] == [("", "only_left: cannot"), ("fine", None)]
    assert result.pages[0].info.reason == "1 of 2 regions could not be read"
    assert result.pages[0].status == "ok"
    aborted = Pipeline(uneven, only_left)(page)
    assert (aborted.pages[0].status, aborted.recognitions[1]) == ("failed", ())


@pytest.mark.parametrize("policy", ["abort", "attach"])
def test_what_a_stage_raises_is_wrapped_with_its_name(page, policy):
    broken = detector(lambda picture: 1 / 0, name="broken")
    told = Told()
    result = Pipeline(broken, says_size, error_policy=policy, on_event=told)(page)
    assert result.pages[0].info.reason == "detect stage broken failed: ZeroDivisionError: division by zero"
    assert told.of("detect", "failed") == [
        {"error": "ZeroDivisionError", "message": "ZeroDivisionError: division by zero", "region_id": None}
    ]
    assert [bool(one.error) for one in result.recognitions[1]] == [True] * (policy == "attach")


def test_a_corrector_that_raises_costs_its_region_alone_when_errors_are_attached(page):
    @postprocessor
    def fragile(recognition):
        if recognition.region == "a":
            raise KeyError("a")
        return recognition

    result = Pipeline(halves, says_size, fragile, error_policy="attach")(page)
    assert [(one.text, one.error) for one in result.recognitions[1]] == [
        ("", "fragile: KeyError: 'a'"),
        ("100x50", None),
    ]


def test_an_exporter_that_fails_does_not_keep_the_others_from_writing(page, tmp_path):
    broken = exporter(lambda result: 1 / 0, name="broken")
    with pytest.raises(RecognitionError, match="export stage broken failed"):
        Pipeline(says_size, broken, save(tmp_path / "out"))(page)
    assert (tmp_path / "out" / "page.png.md").exists()
    assert Pipeline(says_size, broken, error_policy="attach")(page).status == "complete"


def test_something_not_installed_ends_the_run(pages):
    @recognizer
    def missing(picture, question):
        raise ConfigurationError("install the program")

    with pytest.raises(ConfigurationError, match="install the program"):
        Pipeline(missing)(pages)


def test_the_payloads_are_those_of_the_reference(page):
    told = Told()
    keep = classifier(lambda layout, _: layout, name="keep")
    Pipeline(preprocessor(lambda p: p, name="same"), grid, keep, says_size, on_event=told)(page)
    assert set(told.of("preprocess", "finished")[0]) == {"ms"}
    assert set(told.of("detect", "finished")[0]) == {"rows", "cols", "cells", "ms"}
    assert set(told.of("classify", "finished")[0]) == {"blank", "merged", "ambiguous", "ms"}
    assert told.of("recognize", "started") == [{"total": 4}]
    progress = told.of("recognize", "progress")[0]
    assert set(progress) == {"done", "total", "cache_hits", "region_id", "cell"}
    assert progress["cell"] == {
        "row": 0,
        "col": 0,
        "rowspan": 1,
        "colspan": 1,
        "text": "100x50",
        "is_blank": False,
        "confidence": None,
        "cache": None,
    }
    assert set(told.of("recognize", "finished")[0]) == {"done", "total", "cache_hits", "ms"}
    assert [event.sequence for event in told] == list(range(1, len(told) + 1))
    assert len({event.id for event in told}) == len(told)


@pytest.mark.processes
def test_partial_text_of_a_streaming_engine_is_told(page):
    told = Told()
    Pipeline(EchoEngine(EchoProfile("one two\nthree")), on_event=told)(page)
    assert told.of("recognize", "partial") == [
        {"region_id": "page", "partial_text": "one two", "tokens": 2},
        {"region_id": "page", "partial_text": "one two\nthree", "tokens": 3},
    ]


def test_answers_in_the_cache_are_not_asked_for_again(page, tmp_path):
    asked = []

    @recognizer
    def count(picture, question):
        asked.append(1)
        return "text"

    first = Pipeline(grid, count, cache=tmp_path / "answers")(page)
    told = Told()
    second = Pipeline(grid, count, cache=str(tmp_path / "answers"), on_event=told)(page)
    assert asked == [1]  # four equal crops are one question
    assert [one.provenance.tier for one in first.recognitions[1]] == ["asked", "exact", "exact", "exact"]
    assert {one.provenance.tier for one in second.recognitions[1]} == {"exact"}
    assert told.of("recognize", "hit")[0] == {"region_id": "c00", "tier": "exact", "similarity": None}
    assert told.of("recognize", "finished")[0]["cache_hits"] == 4
    assert second.to_json() == first.to_json()


def test_a_stored_answer_that_is_garbage_is_asked_for_again(page, tmp_path):
    answers = [b"half a JSON [", EchoEngine().ask(Picture(1, 1, "L", b"\0", 72), Question((1, 1), 72))]

    class Improving(EchoEngine):
        def ask(self, picture, question, partial=None):
            return answers.pop(0)

    with FileStore(tmp_path / "answers") as store:
        pipeline = Pipeline(Improving(), cache=store)
        assert pipeline(page).pages[0].status == "failed"
        assert pipeline(page).pages[0].status == "ok"
        assert pipeline(page).pages[0].status == "ok"


def test_a_pipeline_with_async_stages_works_in_a_thread_whose_event_loop_runs(page):
    exported = []

    @exporter
    async def note(result):
        await asyncio.sleep(0)
        exported.append(result.blocks[0].text)

    async def cell():
        return Pipeline(says_size, note)(page)

    assert asyncio.run(cell()).blocks[0].text == "200x100"
    assert exported == ["200x100"]


def test_aio_reads_without_holding_up_the_loop(page):
    result = asyncio.run(Pipeline(says_size).aio(page))
    assert isinstance(result, PipelineResult)
    assert result.blocks[0].text == "200x100"


def test_events_come_in_one_channel_with_the_result_last(page):
    async def collect():
        return [item async for item in Pipeline(halves, says_size).events(page)]

    *events, result = asyncio.run(collect())
    assert isinstance(result, PipelineResult)
    assert (events[0].stage, events[0].kind, events[-1].stage, events[-1].kind) == (
        "pipeline",
        "started",
        "pipeline",
        "finished",
    )


def test_errors_come_out_of_events(tmp_path):
    async def collect():
        return [item async for item in Pipeline(says_size).events(tmp_path / "none.png")]

    with pytest.raises(Exception, match="no such file"):
        asyncio.run(collect())


@pytest.fixture
def hanging():
    """An engine that answers page 1 and then nothing until the test is over."""
    begun, over = threading.Event(), threading.Event()

    @recognizer
    def hang(picture, question):
        if picture.height != 100:
            begun.set()
            over.wait(60)
        return "text"

    hang.function.begun = begun  # type: ignore[attr-defined]
    yield hang
    over.set()


def test_cancel_takes_effect_though_the_engine_hangs(pages, hanging):
    pipeline = Pipeline(hanging)
    stopper = threading.Thread(target=lambda: (hanging.function.begun.wait(60), pipeline.cancel()))
    stopper.start()
    result = pipeline(pages)
    stopper.join()
    assert pipeline.cancelled
    assert [(page.status, page.info.reason) for page in result.pages] == [
        ("ok", None),
        ("skipped", "cancelled"),
        ("skipped", "cancelled"),
    ]


def test_cancelling_the_task_stops_the_run(pages, hanging):
    async def leave():
        task = asyncio.create_task(Pipeline(hanging).aio(pages))
        await asyncio.to_thread(hanging.function.begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave())


def test_leaving_the_loop_over_events_stops_the_run(pages, hanging):
    async def leave():
        events = Pipeline(hanging).events(pages)
        async for item in events:
            if item.page == 2:
                break
        await events.aclose()

    asyncio.run(leave())


def test_an_engine_past_its_time_limit_costs_its_page(pages, hanging):
    slow = replace(hanging, timeout_s=0.5)
    result = Pipeline(slow)(pages)
    assert [page.status for page in result.pages] == ["ok", "failed", "failed"]
    assert result.pages[1].info.reason == "hang: no answer within 0.5 s"
    assert result.pages[2].info.reason == "hang: has not returned from an earlier request"


def test_the_limit_of_the_engine_holds_over_pages_and_regions(pages):
    now, most, lock, both = [0], [0], threading.Lock(), threading.Barrier(2)

    @recognizer(max_concurrency=2)
    def count(picture, question):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        both.wait(60)  # six questions in three pairs: two are really under way together
        with lock:
            now[0] -= 1
        return "text"

    parts = (Region("a", LEFT), Region("b", BBox(0.5, 0.0, 0.4, 0.5)))  # equal crops would be one question
    uneven = detector(lambda picture: Layout(parts), name="uneven")
    result = Pipeline(uneven, count, page_concurrency=3)(pages)
    assert result.status == "complete"
    assert most == [2]


def test_an_engine_that_only_this_process_knows_answers_one_question_at_a_time(pages):
    busy, most = [0], [0]

    class Counting(EchoEngine):
        """A class inside a function cannot be sent to a worker, and its objects need not bear two threads."""

        def ask(self, picture, question, partial=None):
            busy[0] += 1
            most[0] = max(most[0], busy[0])
            answer = super().ask(picture, question, partial)
            busy[0] -= 1
            return answer

    result = Pipeline(Counting(name="counting"), page_concurrency=3)(pages)
    assert result.status == "complete"
    assert most == [1]


def test_pages_are_in_order_whichever_is_read_first(pages):
    assert [block.text for block in Pipeline(says_size, page_concurrency=3)(pages)] == [
        "200x100",
        "200x110",
        "200x120",
    ]


def test_a_sink_that_raises_does_not_break_the_run(page, caplog):
    def raising(event):
        raise ValueError("full")

    assert Pipeline(says_size, on_event=raising)(page).status == "complete"
    assert "a subscriber to events (on_event) raised" in caplog.text


def test_a_page_that_cannot_be_drawn_is_failed_alone(pages, monkeypatch):
    told = Told()
    monkeypatch.setitem(READERS, "image/tiff", f"{__name__}:undrawable")
    result = Pipeline(says_size, on_event=told)(pages)
    assert [(page.status, page.info.reason) for page in result.pages] == [
        ("ok", None),
        ("failed", "cannot be drawn"),
        ("ok", None),
    ]
    assert told.of("render", "failed")[0]["error"] == "InputError"


def undrawable(document):
    return Undrawable(open_images(document), {2})


class Undrawable:
    """A reader that cannot draw some of its pages."""

    def __init__(self, reader, bad):
        self._reader, self._bad = reader, bad

    def __getattr__(self, name):
        return getattr(self._reader, name)

    def render(self, numbers, options, *, threads=1):
        for number in numbers:
            bad = number in self._bad
            yield InputError("cannot be drawn", page=number) if bad else next(self._reader.render([number], options))

    def picture(self, number, options):
        if number in self._bad:
            raise InputError("cannot be drawn", page=number)
        return self._reader.picture(number, options)


def test_events_of_one_call_go_to_its_own_sink_too(page):
    every, first = [], []
    pipeline = Pipeline(says_size, on_event=every.append)
    pipeline(page, on_event=first.append)
    asyncio.run(pipeline.aio(page))
    assert first and len({event.run for event in first}) == 1
    assert len({event.run for event in every}) == 2


def test_a_pipeline_leaves_a_document_open(page):
    with Document(page) as document:
        reader = document.reader
        Pipeline(says_size)(document)
        assert document.reader is reader
        assert document.page(1).image().png


def test_polygons_and_attributes_of_regions_reach_the_result_in_its_frame(page):
    asked = []
    region = Region(
        "valve", BBox(0.5, 0.0, 0.5, 0.5), polygon=((0.5, 0.0), (1.0, 0.0), (0.75, 0.5)), attrs={"symbol": "valve"}
    )

    @preprocessor
    def turned(picture):
        return PreparedPicture(picture, 180.0, Affine(-1.0, 0.0, 1.0, 0.0, -1.0, 1.0))

    @recognizer(capabilities=["text", "regions"])
    def reads(picture, question):
        asked.extend(question.regions)
        return [Recognition("reads", (ReadLine("V1", one.bbox),), region=one.id) for one in question.regions]

    result = Pipeline(turned, detector(lambda picture: Layout((region,)), name="symbols"), reads)(page)
    (found,) = result.layouts[1].regions
    assert found.attrs == {"symbol": "valve"}
    assert found.polygon == ((0.5, 1.0), (0.0, 1.0), (0.25, 0.5))
    assert asked == [region], "an engine that takes regions sees them as the detector gave them"


def test_other_attributes_of_a_region_are_another_question():
    plain = Region("a", BBox(0.0, 0.0, 0.5, 0.5))
    questions = [
        Question((10, 10), 72.0, regions=(one,))
        for one in (plain, replace(plain, attrs={"kind": "date"}), replace(plain, polygon=((0.0, 0.0), (0.5, 0.5))))
    ]
    assert len({question.digest() for question in questions}) == 3
