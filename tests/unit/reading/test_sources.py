"""Where a text was read: every recognised block and cell names its answer, however the page came to be read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import quire
from quire import Pipeline
from quire.core.engine import Question, ReadBlock, ReadLine, Recognition
from quire.core.picture import Picture
from quire.core.types import AnswerSource, BBox, Block, Cell, GridCell, Layout, PageInfo, PageResult, Region, Table
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.worker_workflows import workflows_on
from quire.pages import assemble
from quire.pages.recognize.plain import from_function
from quire.pipeline import detector, postprocessor, recognizer
from quire.recognize import rapidocr
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore
from tests import documents, scans
from tests.fakes.engines import NumberEngine, calls

pytestmark = [pytest.mark.processes, pytest.mark.both_readers]

BOX = BBox(0.1, 0.1, 0.8, 0.5)
CELL = BBox(0.1, 0.1, 0.2, 0.1)


def durable(store, path, **settings):
    """The reference of a document that a durable run read into the store, and its result."""
    with LocalRuntime(store.database, workflows_on(store, workers=1), replay_always=True) as runtime:
        run = runtime.submit("document", ReadRequest(SourceRef.of(path), **settings).to_json())
        reference = runtime.result(run, timeout_s=120)
    return reference, load_result(store, reference)


def traced(result):
    """The blocks of the JSON with their sources and words."""
    return json.loads(result.to_json(words=True, trace=True))["blocks"]


def says_a_table(picture: Picture, question: Question) -> list[Recognition]:
    """An engine that sees structure and is surer of one cell than of the table."""
    cells = (
        Cell(0, 0, "Berth", 1, CELL, confidence=0.4),
        Cell(0, 1, "7", 1, CELL),
        Cell(0, 2, "8", 1, CELL, confidence=float("nan")),
    )
    table = ReadBlock("table", "", BOX, confidence=0.9, table=Table(1, 3, cells))
    return [Recognition("tables", blocks=(table, ReadBlock("paragraph", "Below.", BOX, confidence=0.8)))]


def says_lines(picture: Picture, question: Question) -> list[ReadLine]:
    """Two rows of three words that a table is made of, the second with words of different confidence."""
    rows = (("Berth", "Ship", "Tons"), ("7", "Eider", "1200"), ("8", "Gannet", "310"))
    return [
        ReadLine(text, BBox(0.1 + 0.25 * column, 0.1 + 0.1 * row, 0.2, 0.04), 0.5 + 0.1 * row)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    ]


def test_a_table_of_a_scan_is_the_same_with_and_without_a_store_the_first_and_the_second_time(tmp_path, saved):
    path = saved(scans.scanned(scans.grid_sheet()), "grid.pdf")
    engine = rapidocr()
    plain = quire.read(path, engines=engine)
    first, second = (quire.read(path, engines=engine, store=tmp_path / "store") for _ in range(2))
    with FileStore(tmp_path / "fresh") as fresh, FileStore(tmp_path / "store") as used:
        asked, run = durable(fresh, path, engines=("rapidocr",))
        found, again = durable(used, path, engines=("rapidocr",))
        assert fresh.load(asked["document"]) == used.load(found["document"])
        for one in (first, second, run, again):
            assert traced(one) == traced(plain)
            assert one.to_json(words=True) == plain.to_json(words=True)

    (block,) = plain.tables
    assert block.source == AnswerSource("rapidocr", engine.version, engine.profile.digest(), block.source.key)
    assert block.source.tier == "exact"
    filled = [cell for cell in block.table.cells if cell.text]
    assert len(filled) == 36
    assert {cell.source for cell in filled} == {block.source}
    assert all(0.5 < cell.confidence <= 1.0 for cell in filled)


def test_the_key_of_a_source_leads_to_the_raw_answer(tmp_path, saved):
    engine = NumberEngine()
    (block,) = quire.read(saved(scans.numbered_scans(1)), engines=engine, store=tmp_path / "store").blocks
    with FileStore(tmp_path / "store") as store:
        digest = store.find(block.source.key)
        assert store.load(digest) == engine.answer(1)


def test_the_confidence_of_a_cell_is_that_of_its_words(saved):
    engine = from_function("lines", says_lines, capabilities=("text", "line_boxes"))
    (block,) = quire.read(saved(scans.scanned(scans.grid_sheet(3, 3))), engines=engine).tables
    assert {(cell.text, cell.confidence) for cell in block.table.cells if cell.row} == {
        ("7", 0.6),
        ("Eider", 0.6),
        ("1200", 0.6),
        ("8", 0.7),
        ("Gannet", 0.7),
        ("310", 0.7),
    }


def test_cells_of_an_engine_that_sees_tables_have_what_it_said_or_what_it_said_of_the_table(saved):
    engine = from_function("tables", says_a_table, capabilities=("text", "table_structure", "table_boxes"))
    table, below = quire.read(saved(scans.scanned(scans.slip())), engines=engine).blocks
    assert [cell.confidence for cell in table.table.cells] == [0.4, 0.9, 0.9]
    assert {cell.source for cell in table.table.cells} == {table.source} == {below.source}
    assert table.source.engine == "tables"


def test_text_of_the_file_has_no_source():
    result = quire.read(documents.ruled_table())
    assert {block.sources for block in result.blocks} == {()}
    assert {(cell.confidence, cell.source) for cell in result.tables[0].table.cells} == {(None, None)}
    assert "source" not in result.to_json(trace=True)


def test_only_what_was_recognised_on_a_mixed_page_has_a_source():
    page = quire.read(scans.mixed().data, pages="6", engines="rapidocr").pages[0]
    assert {block.engine for block in page.blocks} == {"native", "rapidocr"}
    for block in page.blocks:
        assert (block.source is None) == (block.engine == "native")


@pytest.mark.parametrize("policy", ["cpu", "io"])
def test_what_a_similar_picture_said_is_marked_in_the_result_and_not_mixed_up(tmp_path, policy):
    sheet, log = scans.numbered_sheet(5).picture, tmp_path / "calls"
    sheet.save(tmp_path / "sheet.png", dpi=(96, 96))
    sheet.save(tmp_path / "again.jpg", quality=95, dpi=(96, 96))
    engine, store = NumberEngine(log=log, policy=policy), tmp_path / "store"
    (own,) = quire.read(tmp_path / "sheet.png", engines=engine, store=store, similar=True).blocks
    alike = [quire.read(tmp_path / "again.jpg", engines=engine, store=store, similar=True) for _ in range(2)]
    assert calls(log) == ["numbers 5"]
    for result in alike:
        (block,) = result.blocks
        assert (block.source.tier, block.source.key) == ("semantic", own.source.key)
        assert 0.99 <= block.source.similarity < 1.0
        (written,) = json.loads(result.to_json())["blocks"]
        assert written["tier"] == "semantic"
        assert traced(result)[0]["source"]["similarity"] == block.source.similarity
    assert alike[0].to_json() == alike[1].to_json()

    exact = quire.read(tmp_path / "again.jpg", engines=engine, store=store)
    assert calls(log) == ["numbers 5"] * 2
    assert exact.blocks[0].source.tier == "exact"
    assert exact.blocks[0].source.key != own.source.key
    assert "semantic" not in exact.to_json(trace=True)


def test_a_durable_run_takes_nothing_over_from_a_page_that_a_similar_picture_was_read_for(tmp_path):
    sheet = scans.slip().picture
    sheet.save(tmp_path / "slip.png", dpi=(150, 150))
    sheet.save(tmp_path / "again.jpg", quality=95, dpi=(150, 150))
    for name, tier in (("slip.png", "exact"), ("again.jpg", "semantic")):
        result = quire.read(tmp_path / name, engines="rapidocr", store=tmp_path / "store", similar=True)
        assert {block.source.tier for block in result.blocks} == {tier}
    with FileStore(tmp_path / "store") as store:
        _, run = durable(store, tmp_path / "again.jpg", engines=("rapidocr",))
    assert {block.source.tier for block in run.blocks} == {"exact"}
    assert traced(run) == traced(quire.read(tmp_path / "again.jpg", engines="rapidocr"))


def table_on(page: int, box: BBox, source: AnswerSource | None) -> PageResult:
    cells = [Cell(r, c, f"{page}{r}{c}", page, box, source=source) for r in range(2) for c in range(2)]
    table = Table(2, 2, tuple(cells))
    block = Block(f"p{page}-b1", page, "table", table.text, box, table=table, source=source)
    return PageResult(PageInfo(page, 600, 800), (block,))


def test_a_table_over_pages_keeps_the_source_of_each():
    own = AnswerSource("numbers", "1", "p" * 64, "k" * 64)
    alike = replace(own, key="o" * 64, similarity=0.995)
    above, below = BBox(0.1, 0.5, 0.8, 0.45), BBox(0.1, 0.05, 0.8, 0.2)
    pages = [table_on(1, above, None), table_on(2, replace(below, height=0.9), own), table_on(3, below, alike)]
    (block,) = assemble.assemble(pages, ())
    assert [(place.page, place.source) for place in block.places] == [(1, None), (2, own), (3, alike)]
    assert {cell.page: cell.source for cell in block.table.cells} == {1: None, 2: own, 3: alike}
    assert (block.source, block.sources) == (None, (own, alike))


@detector
def two_cells(picture: Picture) -> Layout:
    places = (BBox(0.0, 0.0, 0.4, 1.0), BBox(0.4, 0.0, 0.6, 1.0))
    return Layout(tuple(Region(f"c{n}", box, "cell", GridCell(0, n), "t") for n, box in enumerate(places)))


@recognizer
def says_width(picture: Picture, question: Question) -> list[ReadLine]:
    return [ReadLine(f"{picture.width} wide", BOX, 0.25 if picture.width > 200 else 0.75)]


@postprocessor
def forgetful(recognition: Recognition) -> Recognition:
    """Creates a new recognition, as a third-party corrector may."""
    return Recognition(recognition.engine, recognition.lines, recognition.blocks, recognition.region)


def test_cells_of_a_pipeline_have_the_answers_that_were_asked_for_them(tmp_path):
    scans.numbered_sheet(3).picture.save(tmp_path / "sheet.png", dpi=(96, 96))
    made = Pipeline(two_cells, says_width, forgetful, cache=tmp_path / "answers")
    first, second = made(tmp_path / "sheet.png"), made(tmp_path / "sheet.png")
    (block,) = first.blocks
    left, right = block.table.cells
    assert (left.confidence, right.confidence) == (0.75, 0.25)
    assert left.source.engine == right.source.engine == "says_width"
    assert left.source.key != right.source.key
    assert (block.source, block.sources) == (left.source, (left.source, right.source))
    assert first.blocks == second.blocks
    assert traced(first) == traced(second)


@pytest.mark.parametrize(
    "engine",
    [
        NumberEngine(capabilities=frozenset({"text", "line_boxes"})),
        from_function("tables", says_a_table, capabilities=("text", "table_structure")),
    ],
    ids=["lines", "blocks"],
)
def test_a_page_that_a_pipeline_read_as_a_whole_has_its_source(tmp_path, engine):
    scans.numbered_sheet(3).picture.save(tmp_path / "sheet.png", dpi=(96, 96))
    blocks = Pipeline(engine)(tmp_path / "sheet.png").blocks
    assert {block.source.engine for block in blocks} == {engine.name}
    assert {block.sources for block in blocks} == {(blocks[0].source,)}
