"""Places for cells of a table whose text is printed in another way than the structure has it: dates, amounts."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from quire.core.pagetext import PageText
from quire.core.types import Box
from quire.pages.geometry.extents import box_of, shared_width


class CellPlace(NamedTuple):
    """A cell by its first row and column, from 0, and how many it spans."""

    row: int
    column: int
    row_span: int = 1
    column_span: int = 1


Placed = dict[CellPlace, tuple[int, Box]]
"""The index of the page, and the box on it."""


def fill(placed: Placed, missing: Sequence[CellPlace], pages: Sequence[PageText]) -> Placed:
    """The places of the missing cells: what is printed where their row meets their column, and belongs to no other."""
    rows: dict[int, list[tuple[int, Box]]] = defaultdict(list)
    columns: dict[int, list[Box]] = defaultdict(list)
    for cell, (page, box) in placed.items():
        if cell.row_span == 1:
            rows[cell.row].append((page, box))
        if cell.column_span == 1:
            columns[cell.column].append(box)
    extents = {column: box_of(boxes) for column, boxes in columns.items()}

    @cache
    def by_height(page: int) -> list[tuple[float, int]]:
        text = pages[page]
        middles = [(text.boxes[4 * run + 1] + text.boxes[4 * run + 3]) / 2 for run in range(len(text.texts))]
        return sorted(zip(middles, range(len(middles)), strict=True))

    found: Placed = {}
    for cell in missing:
        beside = rows.get(cell.row, [])
        if cell.column not in extents or len({page for page, _ in beside}) != 1:
            continue
        page, band = beside[0][0], box_of([box for _, box in beside])
        heights = by_height(page)
        first, last = bisect_left(heights, (band.top, 0)), bisect_left(heights, (band.bottom, 0))
        runs = [pages[page].box(run) for _, run in heights[first:last] if pages[page].texts[run].strip()]
        mine = [run for run in runs if _columns_of(run, extents) == [cell.column]]
        if mine and not any(shared_width(run, box) > 0.5 for run in mine for _, box in beside):
            found[cell] = page, box_of(mine)
    return found


def _columns_of(box: Box, extents: dict[int, Box]) -> list[int]:
    return [column for column, extent in extents.items() if shared_width(box, extent) > 0]
