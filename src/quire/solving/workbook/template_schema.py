"""The JSON Schema that an Excel template asks for."""

from __future__ import annotations

import re
from typing import Any

from quire.core.context import Json
from quire.solving.workbook.number_formats import FormatKind, meaning_of
from quire.solving.workbook.slots import CellSlot, ListSlot, Slot, TableSlot, is_formula, slots_of
from quire.solving.workbook.template_file import open_template

_SCHEMAS: dict[FormatKind, dict[str, Json]] = {
    "any": {"type": "string"},
    "text": {"type": "string"},
    "time": {"type": "string"},
    "date": {"type": "string", "format": "date"},
    "date-time": {"type": "string", "format": "date-time"},
    "number": {"type": "number"},
    "amount": {"type": "number"},
    "percentage": {"type": "number"},
}
_PERCENT = "In percent: 8 for 8 %."
_REACH = 20
"""Cells between a value and its label."""
_MOST_CHOICES = 1_000


def template_schema(template: bytes) -> dict[str, Json]:
    """What a template asks for: a value for each named cell, a list for each named column of cells, a list of objects
    for each table. Cells with formulas and names that begin with an underscore are not asked for.

    Raises UsageError for a file that is no workbook, is encrypted, unpacks to too much, or names nothing to fill.
    """
    book = open_template(template)
    schema: dict[str, Json] = {"type": "object", "properties": {}}
    for slot in slots_of(book):
        *groups, name = slot.path.split(".")
        inside: Any = schema["properties"]
        for group in groups:
            inside = inside.setdefault(group, {"type": "object", "properties": {}})["properties"]
        inside[name] = _slot_schema(book, slot)
    if title := (book.properties.title or "").strip():
        schema["title"] = title
    return schema


def _slot_schema(book: Any, slot: Slot) -> dict[str, Json]:
    sheet = book[slot.sheet]
    match slot:
        case CellSlot():
            cell = sheet.cell(slot.row, slot.column)
            leaf = _leaf(book, cell, _label(cell), _note(cell))
            if slot.aliases:
                ours: Any = leaf.setdefault("x-quire", {})
                ours["aliases"] = [re.sub(r"[._]+", " ", one) for one in slot.aliases]
            return leaf
        case ListSlot():
            cell = sheet.cell(slot.first, slot.column)
            return _titled({"type": "array", "items": _leaf(book, cell, "", "")}, _label(cell), _note(cell))
        case TableSlot():
            columns: dict[str, Json] = {}
            for column in slot.asked:
                cell, head = sheet.cell(slot.first, column.column), sheet.cell(slot.first - 1, column.column)
                columns[column.name] = _leaf(book, cell, column.title, _note(head) or _note(cell))
            words = re.sub(r"[._]+", " ", slot.path)
            return _titled({"type": "array", "items": {"type": "object", "properties": columns}}, words, "")


def _leaf(book: Any, cell: Any, title: str, note: str) -> dict[str, Json]:
    meaning = meaning_of(cell)
    schema = dict(_SCHEMAS[meaning.kind])
    if meaning.kind == "percentage":
        note = f"{note} {_PERCENT}".strip()
    ours: dict[str, Json] = {"kind": meaning.kind} if meaning.kind in ("amount", "percentage") else {}
    if meaning.unit:
        ours["unit"] = meaning.unit
    if choices := _choices(book, cell):
        schema["enum"] = choices
        if all(isinstance(one, (int, float)) for one in choices):
            schema["type"] = "number"
    return {**_titled(schema, title, note), **({"x-quire": ours} if ours else {})}


def _titled(schema: dict[str, Json], title: str, description: str) -> dict[str, Json]:
    named = {"title": title, "description": description}
    return {**schema, **{key: text for key, text in named.items() if text}}


def _label(cell: Any) -> str:
    """The nearest text to the left of a cell in its row, else the nearest above it."""
    sheet = cell.parent
    left = (sheet.cell(cell.row, cell.column - n) for n in range(1, min(cell.column, _REACH)))
    above = (sheet.cell(cell.row - n, cell.column) for n in range(1, min(cell.row, _REACH)))
    for cells in (left, above):
        nearest = next((one.value for one in cells if one.value is not None), None)
        if isinstance(nearest, (str, list)) and not is_formula(nearest) and (label := " ".join(str(nearest).split())):
            return label.rstrip(" :：")  # a list is rich text
    return ""


def _note(cell: Any) -> str:
    """The note on a cell, without the name of its author in front, which Excel writes there."""
    if cell.comment is None:
        return ""
    text = " ".join(str(cell.comment.text).split())
    return text.removeprefix(f"{cell.comment.author}:").strip()


def _choices(book: Any, cell: Any) -> list[Json]:
    """What the list of a data validation offers for a cell: as written there, or in the cells that it refers to."""
    for rule in cell.parent.data_validations.dataValidation:
        if rule.type == "list" and rule.formula1 and cell.coordinate in rule.sqref:
            text = str(rule.formula1).removeprefix("=")
            if text.startswith('"'):
                return [one.strip() for one in text.strip('"').replace('""', '"').split(",") if one.strip()]
            return _listed(book, cell.parent, text)
    return []


def _listed(book: Any, sheet: Any, text: str) -> list[Json]:
    named = sheet.defined_names.get(text) or book.defined_names.get(text)
    title, _, area = (named.attr_text if named else text).rpartition("!")
    title = title.strip("'").replace("''", "'")
    if not re.fullmatch(r"\$?[A-Z]{1,3}\$?\d+:\$?[A-Z]{1,3}\$?\d+", area) or (title and title not in book.sheetnames):
        return []
    rows = (book[title] if title else sheet)[area.replace("$", "")]
    values = [one.value for row in rows for one in row if one.value is not None and not is_formula(one.value)]
    return [one if isinstance(one, (int, float)) else str(one) for one in values[:_MOST_CHOICES]]
