"""Which pages are recognised, by whom, and in which order engines are tried."""

from __future__ import annotations

import pytest

import quire
from quire.core.document import Document
from quire.core.engine import ReadLine, Recognition
from quire.core.pagetext import PageText
from quire.core.types import BBox
from quire.pages.layout.quality import judge
from quire.pages.recognize.normalize import words_in
from quire.pages.recognize.options import RecognizeOptions
from quire.pages.recognize.routing import Needs, is_dense_table, is_weak, needs_of, route
from quire.pages.recognize.seen import Seen
from tests import documents, scans
from tests.fakes.engines import NumberEngine
from tests.unit.pages.recognize.seen import prepared

pytestmark = pytest.mark.both_readers

TEXT = frozenset({"text"})
LINES = TEXT | {"line_boxes"}
TABLES = TEXT | {"table_structure"}


def needs(data: bytes, page: int = 1, **options) -> Needs | None:
    with Document(data) as document:
        [read] = document.reader.text([page])
    assert isinstance(read, bytes)
    text = PageText.from_bytes(read)
    return needs_of(text, judge(text), RecognizeOptions(**options))


def engine(name: str, capabilities=LINES, languages=None) -> NumberEngine:
    return NumberEngine(name, capabilities=capabilities, languages=languages and frozenset(languages))


def seen(*rulings) -> Seen:
    return Seen(prepared(size=(1000, 1000)), rulings)


def grid(rows: int, columns: int, right: float = 900.0, bottom: float = 900.0) -> list:
    level = [(100.0, y, right, y, 2.0) for y in (100 + i * (bottom - 100) / rows for i in range(rows + 1))]
    upright = [(x, 100.0, x, bottom, 2.0) for x in (100 + i * (right - 100) / columns for i in range(columns + 1))]
    return [*level, *upright]


def test_a_page_of_text_needs_nobody():
    assert needs(documents.simple()) is None


def test_a_page_without_anything_needs_nobody():
    assert needs(documents.blank()) is None


def test_a_scan_must_be_read_as_a_whole():
    found = needs(documents.scan_like(1), languages=("de",))
    assert found == Needs("no text", whole=True, languages=("de",))


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (documents.garbage_mapping, "characters without a Unicode value"),
        (documents.outside_the_page, "text outside the page"),
        (documents.nonsense_layer, "an invisible text layer that does not fit the page"),
    ],
)
def test_a_page_with_unusable_text_must_be_read_as_a_whole(build, reason):
    found = needs(build())
    assert found is not None and (found.reason, found.whole) == (reason, True)


def test_a_scan_with_its_text_behind_it_needs_nobody():
    assert needs(documents.invisible_text_layer()) is None


def test_never_means_nobody_and_always_everybody():
    assert needs(documents.scan_like(1), mode="never") is None
    assert needs(documents.simple(), mode="always") == Needs("asked for", whole=True)
    assert needs(documents.blank(), mode="always") == Needs("asked for", whole=True)


def test_of_a_page_of_text_with_a_scanned_insert_only_the_insert_is_read():
    found = needs(scans.mixed().data, 6)
    assert found is not None and not found.whole
    [box] = found.regions
    assert box.points((1, 1)) == pytest.approx(scans.INSERT, abs=0.001)


def test_small_pictures_are_looked_at_only_when_text_in_figures_is_asked_for():
    def draw(canvas):
        documents.Pen(canvas).text(documents.prose(8))
        canvas.drawInlineImage(scans.slip().picture, 72, 100, 150, 100)

    data = documents.drawn(draw)
    assert needs(data) is None
    found = needs(data, figures=True)
    assert found is not None and len(found.regions) == 1


def test_engines_are_tried_in_the_order_in_which_they_were_named():
    named = [engine("vision", TABLES), engine("lines", LINES), engine("both", LINES | TABLES)]
    assert [e.name for e in route(named, Needs("no text", whole=True))] == ["vision", "lines", "both"]


def test_a_dense_table_goes_to_engines_that_see_tables_first():
    named = [engine("lines", LINES), engine("tables", TABLES), engine("text", TEXT)]
    assert [e.name for e in route(named, Needs("no text", whole=True), dense=True)] == ["tables", "lines", "text"]


def test_inserts_go_to_engines_that_tell_where_lines_stand_first():
    named = [engine("text", TEXT), engine("lines", LINES)]
    found = needs(scans.mixed().data, 6)
    assert [e.name for e in route(named, found)] == ["lines", "text"]


def test_engines_that_do_not_know_the_language_or_do_not_read_are_left_out():
    named = [engine("german", languages={"de"}), engine("any"), engine("both", languages={"de", "fr"})]
    named.append(engine("finder", frozenset({"line_boxes"})))
    wanted = Needs("no text", whole=True, languages=("de", "fr"))
    assert [e.name for e in route(named, wanted)] == ["any", "both"]


@pytest.mark.parametrize(
    ("rulings", "dense"),
    [
        (grid(8, 4), True),
        (grid(2, 4), False),
        (grid(8, 1), False),
        (grid(8, 4, right=400, bottom=400), False),
        ([], False),
    ],
    ids=["large", "few rows", "few columns", "small", "none"],
)
def test_a_page_is_a_dense_table_when_many_rules_fill_it(rulings, dense):
    assert is_dense_table(seen(*rulings)) is dense


def recognition(text: str, confidence: float | None) -> Recognition:
    line = ReadLine(text, BBox(0.1, 0.1, 0.5, 0.05), confidence)
    return Recognition("fake", (ReadLine(line.text, line.bbox, confidence, words_in(line)),))


@pytest.mark.parametrize(
    ("text", "confidence", "weak"),
    [
        ("some words that say enough here", 0.4, True),
        ("some words that say enough here", 0.9, False),
        ("some words that say enough here", None, False),
        ("too few", 0.1, False),
    ],
)
def test_an_engine_is_weak_when_it_says_so_of_many_words(text, confidence, weak):
    assert is_weak([recognition(text, confidence)]) is weak


@pytest.mark.processes
def test_a_dense_table_is_read_by_the_engine_that_sees_tables_and_other_pages_by_the_first():
    named = [engine("lines", LINES), engine("tables", TABLES)]
    result = quire.read(scans.scanned(scans.numbered_sheet(3), scans.grid_sheet()), engines=named)
    assert [[attempt.engine for attempt in result.path[page]] for page in (1, 2)] == [["lines"], ["tables"]]


@pytest.mark.parametrize(
    ("languages", "dpi"), [((), 200), (("en", "fr"), 200), (("de-fraktur",), 300), (("ru", "en"), 300)]
)
def test_pictures_are_finer_for_languages_that_only_tesseract_reads(languages, dpi):
    assert RecognizeOptions(languages=languages).prepare.dpi == dpi
