"""Tables on a form: which pieces are the heads of columns, which name their row, and which are cells.

Tables are those that the layout found, and rows of texts that stand below a row of heads.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.core.median import median
from quire.evidence.extract.pairs.pieces import LONGEST_LABEL, LinePiece
from quire.lexicon.amounts import is_measure

APART = 0.8  # how much more heads look like labels than what is below them
LISTED = 0.5  # how much more the left of two columns looks like labels in a list of labels with values
NAMING = 0.8  # how much more the first column looks like labels where it names the rows
DIGITS = 0.4  # of the cells, in a table of numbers
NUMERIC = 0.6  # of the other cells there
CLOSER = 0.7  # of the usual gap between rows: how far below the heads their second line is
ROWS_APART = 4.0  # of the height: the gap between the rows of a table
MOST_HEADS = 3  # rows of heads in a table that the layout found
FEWEST_FILLED, FEWEST_ROWS = 2, 3  # rows with two cells: in such a table, and in one found by its heads


Cells = Mapping[int, list[LinePiece]]
"""The pieces of a row by the number of their column."""


@dataclass(frozen=True, slots=True)
class HeadedTable:
    """Rows of cells below the heads of their columns. With `named_rows` the first cell of each row is its label."""

    heads: Cells
    rows: Sequence[Cells]
    named_rows: bool


class TableFinder:
    """Finds the tables of a page, by how much each piece looks like a label; from `least` on it is one."""

    def __init__(self, scores: Mapping[LinePiece, float], least: float) -> None:
        self._scores = scores
        self._least = least

    def laid_out(self, pieces: Iterable[LinePiece]) -> Iterator[HeadedTable]:
        """The tables with heads among those that the layout found."""
        blocks: dict[str, dict[int, dict[int, list[LinePiece]]]] = {}
        for piece in pieces:
            if (cell := piece.line.cell) is not None:
                rows = blocks.setdefault(piece.line.block.id, {})
                rows.setdefault(cell.row, {}).setdefault(cell.column, []).append(piece)
        for rows in blocks.values():
            grid = [dict(sorted(cells.items())) for _, cells in sorted(rows.items())]
            tables = (self._cut(grid, heads) for heads in range(1, min(MOST_HEADS + 1, len(grid) - 1)))
            found = [table for table in tables if table is not None]
            if found:
                yield max(found, key=self._apart)

    def _cut(self, grid: Sequence[Cells], heads: int) -> HeadedTable | None:
        """The table if so many of its rows are heads; None if they are not."""
        above: dict[int, list[LinePiece]] = {}
        for cells in grid[:heads]:
            for column, pieces in cells.items():
                above.setdefault(column, []).extend(pieces)
        rows: list[Cells] = []
        for cells in grid[heads:]:
            if self._mean(_all([cells])) >= self._least:  # further labels
                break
            rows.append(cells)
        named = _first(above, rows)
        colons = any(one.text.endswith(":") for one in _all([above, *_without(rows, named)]))
        if len(grid[heads - 1]) < 2 or sum(len(cells) > 1 for cells in rows) < FEWEST_FILLED or colons:
            return None
        if any(is_measure(word) for one in _all([above]) for word in one.text.split()):  # a year may be a head
            return None
        if not _has_numbers(_all(rows)) and not self._are_labels(above):
            return None
        table = HeadedTable(above, rows, self._has_named_rows(rows, named))
        return table if self._apart(table) >= APART else None

    def _are_labels(self, heads: Cells) -> bool:
        return all(self._scores[pieces[0]] >= self._least for pieces in heads.values())

    def _apart(self, table: HeadedTable) -> float:
        """The difference between the mean label score of the heads and that of the cells."""
        rows = _without(table.rows, _first(table.heads, table.rows)) if table.named_rows else table.rows
        return self._mean(_all([table.heads])) - self._mean(_all(rows))

    def _has_named_rows(self, rows: Sequence[Cells], column: int) -> bool:
        names = [piece for cells in rows for piece in cells.get(column, ())]
        others = _all(_without(rows, column))
        if not names or not others or sum(one.is_numeric for one in others) < NUMERIC * len(others):
            return False
        return self._mean(names) - self._mean(others) >= NAMING

    def below_heads(self, rows: Sequence[Sequence[LinePiece]]) -> Iterator[HeadedTable]:
        """Rows of short texts below a row of names."""
        number = 0
        while number < len(rows):
            row = rows[number]
            table = self._below(row, rows[number + 1 :]) if len(row) > 1 and all(map(_is_head, row)) else None
            if table is not None:
                yield table
            number += len(table.rows) if table is not None else 1

    def _below(self, row: Sequence[LinePiece], rows: Sequence[Sequence[LinePiece]]) -> HeadedTable | None:
        heads = [[head] for head in row]
        below: list[Cells] = []
        gaps: list[float] = []
        above = row[0]
        for following in rows:
            cells, gap = _under(heads, following), following[0].box[1] - above.box[3]
            further = bool(below) and self._mean(following) >= self._least  # labels
            if not cells or gap > ROWS_APART * above.height or further:
                break
            above = following[0]
            below.append(cells)
            gaps.append(gap)
        while len(below) > 1 and gaps[0] < CLOSER * median(gaps[1:]) and self._goes_on(heads, below):
            for column, pieces in below.pop(0).items():
                heads[column] += pieces
            del gaps[0]
        texts = [pieces[0] for cells in below for pieces in cells.values()]
        if sum(len(cells) > 1 for cells in below) < FEWEST_ROWS or self._is_list(heads, below):
            return None
        if not _has_numbers(texts) and self._mean([head for head, *_ in heads]) - self._mean(texts) < APART:
            return None
        return HeadedTable(dict(enumerate(heads)), below, self._has_named_rows(below, 0))

    def _is_list(self, heads: Sequence[Sequence[LinePiece]], rows: Sequence[Cells]) -> bool:
        """Whether two columns are labels and their values."""
        sides = [[cells[column][0] for cells in rows if column in cells] for column in (0, 1)]
        return len(heads) == len(sides) and all(sides) and self._mean(sides[0]) - self._mean(sides[1]) >= LISTED

    def _goes_on(self, heads: Sequence[Sequence[LinePiece]], below: Sequence[Cells]) -> bool:
        """Whether the first row is the second line of heads: it looks more like them than like the next row."""
        first, second = (_all([cells]) for cells in below[:2])
        named = self._mean([piece for those in heads for piece in those])
        return not any(piece.has_digit for piece in first) and 2 * self._mean(first) >= named + self._mean(second)

    def _mean(self, pieces: Sequence[LinePiece]) -> float:
        return sum(self._scores[piece] for piece in pieces) / len(pieces)


def _all(rows: Iterable[Cells]) -> list[LinePiece]:
    return [piece for cells in rows for pieces in cells.values() for piece in pieces]


def _has_numbers(pieces: Sequence[LinePiece]) -> bool:
    return sum(piece.has_digit for piece in pieces) >= DIGITS * len(pieces)


def _first(heads: Cells, rows: Sequence[Cells]) -> int:
    return min(column for cells in (heads, *rows) for column in cells)


def _without(rows: Iterable[Cells], column: int) -> list[Cells]:
    return [{at: pieces for at, pieces in cells.items() if at != column} for cells in rows]


def _is_head(piece: LinePiece) -> bool:
    letters = sum(map(str.isalpha, piece.text))
    short = letters >= 3 and len(piece.text) <= 40 and 2 * letters >= len(piece.text)
    return short and piece.rest is None and not piece.text.endswith(":") and not piece.has_digit


def _under(heads: Sequence[Sequence[LinePiece]], row: Sequence[LinePiece]) -> Cells:
    """The pieces of a row by the column that they are under; nothing if one is a label, or under none or two heads."""
    found: dict[int, list[LinePiece]] = {}
    edges = [(one[0].box[2] + other[0].box[0]) / 2 for one, other in pairwise(heads)]
    for cell in row:
        over = [
            column
            for column, (head, *_) in enumerate(heads)
            if min(head.box[2], cell.box[2]) > max(head.box[0], cell.box[0])
        ] or [bisect_left(edges, (cell.box[0] + cell.box[2]) / 2)]
        if len(over) != 1 or (cell.is_label and cell.text.endswith(":")) or len(cell.text) > LONGEST_LABEL:
            return {}
        found.setdefault(over[0], []).append(cell)
    return found
