"""Newspapers and magazines on scans: many columns, lines of justified type, rules, marks in the gutters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.core.engine import Recognition
from quire.core.types import BBox, Box
from quire.pages.layout import page_blocks
from quire.pages.recognize.recognised_text import placed
from quire.pages.recognize.seen import Seen
from tests.unit.pages.recognize.seen import line, native, prepared

LEFTS, TOP, STEP, SIZE = (20, 180, 340), 80, 12, 8.0
"""Three columns of 140 points."""
WIDE = 2.0 / 500


def column(name, number, rows, *, top=TOP, lean=0.0):
    """Lines that fill a column; with `lean` each begins further to the right than the one above."""
    return [
        line(f"{name}{row:02} the long line of prose is here", LEFTS[number] + lean * row, top + STEP * row, size=SIZE)
        for row in range(rows)
    ]


def by_rows(*columns):
    """The lines in the order of their height, as engines find them."""
    return sorted((one for lines in columns for one in lines), key=lambda one: (one.bbox.top, one.bbox.left))


def read(lines, *, rules=(), pictures=(), ordered=False):
    seen = Seen(prepared(), tuple((2 * a, 2 * b, 2 * c, 2 * d, 2.0) for a, b, c, d in rules), tuple(pictures))
    text = placed(native(), seen, [Recognition("fake", tuple(lines))], engine="fake", whole=True, ordered=ordered)
    return page_blocks(text)


def names(page, length=3):
    """The first word of every line, in reading order."""
    marked = [word[:length] for block in page.blocks for word in block.text.split() if word[:1] in "ABCDEF"]
    return [word for word in marked if word[1:].isdigit()]


def numbered(name, rows):
    return [f"{name}{row:02}" for row in range(rows)]


@pytest.mark.parametrize("lean", [0.0, 0.3])
def test_columns_are_read_one_after_the_other_also_when_they_lean(lean):
    page = read(by_rows(*(column(name, n, 20, lean=lean) for n, name in enumerate("ABC"))))
    assert names(page) == [*numbered("A", 20), *numbered("B", 20), *numbered("C", 20)]


def test_a_rule_over_all_columns_separates_what_is_above_it_from_what_is_below():
    above = [column(name, n, 12) for n, name in enumerate("ABC")]
    below = [column(name, n, 12, top=TOP + 13 * STEP) for n, name in enumerate("DEF")]
    rule = (15, TOP + 12.6 * STEP, 485, TOP + 12.6 * STEP)
    page = read(by_rows(*above, *below), rules=[rule])
    assert names(page) == [name for letter in "ABCDEF" for name in numbered(letter, 12)]


def test_marks_in_the_gutter_and_lines_that_run_into_the_next_column_do_not_cut_the_page():
    lines = by_rows(*(column(name, n, 20) for n, name in enumerate("ABC")))
    lines.insert(17, line("]", 172, TOP + 5 * STEP, size=SIZE))
    lines[3] = replace(lines[3], bbox=replace(lines[3].bbox, width=lines[3].bbox.width + 4 * WIDE))
    page = read(lines)
    assert names(page) == [*numbered("A", 20), *numbered("B", 20), *numbered("C", 20)]


def test_the_engines_own_order_is_not_followed_from_column_to_column_on_a_dense_page():
    first, second, third = (column(name, n, 20) for n, name in enumerate("ABC"))
    page = read([*first[:10], *second[:10], *third, *first[10:], *second[10:]], ordered=True)
    assert names(page) == [*numbered("A", 20), *numbered("B", 20), *numbered("C", 20)]


def test_a_line_of_justified_type_stays_whole():
    words = [f"A0{number}" for number in range(5)]
    wide = line("     ".join(words), 20, TOP, size=SIZE)
    apart = [BBox(0.04 + 0.06 * n, wide.bbox.top, 0.035, wide.bbox.height) for n in range(5)]
    placed_words = tuple(replace(word, bbox=box) for word, box in zip(wide.words, apart, strict=True))
    page = read([replace(wide, words=placed_words)])
    assert [block.text for block in page.blocks] == [" ".join(words)]


def test_the_labels_of_a_drawing_are_its_words_and_not_paragraphs():
    body = column("A", 0, 20)
    labels = [line(text, 360, 100 + 40 * n, size=6) for n, text in enumerate(("valve", "pump", "tank"))]
    page = read(by_rows(body, labels), pictures=[Box(680.0, 160.0, 980.0, 500.0)])
    [figure] = [block for block in page.blocks if block.kind == "figure"]
    assert figure.text.split() == ["valve", "pump", "tank"]
    assert all("valve" not in block.text for block in page.blocks if block.kind != "figure")
    assert page.info.characters.unaccounted == 0


def test_letters_of_display_type_are_no_figure():
    page = read([line("Konzert", 50, 100, size=60)], pictures=[Box(120.0, 205.0, 260.0, 340.0)])
    assert [block.text for block in page.blocks] == ["Konzert"]


def test_a_picture_full_of_text_is_text():
    page = read(column("A", 0, 20), pictures=[Box(30.0, 150.0, 330.0, 650.0)])
    assert {block.kind for block in page.blocks} == {"paragraph"}


def test_boxed_advertisements_are_no_table():
    sides = ((20, 80, 240, 80), (20, 240, 240, 240), (20, 400, 240, 400), (20, 80, 20, 400), (240, 80, 240, 400))
    right = ((240, 80, 480, 80), (240, 240, 480, 240), (240, 400, 480, 400), (480, 80, 480, 400))
    lines = []
    for left, top, name in ((30, 90, "Konzert"), (250, 90, "Veranda"), (30, 250, "Kraft"), (250, 250, "Verloren")):
        lines.append(line(name, left, top, size=30))
        lines += [line("every evening music in the garden", left, top + 50 + 14 * n, size=9) for n in range(4)]
    page = read(lines, rules=[*sides, *right])
    assert not [block for block in page.blocks if block.kind == "table"]
    assert "Konzert" in {block.text for block in page.blocks}
