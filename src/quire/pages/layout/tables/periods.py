"""Lines directly above a table that name the period or the unit of its numbers: they are part of its header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.core.pagetext import PageText
from quire.core.types import Box
from quire.lexicon.finance.periods import is_period
from quire.pages.layout.lines import Line
from quire.pages.layout.tables.table_values import FoundCell, FoundTable
from quire.pages.layout.tables.word_rows import Row, TableWord, is_number, rows_of, words_in

NEAR = 1.5  # of the size: such a line is no further above
MAX_LINES = 2
PITCH, PROSE = 1.6, 6  # of the size, words: a line above that is as near, and longer, may be of the same text
CENTRED = 0.24  # of the width of columns: how far from their middle, twice, a title may be
NUMERIC = 0.5  # of the filled cells behind the first column


def with_periods(page: PageText, tables: list[FoundTable], lines: Sequence[Line]) -> list[FoundTable]:
    """The tables, each with the lines above it that name the period or the unit of its numbers."""
    taken = {run for table in tables for cell in table.cells for run in cell.runs}
    done = []
    for table in tables:
        above = [line for line in lines if 0 < table.box.top + line.size - line.bottom < 4 * line.size]
        words = [word for word in words_in(page, above) if word.runs[0] not in taken]
        done.append(_with_periods(page, table, words) if words else table)
    return done


def _with_periods(page: PageText, table: FoundTable, words: list[TableWord]) -> FoundTable:
    if table.columns < 2 or not _has_numbers(page, table):
        return table
    over = [w for w in words if table.box.left - w.size < w.middle < table.box.right + w.size]
    rows = rows_of(over)
    for i in range(len(rows) - 1, max(len(rows) - MAX_LINES, 0) - 1, -1):
        row = rows[i]
        if not -0.5 * row.size < table.box.top - row.bottom < NEAR * row.size:
            break
        if row.words[-1].text.endswith((":", ".")) or (i and _is_last_line(rows[i - 1], row)):
            break
        if len(row.pieces) > 1 or not is_period(" ".join(word.text for word in row.words)):
            break
        table = _added(page, table, row)
    return table


def _is_last_line(above: Row, row: Row) -> bool:
    """Whether a row goes on with a text that fills the line above."""
    near = row.baseline - above.baseline < PITCH * row.size
    return near and above.left < row.left + row.size and above.right > row.right + row.size and len(above.words) > PROSE


def _has_numbers(page: PageText, table: FoundTable) -> bool:
    texts = [page.texts[cell.runs[-1]] for cell in table.cells if cell.column and cell.runs and not cell.header]
    return sum(map(is_number, texts)) > NUMERIC * len(texts) if texts else False


def _added(page: PageText, table: FoundTable, row: Row) -> FoundTable:
    """The table with the line in the cell at its top left, or as a title over the columns that it is over."""
    runs = [run for word in row.words for run in word.runs]
    box = Box(min(table.box.left, row.left), row.top - 0.5, max(table.box.right, row.right), table.box.bottom)
    columns = [_extent(page, table, column) for column in range(table.columns)]
    corner = next(cell for cell in table.cells if cell.row == 0 and cell.column == 0)
    if abs(row.left - corner.box.left) < 2 * row.size:
        if not corner.header:
            return table
        joined = Box(corner.box.left, row.top - 0.5, corner.box.right, corner.box.bottom)
        named = replace(corner, box=joined, runs=[*runs, *corner.runs])
        return replace(table, box=box, cells=[named if cell is corner else cell for cell in table.cells])
    first, last = _span(columns, row)
    if first == 0:
        return table
    top, bottom = row.top - 0.5, table.box.top
    title = FoundCell(0, first, 1, last - first + 1, True, Box(columns[first][0], top, columns[last][1], bottom), runs)
    empty = [
        FoundCell(0, c, 1, 1, True, Box(left, top, right, bottom))
        for c, (left, right) in enumerate(columns)
        if not first <= c <= last
    ]
    moved = [replace(cell, row=cell.row + 1) for cell in table.cells]
    return FoundTable(box, table.rows + 1, table.columns, [title, *empty, *moved])


def _extent(page: PageText, table: FoundTable, column: int) -> tuple[float, float]:
    """Left and right of the words of a column; of its cells where it has none."""
    cells = [cell for cell in table.cells if cell.column == column and cell.column_span == 1]
    runs = [run for cell in cells for run in cell.runs]
    lefts = [page.boxes[4 * run] for run in runs] or [cell.box.left for cell in cells] or [table.box.left]
    rights = [page.boxes[4 * run + 2] for run in runs] or [cell.box.right for cell in cells] or [table.box.left]
    return min(lefts), max(rights)


def _span(columns: Sequence[tuple[float, float]], row: Row) -> tuple[int, int]:
    """The columns that a title is over, and those beside them over which it is centred."""
    under = [c for c, (left, right) in enumerate(columns) if left < row.right and row.left < right]
    if not under:
        return 0, 0
    if under[0] == 0:
        return 0, 0
    spans = [(a, b) for a in range(1, under[0] + 1) for b in range(under[-1], len(columns))]
    near = [span for span in spans if _is_centred(row, columns[span[0]][0], columns[span[1]][1])]
    return max(near, key=lambda span: span[1] - span[0]) if near else (under[0], under[-1])


def _is_centred(row: Row, left: float, right: float) -> bool:
    return abs(row.left + row.right - left - right) < max(2 * row.size, CENTRED * (right - left))
