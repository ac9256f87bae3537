"""The tables of a document that are statements: rows with a label, and a number for each period."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.core.types import Block, Cell, Table
from quire.evidence.catalog.builder import cell_id
from quire.lexicon.amounts import is_number, scale_of
from quire.lexicon.finance.periods import StatedPeriod, stated_period

_ABOVE = 4
"""Blocks before a table that may say what its numbers are multiplied by."""
_FIRST_ROWS = 3
"""Rows that may be the head of a table without header cells."""
MOST_QUOTED = 200
"""Characters of the text that states a scale."""


class StatedScale(NamedTuple):
    """The factor of the numbers of a table, and the record that states it."""

    number: int
    record: str
    quote: str


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A row with its numbers by column; `section` is the label of the row without numbers above it."""

    label: str
    section: str
    cells: Mapping[int, Cell]


@dataclass(frozen=True, slots=True)
class Statement:
    """A table with the period of each column, and the header cell that names it."""

    block: Block
    periods: Mapping[int, StatedPeriod]
    heads: Mapping[int, tuple[Cell, str]]
    rows: Sequence[StatementRow]
    scale: StatedScale | None

    @property
    def is_of_points(self) -> bool:
        """Whether its numbers are those of a day, as in a balance sheet."""
        return any(period.is_time_point for period in self.periods.values())


def statements_of(blocks: Sequence[Block]) -> Iterator[Statement]:
    """All statements in the order of the document."""
    for at, block in enumerate(blocks):
        if block.table is None or block.table.columns < 2:
            continue
        above = [one for one in blocks[max(0, at - _ABOVE) : at] if one.page == block.page and one.table is None]
        if (found := _statement(block, block.table, above)) is not None:
            yield found


def _statement(block: Block, table: Table, above: Sequence[Block]) -> Statement | None:
    first = _first_row(table)
    over = " ".join(
        [one.text for one in above]
        + [cell.text for cell in table.cells if cell.row < first and cell.column_span == table.columns]
    )
    heads = _heads(table, first)
    periods = {column: found for column, (_, text) in heads.items() if (found := stated_period(text, over))}
    if not periods or len({*periods.values()}) < len(periods):
        return None
    rows = list(_rows(table, first, periods))
    return Statement(block, periods, heads, rows, _scale(block, table, first, above)) if rows else None


def _first_row(table: Table) -> int:
    headed = {cell.row for cell in table.cells if cell.header}
    first = 0
    while first in headed:
        first += 1
    if first:
        return first
    numbers = (cell.row for cell in table.cells if cell.column and is_number(cell.text) and "," in cell.text)
    return min(min(numbers, default=0), _FIRST_ROWS)


def _heads(table: Table, first: int) -> dict[int, tuple[Cell, str]]:
    """The lowest head of each column but the first, with all that stands above it."""
    found: dict[int, tuple[Cell, str]] = {}
    for cell in table.cells:
        if cell.row >= first or cell.column_span == table.columns or not cell.text.strip():
            continue
        for column in range(max(cell.column, 1), cell.column + cell.column_span):
            before = found[column][1] if column in found else ""
            found[column] = cell, f"{before} {' '.join(cell.text.split())}".strip()
    return found


def _rows(table: Table, first: int, periods: Mapping[int, StatedPeriod]) -> Iterator[StatementRow]:
    by_row: dict[int, dict[int, Cell]] = {}
    for cell in table.cells:
        by_row.setdefault(cell.row, {})[cell.column] = cell
    section = ""
    for row in range(first, table.rows):
        cells = by_row.get(row, {})
        label = " ".join(cells[0].text.split()) if 0 in cells else ""
        numbers = {at: cell for at, cell in cells.items() if at in periods and is_number(cell.text)}
        if label and numbers:
            yield StatementRow(label, section, numbers)
        elif label and not any(cell.text.strip() for at, cell in cells.items() if at):
            section = label


def _scale(block: Block, table: Table, first: int, above: Sequence[Block]) -> StatedScale | None:
    heads = (
        stated_scale(cell_id(block.id, cell.row, cell.column), cell.text) for cell in table.cells if cell.row < first
    )
    blocks = (stated_scale(one.id, one.text) for one in reversed(above))
    return next(filter(None, (*heads, *blocks)), None)


def stated_scale(record: str, text: str) -> StatedScale | None:
    """The scale that the text of a record states: 1000 for `in thousands`."""
    number = scale_of(text)
    return StatedScale(number, record, text[:MOST_QUOTED]) if number > 1 else None
