"""Cells from ruled lines: which lines belong to one grid, where its rows and columns are, which cells are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.core.types import GridCell
from quire.pages.geometry.rows import connected

Edge = Callable[[int, int], bool]
"""Whether the edge between the cell at a row and column and its neighbour is missing."""

COVERED = 0.5
"""Share of the edge between two cells that must be drawn; otherwise they are merged."""


class RulingLine(NamedTuple):
    """A straight line along an axis: its position across and its two ends."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class CellBox:
    """A cell: its row and column, and left, top, right, bottom in pixels."""

    grid: GridCell
    box: tuple[float, float, float, float]


def grids(rows: Sequence[RulingLine], columns: Sequence[RulingLine], near: float) -> list[list[CellBox]]:
    """The cells of each grid that the lines form, the grids from the top. Lines nearer than `near` are merged."""
    found = [_cells(*group, near) for group in _groups(rows, columns, near)]
    return sorted((cells for cells in found if len(cells) > 1), key=lambda cells: (cells[0].box[1], cells[0].box[0]))


def _groups(
    rows: Sequence[RulingLine], columns: Sequence[RulingLine], near: float
) -> Iterator[tuple[list[RulingLine], list[RulingLine]]]:
    """Lines that touch each other, directly or through others."""
    crossings = (
        (i, j)
        for i, row in enumerate(rows)
        for j, column in enumerate(columns, len(rows))
        if row.start - near <= column.at <= row.end + near and column.start - near <= row.at <= column.end + near
    )
    for group in connected(len(rows) + len(columns), crossings):
        across, down = (
            [rows[n] for n in group if n < len(rows)],
            [columns[n - len(rows)] for n in group if n >= len(rows)],
        )
        if across and down:
            yield across, down


def _cells(rows: list[RulingLine], columns: list[RulingLine], near: float) -> list[CellBox]:
    ys, xs = _clustered(rows, near), _clustered(columns, near)
    _close(ys, columns, near)
    _close(xs, rows, near)
    if len(ys) < 2 or len(xs) < 2:
        return []
    tops, lefts = [place for place, _ in ys], [place for place, _ in xs]

    def open_below(row: int, column: int) -> bool:
        return not _drawn(ys[row + 1][1], lefts[column], lefts[column + 1], near)

    def open_right(row: int, column: int) -> bool:
        return not _drawn(xs[column + 1][1], tops[row], tops[row + 1], near)

    cells = []
    for grid in _merged(len(tops) - 1, len(lefts) - 1, open_below, open_right):
        right, bottom = lefts[grid.column + grid.column_span], tops[grid.row + grid.row_span]
        cells.append(CellBox(grid, (lefts[grid.column], tops[grid.row], right, bottom)))
    return cells


def _clustered(lines: list[RulingLine], near: float) -> list[tuple[float, list[RulingLine]]]:
    """Positions of lines, double lines merged, each with its lines."""
    groups: list[list[RulingLine]] = []
    for line in sorted(lines):
        if groups and line.at - groups[-1][-1].at <= near:
            groups[-1].append(line)
        else:
            groups.append([line])
    return [(_middle(group), group) for group in groups]


def _middle(group: list[RulingLine]) -> float:
    total = sum(line.end - line.start for line in group)
    return sum(line.at * (line.end - line.start) for line in group) / max(total, 1e-9)


def _close(places: list[tuple[float, list[RulingLine]]], crossing: list[RulingLine], near: float) -> None:
    """Tables are often open at their sides: where the crossing lines end, there is an edge that is not drawn."""
    first, last = min(line.start for line in crossing), max(line.end for line in crossing)
    if places and places[0][0] - first > 2 * near:
        places.insert(0, (first, []))
    if places and last - places[-1][0] > 2 * near:
        places.append((last, []))


def _drawn(lines: list[RulingLine], start: float, end: float, near: float) -> bool:
    """Whether enough of an edge is drawn. The corners, where other lines pass, do not count."""
    start, end = start + min(near, (end - start) / 4), end - min(near, (end - start) / 4)
    covered, reached = 0.0, start
    for line in sorted(lines, key=lambda line: line.start):
        begin, stop = max(line.start, reached), min(line.end, end)
        if stop > begin:
            covered += stop - begin
            reached = stop
    return covered >= COVERED * (end - start)


def _merged(rows: int, columns: int, open_below: Edge, open_right: Edge) -> list[GridCell]:
    """The cells in row order; adjacent cells without an edge between them are merged if they form a rectangle."""
    seen: set[tuple[int, int]] = set()
    cells: list[GridCell] = []
    for place in ((row, column) for row in range(rows) for column in range(columns)):
        if place in seen:
            continue
        group = _connected(place, rows, columns, open_below, open_right)
        row, column = (min(p[axis] for p in group) for axis in (0, 1))
        row_span, column_span = (max(p[axis] for p in group) + 1 - low for axis, low in ((0, row), (1, column)))
        if row_span * column_span == len(group):
            seen |= group
            cells.append(GridCell(row, column, row_span, column_span))
        else:
            seen.add(place)
            cells.append(GridCell(*place))
    return sorted(cells, key=lambda cell: (cell.row, cell.column))


def _connected(
    place: tuple[int, int], rows: int, columns: int, open_below: Edge, open_right: Edge
) -> set[tuple[int, int]]:
    group, waiting = {place}, [place]
    while waiting:
        row, column = waiting.pop()
        neighbours = []
        if row + 1 < rows and open_below(row, column):
            neighbours.append((row + 1, column))
        if row and open_below(row - 1, column):
            neighbours.append((row - 1, column))
        if column + 1 < columns and open_right(row, column):
            neighbours.append((row, column + 1))
        if column and open_right(row, column - 1):
            neighbours.append((row, column - 1))
        waiting += [n for n in neighbours if n not in group]
        group.update(neighbours)
    return group
