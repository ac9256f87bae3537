"""The depth of list items."""

from __future__ import annotations

from quire.core.types import BBox, Block, BlockKind, PageInfo, PageResult, Style
from quire.pages.assemble import assemble


def levels(*items: tuple[float, BlockKind]) -> list[int | None]:
    """The levels of stacked blocks, given by their left edge and kind."""
    blocks = [
        Block(f"p1-b{i}", 1, kind, "• An item.", BBox(left, 0.1 + 0.03 * i, 0.3, 0.02), marker="•", style=Style(10.0))
        for i, (left, kind) in enumerate(items, start=1)
    ]
    found = assemble([PageResult(PageInfo(1, 595, 842), tuple(blocks))], ())
    return [block.level for block in found if block.kind == "list_item"]


def test_items_that_stand_in_are_deeper():
    assert levels((0.1, "list_item"), (0.14, "list_item"), (0.18, "list_item")) == [1, 2, 3]


def test_items_that_stand_out_again_return_to_their_depth():
    assert levels(*((left, "list_item") for left in (0.1, 0.14, 0.18, 0.14, 0.1))) == [1, 2, 3, 2, 1]


def test_a_hair_of_difference_is_no_depth():
    assert levels((0.1, "list_item"), (0.105, "list_item"), (0.098, "list_item")) == [1, 1, 1]


def test_a_heading_ends_a_list():
    assert levels((0.1, "list_item"), (0.14, "list_item"), (0.1, "heading"), (0.14, "list_item")) == [1, 2, 1]


def test_a_list_in_the_next_column_begins_again():
    assert levels((0.1, "list_item"), (0.14, "list_item"), (0.55, "list_item"), (0.59, "list_item")) == [1, 2, 1, 2]
