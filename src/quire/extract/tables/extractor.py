"""`TableExtractor`: the items of a list, from the tables whose columns are their properties."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.catalog.building import cell_id
from quire.catalog.records import SourceCatalog
from quire.context import Json
from quire.extract.rules.leaves import WantedLeaf, wanted_leaves
from quire.extract.schema import ExtractSchema, LeafSpec, ListSpec, ObjectSpec, SchemaNode
from quire.extract.tables.columns import MatchedTable, cell_at, matched
from quire.extract.values import Proposal
from quire.types import Cell, Part
from quire.verify.dates import date_readings
from quire.verify.numbers import number_readings

AS_GOOD = 0.7
"""Of the score of the best table: others with the same columns hold further items."""
MOST_ITEMS = 5000
_TOTAL = re.compile(
    r"^\W*(?:sub|grand|net|gross)?[\s-]*(?:total|sum|summe|gesamt|zwischensumme|somme|totale|balance due|amount due)\b",
    re.IGNORECASE,
)


class TableExtractor:
    """Fills lists of objects; rows of totals are no items."""

    name = "tables"
    version = "1"

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        return [one for node in _lists(schema.root) for one in self._items(catalog, node)]

    def _items(self, catalog: SourceCatalog, node: ListSpec) -> Iterator[Proposal]:
        leaves = tuple(leaf for leaf in _leaves(node.items) if leaf.path.count("[]") == node.path.count("[]") + 1)
        if not leaves or "[]" in node.path:
            return
        wanted, matcher = wanted_leaves(leaves)
        tables = [found for block in catalog.blocks if block.table and (found := matched(block, wanted, matcher))]
        best = max((found.score for found in tables), default=0.0)
        number = 0
        for found in tables:
            if found.score < AS_GOOD * best:
                continue
            for cells in _rows(found):
                if number == MOST_ITEMS:
                    return
                yield from self._item(node.path, number, found, cells, wanted)
                number += 1

    def _item(
        self, path: str, number: int, found: MatchedTable, cells: dict[str, Cell], wanted: Sequence[WantedLeaf]
    ) -> Iterator[Proposal]:
        sure = round(min(0.9, 0.55 + 0.35 * found.score / max(len(wanted), 1)), 3)
        for one in wanted:
            cell = cells.get(one.leaf.path)
            if cell is None or not cell.text.strip():
                continue
            yield Proposal(
                path=one.leaf.path.replace(f"{path}[]", f"{path}[{number}]", 1),
                value=_value(one, cell.text),
                records=(cell_id(found.block.id, cell.row, cell.column),),
                quote=cell.text,
                confidence=sure,
                extractor=self.name,
                places=(Part(cell.page, cell.bbox, cell.source),),
                label=found.heads[one.leaf.path],
            )


def _rows(found: MatchedTable) -> Iterator[dict[str, Cell]]:
    """The cells of each item by the path of their property."""
    table = found.block.table
    assert table is not None
    for row in range(found.first_row, table.rows):
        texts = [cell.text for cell in table.cells if cell.row == row and cell.text.strip()]
        if not texts or any(_TOTAL.match(text) for text in texts[:2]):
            continue
        cells = {path: cell for path, column in found.columns.items() if (cell := cell_at(table, row, column))}
        filled = [cell for cell in cells.values() if cell.text.strip()]
        if len(filled) >= min(2, len(found.columns)) and not all(cell.header for cell in filled):
            yield cells


def _value(wanted: WantedLeaf, text: str) -> Json:
    plain = " ".join(text.split())
    if wanted.leaf.type in ("number", "integer"):
        readings = number_readings(plain)
        if len(readings) == 1:
            (number,) = readings
            return int(number) if number == int(number) else float(number)
    if wanted.kind == "date":
        dates = date_readings(plain)
        if len(dates) == 1:
            return next(iter(dates))
    return plain


def _lists(node: SchemaNode) -> Iterator[ListSpec]:
    if isinstance(node, ListSpec):
        yield node
        yield from _lists(node.items)
    elif isinstance(node, ObjectSpec):
        for child in node.properties.values():
            yield from _lists(child)


def _leaves(node: SchemaNode) -> Iterator[LeafSpec]:
    if isinstance(node, ObjectSpec):
        for child in node.properties.values():
            yield from _leaves(child)
    elif isinstance(node, LeafSpec) and not node.path.endswith("[]"):
        yield node
