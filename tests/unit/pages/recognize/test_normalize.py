"""What engines say, after the gate: inside the page, clean, in the order in which it was asked."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from quire.core.engine import Question, ReadBlock, ReadLine, Recognition
from quire.core.errors import EngineError
from quire.core.types import BBox, Cell, GridCell, Region, Table, Word
from quire.pages.recognize.normalize import normalize, words_in

PAGE = Question((1000, 1400), 150.0)
BOX = BBox(0.1, 0.1, 0.4, 0.02)


def read(*lines: ReadLine, blocks: tuple[ReadBlock, ...] = ()) -> Recognition:
    [one] = normalize([Recognition("test", lines, blocks)], PAGE)
    return one


def boxes_of(*boxes: BBox) -> list[BBox]:
    good = [ReadLine("good", BOX)] * (len(boxes) + 1)
    return [line.bbox for line in read(*(ReadLine("tried", box) for box in boxes), *good).lines if line.text == "tried"]


def test_a_box_a_little_outside_the_page_is_drawn_back():
    assert boxes_of(BBox(-0.02, 0.97, 0.5, 0.06)) == [BBox(0.0, 0.97, 0.48, 0.03)]


@pytest.mark.parametrize(
    "box",
    [
        BBox(1.2, 0.1, 0.1, 0.1),
        BBox(0.9, 0.1, 0.4, 0.1),
        BBox(0.5, 0.1, -0.1, 0.1),
        BBox(0.5, 0.1, 0.0, 0.1),
        BBox(math.nan, 0.1, 0.1, 0.1),
        BBox(0.1, math.inf, 0.1, 0.1),
        BBox(0.1, 0.1, 10**400, 0.1),
        BBox("0.1", 0.1, 0.1, 0.1),
        None,
    ],
)
def test_a_box_with_no_place_on_the_page_is_refused(box):
    assert boxes_of(box) == []


def test_an_answer_with_most_boxes_in_pixels_is_garbage():
    lines = [ReadLine("text", BBox(100.0, 200.0, 300.0, 20.0)), ReadLine("text", BBox(0, 0, 300.0, 20.0))]
    with pytest.raises(EngineError, match="test: 2 of 3 boxes lie outside the page") as caught:
        read(*lines, ReadLine("text", BOX))
    assert caught.value.engine == "test"


@pytest.mark.parametrize(("given", "kept"), [(math.nan, None), (97.0, None), (-3, None), (1.02, 1.0), (0.4, 0.4)])
def test_confidence_is_between_0_and_1_or_unknown(given, kept):
    assert read(ReadLine("text", BOX, given)).lines[0].confidence == kept


def test_text_is_clean():
    [line] = read(ReadLine("a\0b\ud800 \x1b[2Jcafe\u0301\n\tnext\ufeff", BOX)).lines
    assert line.text == "ab\ufffd [2Jcafé next"


def test_lines_without_text_are_dropped_and_do_not_count():
    assert read(ReadLine(" \n", BBox(9, 9, 9, 9)), ReadLine("", BOX), ReadLine("text", BOX)).text == "text"


def test_a_page_with_nothing_on_it_is_no_garbage():
    assert read().lines == ()


def test_a_line_without_words_gets_them_in_proportion():
    [line] = read(ReadLine("ab abcd", BBox(0.1, 0.1, 0.7, 0.02), 0.9)).lines
    assert line.words == (
        Word("ab", BBox(0.1, 0.1, 0.2, 0.02), 0.9),
        Word("abcd", BBox(0.4, 0.1, 0.4, 0.02), 0.9),
    )


def test_words_that_do_not_spell_the_line_give_way_to_it():
    words = (Word("one", BOX), Word("tow", BOX))
    [line] = read(ReadLine("one two", BOX, words=words)).lines
    assert [word.text for word in line.words] == ["one", "two"]


def test_words_that_spell_the_line_stay():
    words = (Word("one", BBox(0.1, 0.1, 0.1, 0.02), 0.5), Word("two", BBox(0.3, 0.1, 0.2, 0.02), 0.7))
    [line] = read(ReadLine("one  two", BOX, words=words)).lines
    assert line.words == words


def test_words_far_from_their_line_give_way_to_it():
    [line] = read(ReadLine("one", BOX, words=(Word("one", BBox(0.1, 0.8, 0.1, 0.02)),))).lines
    assert line.words == (Word("one", BOX),)


@pytest.mark.parametrize(
    ("angle", "first"),
    [
        (0, BBox(0.0, 0.0, 0.4, 1.0)),
        (90, BBox(0.0, 0.0, 1.0, 0.4)),
        (180, BBox(0.6, 0.0, 0.4, 1.0)),
        (270, BBox(0.0, 0.6, 1.0, 0.4)),
    ],
)
def test_words_follow_the_direction_of_writing(angle, first):
    assert words_in(ReadLine("ab cd", BBox(0.0, 0.0, 1.0, 1.0), angle=angle))[0].bbox == first


def test_words_of_arabic_begin_at_the_right():
    first, last = words_in(ReadLine("مرحبا بكم", BBox(0.0, 0.0, 1.0, 1.0)))
    assert first.bbox.left > last.bbox.left


def test_wide_characters_take_twice_the_room():
    first, last = words_in(ReadLine("日本 ab", BBox(0.0, 0.0, 0.7, 1.0)))
    assert (first.bbox.width, last.bbox.width) == (0.4, 0.2)


def test_an_unknown_kind_is_a_paragraph():
    [block] = read(blocks=(ReadBlock("sidebar", "text", BOX, level=99),)).blocks
    assert (block.kind, block.level) == ("paragraph", None)


def test_a_block_without_a_box_stays_without_one():
    assert read(blocks=(ReadBlock("title", "text"),)).blocks[0].bbox is None


def test_code_keeps_its_indentation():
    assert read(blocks=(ReadBlock("code", "if a:\n    b\x00()  \n", BOX),)).text == "if a:\n    b()"


def table_of(*cells: Cell, rows: int = 2, columns: int = 2) -> ReadBlock:
    [block] = read(blocks=(ReadBlock("paragraph", "ignored", BOX, table=Table(rows, columns, cells)),)).blocks
    return block


def test_a_ragged_table_grows_to_hold_its_cells():
    block = table_of(Cell(1, 2, "b", 1, BOX), Cell(0, 0, "a", 1, BOX))
    assert (block.kind, block.text) == ("table", "a\nb")
    assert block.table is not None
    assert (block.table.rows, block.table.columns) == (2, 3)
    assert [cell.text for cell in block.table.cells] == ["a", "b"]


def test_a_span_over_another_cell_shrinks():
    block = table_of(Cell(0, 1, "b", 1, BOX, row_span=2), Cell(1, 0, "a", 1, BOX, column_span=2))
    assert block.table is not None
    assert [(cell.text, cell.column_span) for cell in block.table.cells] == [("b", 1), ("a", 1)]


def test_a_table_with_two_texts_in_one_place_is_text():
    block = table_of(Cell(0, 0, "a", 1, BOX), Cell(0, 0, "b", 1, BOX))
    assert (block.kind, block.table, block.text) == ("paragraph", None, "ignored")


def test_a_cell_without_a_usable_box_gets_its_share_of_the_table():
    block = table_of(Cell(1, 1, "a", 1, BBox(7, 7, 7, 7)))
    assert block.table is not None
    assert block.table.cells[0].bbox == BBox(0.3, 0.11, 0.2, 0.01)


def test_an_enormous_span_does_not_fill_the_memory():
    block = table_of(Cell(0, 0, "a", 1, BOX, row_span=10**12, column_span=10**12))
    assert block.table is not None
    assert block.table.cells[0].row_span == 1


@pytest.mark.parametrize(
    "text",
    [
        "word " * 20_000,
        "the " * 400,
        "I cannot read this. " * 250,
        "." * 2000,
        "0 " * 1500,
    ],
)
def test_text_that_goes_on_for_ever_is_garbage(text):
    with pytest.raises(EngineError, match=r"characters|over and over"):
        read(blocks=(ReadBlock("paragraph", text, BOX),))


def test_a_line_that_goes_on_for_ever_is_garbage():
    with pytest.raises(EngineError, match="a line of 100000 characters"):
        read(ReadLine("x" * 100_000, BOX))


def test_the_same_block_hundreds_of_times_is_garbage():
    with pytest.raises(EngineError, match="the same words over and over"):
        read(blocks=(ReadBlock("paragraph", "Total amount due", BOX),) * 300)


def test_paper_with_copy_printed_all_over_it_is_no_garbage():
    assert len(read(*[ReadLine("COPY", BOX)] * 400).lines) == 400


def test_leaders_and_columns_of_zeros_are_no_garbage():
    leader = ReadLine("Chapter 1 " + ". " * 150 + "7", BOX)
    assert len(read(leader, *[ReadLine("0", BOX)] * 300).lines) == 301


FIRST = Region("r1", BBox(0.0, 0.0, 1.0, 0.5), grid=GridCell(0, 0))
SECOND = Region("r2", BBox(0.0, 0.5, 1.0, 0.5), grid=GridCell(1, 0))
REGIONS = replace(PAGE, regions=(FIRST, SECOND))


def test_regions_come_as_they_were_asked_for_with_their_place_in_the_grid():
    answers = [Recognition("test", (ReadLine(name, BOX),), region=name) for name in ("r2", "other", "r1")]
    assert [(one.region, one.text, one.grid) for one in normalize(answers, REGIONS)] == [
        ("r1", "r1", FIRST.grid),
        ("r2", "r2", SECOND.grid),
    ]


def test_a_region_without_an_answer_says_so():
    first, second = normalize([Recognition("test", (ReadLine("a", BOX),), region="r1")], REGIONS)
    assert first.error is None
    assert second.error == "the engine gave no answer for this region"


def test_a_blank_region_needs_no_answer():
    asked = replace(PAGE, regions=(FIRST, replace(SECOND, role="blank")))
    assert normalize([Recognition("test", region="r1")], asked)[1].error is None


def test_garbage_in_one_region_spares_the_others():
    answers = [
        Recognition("test", (ReadLine("a", BBox(9, 9, 9, 9)),), region="r1"),
        Recognition("test", (ReadLine("b", BOX),), region="r2"),
    ]
    first, second = normalize(answers, REGIONS)
    assert (first.lines, second.text) == ((), "b")
    assert first.error == "1 of 1 boxes lie outside the page or are invalid"


@pytest.mark.parametrize("answers", [[], ["text"], [Recognition("test", region="r9")]])
def test_no_answer_at_all_is_an_error(answers):
    with pytest.raises(EngineError):
        normalize(answers, REGIONS)


def test_pieces_of_a_page_become_one():
    pieces = [Recognition("test", (ReadLine(text, BOX),), region=text) for text in "ab"]
    [one] = normalize(pieces, PAGE)
    assert (one.text, one.region) == ("a\nb", None)
