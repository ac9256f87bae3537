"""Boxes: one frame, fractions of the displayed page."""

from __future__ import annotations

from quire.core.types import BLOCK_KINDS, FURNITURE, BBox, Block, Cell, PageInfo, PageResult, Part, Table

PAGE = (200.0, 400.0)
BOX = BBox(0.1, 0.2, 0.3, 0.4)


def test_a_box_is_a_fraction_of_the_page():
    assert BBox.of_points((20, 80, 80, 240), PAGE) == BOX


def test_what_lies_outside_the_page_is_cut_off():
    assert BBox.of_points((-10, -10, 300, 500), PAGE) == BBox(0, 0, 1, 1)
    assert BBox.of_points((300, 500, 400, 600), PAGE) == BBox(1, 1, 0, 0)


def test_a_box_turned_inside_out_has_no_size():
    assert BBox.of_points((80, 240, 20, 80), PAGE) == BBox(0.4, 0.6, 0, 0)


def test_points_and_back_is_the_same_box():
    assert BBox.of_points(BOX.points(PAGE), PAGE) == BOX


def test_the_union_holds_both():
    assert BBox.union([BOX, BBox(0.5, 0.1, 0.2, 0.2)]) == BBox(0.1, 0.1, 0.6, 0.5)


def test_the_kinds_are_those_of_the_schema():
    expected = "title heading paragraph list_item table figure caption formula code header footer footnote page_number"
    assert list(BLOCK_KINDS) == [*expected.split(), "field"]
    assert set(BLOCK_KINDS) >= FURNITURE


def test_the_text_of_a_table_is_that_of_its_cells():
    cells = [Cell(0, 0, "Port", 1, BOX), Cell(0, 1, "Ves\nsels", 1, BOX), Cell(2, 1, "412", 1, BOX)]
    assert Table(3, 2, tuple(cells)).text == "Port Ves sels\n412"


def test_a_block_always_has_a_place():
    block = Block("p1-b1", 1, "paragraph", "Text", BOX)
    assert block.places == (Part(1, BOX),)
    parts = (Part(1, BOX), Part(2, BOX))
    assert Block("p1-b1", 1, "paragraph", "Text", BOX, parts=parts).places == parts


def test_the_text_of_a_page_leaves_out_what_has_none():
    blocks = (Block("p1-b1", 1, "figure", "", BOX), Block("p1-b2", 1, "paragraph", "Text", BOX))
    assert PageResult(PageInfo(1, *PAGE), blocks).text == "Text"
