"""A workbook for values that come without a template: a sheet of fields, and one for each list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from quire.core.context import Json
from quire.evidence.extract.value_paths import field_of, value_at
from quire.solving.workbook.added_sheets import write_head
from quire.solving.workbook.cell_values import cell_text, write_text
from quire.solving.workbook.slots import CellSlot, ColumnSlot, ListSlot, Slot, TableSlot
from quire.solving.workbook.template_file import new_workbook

_FORBIDDEN = re.compile(r"[\\/*?:\[\]']")
_LONGEST_TITLE = 31
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DATE = "yyyy-mm-dd"


def blank_workbook(values: Json, paths: Iterable[str]) -> tuple[Any, list[Slot]]:
    """A new workbook with a place for each value, and for each path that evidence was looked for without a value."""
    from openpyxl.styles import Alignment

    book = new_workbook()
    fields, lists = _shapes(values, paths)
    slots: list[Slot] = []
    sheet = _sheet(book, "Fields", {"Field": 36, "Value": 60})
    for row, path in enumerate(fields, start=2):
        write_text(sheet.cell(row, 1), path)
        slots.append(CellSlot(path, sheet.title, row, 2))
        sheet.cell(row, 2).alignment = Alignment(horizontal="left", vertical="top", wrap_text=True)
        if _is_date(value_at(values, path)):
            sheet.cell(row, 2).number_format = _DATE
    for path, columns in lists.items():
        sheet = _sheet(book, path, dict.fromkeys(columns or ("Value",), 24))
        titled = tuple(ColumnSlot(name, name, number, False) for number, name in enumerate(columns, start=1))
        slots.append(TableSlot(path, sheet.title, 2, 2, titled) if titled else ListSlot(path, sheet.title, 1, 2, 2))
        rows = value_at(values, path) or []
        for column in titled:
            if _is_date(*(row.get(column.name) for row in rows if isinstance(row, Mapping))):
                sheet.cell(2, column.column).number_format = _DATE
    if not fields and lists:
        book.remove(book["Fields"])
    return book, slots


def _shapes(values: Json, paths: Iterable[str]) -> tuple[list[str], dict[str, list[str]]]:
    """The paths of single values, and the lists with the names of their columns: none for a list of values."""
    fields: dict[str, None] = {}
    lists: dict[str, list[str]] = {}
    for path, value in _leaves(values, ""):
        if isinstance(value, list):
            rows = [one for one in value if isinstance(one, Mapping)]
            lists[path] = list(dict.fromkeys(name for row in rows for name in row))
        else:
            fields[path] = None
    for path in paths:
        outer, bracket, rest = field_of(path).partition("[]")
        if not bracket and path not in lists:
            fields.setdefault(path)
        elif bracket and outer not in fields:
            columns = lists.setdefault(outer, [])
            name = rest.removeprefix(".").partition(".")[0].partition("[")[0]
            if name and name not in columns:
                columns.append(name)
    return list(fields), lists


def _leaves(values: Json, path: str) -> Iterator[tuple[str, Json]]:
    """Single values and lists, by their paths."""
    if isinstance(values, Mapping):
        for name, child in values.items():
            yield from _leaves(child, f"{path}.{name}" if path else name)
    elif path:
        yield path, values


def _sheet(book: Any, title: str, widths: Mapping[str, int]) -> Any:
    sheet = book.create_sheet(_title(book, title))
    write_head(sheet, widths)
    return sheet


def _is_date(*values: Json) -> bool:
    """Whether there are values, and all of them are days."""
    there = [value for value in values if value is not None]
    return bool(there) and all(isinstance(one, str) and _DAY.fullmatch(one) for one in there)


def _title(book: Any, wanted: str) -> str:
    """A title that Excel takes and no other sheet has."""
    plain = _FORBIDDEN.sub(" ", cell_text(wanted))[:_LONGEST_TITLE].strip() or "List"
    taken, title, number = {one.casefold() for one in book.sheetnames}, plain, 1
    while title.casefold() in taken or title.casefold() in ("history", "evidence"):
        number += 1
        title = f"{plain[: _LONGEST_TITLE - 4]} {number}"
    return title
