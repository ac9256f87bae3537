"""The title, and the levels of headings over the whole document."""

from __future__ import annotations

from reportlab.pdfbase.pdfmetrics import stringWidth

import quire
from quire.core.types import BBox, Block, OutlineEntry, PageInfo, PageResult, Span, Style
from quire.pages.assemble import assemble
from tests import documents
from tests.documents import Piece, placed, prose, wrapped


def document(*headings: tuple[str, float, bool], outline: list[OutlineEntry] | None = None) -> dict[str, int | None]:
    """Headings (text, size, bold), each on a separate page; the levels they get."""
    pages = []
    for number, (text, size, bold) in enumerate(headings, start=2):
        heading = Block(
            f"p{number}-b1", number, "heading", text, BBox(0.1, 0.3, 0.5, 0.02), style=Style(size, bold=bold)
        )
        body = Block(f"p{number}-b2", number, "paragraph", prose(9), BBox(0.1, 0.4, 0.8, 0.3), style=Style(10.0))
        pages.append(PageResult(PageInfo(number, 595, 842), (heading, body)))
    intro = Block("p1-b1", 1, "paragraph", prose(9), BBox(0.1, 0.4, 0.8, 0.3), style=Style(10.0))
    pages.insert(0, PageResult(PageInfo(1, 595, 842), (intro,)))
    return {block.text: block.level for block in assemble(pages, outline or []) if block.kind == "heading"}


def test_larger_type_is_a_higher_level():
    assert document(("Arrival", 18, True), ("Signals", 14, True), ("Lamps", 12, True)) == {
        "Arrival": 1,
        "Signals": 2,
        "Lamps": 3,
    }


def test_the_same_type_is_the_same_level_on_every_page():
    assert set(document(("Arrival", 18, True), ("Departure", 18, True), ("Weather", 18, True)).values()) == {1}


def test_numbers_tell_the_level():
    assert document(("1 Arrival", 14, True), ("1.1 Signals", 14, True), ("1.1.1 Lamps", 14, True)) == {
        "1 Arrival": 1,
        "1.1 Signals": 2,
        "1.1.1 Lamps": 3,
    }


def test_the_outline_tells_the_level():
    result = quire.read(documents.links_and_outline())
    levels = {block.text: block.level for block in result.blocks if block.kind == "heading"}
    assert levels == {"Arrival": 1, "Signals": 2, "Departure": 1}


def test_the_outline_is_stronger_than_the_type():
    entries = [OutlineEntry(2, "Arrival", 2), OutlineEntry(1, "Signals", 3)]
    assert document(("Arrival", 18, True), ("Signals", 12, True), outline=entries) == {"Arrival": 2, "Signals": 1}


def test_headings_that_the_outline_leaves_out_follow_those_of_their_type():
    entries = [OutlineEntry(1, "Arrival", 2), OutlineEntry(2, "Signals", 3)]
    found = document(("Arrival", 18, True), ("Signals", 14, True), ("Lamps", 14, True), outline=entries)
    assert found["Lamps"] == 2


def test_unnumbered_headings_follow_numbered_ones_of_their_type():
    found = document(("1 Arrival", 16, True), ("1.1 Signals", 13, True), ("Acknowledgements", 16, True))
    assert found["Acknowledgements"] == 1


def test_a_heading_that_begins_with_an_article_follows_its_type():
    found = document(("Arrival", 18, True), ("Signals", 14, True), ("A Word on Lamps", 14, True))
    assert found["A Word on Lamps"] == 2


def test_a_heading_that_begins_with_i_follows_its_type():
    found = document(("Arrival", 18, True), ("Signals", 14, True), ("I Remember the Lamps", 14, True))
    assert found["I Remember the Lamps"] == 2


def test_one_heading_in_capitals_has_the_level_of_its_type():
    levels = document(("Arrival", 16, True), ("Signals", 13, True), ("VHF", 13, True), ("Lamps", 13, True))
    assert levels == {"Arrival": 1, "Signals": 2, "VHF": 2, "Lamps": 2}


def test_levels_never_pass_six():
    sizes = [30, 28, 26, 24, 22, 20, 18, 16]
    levels = list(document(*((f"Part {chr(97 + i)}x", size, True) for i, size in enumerate(sizes))).values())
    assert max(level or 0 for level in levels) <= 6


def test_the_title_has_no_level():
    title = next(block for block in quire.read(documents.two_columns()).blocks if block.kind == "title")
    assert title.level is None


def test_a_document_of_chapters_in_one_size_has_no_title():
    assert not [block for block in quire.read(documents.chapters()).blocks if block.kind == "title"]


def test_there_is_at_most_one_title():
    pages = [
        [Piece(72, 80, f"Report {word}", 24, "Times-Bold"), *wrapped(prose(10), 72, 120, 450)]
        for word in ("Alpha", "Bravo", "Charlie")
    ]
    kinds = [block.kind for block in quire.read(placed(*pages)).blocks]
    assert kinds.count("title") <= 1
    assert kinds.count("title") + kinds.count("heading") == 3


def test_small_headings_on_a_page_of_small_type_are_text():
    small = Block("p2-b1", 2, "heading", "Small print", BBox(0.1, 0.3, 0.5, 0.02), style=Style(7.0))
    body = Block("p1-b1", 1, "paragraph", prose(20), BBox(0.1, 0.4, 0.8, 0.3), style=Style(10.0))
    pages = [PageResult(PageInfo(n, 595, 842), (block,)) for n, block in ((1, body), (2, small))]
    assert [block.kind for block in assemble(pages, ())] == ["paragraph", "paragraph"]


def test_the_authors_below_the_title_are_text():
    def block(number: int, text: str, size: float, *spans: Span) -> Block:
        top = 0.1 * number
        style = Style(size, bold=True)
        return Block(f"p1-b{number}", 1, "heading", text, BBox(0.1, top, 0.8, 0.05), style=style, spans=spans)

    names = block(2, "Ada Marlow1 and Tom Carver2", 12, Span(10, 11, superscript=True), Span(26, 27, superscript=True))
    body = Block("p1-b9", 1, "paragraph", prose(9), BBox(0.1, 0.5, 0.8, 0.3), style=Style(10.0))
    blocks = (block(1, "Harbour Lights", 20), names, block(3, "Introduction", 12), body)
    found = assemble([PageResult(PageInfo(1, 595, 842), blocks)], ())
    assert [b.kind for b in found] == ["title", "paragraph", "heading", "paragraph"]


def test_headings_counted_in_several_ways_are_inside_each_other():
    titles = ("I. Arrival", "A. Signals", "1. Lamps", "B. Horns", "II. Departure", "A. Ropes")
    found = document(*((title, 10, True) for title in titles))
    assert list(found.values()) == [1, 2, 3, 2, 1, 2]


def test_the_letters_of_appendices_are_not_inside_the_last_chapter():
    found = document(*((title, 14, True) for title in ("1. Arrival", "2. Departure", "A. Signals", "B. Lamps")))
    assert set(found.values()) == {1}


def centred(text: str, top: float, size: float) -> Piece:
    return Piece(297 - stringWidth(text, "Times-Roman", size) / 2, top, text, size)


def test_a_name_and_a_date_below_the_middle_of_the_title_are_text():
    pieces = [
        centred("On the Keeping of Lamps", 100, 17),
        centred("Ada Byron", 130, 12),
        centred("November 17, 2026", 150, 12),
        *wrapped(prose(6), 72, 200, 450),
        Piece(72, 320, "1 Lamps", 14, "Times-Bold"),
        *wrapped(prose(6), 72, 345, 450),
    ]
    blocks = quire.read(placed(pieces)).blocks
    assert [block.kind for block in blocks] == ["title", "paragraph", "paragraph", "paragraph", "heading", "paragraph"]


def test_the_line_in_the_middle_of_a_cover_is_the_title_also_above_larger_chapters():
    cover = [
        centred("The Keeping of Lamps", 300, 17),
        centred("handed down by the keepers of the harbour office", 340, 11),
    ]
    chapter = [Piece(72, 160, "Arrival", 24, "Times-Bold"), *wrapped(prose(9), 72, 200, 450)]
    blocks = quire.read(placed(cover, chapter)).blocks
    assert [(block.kind, block.text) for block in blocks if block.kind in ("title", "heading")] == [
        ("title", "The Keeping of Lamps"),
        ("heading", "Arrival"),
    ]


def kinds_of(*lines: tuple[str, str], top: float = 0.5) -> dict[str, str]:
    """The kinds that blocks of one page end with: (kind, text), below a paragraph."""
    blocks = [Block("p1-b1", 1, "paragraph", prose(9), BBox(0.1, 0.1, 0.8, 0.3), style=Style(10.0))]
    for number, (kind, text) in enumerate(lines, start=2):
        box = BBox(0.1, top + number / 50, 0.3, 0.015)
        blocks.append(Block(f"p1-b{number}", 1, kind, text, box, style=Style(14.0 if kind == "heading" else 10.0)))
    page = PageResult(PageInfo(1, 595, 842), tuple(blocks))
    return {block.text: block.kind for block in assemble([page], [])[1:]}


def test_names_in_signatures_are_no_headings():
    signed = kinds_of(
        ("paragraph", "For and on behalf of the Board"),
        ("heading", "R.A. SHAH"),
        ("paragraph", "Chairman"),
        ("paragraph", "Date: 11th August, 2003"),
    )
    assert signed["R.A. SHAH"] == "paragraph"
    assert kinds_of(("paragraph", "By:"), ("heading", "/s/ David Wells"))["/s/ David Wells"] == "paragraph"


def test_a_heading_below_a_signature_stays_one():
    made = kinds_of(
        ("paragraph", "Date: 11th August, 2003"),
        ("paragraph", "Chairman"),
        ("heading", "Executive Officers"),
        ("paragraph", prose(4)),
    )
    assert made["Executive Officers"] == "heading"


def test_a_large_line_in_the_middle_of_a_full_page_is_no_title():
    assert kinds_of(("heading", "Repairs"), ("paragraph", prose(9)))["Repairs"] == "heading"


def test_a_long_title_alone_on_a_cover_is_the_title():
    cover = [centred("On the Keeping of Lamps in Harbours", 300, 17), centred("A. Keeper", 340, 11)]
    blocks = quire.read(placed(cover, wrapped(prose(20), 72, 90, 450))).blocks
    assert [block.kind for block in blocks] == ["title", "paragraph", "paragraph"]
