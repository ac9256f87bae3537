"""Tables as grids: which cell covers which position, and where the header ends."""

from __future__ import annotations

from quire.core.types import Cell, Table
from quire.output.export._flow import flow

Grid = list[list[Cell | None]]


def grid(table: Table) -> Grid:
    """For each row and column the cell that covers it. Of overlapping cells, the first gets the position."""
    rows = max([table.rows, *(cell.row + 1 for cell in table.cells)])
    columns = max([table.columns, *(cell.column + 1 for cell in table.cells)])
    covered: Grid = [[None] * columns for _ in range(rows)]
    for cell in table.cells:
        covered[cell.row][cell.column] = cell  # a cell always keeps its own corner
    for cell in table.cells:
        for row in range(cell.row, min(cell.row + cell.row_span, rows)):
            for column in range(cell.column, min(cell.column + cell.column_span, columns)):
                covered[row][column] = covered[row][column] or cell
    return covered


def origins(table: Table) -> Grid:
    """For each row and column the cell that begins there."""
    starts: Grid = [[None] * len(row) for row in grid(table)]
    for cell in table.cells:
        starts[cell.row][cell.column] = starts[cell.row][cell.column] or cell
    return starts


def written(table: Table) -> Grid:
    """The cells that a format with spans writes in each row: those that begin there, None for an empty position."""
    begin = origins(table)
    return [
        [begin[row][column] for column, cell in enumerate(cells) if cell is None or begin[row][column]]
        for row, cells in enumerate(grid(table))
    ]


def span_attributes(cell: Cell) -> str:
    """The spans of a cell for its HTML tag."""
    rows = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    return rows + (f' colspan="{cell.column_span}"' if cell.column_span > 1 else "")


def header_rows(table: Table) -> int:
    """The number of rows at the top of a table that hold header cells only."""
    for number, row in enumerate(grid(table)):
        cells = [cell for cell in row if cell is not None]
        if not cells or not all(cell.header for cell in cells):
            return number
    return table.rows


def has_spans(table: Table) -> bool:
    return any(cell.row_span > 1 or cell.column_span > 1 for cell in table.cells)


def cell_text(cell: Cell | None) -> str:
    """The text of a cell on one line."""
    return flow(cell.text) if cell else ""


def texts(table: Table) -> list[list[str]]:
    """The text of each row and column; a cell that spans several has its text in the first of them."""
    return [[cell_text(cell) for cell in row] for row in origins(table)]


def filled(table: Table) -> list[list[str]]:
    """The text of each row and column; a cell over several has its text in all of them."""
    return [[cell_text(cell) for cell in row] for row in grid(table)]
