"""Expected and returned values side by side, cell by cell; the items of lists are paired by what agrees in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from quire.core.context import Json
from quire.evidence.extract.agreement import is_same
from quire.lexicon.amounts import number_readings
from quire.solving.evaluation.fixture import Tolerance

ToleranceOf = Callable[[str], Tolerance]


@dataclass(frozen=True, slots=True)
class AlignedCell:
    """One value as expected and as returned, None where there is none. A path is None where the record of the other
    side has no partner."""

    expected_path: str | None
    path: str | None
    expected: Json
    value: Json


def aligned_cells(expected: Json, returned: Json, tolerance: ToleranceOf) -> list[AlignedCell]:
    """All cells of two trees of values. A field that one of them leaves out is there with None."""
    return list(_cells(expected, returned, "", "", tolerance))


def says_the_same(expected: Json, value: Json, tolerance: Tolerance) -> bool:
    """Whether a value is right: as expected, within the tolerance, or another one that is accepted."""
    return any(_is_right(one, value, tolerance) for one in (expected, *tolerance.accept))


def _is_right(expected: Json, value: Json, tolerance: Tolerance) -> bool:
    if expected is None or value is None:
        return expected is value
    if is_same(expected, value):
        return True
    one, other = _number(expected), _number(value)
    if one is not None and other is not None:
        return math.isclose(one, other, rel_tol=max(tolerance.relative, 1e-9), abs_tol=tolerance.absolute)
    if isinstance(expected, str) and isinstance(value, str) and tolerance.similarity < 1:
        return SequenceMatcher(None, expected.casefold(), value.casefold()).ratio() >= tolerance.similarity
    return False


def _number(value: Json) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    readings = number_readings(value) if isinstance(value, str) else ()
    return float(next(iter(readings))) if len(readings) == 1 else None


def _cells(expected: Json, returned: Json, at: str, returned_at: str, tolerance: ToleranceOf) -> Iterator[AlignedCell]:
    if isinstance(expected, dict) or isinstance(returned, dict):
        one, other = _properties(expected), _properties(returned)
        for name in dict.fromkeys((*one, *other)):
            inner = f"{at}.{name}" if at else name
            returned_inner = f"{returned_at}.{name}" if returned_at else name
            yield from _cells(one.get(name), other.get(name), inner, returned_inner, tolerance)
    elif isinstance(expected, list) or isinstance(returned, list):
        yield from _items(_listed(expected), returned, at, returned_at, tolerance)
    else:
        yield AlignedCell(at, returned_at, expected, returned)


def _items(
    expected: Sequence[Json], found: Json, at: str, returned_at: str, tolerance: ToleranceOf
) -> Iterator[AlignedCell]:
    returned = _listed(found)
    # a single value has its evidence under its own path, not under that of an item
    paths = [f"{returned_at}[{j}]" if isinstance(found, list) else returned_at for j in range(len(returned))]
    pairs = [
        [list(_cells(one, other, f"{at}[{i}]", paths[j], tolerance)) for j, other in enumerate(returned)]
        for i, one in enumerate(expected)
    ]
    agreeing = np.array([[_agreement(cells, tolerance) for cells in row] for row in pairs]).reshape(
        len(expected), len(returned)
    )
    partner = best_pairs(agreeing)
    for i, one in enumerate(expected):
        j = partner.get(i)
        if j is not None:
            yield from pairs[i][j]
        else:
            yield from (
                AlignedCell(cell.expected_path, None, cell.expected, None)
                for cell in _cells(one, None, f"{at}[{i}]", "", tolerance)
                if cell.expected is not None
            )
    for j in sorted(set(range(len(returned))) - set(partner.values())):
        yield from (
            AlignedCell(None, cell.path, None, cell.value)
            for cell in _cells(None, returned[j], "", paths[j], tolerance)
            if cell.value is not None
        )


def _agreement(cells: Sequence[AlignedCell], tolerance: ToleranceOf) -> float:
    """How much of two records agrees: the share of their cells that are right and not empty."""
    filled = [cell for cell in cells if cell.expected is not None or cell.value is not None]
    right = sum(says_the_same(cell.expected, cell.value, tolerance(cell.expected_path or "")) for cell in filled)
    return right / len(filled) if filled else 0.0


def best_pairs(gain: np.ndarray) -> dict[int, int]:
    """The pairs of rows and columns with the largest sum, each row and column once; pairs without gain are left out.

    The Hungarian method with potentials, on costs that are the negative gain.
    """
    rows, columns = gain.shape
    if not rows or not columns:
        return {}
    if rows > columns:
        return {row: column for column, row in best_pairs(gain.T).items()}
    cost = -gain
    row_potential, column_potential = np.zeros(rows + 1), np.zeros(columns + 1)
    row_of = np.zeros(columns + 1, dtype=int)
    for row in range(1, rows + 1):
        row_of[0], column = row, 0
        least, used = np.full(columns + 1, np.inf), np.zeros(columns + 1, dtype=bool)
        previous = np.zeros(columns + 1, dtype=int)
        while row_of[column]:
            used[column] = True
            current = row_of[column]
            reduced = np.concatenate(([np.inf], cost[current - 1] - row_potential[current] - column_potential[1:]))
            better = ~used & (reduced < least)
            least[better], previous[better] = reduced[better], column
            following = int(np.argmin(np.where(used, np.inf, least)))
            delta = least[following]
            row_potential[row_of[used]] += delta
            column_potential[used] -= delta
            least[~used] -= delta
            column = following
        while column:
            row_of[column] = row_of[previous[column]]
            column = int(previous[column])
    chosen = {int(row_of[column]) - 1: column - 1 for column in range(1, columns + 1) if row_of[column]}
    return {row: column for row, column in chosen.items() if gain[row, column] > 0}


def _properties(tree: Json) -> dict[str, Json]:
    return tree if isinstance(tree, dict) else {}


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [] if value is None else [value]
