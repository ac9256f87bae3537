"""Which column of a table is which property of the items that are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.extract.rules.labels import LabelMatcher
from quire.extract.rules.leaves import WantedLeaf
from quire.types import Block, Cell, Table

LEAST_NAMED = 0.5
"""How surely the head of a column names a property."""
HEAD_ROWS = 4
"""A table without header cells may have its head in one of the first rows."""


@dataclass(frozen=True)
class MatchedTable:
    """A table with its columns by the path of their property, and the row in which the items begin."""

    block: Block
    columns: Mapping[str, int]
    heads: Mapping[str, str]
    first_row: int
    score: float


def matched(block: Block, wanted: Sequence[WantedLeaf], matcher: LabelMatcher) -> MatchedTable | None:
    """The table with its columns understood; None if its head does not name enough properties."""
    table = block.table
    if table is None or table.rows < 2:
        return None
    heads = [_matched(block, head, row, wanted, matcher) for row, head in _heads(table)]
    found = max((one for one in heads if one is not None), key=lambda one: one.score, default=None)
    needed = min(2, len(wanted))
    return found if found is not None and len(found.columns) >= needed else None


def _heads(table: Table) -> list[tuple[int, dict[int, str]]]:
    """What may be the head of a table: its header rows joined, or one of the first rows; with the row after it."""
    headed = 0
    while headed < table.rows and any(cell.header for cell in table.cells if cell.row == headed):
        headed += 1
    rows = [(row + 1, _texts(table, range(row, row + 1))) for row in range(min(HEAD_ROWS, table.rows - 1))]
    return [(headed, _texts(table, range(headed))), *rows] if 0 < headed < table.rows else rows


def _texts(table: Table, rows: range) -> dict[int, str]:
    parts: dict[int, list[str]] = {}
    for cell in table.cells:
        if cell.row in rows and cell.text.strip():
            for column in range(cell.column, cell.column + cell.column_span):
                parts.setdefault(column, []).append(" ".join(cell.text.split()))
    return {column: " ".join(texts) for column, texts in parts.items()}


def _matched(
    block: Block, head: Mapping[int, str], first_row: int, wanted: Sequence[WantedLeaf], matcher: LabelMatcher
) -> MatchedTable | None:
    """Columns and properties, best pair first, each once."""
    pairs: list[tuple[float, int, str]] = []
    for column, text in head.items():
        named = matcher.names(text)
        for one in wanted:
            figure = max((named.get(name, 0.0) * weight for name, weight in one.names.items()), default=0.0)
            if figure >= LEAST_NAMED:
                pairs.append((figure, column, one.leaf.path))
    columns: dict[str, int] = {}
    score = 0.0
    for figure, column, path in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if path not in columns and column not in columns.values():
            columns[path] = column
            score += figure
    if not columns:
        return None
    return MatchedTable(block, columns, {path: head[column] for path, column in columns.items()}, first_row, score)


def cell_at(table: Table, row: int, column: int) -> Cell | None:
    """The cell that begins at a place."""
    return next((cell for cell in table.cells if cell.row == row and cell.column == column), None)
