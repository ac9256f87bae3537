"""Column titles above the rulings or backgrounds by which a table was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.core.pagetext import PageText
from quire.core.types import Box
from quire.pages.layout.lines import Line
from quire.pages.layout.tables.table_values import FoundCell, FoundTable, runs_in
from quire.pages.layout.tables.word_rows import Row, TableWord, is_number, pieces_of, rows_of, words_in

NEAR = 1.3  # of the size: titles are no further above than this
REACH = 8.0  # of the size: how far above to search for all of them
MAX_ROWS = 4
COVERED = 0.5  # of the columns behind the first must have a title
_YEAR = range(1900, 2101)


def with_titles(page: PageText, tables: list[FoundTable], lines: Sequence[Line]) -> list[FoundTable]:
    """The tables, each with the rows above it whose pieces are over its columns."""
    taken = runs_in(tables)
    done = []
    for table in tables:
        above = [line for line in lines if 0 < table.box.top + 0.5 * line.size - line.bottom < REACH * line.size]
        words = [word for word in words_in(page, above) if word.runs[0] not in taken]
        done.append(_with_titles(table, words) if len(words) > 1 else table)
    return done


def _with_titles(table: FoundTable, words: list[TableWord]) -> FoundTable:
    columns = _columns(table)
    if len(columns) < 3 or any(cell.header and cell.row_span + cell.row > 1 for cell in table.cells):
        return table
    found = _rows_above(table, words, columns)
    titled = {column for _, spans in found for first, last, _ in spans for column in range(first, last + 1)}
    behind = [c for c in range(1, len(columns)) if columns[c] is not None]
    if not behind or sum(c in titled for c in behind) < COVERED * len(behind):
        return table
    if not any(len(spans) > 1 for _, spans in found):
        return table
    return _extended(table, columns, found)


def _columns(table: FoundTable) -> list[tuple[float, float] | None]:
    """The left and right end of each column; None for an empty one."""
    columns: list[tuple[float, float] | None] = [None] * table.columns
    for cell in table.cells:
        if cell.column_span == 1 and cell.runs:
            start, _, end, _ = cell.box
            left, right = columns[cell.column] or (start, end)
            columns[cell.column] = min(left, start), max(right, end)
    return columns


_Spans = list[tuple[int, int, list[TableWord]]]


def _rows_above(
    table: FoundTable, words: list[TableWord], columns: list[tuple[float, float] | None]
) -> list[tuple[Row, _Spans]]:
    """Rows above the table, from top to bottom, with the columns that their pieces are over."""
    inside = [w for w in words if w.bottom < table.box.top + 0.5 * w.size and _over(w, table.box)]
    found: list[tuple[Row, _Spans]] = []
    edge = table.box.top
    for row in reversed(rows_of(inside)):
        if edge - row.bottom > NEAR * row.size or len(found) == MAX_ROWS:
            break
        spans = _spans(row, columns)
        if spans is None:
            break
        found.insert(0, (row, spans))
        edge = row.top
    return found


def _over(word: TableWord, box: Box) -> bool:
    return box.left - word.size < word.middle < box.right + word.size


def _spans(row: Row, columns: list[tuple[float, float] | None]) -> _Spans | None:
    """The columns below each piece; None when a piece is not a title: prose, or only over the first column."""
    spans: _Spans = []
    for piece in pieces_of(row.words):
        left, right = piece[0].left, max(word.right for word in piece)
        if len(piece) > 5 or piece[-1].text.endswith((".", ":", ";")):
            return None
        if any(is_number(w.text) and not (w.text.isdigit() and int(w.text) in _YEAR) for w in piece):
            return None
        under = [
            c
            for c, extent in enumerate(columns)
            if extent and min(right, extent[1]) - max(left, extent[0]) > 0.3 * min(right - left, extent[1] - extent[0])
        ]
        if not under or (under[0] == 0 and len(under) > 1):
            return None
        spans.append((under[0], under[-1], piece))
    taken = [c for first, last, _ in spans for c in range(first, last + 1)]
    return spans if len(taken) == len(set(taken)) and taken != [0] else None


def _extended(
    table: FoundTable, columns: list[tuple[float, float] | None], found: list[tuple[Row, _Spans]]
) -> FoundTable:
    """Merge rows without spans into one row of titles; those with spans stay separate rows."""
    groups: list[list[tuple[Row, _Spans]]] = []
    for row, spans in found:
        plain = all(first == last for first, last, _ in spans)
        if groups and plain and all(f == l for _, above in groups[-1] for f, l, _ in above):
            groups[-1].append((row, spans))
        else:
            groups.append([(row, spans)])
    heads = [cell for number, group in enumerate(groups) for cell in _head(number, group, columns, table.box)]
    moved = [replace(cell, row=cell.row + len(groups)) for cell in table.cells]
    box = Box(table.box.left, found[0][0].top, table.box.right, table.box.bottom)
    return FoundTable(box, table.rows + len(groups), table.columns, heads + moved)


def _head(
    number: int, group: list[tuple[Row, _Spans]], columns: list[tuple[float, float] | None], outer: Box
) -> list[FoundCell]:
    top, bottom = group[0][0].top, group[-1][0].bottom
    runs: dict[tuple[int, int], list[int]] = {}
    for _, spans in group:
        for first, last, piece in spans:
            runs.setdefault((first, last), []).extend(run for word in piece for run in word.runs)
    covered = {c for first, last in runs for c in range(first, last + 1)}
    for column in range(len(columns)):
        if column not in covered:
            runs[column, column] = []
    cells = []
    for (first, last), own in sorted(runs.items()):
        left = (columns[first] or (outer.left, outer.left))[0]
        right = (columns[last] or (left, left))[1]
        cells.append(FoundCell(number, first, 1, last - first + 1, True, Box(left, top, max(left, right), bottom), own))
    return cells
