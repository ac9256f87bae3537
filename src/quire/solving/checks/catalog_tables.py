"""Cells of tables with what says their meaning: the label of the row, and the heads of the column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from quire.core.types import Block, Cell
from quire.evidence.catalog.builder import cell_id
from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.lexicon.amounts import PrintedNumber, is_number


@dataclass(frozen=True)
class CatalogTable:
    """A table of a catalog. `order` is its position among the blocks."""

    block: Block
    order: int
    catalog: SourceCatalog

    @cached_property
    def cells(self) -> Mapping[str, TableCell]:
        """The cells by the ids of their records."""
        listed = self.block.table.cells if self.block.table is not None else ()
        return {cell_id(self.block.id, cell.row, cell.column): TableCell(self, cell) for cell in listed}

    @cached_property
    def heads(self) -> Sequence[Cell]:
        return [one.cell for one in self.cells.values() if (one.cell.header or one.cell.row == 0) and one.text]

    @cached_property
    def rows(self) -> Mapping[int, Sequence[TableCell]]:
        """The cells of each row, from the left."""
        found: dict[int, list[TableCell]] = {}
        for one in sorted(self.cells.values(), key=lambda one: (one.cell.row, one.cell.column)):
            found.setdefault(one.cell.row, []).append(one)
        return found

    @cached_property
    def labels(self) -> Mapping[str, int]:
        """How often each label of a row stands in the table."""
        found: dict[str, int] = {}
        for row in self.rows.values():
            if text := row[-1].row_label.casefold():
                found[text] = found.get(text, 0) + 1
        return found


@dataclass(frozen=True)
class TableCell:
    """A cell of a table of a catalog."""

    table: CatalogTable
    cell: Cell

    @property
    def text(self) -> str:
        return " ".join(self.cell.text.split())

    @property
    def record(self) -> EvidenceRecord | None:
        return self.table.catalog.by_id.get(cell_id(self.table.block.id, self.cell.row, self.cell.column))

    @property
    def number(self) -> PrintedNumber | None:
        """The number that it consists of."""
        record = self.record
        if record is None or not is_number(self.text):
            return None
        found = self.table.catalog.texts.of(record).numbers
        return found[0] if len(found) == 1 else None

    @property
    def label_cell(self) -> TableCell | None:
        """The first cell of its row that has a text before it."""
        before = (one for one in self.table.rows[self.cell.row] if one.cell.column < self.cell.column)
        return next((one for one in before if one.text and not is_number(one.text)), None)

    @property
    def row_label(self) -> str:
        label = self.label_cell
        return "" if label is None else label.text

    @property
    def heads(self) -> Sequence[Cell]:
        """The heads of its column, from above."""
        column = self.cell.column
        above = (one for one in self.table.heads if one.row < self.cell.row)
        return [one for one in above if one.column <= column < one.column + one.column_span]

    @property
    def head(self) -> str:
        return " ".join(" ".join(one.text.split()) for one in self.heads)

    @property
    def above(self) -> Iterator[TableCell]:
        """The cells above it in its column that are no heads, the nearest first."""
        for row in range(self.cell.row - 1, -1, -1):
            for one in self.table.rows.get(row, ()):
                if one.cell.column == self.cell.column and one.cell not in self.table.heads:
                    yield one


def tables_of(catalog: SourceCatalog) -> dict[str, CatalogTable]:
    """The tables of a catalog by the ids of their blocks."""
    return {
        block.id: CatalogTable(block, order, catalog)
        for order, block in enumerate(catalog.blocks)
        if block.table is not None
    }


def says_the_same(one: PrintedNumber, other: PrintedNumber) -> bool:
    """Whether two printed numbers may be one, as exactly as the rougher of them is printed."""
    return any(
        abs(first - second) <= (0 if step == other_step else max(step, other_step) / 2)
        for first, step in _readings(one)
        for second, other_step in _readings(other)
    )


def _readings(number: PrintedNumber) -> Iterator[tuple[Decimal, Decimal]]:
    """Each value that a number may have, with the unit of its last printed place."""
    for plain in number.plain:
        exponent = plain.as_tuple().exponent
        step = Decimal(1).scaleb(min(0, exponent)) if isinstance(exponent, int) else Decimal(1)
        for value in number.readings:
            yield value, abs(step * value / plain) if plain else step
