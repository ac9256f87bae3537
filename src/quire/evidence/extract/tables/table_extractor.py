"""`TableExtractor`: the items of a list, from the tables whose columns are their properties."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from quire.core.context import Json
from quire.core.types import Cell, Part, Table
from quire.evidence.catalog.builder import cell_id
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.candidates.readings import Readings
from quire.evidence.extract.extractor import code_version
from quire.evidence.extract.naming.plurals import ItemColumn, rows_asked
from quire.evidence.extract.rules.leaves import WantedLeaf, wanted_leaves
from quire.evidence.extract.schema import ExtractSchema, LeafSpec, ListSpec, ObjectSpec, SchemaNode
from quire.evidence.extract.tables.columns import MatchedTable, cell_at, cell_of, matched
from quire.evidence.extract.values import Proposal
from quire.lexicon.amounts import number_readings

AS_GOOD = 0.7
"""Of the score of the best table: others with the same columns hold further items."""
MOST_ITEMS = 5000
SHORTEST_LABEL = 3  # letters of what is added up below the items
_COLUMNS = (
    (re.compile(r"^(?:athlete|player|swimmer|runner|participant|competitor|person)s?(?: name)?$"), ("name",)),
    (re.compile(r"^(?:country|nation(?:ality)?)$"), ("fed", "nat", "noc", "nation", "country")),
    (re.compile(r"^(?:year (?:of )?birth|birth year|born)$"), ("yb", "yob", "born", "year of birth", "jahrgang")),
    (re.compile(r"^(?:rank|place|position)$"), ("rank", "place", "pos", "rang", "platz")),
)
"""Fields of people in lists of results, and the heads of their columns."""
_TEXT: Json = {"type": "string"}
ITEMS = ExtractSchema.of(
    {
        "properties": {
            "items": {
                "type": "array",
                "items": {"properties": dict.fromkeys(get_args(ItemColumn), _TEXT)},
            }
        }
    }
)
"""The properties that columns of bills and orders hold."""
_TOTAL = re.compile(
    r"^\W*(?:sub|grand|net|gross)?[\s-]*(?:total|sum|summe|gesamt|zwischensumme|somme|totale|balance due|amount due)\b",
    re.IGNORECASE,
)


class TableExtractor:
    """Fills lists of objects; rows of totals are no items. Of a list in a list each table is one item of the outer."""

    name = "tables"

    @property
    def version(self) -> str:
        return code_version()

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        found = {node.path: list(self._items(catalog, schema, node)) for node in _lists(schema.root)}
        outer = {path.split("[]")[0] for path, proposals in found.items() if "[]" in path and proposals}
        listed = [one for path, proposals in found.items() if path not in outer for one in proposals]
        return [*listed, *self._columns(catalog, schema)]

    def _columns(self, catalog: SourceCatalog, schema: ExtractSchema) -> Iterator[Proposal]:
        """The values of one column of the items, for leaves whose name asks for them: `quantities`."""
        asked = [(leaf, column) for leaf in schema.leaves if (column := rows_asked(leaf))]
        items = list(self._items(catalog, ITEMS, next(_lists(ITEMS.root)))) if asked else []
        for leaf, column in asked:
            for one in items:
                row, _, name = one.path.removeprefix("items").rpartition(".")
                if name == column:
                    yield replace(one, path=f"{leaf.path}{row}")

    def _items(self, catalog: SourceCatalog, schema: ExtractSchema, node: ListSpec) -> Iterator[Proposal]:
        leaves = tuple(leaf for leaf in _leaves(node.items) if leaf.path.count("[]") == node.path.count("[]") + 1)
        depth = node.path.count("[]")
        if not leaves or depth > 1:
            return
        outer = [leaf for leaf in schema.leaves if leaf.path.rpartition(".")[0] == node.path.rpartition(".")[0]]
        wanted, matcher = wanted_leaves(tuple(map(_with_column_names, leaves)))
        tables = [found for block in catalog.blocks if block.table and (found := matched(block, wanted, matcher))]
        best = max((found.score for found in tables), default=0.0)
        path, number = node.path, 0
        for at, found in enumerate(one for one in tables if one.score >= AS_GOOD * best):
            if depth:
                path, number = node.path.replace("[]", f"[{at}]"), 0
                for leaf in outer:
                    yield from self._above(leaf.path.replace("[]", f"[{at}]"), leaf, found)
            rows = list(_rows(found))
            readings = {column: _readings(column, rows) for column in found.columns}
            for cells in rows:
                if number == MOST_ITEMS:
                    return
                item = {name: (cell, readings[name]) for name, cell in cells.items()}
                yield from self._item(node.path, f"{path}[{number}]", found, item, wanted)
                number += 1

    def _above(self, path: str, leaf: LeafSpec, found: MatchedTable) -> Iterator[Proposal]:
        """A value of the whole table, beside its label above the head: `Age group: 90-94`."""
        table = found.block.table
        assert table is not None
        name = re.sub(r"[\W_]+", r"[\\W_]+", leaf.name)
        for cell in table.cells:
            said = re.search(rf"\b{name}\s*[:=]\s*(\S+)", cell.text, re.IGNORECASE)
            if cell.row < found.first_row and said:
                yield self._proposal(path, said[1], found, cell, 0.7, leaf.name)
                return

    def _item(
        self,
        path: str,
        here: str,
        found: MatchedTable,
        cells: Mapping[str, tuple[Cell, Readings]],
        wanted: Sequence[WantedLeaf],
    ) -> Iterator[Proposal]:
        sure = round(min(0.9, 0.55 + 0.35 * found.score / max(len(wanted), 1)), 3)
        for one in wanted:
            cell, readings = cells.get(one.leaf.path, (None, None))
            if cell is not None and readings is not None and cell.text.strip():
                at = one.leaf.path.replace(f"{path}[]", here, 1)
                value = _value(one, cell.text, readings)
                yield self._proposal(at, value, found, cell, sure, found.heads[one.leaf.path])

    def _proposal(self, path: str, value: Json, found: MatchedTable, cell: Cell, sure: float, label: str) -> Proposal:
        return Proposal(
            path=path,
            value=value,
            records=(cell_id(found.block.id, cell.row, cell.column),),
            quote=cell.text,
            confidence=sure,
            extractor=self.name,
            places=(Part(cell.page, cell.bbox, cell.source),),
            label=label,
        )


def _rows(found: MatchedTable) -> Iterator[dict[str, Cell]]:
    """The cells of each item by the path of their property."""
    table = found.block.table
    assert table is not None
    below = False
    for row in range(found.first_row, table.rows):
        texts = [cell.text for cell in table.cells if cell.row == row and cell.text.strip()]
        if not texts or any(_TOTAL.match(text) for text in texts[:2]):
            continue
        if found.what is not None and not _text_at(table, row, found.what):
            below = below or sum(map(str.isalpha, texts[0])) >= SHORTEST_LABEL
            if below:  # Net 120.00, VAT 20% 24.00
                continue
        cells = {path: cell for path in found.columns if (cell := cell_of(found, row, path))}
        filled = [cell for cell in cells.values() if cell.text.strip()]
        if len(filled) >= min(2, len(found.columns)) and not all(cell.header for cell in filled):
            yield cells


def _text_at(table: Table, row: int, column: int) -> str:
    cell = cell_at(table, row, column)
    return cell.text.strip() if cell is not None else ""


def _readings(path: str, rows: Sequence[Mapping[str, Cell]]) -> Readings:
    """The number and date format of a column: a cell that can be read in one way only decides for the others."""
    texts = [" ".join(cells[path].text.split()) for cells in rows if path in cells]
    return Readings(texts, texts)


def _with_column_names(leaf: LeafSpec) -> LeafSpec:
    """The leaf with how columns of result lists call it, which is often short."""
    known = next((names for named, names in _COLUMNS if named.search(leaf.name.replace("_", " ").casefold())), ())
    return replace(leaf, aliases=(*leaf.aliases, *known)) if known else leaf


def _value(wanted: WantedLeaf, text: str, readings: Readings) -> Json:
    plain = " ".join(text.split())
    if wanted.leaf.type in ("number", "integer") and number_readings(plain):
        number = readings.number(plain)
        if number is not None:
            return int(number) if number.is_integer() else number
    if wanted.kind == "date" and wanted.leaf.type == "string":
        return readings.date(plain) or plain
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
