"""Meshes on scans that are no tables: boxed advertisements, and what stands in different columns of a page."""

from __future__ import annotations

from quire.layout.tables.types import FoundTable
from quire.median import median
from quire.pagetext import PageText

BEYOND = 20.0  # points: an upright rule that goes on this far above and below separates columns of the page
LARGE = 2.2  # times the usual size of a table: display type
DISPLAYED = 0.15  # of the cells have such type: boxes of advertisements
LONG_CELL = 5  # words of their usual cell


def is_no_table(page: PageText, table: FoundTable) -> bool:
    """Whether a table found on a scan is none."""
    return _is_crossed(page, table) or _are_advertisements(page, table)


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
