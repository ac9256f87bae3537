"""No decoration may cost a page its text: whatever is found beside it may fail, and is noted on the page."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import CancelledError
from importlib import import_module
from typing import get_args

import pytest

import quire
from quire.core.document import Document
from quire.core.engine import Recognition
from quire.core.errors import StoreError
from quire.core.fonts import Font
from quire.core.guarded_parts import Enrichment, Notes
from quire.core.opened import Opened
from quire.core.pagetext import PageText
from quire.core.types import PageInfo
from quire.pages import assemble, layout
from quire.pages.prepare.prepared import PrepareProfile
from quire.pages.recognize import page_job as looking
from quire.pages.recognize import recognised_text as placing
from quire.pages.recognize.echo import EchoEngine, EchoProfile
from quire.pages.recognize.seen import Seen
from tests import documents, scans
from tests.unit.pages.recognize.seen import line, prepared
from tests.unit.pages.recognize.test_page_job import Desk

pytestmark = pytest.mark.both_readers

TEXT = ("Harbour office", "Invoice number: 4711", "Total due: 12.50", "COPY", "The vessels left at noon.")

ON_EVERY_PAGE = [
    ("separated columns", "pages.layout.page.mended"),
    ("headers and footers", "pages.layout.page.find_furniture"),
    ("figures", "pages.layout.page.find_figures"),
    ("ruled lines", "pages.layout.page.find_rules"),
    ("fields", "pages.layout.page.boxed_fields"),
    ("fields", "pages.layout.page.is_form"),
    ("fields", "pages.layout.page.find_fields"),
    ("texts side by side", "pages.layout.page.find_beside"),
    ("tables", "pages.layout.page.find_tables"),
    ("list markers", "pages.layout.page.with_bullets"),
    ("formulas", "pages.layout.page.cluster_formulas"),
    ("reading order", "pages.layout.page.reading_order"),
    ("kinds of blocks", "pages.layout.column_blocks.kind_of"),
    ("links and styles", "pages.layout.blocks.block_text"),
    ("layout", "pages.layout.page.upright"),
    ("layout", "pages.layout.page.body_setting"),
    ("layout", "pages.layout.page.make_column"),
]
ON_A_SCAN = [
    ("bold type", "pages.recognize.recognised_text.bold_words"),
    ("pictures", "pages.recognize.recognised_text._pictures"),
    ("ruled lines", "pages.recognize.recognised_text._rulings"),
    ("formulas", "pages.recognize.recognised_text._formulas"),
    ("stamps", "pages.layout.page._without_stamps"),
]
IN_THE_PICTURE = [
    ("treatment of the picture", "pages.prepare.preparation.treated"),
    ("orientation", "pages.prepare.preparation.turn_of"),
    ("straightening", "pages.prepare.preparation.skew_of"),
    ("redactions", "pages.prepare.preparation.find_redactions"),
    ("ruled lines", "pages.detect.rulings.find_rulings"),
    ("pictures", "pages.detect.pictures.find_pictures"),
    ("bold type", "pages.detect.strokes.find_strokes"),
]
ACROSS_PAGES = [
    ("running headers", "pages.assemble.mark_running"),
    ("heading levels", "pages.assemble.level_headings"),
    ("list levels", "pages.assemble.level_lists"),
    ("tables over pages", "pages.assemble.join_tables"),
    ("paragraphs over pages", "pages.assemble.join_paragraphs"),
]
WITH_TAGS = [
    ("tags", "pages.layout.page.Tags.mark"),
    ("tags", "pages.layout.page.Tags.tables"),
    ("tags", "pages.layout.page.Tags.kind"),
]
WITH_FORMULAS = [
    ("formulas", "pages.layout.page.FormulaRuns.has_formulas"),
    ("formulas", "pages.layout.page.find_zones"),
    ("formulas", "pages.layout.blocks.inline_formulas"),
    ("formulas", "pages.layout.blocks.zone_latex"),
]


def breaks(monkeypatch, place, error=ZeroDivisionError):
    """Makes a function raise."""
    module, _, name = place.rpartition(".")
    owner = f"quire.{module}"
    if module.endswith("Tags") or module.endswith("Runs"):
        module, _, of = owner.rpartition(".")
        target = getattr(import_module(module), of)
    else:
        target = import_module(owner)

    def fail(*_, **__):
        raise error("on purpose")

    monkeypatch.setattr(target, name, fail)


def native(data):
    with Document(data) as document:
        [text] = document.reader.text([1], threads=1)
        return PageText.from_bytes(text)


def scanned(engine="words"):
    lines = tuple(line(text, 50, 70 + 60 * at) for at, text in enumerate(TEXT))
    page = PageText.empty(PageInfo(1, 500.0, 700.0))
    formula = Recognition("latex", ())
    return placing.placed(
        page, Seen(prepared()), [Recognition(engine, lines)], engine=engine, whole=True, formulas=[formula]
    )


def words(result):
    return sorted(" ".join(block.text for block in result.blocks).split())


def test_every_enrichment_is_made_to_fail_below():
    broken = [*ON_EVERY_PAGE, *ON_A_SCAN, *IN_THE_PICTURE, *ACROSS_PAGES, *WITH_TAGS, *WITH_FORMULAS]
    assert {name for name, _ in broken} == set(get_args(Enrichment))


@pytest.mark.parametrize(("name", "place"), [*ON_EVERY_PAGE, *ON_A_SCAN])
def test_a_scan_keeps_its_text(monkeypatch, name, place):
    expected = words(layout.page_blocks(scanned()))
    breaks(monkeypatch, place)
    page = layout.page_blocks(scanned())
    assert words(page) == expected
    assert (page.status, page.info.reason) == ("ok", f"without {name}: ZeroDivisionError: on purpose")
    assert page.info.characters.unaccounted == 0


@pytest.mark.parametrize(
    ("name", "place", "build"),
    [
        *((*one, documents.headings_and_lists) for one in ON_EVERY_PAGE),
        *((*one, documents.tagged) for one in WITH_TAGS),
        *((*one, documents.stacked_formula) for one in WITH_FORMULAS),
    ],
)
def test_a_digital_page_keeps_its_text(monkeypatch, name, place, build):
    text = native(build())
    breaks(monkeypatch, place)
    page = layout.page_blocks(text)
    assert not Counter("".join(text.texts)) - Counter(page.text)
    assert (page.status, page.info.reason) == ("ok", f"without {name}: ZeroDivisionError: on purpose")


@pytest.mark.parametrize(("name", "place"), IN_THE_PICTURE)
def test_the_picture_of_a_page_is_read_without_what_cannot_be_found_in_it(monkeypatch, saved, name, place):
    path = saved(scans.numbered_scans(1), "scan.pdf")
    engine = EchoEngine(EchoProfile("\n".join(TEXT)))
    with Document(path) as document:
        asked = looking.LookRequest(
            Opened(path, path.name, document.id), 1, PrepareProfile(redactions=True), engine=engine
        )
    breaks(monkeypatch, place)
    desk = Desk()
    header, _ = looking.look(asked, desk)
    seen = Seen.from_bytes(str(header["seen"]).encode())
    assert seen.notes == (f"without {name}: ZeroDivisionError: on purpose",)
    [answer] = desk.saved.values()
    readings = engine.interpret(answer, looking.question_of(seen))
    text = placing.placed(native(path), seen, readings, engine="echo", whole=True)
    page = layout.page_blocks(PageText.from_bytes(text.to_bytes()))
    assert words(page) == sorted(" ".join(TEXT).split())
    assert page.info.reason == seen.notes[0]


@pytest.mark.parametrize(("name", "place"), ACROSS_PAGES)
def test_a_document_keeps_its_pages(monkeypatch, name, place):
    breaks(monkeypatch, place)
    result = quire.read(documents.table_over_pages())
    assert "without" not in quire.read(documents.simple()).to_markdown()
    assert {block.page for block in result.blocks} == {page.number for page in result.pages}
    assert result.pages[0].info.reason == f"without {name}: ZeroDivisionError: on purpose"
    assert result.pages[1].info.reason is None
    assert all(page.info.characters.unaccounted == 0 for page in result.pages)


def test_the_note_is_in_the_json_and_in_the_events(monkeypatch):
    breaks(monkeypatch, "pages.layout.page.find_figures")
    events = []
    result = quire.read(documents.simple(), on_event=events.append)
    note = "without figures: ZeroDivisionError: on purpose"
    assert note in result.to_json()
    [finished] = [event for event in events if (event.stage, event.kind) == ("page-blocks", "finished")]
    assert finished.payload["reason"] == note


@pytest.mark.processes
def test_a_scan_that_is_read_in_a_worker_says_what_is_missing(monkeypatch):
    breaks(monkeypatch, "pages.recognize.recognised_text.bold_words")
    result = quire.read(scans.numbered_scans(1), engines=EchoEngine(EchoProfile("\n".join(TEXT))))
    assert words(result) == sorted(" ".join(TEXT).split())
    assert result.pages[0].info.reason == "without bold type: ZeroDivisionError: on purpose"


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, CancelledError, StoreError])
def test_what_is_not_the_fault_of_the_page_is_raised(error):
    def fail():
        raise error("stop")

    with pytest.raises(error):
        Notes().enriched("figures", fail, None)


def test_a_page_whose_words_are_too_faint_to_have_strokes_is_read():
    seen = Seen(prepared(), stroke=0.0, strokes=((100.0, 130.0, 600.0, 180.0, 4.0),))
    page, read = PageText.empty(PageInfo(1, 500.0, 700.0)), Recognition("words", (line("TOTAL DUE TODAY", 50, 70),))
    text = placing.placed(page, seen, [read], engine="words", whole=True)
    assert (text.texts, text.notes) == (["TOTAL", "DUE", "TODAY"], ())
    assert {text.font_table[font] for font in text.fonts} == {Font("recognised")}


def test_nothing_is_noted_where_nothing_fails():
    assert layout.page_blocks(scanned()).info.reason is None
    assert assemble.assemble_pages([layout.page_blocks(scanned())], ())[0][0].reason is None
