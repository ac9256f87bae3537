"""Layout of OCR pages: the same code as for native text, on words from an engine."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from quire.core.engine import Recognition
from quire.core.types import PageResult
from quire.pages.layout import page_blocks
from quire.pages.recognize.recognised_text import placed
from quire.pages.recognize.seen import Seen
from tests.documents import prose
from tests.unit.pages.recognize.seen import line, native, prepared


def read(*lines, rulings=(), turn=0, base=None) -> PageResult:
    """The page on which an OCR engine found these lines; rules are in points."""
    seen = Seen(prepared(turn=turn), tuple((2 * a, 2 * b, 2 * c, 2 * d, 3.0) for a, b, c, d in rulings))
    text = placed(base or native(), seen, [Recognition("fake", tuple(lines))], engine="fake", whole=True)
    return page_blocks(text)


def wrapped(text: str, left: float, top: float, *, characters: int = 34, size: float = 11.0):
    """A paragraph as an engine sees it: its lines."""
    lines, row = [], ""
    for word in text.split():
        if len(row) + len(word) + 1 > characters:
            lines.append(row)
            row = word
        else:
            row = f"{row} {word}".strip()
    return [line(text, left, top + 1.5 * size * n, size=size) for n, text in enumerate([*lines, row])]


def flat(page: PageResult) -> list[str]:
    return [" ".join(block.text.split()) for block in page.blocks]


def test_lines_make_paragraphs():
    page = read(*wrapped(prose(3), 50, 80), *wrapped(prose(3, start=4), 50, 350))
    assert flat(page) == [prose(3), prose(3, start=4)]
    assert [block.kind for block in page.blocks] == ["paragraph", "paragraph"]
    assert {(block.engine, block.confidence) for block in page.blocks} == {("fake", 0.95)}


def test_columns_are_read_one_after_the_other():
    left, right = wrapped(prose(4), 30, 80), wrapped(prose(4, start=4), 270, 80)
    rows = [one for pair in zip_longest(left, right) for one in pair if one is not None]
    assert " ".join(flat(read(*rows))) == f"{prose(4)} {prose(4, start=4)}"


def test_a_large_line_is_a_heading():
    page = read(line("Report of the harbour", 50, 60, size=22), *wrapped(prose(6), 50, 120, characters=60))
    assert page.blocks[0].kind in ("heading", "title")
    assert page.blocks[0].text == "Report of the harbour"


def test_bullets_make_list_items():
    items = ["• The first vessel", "• The second vessel", "• The third vessel"]
    page = read(
        *wrapped(prose(3), 50, 80, characters=60), *(line(text, 60, 200 + 20 * n) for n, text in enumerate(items))
    )
    assert [block.text for block in page.blocks if block.kind == "list_item"] == items


ROWS = [("Vessel", "Cargo", "Tons"), ("Aurora", "Timber", "120"), ("Borea", "Coal", "340"), ("Cirrus", "Salt", "95")]
COLUMNS, TOP, HEIGHT = (60, 200, 340), 100, 30


def table_lines(rows=ROWS):
    return [
        line(text, COLUMNS[column], TOP + HEIGHT * row, size=11)
        for row, cells in enumerate(rows)
        for column, text in enumerate(cells)
    ]


def grid():
    right, bottom = 460, TOP - 8 + HEIGHT * len(ROWS)
    level = [(50, TOP - 8 + HEIGHT * row, right, TOP - 8 + HEIGHT * row) for row in range(len(ROWS) + 1)]
    upright = [(x, TOP - 8, x, bottom) for x in (50, 190, 330, right)]
    return [*level, *upright]


@pytest.mark.parametrize("rulings", [grid(), []], ids=["ruled", "unruled"])
def test_tables_are_found_with_and_without_rules(rulings):
    page = read(*table_lines(), rulings=rulings)
    [block] = page.blocks
    assert block.table is not None
    assert (block.table.rows, block.table.columns) == (4, 3)
    assert [cell.text for cell in block.table.cells] == [text for row in ROWS for text in row]


def test_a_page_on_its_side_is_read_like_any_other_and_its_boxes_stay_on_it():
    lines = wrapped(prose(4), 50, 80, characters=50)
    page = read(*lines, turn=90, base=native(size=(700.0, 500.0)))
    assert " ".join(flat(page)) == prose(4)
    box = page.blocks[0].bbox
    assert box.left * 700 == pytest.approx(80, abs=3)
    assert (1 - box.bottom) * 500 == pytest.approx(50, abs=3)


def test_a_page_on_which_nothing_was_read_is_empty():
    page = read()
    assert (page.status, page.blocks) == ("empty", ())


def test_a_page_number_at_the_foot_is_no_paragraph():
    page = read(*wrapped(prose(8), 50, 80, characters=60), line("17", 245, 670, size=10))
    assert page.blocks[-1].kind in ("page_number", "footer")


def test_a_rubber_stamp_over_the_text_is_a_block_of_its_own():
    text = wrapped(prose(6), 50, 80, characters=60)
    stamp = line("RECEIVED MAR 12 1994", 180, 118, size=12)
    page = read(*text[:3], stamp, *text[3:])
    assert flat(page) == [prose(6), "RECEIVED MAR 12 1994"]
    assert [block.kind for block in page.blocks] == ["paragraph", "paragraph"]


def test_a_label_with_its_amount_is_no_stamp():
    page = read(*wrapped(prose(6), 50, 80, characters=60), line("RECEIVED", 50, 300), line("50.00", 300, 300))
    last = flat(page)[-1]
    assert "RECEIVED" in last and "50.00" in last


def test_a_sidebar_and_a_table_beside_it_are_read_apart():
    side = [line(f"Analyst {n} of the harbour", 30, 80 + 16.3 * n) for n in range(23)]
    text = wrapped(prose(10), 250, 80, characters=36)[:15]
    rows = [[f"Row {n}", f"{10 * n},5", f"{7 * n},1"] for n in range(1, 7)]
    cells = [line(cell, 250 + 80 * at, 331 + 20 * n) for n, row in enumerate(rows) for at, cell in enumerate(row)]
    rules = [(30, 329 + 20 * n, 480, 329 + 20 * n) for n in (0, 6)] + [(250, 348, 480, 348)]
    page = read(*side, *text, *cells, rulings=rules)
    for block in page.blocks:
        assert not ("Analyst" in block.text and ("Row" in block.text or "harbour office" in block.text))
    (table,) = [block.table for block in page.blocks if block.table]
    assert table.grid() == rows


def test_a_bold_line_is_evidence_for_a_heading():
    bold = line("Repairs of the harbour", 50, 80)
    body = wrapped(prose(8), 50, 120, characters=60)
    boxes = [word.bbox.points(prepared().size) for word in bold.words]
    seen = Seen(prepared(), (), (), 2.0, tuple((*box, 2.9) for box in boxes))
    reading = Recognition("fake", (bold, *body))
    page = page_blocks(placed(native(), seen, [reading], engine="fake", whole=True))
    assert (page.blocks[0].kind, page.blocks[0].text) == ("heading", "Repairs of the harbour")
    assert page.blocks[0].style is not None and page.blocks[0].style.bold
