"""A mesh of atoms between lines, drawn or inferred, and the cells that result from missing lines."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from quire.core.types import Box
from quire.pages.layout.tables.table_values import FoundCell, FoundTable
from quire.pages.layout.tables.word_rows import TableWord, in_rows

MAX_ATOMS = 20_000


class Mesh:
    """Lines at `xs` and `ys`; `above[r][c]` and `before[r][c]` say whether an atom's top and left line is drawn."""

    __slots__ = ("above", "atoms", "before", "xs", "ys")

    def __init__(self, xs: list[float], ys: list[float]) -> None:
        self.xs, self.ys = xs, ys
        self.above = [[True] * self.columns for _ in range(self.rows)]
        self.before = [[True] * self.columns for _ in range(self.rows)]
        self.atoms: list[list[list[TableWord]]] = [[[] for _ in range(self.columns)] for _ in range(self.rows)]

    @property
    def columns(self) -> int:
        return len(self.xs) - 1

    @property
    def rows(self) -> int:
        return len(self.ys) - 1

    @property
    def box(self) -> Box:
        return Box(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def place(self, word: TableWord) -> None:
        """Put a word into the atom where its middle is; words outside go to the nearest."""
        row = min(max(bisect_right(self.ys, word.baseline - 0.3 * word.size) - 1, 0), self.rows - 1)
        self.atoms[row][self.column_at(word.middle)].append(word)

    def column_at(self, x: float) -> int:
        """The column at x; one beside the mesh is the nearest."""
        return min(max(bisect_right(self.xs, x) - 1, 0), self.columns - 1)

    def column_words(self, column: int) -> list[TableWord]:
        return [word for row in self.atoms for word in row[column]]

    def row_words(self, row: int) -> list[TableWord]:
        return [word for atom in self.atoms[row] for word in atom]

    def drop_row(self, row: int) -> None:
        """Remove a row with its words; cells that span it keep their other rows."""
        if row + 1 < self.rows:
            self.above[row + 1] = [a or b for a, b in zip(self.above[row], self.above[row + 1], strict=True)]
        del self.above[row], self.before[row], self.atoms[row]
        del self.ys[row if row + 1 < self.rows or row == 0 else row + 1]

    def drop_column(self, column: int) -> None:
        """Remove an empty column."""
        for r in range(self.rows):
            if column + 1 < self.columns:
                self.before[r][column + 1] = self.before[r][column] or self.before[r][column + 1]
            del self.above[r][column], self.before[r][column], self.atoms[r][column]
        del self.xs[column if column < self.columns - 1 else column + 1]

    def cells(self) -> list[tuple[int, int, int, int]]:
        """Row, column, row span and column span of every cell, in reading order."""
        columns = self.columns
        open_at: dict[tuple[int, int], int] = {}
        found: list[tuple[int, int, int, int]] = []
        for row, (above, before) in enumerate(zip(self.above, self.before, strict=True)):
            starts = [column for column in range(columns) if column == 0 or before[column]]
            for column, end in pairwise([*starts, columns]):
                width = end - column
                last = open_at.get((column, width))
                joined = row and not any(above[column:end])
                if last is not None and joined and found[last][0] + found[last][2] == row:
                    r, c, height, w = found[last]
                    found[last] = (r, c, height + 1, w)
                else:
                    open_at[column, width] = len(found)
                    found.append((row, column, 1, width))
        return sorted(found)

    def table(self, header_rows: int) -> FoundTable:
        """The cells with their words."""
        cells = []
        for row, column, height, width in self.cells():
            words = [
                w for line in self.atoms[row : row + height] for atom in line[column : column + width] for w in atom
            ]
            runs = [run for word in in_rows(words) for run in word.runs]
            box = Box(self.xs[column], self.ys[row], self.xs[column + width], self.ys[row + height])
            cells.append(FoundCell(row, column, height, width, row < header_rows, box, runs))
        return FoundTable(self.box, self.rows, self.columns, cells)
