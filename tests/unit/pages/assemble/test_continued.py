"""Paragraphs and tables that continue in the next column or on the next page."""

from __future__ import annotations

import pytest

import quire
from quire.core.types import BBox, Block, BlockKind, PageInfo, PageResult, Span, Style
from quire.pages.assemble import assemble
from tests import documents
from tests.documents import Piece, placed, prose, wrapped


def block(page: int, number: int, text: str, *, kind: BlockKind = "paragraph", size: float = 10, **extra) -> Block:
    """A block that fills the width, the first of a page at its head, further ones below."""
    top = 0.1 + 0.3 * (number - 1)
    return Block(f"p{page}-b{number}", page, kind, text, BBox(0.1, top, 0.8, 0.25), style=Style(size), **extra)


def assembled(*blocks: Block) -> list[Block]:
    pages = {
        b.page: PageResult(PageInfo(b.page, 595, 842), tuple(o for o in blocks if o.page == b.page)) for b in blocks
    }
    return list(assemble(list(pages.values()), ()))


def test_a_paragraph_that_breaks_off_goes_on_over_the_page():
    (joined,) = quire.read(documents.paragraph_over_pages()).blocks
    assert "which of the\nships had been" in joined.text
    assert [part.page for part in joined.parts] == [1, 2]
    assert (joined.page, joined.bbox) == (joined.parts[0].page, joined.parts[0].bbox)


def test_running_lines_between_do_not_keep_a_paragraph_apart():
    blocks = quire.read(documents.paragraph_over_pages(between="header")).blocks
    (joined,) = [b for b in blocks if b.kind == "paragraph"]
    assert [part.page for part in joined.parts] == [1, 2]


def test_a_footnote_between_does_not_keep_a_paragraph_apart():
    note = block(1, 2, "1 Counted at the buoy.", kind="footnote", size=8)
    found = assembled(block(1, 1, "They came from"), note, block(2, 1, "the sea at dawn."))
    assert [b.text for b in found] == ["They came from\nthe sea at dawn.", "1 Counted at the buoy."]


def test_a_figure_between_keeps_paragraphs_where_they_are_printed():
    blocks = quire.read(documents.paragraph_over_pages(between="figure")).blocks
    assert [b.kind for b in blocks] == ["paragraph", "figure", "caption", "paragraph"]
    assert not any(b.parts for b in blocks)


def test_a_word_broken_over_a_figure_is_mended():
    blocks = quire.read(documents.word_over_figure()).blocks
    text = next(b for b in blocks if b.kind == "paragraph")
    assert "watched the lighthouse\nturn above" in text.text
    assert [part.page for part in text.parts] == [1, 2]


def test_a_sentence_that_ends_ends_its_paragraph():
    found = assembled(block(1, 1, "They came from the sea."), block(2, 1, "the rest is silence."))
    assert len(found) == 2


def test_a_sentence_that_begins_begins_a_paragraph():
    found = assembled(block(1, 1, "They came from"), block(2, 1, "The sea was calm."))
    assert len(found) == 2


def test_text_of_another_size_is_another_paragraph():
    found = assembled(block(1, 1, "They came from"), block(2, 1, "the sea at dawn.", size=8))
    assert len(found) == 2


def test_a_heading_between_keeps_paragraphs_apart():
    found = assembled(
        block(1, 1, "They came from"), block(2, 1, "Arrival", kind="heading", size=14), block(2, 2, "the sea at dawn.")
    )
    assert [b.kind for b in found] == ["paragraph", "heading", "paragraph"]


def test_a_page_between_keeps_paragraphs_apart():
    found = assembled(block(1, 1, "They came from"), block(3, 1, "the sea at dawn."))
    assert len(found) == 2


def test_a_list_item_goes_on_over_the_page():
    item = block(1, 1, "1. They came from", kind="list_item", marker="1.")
    (joined,) = assembled(item, block(2, 1, "the sea at dawn."))
    assert (joined.kind, joined.marker, joined.text) == ("list_item", "1.", "1. They came from\nthe sea at dawn.")


def test_paragraphs_on_one_page_below_each_other_stay_apart():
    found = assembled(block(1, 1, "They came from"), block(1, 2, "the sea at dawn."))
    assert len(found) == 2


def test_a_paragraph_over_three_pages_has_three_parts():
    (joined,) = assembled(block(1, 1, "They came"), block(2, 1, "from the sea"), block(3, 1, "at dawn."))
    assert [part.page for part in joined.parts] == [1, 2, 3]
    assert joined.text == "They came\nfrom the sea\nat dawn."


def test_spans_stand_right_after_a_word_joined_over_the_page():
    first = block(1, 1, "The pilots remem-", spans=(Span(11, 17, bold=True),))
    second = block(2, 1, "bered the storm well.", spans=(Span(0, 5, bold=True), Span(10, 15, italic=True)))
    (joined,) = assembled(first, second)
    assert joined.text == "The pilots remembered\nthe storm well."
    marked = "".join(joined.text[s.start : s.end] for s in joined.spans if s.bold)
    assert marked == "remembered"
    assert [joined.text[s.start : s.end] for s in joined.spans if s.italic] == ["storm"]


def test_the_words_of_a_joined_paragraph_come_from_both_pages():
    (joined,) = quire.read(documents.paragraph_over_pages()).blocks
    words = [word.text for word in joined.words]
    assert "".join(words) == "".join(joined.text.split())


def test_a_table_goes_on_over_the_page_without_its_repeated_header():
    (table,) = quire.read(documents.table_over_pages()).tables
    assert table.table is not None
    assert (table.table.rows, table.table.columns) == (46, 3)
    rows = [[c.text for c in table.table.cells if c.row == row] for row in range(46)]
    assert rows == [list(documents.LONG_HEADER), *map(list, documents.LONG_ROWS)]


def test_cells_of_a_table_over_pages_keep_page_and_box():
    (block_,) = quire.read(documents.table_over_pages()).tables
    assert block_.table is not None
    pages = {cell.row: cell.page for cell in block_.table.cells}
    assert [pages[row] for row in (0, 30, 31, 45)] == [1, 1, 2, 2]
    for cell in block_.table.cells:
        part = block_.parts[cell.page - 1].bbox
        assert part.top - 0.01 <= cell.bbox.top and cell.bbox.bottom <= part.bottom + 0.01


def test_the_text_of_a_table_over_pages_is_that_of_its_cells():
    (table,) = quire.read(documents.table_over_pages()).tables
    assert table.table is not None and table.text == table.table.text
    assert table.text.count("No. Vessel Cargo") == 1


def test_a_table_with_other_columns_on_the_next_page_is_another():
    style = [("GRID", (0, 0), (-1, -1), 0.5, "black")]

    def draw(canvas):
        pen = documents.Pen(canvas, top=500)
        pen.table([LONG := ("No.", "Vessel", "Cargo"), *[LONG] * 12], style, [50, 200, 100])
        canvas.showPage()
        documents.Pen(canvas).table([("Port", "Share")] * 6, style, [150, 200])

    assert len(quire.read(documents.drawn(draw)).tables) == 2


def test_a_new_heading_between_keeps_tables_apart():
    rows = [(str(n), f"Vessel {n}", "salt") for n in range(12)]
    style = [("GRID", (0, 0), (-1, -1), 0.5, "black")]

    def draw(canvas):
        documents.Pen(canvas, top=550).table(rows, style, [50, 200, 100])
        canvas.showPage()
        pen = documents.Pen(canvas)
        pen.heading("Next Year")
        pen.table(rows, style, [50, 200, 100])

    assert len(quire.read(documents.drawn(draw)).tables) == 2


STATEMENT = [("in millions", "2030", "2029"), *((f"Dues of quay {n}", f"{n * 37}", f"{n * 31}") for n in range(1, 9))]


REST = [("Fees of pilots", "12", "11"), ("Fines", "3", "2"), ("Rents", "81", "79"), ("Total dues", "1,428", "1,208")]


def statement(*titles: str, note: str = "", head: tuple[str, ...] | None = None) -> quire.DocumentResult:
    """A statement that breaks off in the middle of a page, with titles over what follows on the next."""
    style = [("LINEBELOW", (0, 0), (-1, 0), 0.5, "black"), ("ALIGN", (1, 0), (-1, -1), "RIGHT")]

    def draw(canvas):
        pen = documents.Pen(canvas, top=480)
        pen.heading("Statement of dues")
        pen.table(STATEMENT, style, [200, 80, 80])
        if note:
            pen.text(note)
        canvas.showPage()
        pen = documents.Pen(canvas)
        for title in titles:
            pen.heading(title)
        pen.table([STATEMENT[0] if head is None else head, *REST], style, [200, 80, 80])

    return quire.read(documents.drawn(draw))


@pytest.mark.parametrize(
    "title", ["Statement of dues (continued)", "Statement of dues", "STATEMENT OF DUES — Continued"]
)
def test_a_statement_that_says_it_continues_is_one_table(title):
    result = statement(title, note="See the notes to this statement.")
    if title == "Statement of dues":  # a note is between: only words would say that it continues
        result = statement(title)
    (table,) = result.tables
    assert table.table.grid() == [list(row) for row in (*STATEMENT, *REST)]
    assert [cell.text for cell in table.table.cells if cell.header] == list(STATEMENT[0])
    assert [part.page for part in table.parts] == [1, 2]
    assert [block.text for block in result.blocks if block.text.startswith("Statement")] == ["Statement of dues"]
    counted = result.pages[1].info.characters
    assert counted is not None and counted.unaccounted == 0 and counted.left_out["repeated"] > 20


def test_another_title_begins_another_table():
    assert len(statement("Statement of fees").tables) == 2


def test_other_years_begin_another_table():
    assert len(statement("Statement of dues (continued)", head=("in millions", "2028", "2027")).tables) == 2


def test_a_glossary_goes_on_though_its_first_row_looks_like_a_header():
    rows = [(word, f"what {word.lower()} means to people at sea") for word in documents.prose(4).split()]
    style = [("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 10), ("GRID", (0, 0), (-1, -1), 0.5, "black")]

    def draw(canvas):
        documents.Pen(canvas, top=550).table(rows[:14], style, [120, 260])
        canvas.showPage()
        documents.Pen(canvas).table(rows[14:24], style, [120, 260])

    (table,) = quire.read(documents.drawn(draw)).tables
    assert table.table.rows == 24


def test_a_paragraph_goes_on_in_the_next_column():
    blocks = quire.read(documents.paragraph_over_columns()).blocks
    (joined,) = [b for b in blocks if b.kind == "paragraph"]
    assert "looked out over the harbour\nuntil the last lamp" in joined.text
    assert [part.page for part in joined.parts] == [1, 1]
    assert joined.parts[0].bbox.right < joined.parts[1].bbox.left


def test_the_second_page_of_a_table_without_a_header_row_is_added():
    rows = [(str(n), f"Vessel {n}", "salt") for n in range(1, 25)]
    style = [("GRID", (0, 0), (-1, -1), 0.5, "black")]

    def draw(canvas):
        documents.Pen(canvas, top=550).table(rows[:12], style, [50, 200, 100])
        canvas.showPage()
        documents.Pen(canvas).table(rows[12:], style, [50, 200, 100])

    (table,) = quire.read(documents.drawn(draw)).tables
    assert table.table is not None and table.table.rows == 24


def test_a_word_broken_between_columns_and_pages_is_joined_with_its_compound_kept():
    left = wrapped(prose(24), 60, 100, 225)
    left.append(Piece(60, left[-1].y + 13.125, "for they were Anglo-"))
    data = placed([*left, *wrapped("Saxon by birth and by habit. " + prose(8), 305, 100, 225)])
    assert "Anglo-Saxon\nby birth" in quire.read(data).to_text()
