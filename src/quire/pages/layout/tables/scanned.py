"""Meshes on scans that are no tables: boxed advertisements, and what stands in different columns of a page.

A sidebar and the text beside it look like one table where rules cross both; each is searched alone then.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.median import median
from quire.core.pagetext import PageText
from quire.pages.layout.lines import Line
from quire.pages.layout.tables.table_values import FoundTable

BEYOND = 20.0  # points: an upright rule that goes on this far above and below separates columns of the page
LARGE = 2.2  # times the usual size of a table: display type
DISPLAYED = 0.15  # of the cells have such type: boxes of advertisements
LONG_CELL = 5  # words of their usual cell
GUTTER = 8.0  # points between a sidebar and the text
ABOVE = 0.35  # of the page's height: how far above a table its gutter is followed
SIDE_LINES = (6, 3)  # of each side: above the table, and in it
MESH = 10  # cells
SPANNING = 0.55  # of the cells of a drawing; a form has fewer
FILLED = 0.8  # of the cells, at most: a form has labels in nearly all
ROW = 0.25  # of the size: baselines of one row
ALIGNED = 0.6  # of the lines of one side have one on the other in the same row: a table


def is_no_table(page: PageText, table: FoundTable) -> bool:
    """Whether a table found on a scan is none."""
    return _is_crossed(page, table) or _are_advertisements(page, table)


def is_drawing(table: FoundTable) -> bool:
    """Whether the mesh of a table found on a scan is that of a drawing: most of its cells cover several positions."""
    cells = table.cells
    spans = sum(cell.row_span > 1 or cell.column_span > 1 for cell in cells)
    return (
        len(cells) >= MESH
        and spans > SPANNING * len(cells)
        and sum(bool(cell.runs) for cell in cells) < FILLED * len(cells)
    )


def _is_crossed(page: PageText, table: FoundTable) -> bool:
    """Whether a rule between the columns of the page goes through it."""
    box, values = table.box, page.rulings
    return any(
        box.left + BEYOND < (x0 + x1) / 2 < box.right - BEYOND and y0 < box.top - BEYOND and y1 > box.bottom + BEYOND
        for x0, y0, x1, y1, _ in zip(*[iter(values)] * 5, strict=True)
        if y1 - y0 > x1 - x0
    )


def _are_advertisements(page: PageText, table: FoundTable) -> bool:
    """Whether many cells have words in display type beside long texts."""
    cells = [cell.runs for cell in table.cells if cell.runs]
    if not cells:
        return False
    usual = median(page.sizes[run] for runs in cells for run in runs for _ in page.texts[run])
    large = sum(any(page.sizes[run] > LARGE * usual for run in runs) for runs in cells)
    return large >= max(2, DISPLAYED * len(cells)) and median(len(runs) for runs in cells) >= LONG_CELL


def gutter_through(page: PageText, table: FoundTable, lines: Sequence[Line]) -> float | None:
    """The x of the gutter between two columns of a page that goes through a false table; None for a true one.

    It comes down from the text above, no line crosses it, and the lines on both sides do not stand in rows.
    """
    box = table.box
    near = [
        line
        for line in lines
        if not line.angle
        and box.top - ABOVE * page.height < (line.top + line.bottom) / 2 < box.bottom
        and line.right > box.left
        and line.left < box.right
    ]
    reach = 0.0
    best: tuple[float, float] | None = None
    for line in sorted(near, key=lambda line: line.left):
        if reach and line.left - reach > GUTTER and (best is None or line.left - reach > best[1] - best[0]):
            middle = (reach + line.left) / 2
            if _are_columns(near, middle, box.top):
                best = reach, line.left
        reach = max(reach, line.right)
    return (best[0] + best[1]) / 2 if best else None


def _are_columns(lines: Sequence[Line], middle: float, top: float) -> bool:
    """Whether there are enough lines on both sides, above a height and below it, and these are in no rows."""
    for below, least in zip((False, True), SIDE_LINES, strict=True):
        part = [line for line in lines if ((line.top + line.bottom) / 2 > top) == below]
        left = [line for line in part if line.right < middle]
        right = [line for line in part if line.left > middle]
        if min(len(left), len(right)) < least:
            return False
        few, many = sorted((left, right), key=len)
        rows = sum(any(abs(line.baseline - other.baseline) < ROW * line.size for other in many) for line in few)
        if below and rows > ALIGNED * len(few):
            return False
    return True
