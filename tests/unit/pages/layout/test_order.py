"""The order in which the blocks of a page are read."""

from __future__ import annotations

import pytest

import quire
from tests import documents
from tests.documents import Piece, prose, wrapped


def first_words(data: bytes) -> list[str]:
    return [block.text.split()[0] for block in quire.read(data).blocks]


def test_two_columns_are_read_one_after_the_other_under_their_title():
    words = first_words(documents.two_columns())
    assert words == ["The", "Alpha", "Bravo", "Charlie", "Delta", "Echo"]


def test_three_columns_are_read_from_left_to_right():
    assert first_words(documents.three_columns()) == ["News", "First", "Second", "Third"]


def test_each_band_of_columns_is_read_before_the_next():
    words = first_words(documents.mixed_bands())
    numbers = ["One", "Two", "Three", "Four", "Five", "Six", "Seven"]
    assert [word for word in words if word in numbers] == numbers


def test_a_sidebar_does_not_interrupt_the_text_beside_it():
    words = first_words(documents.sidebar())
    assert words in (["Main", "Main", "Main", "Aside:"], ["Aside:", "Main", "Main", "Main"])


def test_labels_and_values_are_read_across():
    text = " ".join(quire.read(documents.key_values()).to_text().split())
    places = [text.index(f"{label}: {value}") for label, value in documents.PAIRS]
    assert places == sorted(places)


def test_boxes_side_by_side_are_read_before_what_stands_below_both():
    right = wrapped("Right box. " + prose(2), 330, 100, 200)
    left = wrapped("Left box. " + prose(2), 60, 100, 200)
    below = wrapped("Below. " + prose(6), 60, 200, 470)
    assert first_words(documents.placed([*left, *right, *below])) == ["Left", "Right", "Below."]


def test_a_footnote_written_first_is_read_last():
    blocks = quire.read(documents.note_written_first()).blocks
    assert blocks[-1].kind == "footnote"
    assert blocks[-1].text.endswith(documents.FOOTNOTE)


def test_parts_of_a_formula_are_read_as_the_file_wrote_them():
    text = " ".join(quire.read(documents.stacked_formula()).to_text().split())
    assert " ".join(documents.FORMULA_PARTS) in text


def test_a_formula_stands_between_the_paragraphs_around_it():
    words = first_words(documents.stacked_formula())
    assert (words[0], words[-1]) == ("Above.", "Below.")


def test_a_heading_in_the_right_column_stays_there():
    pieces = wrapped("Left. " + prose(14), 60, 100, 225)
    pieces += [Piece(305, 100, "Harbour Dues", 13, "Helvetica-Bold")]
    pieces += wrapped("Right. " + prose(12), 305, 120, 225)
    assert first_words(documents.placed(pieces)) == ["Left.", "Harbour", "Right."]


def test_right_to_left_columns_are_read_from_the_right():
    text = quire.read(documents.right_to_left_columns()).to_text()
    assert text.index("אחד") < text.index("שני")


def test_right_to_left_columns_are_read_from_the_right_though_the_left_was_written_first():
    text = quire.read(documents.right_to_left_columns(left_first=True)).to_text()
    assert text.index("אחד") < text.index("שני")


def test_the_words_of_a_right_to_left_line_come_in_logical_order():
    lines = quire.read(documents.right_to_left()).blocks[0].text.split("\n")
    assert lines == [documents.HEBREW] * 3


def test_form_fields_follow_their_labels():
    texts = [block.text for block in quire.read(documents.form_fields()).blocks]
    assert texts[:4] == ["Name", "name: Ada Marlow", "Vessel", "vessel: Grey Heron"]


@pytest.mark.parametrize("order", ["backwards", "shuffled"])
def test_columns_are_read_down_whatever_the_file_wrote_first(order):
    texts = [" ".join(block.text.split()) for block in quire.read(documents.columns_written(order)).blocks]
    assert texts == ["Left begins. " + prose(12), "Right begins. " + prose(12, start=5)]


def test_one_paragraph_in_each_place_of_mixed_bands():
    assert len(quire.read(documents.mixed_bands()).blocks) == 7


def test_a_wide_table_divides_the_columns_above_from_those_below():
    rows = [[Piece(60 + 160 * c, 260 + 16 * r, f"cell {r}{c}") for c in range(3)] for r in range(4)]
    rules = [(55, 249 + 16 * r, 530, 249 + 16 * r) for r in range(5)]
    pieces = wrapped("One. " + prose(5), 60, 100, 225) + wrapped("Two. " + prose(5), 305, 100, 225)
    pieces += [piece for row in rows for piece in row]
    pieces += wrapped("Three. " + prose(5), 60, 360, 225) + wrapped("Four. " + prose(5), 305, 360, 225)
    blocks = quire.read(documents.placed(pieces, rules=rules)).blocks
    assert [block.text.split()[0] for block in blocks] == ["One.", "Two.", "cell", "Three.", "Four."]
    assert blocks[2].kind == "table"
