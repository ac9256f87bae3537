"""Tables of numbered items with rows of their own below each item, as on orders for advertising.

The rows below an item have other columns, often with titles of their own, so that no column is white from top to
bottom. The rows of the items alone show the columns: they are numbered one by one, at one place, and end with amounts
at one edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from quire.core.types import Box
from quire.lexicon.amounts import is_price
from quire.pages.layout.tables.table_values import FoundCell, FoundTable
from quire.pages.layout.tables.word_rows import Row, TableWord, is_number, rows_of

FEWEST_WORDS = 5  # of the row of an item
FEWEST_COLUMNS = 5
SAME_EDGE = 3.0  # points: numbers and amounts of the items end this near to each other
GUTTER = 0.45  # of the size: a gap between columns, wider than one between words
MORE = 2  # times as many rows as below another item
MOST_ITEMS = 200
APART = 2.5  # of the size: from one item to the next, with other rows between them
NEAR = 1.6  # of the size: the gap between rows of a table
TITLE_ROWS = 3
LONGEST = 25  # words of a row
_NUMBER = re.compile(r"\d{1,3}\Z")

_Interval = tuple[float, float]


def has_items(rows: Sequence[Row]) -> bool:
    """Whether rows of a page are numbered items."""
    return len(_items(rows)) > 1


def item_tables(rows: Sequence[Row], above: Iterable[TableWord]) -> list[tuple[FoundTable, list[Row]]]:
    """The table of items of a page, if it has one, with its rows; `above` are all words of the page."""
    items = _items(rows)
    if len(items) < 2:
        return []
    own = _with_rows_below(items, rows)
    columns = _columns(items)
    if len(columns) < FEWEST_COLUMNS:
        return []
    titles = _titles(items[0], above)
    heads = [word for row in titles for word in row.words]
    columns = _with_empty(columns, heads)
    numbered = set(map(id, items))
    grid = [_placed([[word] for word in row.words] if id(row) in numbered else row.pieces, columns) for row in own]
    groups = [[row] for row in own]
    if heads:
        grid, groups = [_placed([[word] for word in heads], columns), *grid], [titles, *groups]
    return [(_table(grid, columns, groups, titled=bool(heads)), [*titles, *own])]


def _items(rows: Sequence[Row]) -> list[Row]:
    """The longest series of rows that are numbered one by one, with other rows between them."""
    best: list[Row] = []
    marked = [(row, mark) for row in rows if (mark := _mark(row))][:MOST_ITEMS]
    for first, (row, mark) in enumerate(marked):
        series = [row]
        for other, next_mark in marked[first + 1 :]:
            if _follows(mark, next_mark):
                series.append(other)
                mark = next_mark
        apart = sum(b.baseline - a.baseline > APART * a.size for a, b in pairwise(series))
        if len(series) > len(best) and 2 * apart > len(series) - 1:
            best = series
    return best


def _mark(row: Row) -> tuple[int, float, float] | None:
    """The number of an item, where it ends, and where its last amount ends; None for other rows."""
    amounts = [word.right for word in row.words if is_price(word.text)]  # numbered rows of numbers are in many tables
    if len(row.words) < FEWEST_WORDS or not amounts:
        return None
    for word in row.words[:2]:
        if _NUMBER.match(word.text):
            return int(word.text), word.right, amounts[-1]
    return None


def _follows(a: tuple[int, float, float], b: tuple[int, float, float]) -> bool:
    return b[0] == a[0] + 1 and abs(b[1] - a[1]) < SAME_EDGE and abs(b[2] - a[2]) < SAME_EDGE


def _with_rows_below(items: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
    """The rows from the first item to the last one below the last item."""
    first, last = rows.index(items[0]), rows.index(items[-1])
    most = max(b - a for a, b in pairwise([rows.index(item) for item in items]))
    end = last + 1
    while end < len(rows) and end - last < MORE * most:
        row, before = rows[end], rows[end - 1]
        if row.top - before.bottom > NEAR * row.size or len(row.words) > LONGEST:
            break
        end += 1
    return list(rows[first:end])


def _columns(items: Sequence[Row]) -> list[_Interval]:
    """The columns of the items: spans across the page that have words, with white between them."""
    columns: list[_Interval] = []
    size = items[0].size
    for left, right in sorted((word.left, word.right) for row in items for word in row.words):
        if columns and left - columns[-1][1] < GUTTER * size:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    return columns


def _with_empty(columns: list[_Interval], titles: Sequence[TableWord]) -> list[_Interval]:
    """The columns, also those that no item has anything in: titles that are above none of them."""
    columns = list(columns)
    for word in titles:
        gap = GUTTER * word.size
        near = [at for at, (left, right) in enumerate(columns) if word.left < right + gap and left < word.right + gap]
        if not near:
            columns.append((word.left, word.right))
    return sorted(columns)


def _titles(first: Row, above: Iterable[TableWord]) -> list[Row]:
    """The rows of words above the first item, without numbers, from top to bottom."""
    found: list[Row] = []
    edge = first.top
    reach = 2 * TITLE_ROWS * first.size
    for row in reversed(rows_of([w for w in above if first.top - reach < w.bottom < first.top + 1])):
        if edge - row.bottom > NEAR * row.size or len(found) == TITLE_ROWS or len(row.words) > LONGEST:
            break
        if any(is_number(word.text) for word in row.words) or (not found and len(row.words) < FEWEST_WORDS):
            break
        found.insert(0, row)
        edge = row.top
    return found


def _placed(pieces: Iterable[list[TableWord]], columns: Sequence[_Interval]) -> list[list[TableWord]]:
    """The words of each column: a piece is in the column that it shares most with, or that is nearest."""
    cells: list[list[TableWord]] = [[] for _ in columns]
    for piece in pieces:
        left, right = piece[0].left, max(word.right for word in piece)
        shared = [min(right, end) - max(left, start) for start, end in columns]
        cells[shared.index(max(shared))] += piece
    return cells


def _table(
    grid: Sequence[Sequence[list[TableWord]]],
    columns: Sequence[_Interval],
    rows: Sequence[Sequence[Row]],
    *,
    titled: bool,
) -> FoundTable:
    """The cells, row by row; the first row has the titles if there are any."""
    cells = []
    for number, (line, own) in enumerate(zip(grid, rows, strict=True)):
        top, bottom = min(row.top for row in own), max(row.bottom for row in own)
        for column, (words, (left, right)) in enumerate(zip(line, columns, strict=True)):
            ordered = [word for row in rows_of(words) for word in row.words]
            runs = [run for word in ordered for run in word.runs]
            left, right = min([left, *(w.left for w in words)]), max([right, *(w.right for w in words)])
            header = titled and number == 0
            cells.append(FoundCell(number, column, 1, 1, header, Box(left, top, right, bottom), runs))
    box = Box(
        min(cell.box.left for cell in cells),
        min(cell.box.top for cell in cells),
        max(cell.box.right for cell in cells),
        max(cell.box.bottom for cell in cells),
    )
    return FoundTable(box, len(grid), len(columns), cells)
