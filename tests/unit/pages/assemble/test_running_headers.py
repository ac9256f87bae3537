"""Headers, footers and page numbers over the pages of a document."""

from __future__ import annotations

import pytest

import quire
from quire.core.types import BBox, Block, BlockKind, PageInfo, PageResult, Style
from quire.pages.assemble import assemble
from tests import documents
from tests.documents import Piece, placed, prose, wrapped


def of_kind(result: quire.DocumentResult, kind: str) -> list[str]:
    return [block.text for block in result.blocks if block.kind == kind]


def page(number: int, *lines: tuple[float, str]) -> PageResult:
    """A page of paragraphs, each at a height, over some body text."""
    texts = [*lines, (0.4, prose(6, start=number))]
    blocks = [
        Block(f"p{number}-b{i}", number, "paragraph", text, BBox(0.1, top, 0.5, 0.02), style=Style(10.0))
        for i, (top, text) in enumerate(sorted(texts), start=1)
    ]
    return PageResult(PageInfo(number, 595, 842), tuple(blocks))


def kinds(pages: list[PageResult], text: str) -> list[BlockKind]:
    return [block.kind for block in assemble(pages, ()) if text in block.text]


def test_a_line_at_the_head_of_every_page_is_a_header():
    result = quire.read(documents.running_headers(4))
    assert of_kind(result, "header") == [documents.RUNNING_HEADER] * 4
    assert of_kind(result, "footer") == ["Printed at the Stone Pier"] * 4


def test_page_numbers_change_from_page_to_page():
    assert of_kind(quire.read(documents.running_headers(3)), "page_number") == [f"Page {n} of 3" for n in (1, 2, 3)]


def test_headers_of_odd_and_even_pages_are_both_found():
    result = quire.read(documents.odd_and_even_headers())
    assert of_kind(result, "header") == ["The Tides of Easthaven", "A Short History"] * 3
    assert of_kind(result, "page_number") == [str(n) for n in range(12, 18)]


def test_a_header_with_the_page_number_in_it_is_found():
    pages = [
        [Piece(72, 50, f"Harbour Office Yearbook {n}", 9), *wrapped(prose(12, start=n), 72, 90, 450)]
        for n in range(7, 12)
    ]
    assert len(of_kind(quire.read(placed(*pages)), "header")) == 5


def test_a_header_close_over_the_text_is_found_by_its_return():
    pages = [page(n, (0.08, "The Tides of Easthaven")) for n in range(1, 5)]
    assert kinds(pages, "Easthaven") == ["header"] * 4


def test_a_line_that_comes_back_at_the_foot_is_a_footer():
    pages = [page(n, (0.93, "Printed at the Stone Pier")) for n in range(1, 5)]
    assert kinds(pages, "Printed") == ["footer"] * 4


def test_a_line_that_comes_back_in_the_middle_of_pages_is_text():
    pages = [page(n, (0.3, "And so it went on.")) for n in range(1, 5)]
    assert kinds(pages, "went on") == ["paragraph"] * 4


def test_a_line_at_the_head_of_one_page_alone_is_text():
    pages = [page(n, (0.08, "Only here.")) if n == 2 else page(n) for n in range(1, 5)]
    assert kinds(pages, "Only here") == ["paragraph"]


def test_different_lines_at_the_same_place_are_text():
    pages = [page(n, (0.08, f"{word} opens this page.")) for n, word in enumerate(("One", "Two", "Three", "Four"), 1)]
    assert kinds(pages, "opens") == ["paragraph"] * 4


def test_roman_page_numbers_are_page_numbers():
    pages = [
        [*wrapped(prose(14, start=i), 72, 90, 450), Piece(290, 800, n, 9)] for i, n in enumerate(("ii", "iii", "iv"))
    ]
    assert of_kind(quire.read(placed(*pages)), "page_number") == ["ii", "iii", "iv"]


def test_a_number_in_the_text_is_no_page_number():
    pages = [
        [*wrapped(prose(14), 72, 90, 450), Piece(290, 420, str(n), 9), *wrapped(prose(14), 72, 450, 450)]
        for n in (1, 2, 3)
    ]
    assert of_kind(quire.read(placed(*pages)), "page_number") == []


@pytest.mark.parametrize("export", ["to_markdown", "to_text"])
def test_running_lines_are_left_out_of_flowing_text(export):
    assert documents.RUNNING_HEADER not in getattr(quire.read(documents.running_headers(3)), export)()


def test_chapters_that_begin_on_every_page_stay_headings():
    result = quire.read(documents.chapters())
    assert of_kind(result, "heading") == [f"Chapter {n}" for n in range(1, 5)]
    assert of_kind(result, "header") == []


def test_numbered_sections_at_the_head_of_pages_stay_headings():
    pages = [
        [Piece(72, 90, f"Section {n}. Tides and Pilots", 14, "Times-Bold"), *wrapped(prose(14, start=n), 72, 120, 450)]
        for n in range(1, 5)
    ]
    assert len(of_kind(quire.read(placed(*pages)), "heading")) == 4


BODY = wrapped(prose(14), 72, 150, 450)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (Piece(72, 50, "Harbour Office of Easthaven"), "paragraph"),
        (Piece(72, 50, "Harbour Office, Stone Pier 4, Easthaven", 7.5), "paragraph"),
        (Piece(72, 50, "Notice to Pilots", 10.5, "Times-Bold"), "heading"),
        (Piece(72, 50, "Minutes of the 3rd meeting", 10.5), "paragraph"),
    ],
)
@pytest.mark.parametrize("foot", [[], [Piece(295, 800, "1", 9)], [Piece(480, 800, "Page 1 of 1", 9)]])
def test_the_first_line_of_one_page_is_text(line, kind, foot):
    result = quire.read(placed([line, *BODY, *foot]))
    assert [block.kind for block in result.blocks if block.text == line.text] == [kind]
    assert line.text in result.to_markdown()
    assert line.text in result.to_text()
    assert of_kind(result, "page_number") == [piece.text for piece in foot]


def test_a_letterhead_beside_the_number_of_the_first_page_is_text():
    result = quire.read(placed([Piece(72, 50, "Harbour Office"), Piece(480, 50, "Page 1 of 1", 9), *BODY]))
    assert "Harbour Office" in result.to_markdown()
    assert of_kind(result, "page_number") == ["Page 1 of 1"]


def test_a_letterhead_of_a_letter_of_two_pages_is_text():
    second = wrapped(prose(14, start=3), 72, 90, 450)
    result = quire.read(placed([Piece(72, 50, "Harbour Office of Easthaven"), *BODY], second))
    assert "Harbour Office of Easthaven" in result.to_markdown()


@pytest.mark.parametrize(
    "head",
    [
        [Piece(72, 50, "3 | Journal of Tides", 9)],
        [Piece(72, 50, "The Tides of Easthaven"), Piece(510, 50, "17", 10.5)],
        [Piece(72, 50, "Tides and Pilots", 8), Piece(295, 800, "17", 9)],
        [Piece(72, 50, "Moreau et al.", 9)],
        [Piece(72, 50, "Annals of the Harbour 2006, 7:350", 9), Piece(400, 50, "www.example.org/annals", 9)],
    ],
    ids=lambda pieces: pieces[0].text,
)
def test_what_looks_like_a_running_header_is_one_on_a_single_page_too(head):
    result = quire.read(placed([*head, *BODY]))
    assert head[0].text in of_kind(result, "header")
    assert head[0].text not in result.to_markdown()


def test_one_page_of_a_longer_document_keeps_its_header_in_small_type():
    pages = [[Piece(72, 50, "The Tides of Easthaven", 8), *wrapped(prose(14, start=n), 72, 150, 450)] for n in range(3)]
    assert of_kind(quire.read(placed(*pages), pages="2"), "header") == ["The Tides of Easthaven"]


def test_a_bold_line_with_a_section_number_at_the_top_of_one_page_is_a_heading():
    text = wrapped(prose(9), 72, 120, 450)
    later = [Piece(72, 60, "2.1 Lamps", 10.5, "Times-Bold"), *wrapped(prose(9), 72, 100, 450)]
    assert [block.text for block in quire.read(placed(text, later)).blocks if block.kind == "heading"] == ["2.1 Lamps"]
