"""The columns of a table, and the properties of a schema that they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from quire.core.types import Block, Cell, Table
from quire.evidence.extract.rules.leaves import WantedLeaf
from quire.evidence.extract.tables.merged import half_of, merged_properties
from quire.lexicon.labels import LabelMatcher

LEAST_NAMED = 0.5
"""The least score with which the head of a column names a property."""
LEAST_SPANNING = 0.9
"""The same for a head over several columns, which may name each of them."""
FURTHER = 0.5
"""The score of a column that no head names in full."""
SHORTEST = 3  # letters of an abbreviation
_WHAT = frozenset({"description", "item", "name", "product", "article", "text", "particulars", "service", "label"})
"""The properties that the first column of texts may hold, under any head: `Payments`, `Deductions`."""
HEAD_ROWS = 8
"""A table without header cells may have its head in one of the first rows, also below another one on a scan."""


@dataclass(frozen=True)
class MatchedTable:
    """A table with its columns by the path of their property, and the row in which the items begin."""

    block: Block
    columns: Mapping[str, int]
    heads: Mapping[str, str]
    first_row: int
    score: float
    what: int | None = None
    """The column that says what an item is."""
    halves: Mapping[str, int] = field(default_factory=dict)
    """For properties that share a column: whether their value is the first in its cells, 0, or the second."""


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
    """Possible heads of a table: its header rows joined, or one of the first rows; each with the row after it."""
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
    worded = {column for column in head if _has_texts(block, column, first_row)}
    spanning = {text for text, count in Counter(head.values()).items() if count > 1}
    for column, text in head.items():
        named = matcher.names(text)
        for one in wanted:
            fit = max((named.get(name, 0.0) * weight for name, weight in one.names.items()), default=0.0)
            if _is_what(one) and column not in worded and worded:  # Item 1, 2, 3 beside Description
                continue
            if fit >= (LEAST_SPANNING if text in spanning else LEAST_NAMED):
                pairs.append((fit, column, one.leaf.path))
    columns: dict[str, int] = {}
    halves: dict[str, int] = {}
    score = 0.0
    for column, text in head.items():
        if both := merged_properties(block, column, text, first_row, wanted, matcher):
            columns |= dict.fromkeys(both, column)
            halves |= {path: number for number, path in enumerate(both)}
            score += len(both)
    for fit, column, path in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if path not in columns and column not in columns.values():
            columns[path] = column
            score += fit
    if not columns:
        return None
    for path, column in _further(block, head, first_row, wanted, columns):
        columns[path] = column
        score += FURTHER
    heads = {path: head[column] for path, column in columns.items()}
    what = next((columns[one.leaf.path] for one in wanted if one.leaf.path in columns and _is_what(one)), None)
    return MatchedTable(block, columns, heads, first_row, score, what, halves)


def _further(
    block: Block, head: Mapping[int, str], first_row: int, wanted: Sequence[WantedLeaf], taken: Mapping[str, int]
) -> Iterator[tuple[str, int]]:
    """Properties for columns that are left: by an abbreviation in the head, and the first column of texts for what the
    item is."""
    free = sorted(head.keys() - {*taken.values()})
    for one in (one for one in wanted if one.leaf.path not in taken):
        name = one.leaf.name.replace("_", " ").casefold()
        column = next((column for column in free if _is_short_for(head[column], name)), None)
        if column is None and _is_what(one):
            column = next((column for column in free if _has_texts(block, column, first_row)), None)
        if column is not None:
            free.remove(column)
            yield one.leaf.path, column


def _is_what(wanted: WantedLeaf) -> bool:
    return wanted.leaf.name.replace("_", " ").casefold() in _WHAT


def _is_short_for(head: str, name: str) -> bool:
    short = head.strip(" .:").casefold()
    return len(short) >= SHORTEST and short.isalpha() and name.startswith(short)


def _has_texts(block: Block, column: int, first_row: int) -> bool:
    """Whether most cells of a column have words."""
    assert block.table is not None
    texts = [cell.text for cell in block.table.cells if cell.column == column and cell.row >= first_row and cell.text]
    return bool(texts) and 2 * sum(sum(map(str.isalpha, text)) >= 3 for text in texts) > len(texts)


def cell_of(found: MatchedTable, row: int, path: str) -> Cell | None:
    """The cell of a property, with only its own value."""
    assert found.block.table is not None
    cell = cell_at(found.block.table, row, found.columns[path])
    if cell is None or path not in found.halves:
        return cell
    return half_of(found.block, cell, found.halves[path])


def cell_at(table: Table, row: int, column: int) -> Cell | None:
    """The cell that begins at a place."""
    return next((cell for cell in table.cells if cell.row == row and cell.column == column), None)
