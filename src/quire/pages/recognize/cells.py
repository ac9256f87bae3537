"""Turns the tables of an engine into grids whose cells do not overlap, or rejects them."""

from __future__ import annotations

from dataclasses import replace

from quire.core.types import BBox, Cell, Table
from quire.pages.recognize.clean import clean_box, clean_confidence, clean_text, whole

MAX_ROWS, MAX_COLUMNS, MAX_POSITIONS = 2000, 500, 100_000


def clean_table(table: Table, place: BBox) -> Table | None:
    """The table as a proper grid inside `place`, or None when its cells contradict one another."""
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    listed = [cell for cell in map(_clean_cell, table.cells) if cell is not None]
    if not listed or 2 * len(listed) < len(table.cells) or len(listed) > MAX_POSITIONS:
        return None
    for cell in sorted(listed, key=lambda c: (c.row, c.column)):
        if (cell.row, cell.column) in taken:
            if not cell.text or any(
                c.text == cell.text and (c.row, c.column) == (cell.row, cell.column) for c in cells
            ):
                continue
            return None
        fitted = cell if taken.isdisjoint(_covered(cell)) else replace(cell, row_span=1, column_span=1)
        taken.update(_covered(fitted))
        if len(taken) > MAX_POSITIONS:
            return None
        cells.append(fitted)
    rows = max(whole(table.rows, 0, MAX_ROWS) or 0, *(row + 1 for row, _ in taken))
    columns = max(whole(table.columns, 0, MAX_COLUMNS) or 0, *(column + 1 for _, column in taken))
    if rows * columns > MAX_POSITIONS:
        return None
    return Table(rows, columns, tuple(_placed(cell, place, rows, columns) for cell in cells))


def _clean_cell(cell: Cell) -> Cell | None:
    row, column = whole(cell.row, 0, MAX_ROWS - 1), whole(cell.column, 0, MAX_COLUMNS - 1)
    if row is None or column is None:
        return None
    return Cell(
        row,
        column,
        clean_text(cell.text),
        whole(cell.page, 1, 10**9) or 1,
        cell.bbox,
        whole(cell.row_span, 1, MAX_ROWS - row) or 1,
        whole(cell.column_span, 1, MAX_COLUMNS - column) or 1,
        cell.header is True,
        clean_confidence(cell.confidence),
    )


def _covered(cell: Cell) -> set[tuple[int, int]]:
    rows, columns = range(cell.row, cell.row + cell.row_span), range(cell.column, cell.column + cell.column_span)
    return {(row, column) for row in rows for column in columns}


def _placed(cell: Cell, place: BBox, rows: int, columns: int) -> Cell:
    """The cell with its own box, or with its part of an even grid if it has none."""
    box = clean_box(cell.bbox)
    if box is None:
        left, top = place.left + place.width * cell.column / columns, place.top + place.height * cell.row / rows
        width, height = place.width * cell.column_span / columns, place.height * cell.row_span / rows
        box = BBox(round(left, 5), round(top, 5), round(width, 5), round(height, 5))
    return replace(cell, bbox=box)
