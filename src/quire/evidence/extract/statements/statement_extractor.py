"""`StatementExtractor`: the numbers of line items, with their periods, units and scales."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from quire.core.context import Json
from quire.core.types import Cell, Part
from quire.evidence.catalog.builder import cell_id
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extractor import code_version
from quire.evidence.extract.schema import ExtractSchema, LeafSpec, ListSpec, ObjectSpec, SchemaNode
from quire.evidence.extract.statements.statement_tables import (
    StatedScale,
    Statement,
    StatementRow,
    stated_scale,
    statements_of,
)
from quire.evidence.extract.values import Proposal
from quire.lexicon.amounts import numbers_in
from quire.lexicon.finance.line_items import LineItem, item_in, item_named, likeness
from quire.lexicon.finance.periods import StatedPeriod, fiscal_label, fiscal_year_end
from quire.lexicon.terms import CURRENCY_TERMS

LEAST_ALIKE = 0.7
AS_ALIKE = 0.1
"""The difference in likeness up to which a row of another table has the same item for other periods."""
MOST_PERIODS = 24
NumberPart: TypeAlias = Literal["value", "scale", "unit", "period"]
_PART_NAMES: Mapping[NumberPart, re.Pattern[str]] = {
    "value": re.compile(r"^(?:value|amount|figure|number)$"),
    "scale": re.compile(r"\b(?:scale|multiplier|factor)\b"),
    "unit": re.compile(r"\b(?:unit|currency)\b"),
    "period": re.compile(r"\b(?:period|quarter|year|as of)\b"),
}
_PER_SHARE = re.compile(r"\bper\b.*\bshare|\beps\b|^(?:basic|diluted)$", re.IGNORECASE)
_CALCULATED = re.compile(
    r"\b(?:change|growth|grow|margins?|ratio|days|average|percent(?:age)?|conversion|compare[sd]?|improv\w+|most|"
    r"highest|lowest|why|drove|consistent|per share|which|any|(?:more|less) than)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:FY ?)?((?:19|20)\d\d)\b|\bFY ?(\d\d)\b")


class _Found(NamedTuple):
    statement: Statement
    row: StatementRow
    column: int
    sure: float

    @property
    def cell(self) -> Cell:
        return self.row.cells[self.column]


@dataclass(frozen=True)
class _Item:
    """A list that asks for the numbers of a line item: the leaves of its objects by what they say."""

    node: ListSpec
    leaves: Mapping[NumberPart, LeafSpec]
    item: LineItem


class StatementExtractor:
    """Fills lists whose objects are numbers with their period, and single numbers that are a known line item."""

    name = "statements"

    @property
    def version(self) -> str:
        return code_version()

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        items = list(_items(schema.root))
        singles = [(leaf, one) for leaf in schema.leaves if (one := _asked_item(leaf)) is not None]
        if not items and not singles:
            return []
        statements = list(statements_of(catalog.blocks))
        year_end = next((end for one in statements if (end := fiscal_year_end(one.periods.values())) is not None), 12)
        scales = (stated_scale(block.id, block.text) for block in catalog.blocks)
        scale = next(filter(None, scales), None)
        proposed: list[Proposal] = []
        for item in items:
            for number, found in enumerate(_numbers(statements, item.item)[:MOST_PERIODS]):
                proposed += self._item(item, number, found, year_end, scale)
        for leaf, line_item in singles:
            if (single := _of_year(_numbers(statements, line_item), leaf)) is not None:
                value = _number(single.cell.text, line_item)
                proposed.append(self._proposal(leaf.path, value, single, single.cell, single.sure))
        return [one for one in proposed if one.value is not None]

    def _item(
        self, item: _Item, number: int, found: _Found, year_end: int, scale: StatedScale | None
    ) -> Iterator[Proposal]:
        path = f"{item.node.path}[{number}]"
        at = {part: leaf.path.replace(f"{item.node.path}[]", path, 1) for part, leaf in item.leaves.items()}
        yield self._proposal(at["value"], _number(found.cell.text, item.item), found, found.cell, found.sure)
        head, text = found.statement.heads[found.column]
        if "period" in at:
            fiscal = "FY" in item.leaves["period"].description
            label = fiscal_label(found.statement.periods[found.column], year_end) if fiscal else text
            yield self._proposal(at["period"], label, found, head, 0.6)
        if "unit" in at and (unit := _unit(found)) is not None:
            yield self._proposal(at["unit"], unit[0], found, unit[1], 0.8)
        if "scale" in at:
            stated = found.statement.scale or scale
            if "%" in found.cell.text or _PER_SHARE.search(found.row.label):
                yield self._proposal(at["scale"], 1, found, found.cell, 0.6)
            elif stated is not None:
                yield Proposal(at["scale"], stated.number, (stated.record,), stated.quote, 0.8, self.name)

    def _proposal(self, path: str, value: Json, found: _Found, cell: Cell, sure: float) -> Proposal:
        return Proposal(
            path=path,
            value=value,
            records=(cell_id(found.statement.block.id, cell.row, cell.column),),
            quote=cell.text,
            confidence=round(sure, 3),
            extractor=self.name,
            places=(Part(cell.page, cell.bbox, cell.source),),
            label=found.row.label,
        )


def _numbers(statements: Sequence[Statement], item: LineItem) -> list[_Found]:
    """The numbers of an item: those of the row that is named best, and of other tables those of further periods."""
    fitting = [one for one in statements if one.is_of_points or not item.is_point]
    rows = [(sure, one, row) for one in fitting for row in one.rows if (sure := _sure(row, item)) >= LEAST_ALIKE]
    best = max((sure for sure, _, _ in rows), default=0.0)
    ordered = sorted((row for row in rows if row[0] >= best - AS_ALIKE), key=lambda row: row[0] < best)
    found: dict[StatedPeriod, _Found] = {}
    for sure, statement, row in ordered:
        if statement.is_of_points is ordered[0][1].is_of_points:
            for column in row.cells:
                found.setdefault(statement.periods[column], _Found(statement, row, column, 0.55 + 0.35 * sure))
    return list(found.values())


def _sure(row: StatementRow, item: LineItem) -> float:
    return max(likeness(row.label, item), likeness(f"{row.section} {row.label}", item) if row.section else 0.0)


def _of_year(numbers: Sequence[_Found], leaf: LeafSpec) -> _Found | None:
    """The number of the year that a question names, the longest period of it; else the first of its row."""
    years = {int(one or f"20{short}") for one, short in _YEAR.findall(f"{leaf.title} {leaf.description}")}
    fitting = [one for one in numbers if one.statement.periods[one.column].end.year in years] if years else numbers[:1]
    return max(fitting, key=lambda one: one.statement.periods[one.column].months or 0, default=None)


def _asked_item(leaf: LeafSpec) -> LineItem | None:
    """The line item that a single number is: by its name, or by a question that asks for it and for nothing more."""
    if "[]" in leaf.path or leaf.type not in ("number", "integer"):
        return None
    question = f"{leaf.title} {leaf.description}"
    return item_named(leaf.name) or (None if _CALCULATED.search(question) else item_in(question))


def _items(node: SchemaNode) -> Iterator[_Item]:
    if isinstance(node, ObjectSpec):
        for child in node.properties.values():
            yield from _items(child)
    elif isinstance(node, ListSpec) and isinstance(node.items, ObjectSpec) and "[]" not in node.path:
        leaves: dict[NumberPart, LeafSpec] = {}
        for child in node.items.properties.values():
            name = child.path.rpartition(".")[2].replace("_", " ").casefold()
            part = next((part for part, named in _PART_NAMES.items() if named.search(name)), None)
            if part is not None and isinstance(child, LeafSpec):
                leaves.setdefault(part, child)
        if "value" in leaves and len(leaves) > 1:
            yield _Item(node, leaves, _item_of(node))


def _item_of(node: ListSpec) -> LineItem:
    """The item as it is known, else as the schema calls it."""
    name = node.path.rpartition(".")[2].replace("_", " ")
    described = re.split(r"[:(,]", node.description)[0].strip()
    return item_named(name) or LineItem([name], [[label for label in (name, node.title, described) if label]])


def _number(text: str, item: LineItem) -> int | float | None:
    found = numbers_in(text)
    if len(found) != 1:
        return None
    number = max(found[0].readings, key=abs)  # 373,819 is no 373.819, and 23.6 % no 0.236
    number = abs(number) if item.is_outflow else number
    return int(number) if number == number.to_integral_value() else float(number)


def _unit(found: _Found) -> tuple[str, Cell] | None:
    """The unit of a number, and the cell whose sign says it: its own, or one of its column."""
    if "%" in found.cell.text:
        return "%", found.cell
    column = [row.cells[found.column] for row in found.statement.rows if found.column in row.cells]
    for cell in (found.cell, *column):
        if sign := next((sign for sign in CURRENCY_TERMS if sign in cell.text), None):
            return CURRENCY_TERMS[sign].upper(), cell
    return None
