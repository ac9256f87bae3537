"""Tables whose titles are in a strip of boxes, with rows below it that have no rules.

The boxes of the titles are the columns: what begins below a box belongs to it, also where it is wider.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.types import Box
from quire.pages.layout.tables.lattice import inside
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.table_values import FoundCell, FoundTable
from quire.pages.layout.tables.word_rows import Row, TableWord, is_number, rows_of

FEWEST_TITLES = 4
TITLED = 0.8  # of the boxes have a title
HEIGHT = 3.0  # of the size: a strip is not higher
NEAR = 1.3  # of the size: the gap between rows
LONGEST = 8  # words of a piece: a longer one is prose
SLACK = 2.0  # points that a word may begin before its box
FEWEST_FIGURES = 0.25  # of the words below the strip are figures


def strip_tables(meshes: Sequence[Mesh], words: Sequence[TableWord]) -> list[tuple[FoundTable, Mesh]]:
    """The tables below strips of titles, each with its strip."""
    strips = [(mesh, titles) for mesh in meshes if mesh.rows == 1 and (titles := _titles(mesh, words))]
    found = []
    for mesh, titles in strips:
        under = [other for other in meshes if other.xs[0] < mesh.xs[-1] and other.xs[-1] > mesh.xs[0]]
        end = min((other.ys[0] for other in under if other.ys[0] > mesh.ys[-1]), default=float("inf"))
        rows = _rows_below(mesh, words, end)
        held = [word for row in rows for word in row.words]
        if held and sum(is_number(word.text) for word in held) >= FEWEST_FIGURES * len(held):
            found.append((_table(mesh, titles, rows), mesh))
    return found


def _titles(mesh: Mesh, words: Sequence[TableWord]) -> list[list[TableWord]]:
    """The words in each box of a strip of titles; none if it is no such strip."""
    held = inside(mesh, words)
    if mesh.columns < FEWEST_TITLES or not held or mesh.ys[-1] - mesh.ys[0] > HEIGHT * held[0].size:
        return []
    if any(is_number(word.text) for word in held):
        return []
    cells: list[list[TableWord]] = [[] for _ in range(mesh.columns)]
    for word in held:
        cells[mesh.column_at(word.middle)].append(word)
    return cells if sum(map(bool, cells)) >= TITLED * mesh.columns else []


def _rows_below(mesh: Mesh, words: Sequence[TableWord], end: float) -> list[Row]:
    """The rows below a strip, as long as they are near each other and no prose."""
    left, right, edge = mesh.xs[0] - SLACK, mesh.xs[-1] + SLACK, mesh.ys[-1]
    below = [w for w in words if left <= w.left and w.right <= right and edge - 1 < w.top and w.bottom < end + 1]
    found: list[Row] = []
    for row in rows_of(below):
        if row.top - edge > NEAR * row.size or any(len(piece) > LONGEST for piece in row.pieces):
            break
        if found and len(row.pieces) == 1 and row.words[0].bold and not found[-1].words[0].bold:
            break  # the title of what follows
        found.append(row)
        edge = row.bottom
    return found


def _table(mesh: Mesh, titles: Sequence[list[TableWord]], rows: Sequence[Row]) -> FoundTable:
    grid = [list(titles), *(_placed(mesh, row) for row in rows)]
    tops = [mesh.ys[0], *(row.top for row in rows)]
    bottoms = [mesh.ys[-1], *(row.bottom for row in rows)]
    cells = []
    for number, (line, top, bottom) in enumerate(zip(grid, tops, bottoms, strict=True)):
        for column, words in enumerate(line):
            runs = [run for row in rows_of(words) for word in row.words for run in word.runs]
            box = Box(mesh.xs[column], top, max([mesh.xs[column + 1], *(w.right for w in words)]), bottom)
            cells.append(FoundCell(number, column, 1, 1, number == 0, box, runs))
    box = Box(mesh.xs[0], mesh.ys[0], mesh.xs[-1], max(bottoms))
    return FoundTable(box, len(grid), mesh.columns, cells)


def _placed(mesh: Mesh, row: Row) -> list[list[TableWord]]:
    """The words of a row in each column: pieces are cut where the side of a box is between two words."""
    cells: list[list[TableWord]] = [[] for _ in range(mesh.columns)]
    for piece in row.pieces:
        column, last = mesh.column_at(piece[0].left + SLACK), piece[0].left
        for word in piece:
            begins = mesh.column_at(word.left + SLACK)
            if begins > column and last <= mesh.xs[begins] + SLACK:
                column = begins
            cells[column].append(word)
            last = word.right
    return cells
