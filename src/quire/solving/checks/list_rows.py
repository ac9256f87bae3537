"""Checks the items of lists: none twice, none put together from two rows of a table, and all in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from quire.solving.checks.catalog_tables import TableCell
from quire.solving.checks.reviewed_answer import ReviewedAnswer, ReviewedValue
from quire.solving.findings import Finding

_ITEM = re.compile(r"(.*)\[(\d+)\]([^\[]*)")
_Items = Mapping[int, Mapping[str, ReviewedValue]]
"""The values of a list by item and field."""


def row_findings(reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """Items of lists that cite the same places as another one, or another row of the table than the rest of them."""
    for name, items in _lists(reviewed).items():
        yield from _twice(items, reviewed)
        yield from _mixed(name, items, reviewed)


def _lists(reviewed: ReviewedAnswer) -> dict[str, dict[int, dict[str, ReviewedValue]]]:
    found: dict[str, dict[int, dict[str, ReviewedValue]]] = {}
    for one in reviewed.values:
        if match := _ITEM.fullmatch(one.path):
            name, number, field = match.groups()
            found.setdefault(name, {}).setdefault(int(number), {})[field] = one
    return found


def _twice(items: _Items, reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """An item that says the same as an earlier one, from the same places."""
    seen: dict[object, int] = {}
    for number, item in items.items():
        places = [
            (
                field,
                repr(one.value),
                one.evidence.document,
                one.evidence.page,
                one.evidence.bboxes,
                one.evidence.records,
            )
            for field, one in item.items()
            if one.evidence is not None and one.evidence.bboxes
        ]
        if len(places) < len(item):
            continue
        first = seen.setdefault(tuple(places), number)
        if first != number:
            for one in item.values():
                yield reviewed.finding(one, "contradiction", f"item {number} cites the same places as item {first}")


def _mixed(name: str, items: _Items, reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """Fields whose cells are not in the order of the table, while those of other fields are: they are of other rows."""
    rows = _rows(items, reviewed)
    in_order = [field for field, cells in rows.items() if all(_is_before(*two) for two in pairwise(cells.values()))]
    if rows and not in_order and all(len(cells) > 1 for cells in rows.values()):
        yield Finding(name, "doubt", "its items do not stand in the order of the document", open=False)
        return
    for field, cells in rows.items():
        for number, cell in cells.items():
            others = [there for one in in_order if (there := rows[one].get(number)) is not None]
            others = [one for one in others if one.table is cell.table]
            if field not in in_order and others and all(one.cell.row != cell.cell.row for one in others):
                reason = f"it stands in row {cell.cell.row} of its table, and the rest of item {number} in others"
                yield reviewed.finding(items[number][field], "contradiction", reason)


def _rows(items: _Items, reviewed: ReviewedAnswer) -> dict[str, dict[int, TableCell]]:
    found: dict[str, dict[int, TableCell]] = {}
    for number, item in sorted(items.items()):
        for field, one in item.items():
            if (cell := reviewed.cell(one.evidence)) is not None:
                found.setdefault(field, {})[number] = cell
    return found


def _is_before(one: TableCell, other: TableCell) -> bool:
    return (one.table.order, one.cell.row) <= (other.table.order, other.cell.row)
