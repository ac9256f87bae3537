"""The places of a template that are to be filled: named cells, named columns of cells, and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from quire.core.errors import UsageError

_LONGEST_LIST = 10_000
"""Cells of a named column; one that is named as a whole is no list to fill."""
_AREA = re.compile(r"^(?:'((?:[^']|'')+)'|([^'!]+))!\$?([A-Z]{1,3})\$?(\d+)(?::\$?([A-Z]{1,3})\$?(\d+))?$")


@dataclass(frozen=True, slots=True)
class CellSlot:
    """One named cell. `aliases` are further names of the same cell."""

    path: str
    sheet: str
    row: int
    column: int
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListSlot:
    """A named range of several cells below each other: a list of values."""

    path: str
    sheet: str
    column: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ColumnSlot:
    """A column of a table: the name of its property, its header as written, its number on the sheet."""

    name: str
    title: str
    column: int
    computed: bool


@dataclass(frozen=True, slots=True)
class TableSlot:
    """An Excel table: a list of objects. `first` and `last` are its rows of data, without header and totals."""

    path: str
    sheet: str
    first: int
    last: int
    columns: tuple[ColumnSlot, ...]

    @property
    def asked(self) -> tuple[ColumnSlot, ...]:
        return tuple(column for column in self.columns if not column.computed)


Slot: TypeAlias = CellSlot | ListSlot | TableSlot


def slots_of(book: Any) -> list[Slot]:
    """What a workbook names to be filled, in the order of its sheets and rows.

    Raises UsageError for nothing, and for names that exclude each other.
    """
    tables = [slot for sheet in book.worksheets for table in sheet.tables.values() if (slot := _table(sheet, table))]
    slots: list[Slot] = [*_named(book, tables), *tables]
    if not slots:
        raise UsageError(
            "the template names nothing to fill: give cells a name (in Excel: Formulas, Define Name), or make a table "
            "(Insert, Table); names that begin with an underscore and cells with formulas are not filled"
        )
    _check_paths([slot.path for slot in slots])
    order = {sheet.title: number for number, sheet in enumerate(book.worksheets)}
    return sorted(slots, key=lambda slot: (order[slot.sheet], *_corner(slot)))  # Excel keeps names by the alphabet


def is_formula(value: object) -> bool:
    """Whether the content of a cell is calculated: a formula, an array formula or a data table."""
    return (isinstance(value, str) and value.startswith("=")) or type(value).__name__.endswith("Formula")


def property_name(title: str) -> str:
    """The name of a property for a header: `unit_price` for `Unit price`, in any script."""
    return re.sub(r"[\W_]+", "_", title.casefold()).strip("_")


def _named(book: Any, tables: list[TableSlot]) -> Iterator[CellSlot | ListSlot]:
    names: dict[tuple[str, int, int, int, int], list[str]] = {}
    for named in (book, *book.worksheets):
        for name in named.defined_names.values():
            if not name.hidden and not name.name.startswith("_") and (area := _area(book, name.attr_text)):
                names.setdefault(area, []).append(_path(name.name))
    for (title, column, first, right, last), paths in names.items():
        if right != column or last - first >= _LONGEST_LIST:
            continue
        if any(_is_inside(table, title, column, first) for table in tables):
            continue  # the table asks for it
        cells = [book[title].cell(row, column) for row in range(first, last + 1)]
        if any(is_formula(cell.value) or type(cell).__name__ == "MergedCell" for cell in cells):
            continue
        if first == last:
            yield CellSlot(paths[0], title, first, column, tuple(paths[1:]))
        else:
            yield ListSlot(paths[0], title, column, first, last)


def _corner(slot: Slot) -> tuple[int, int]:
    match slot:
        case CellSlot():
            return slot.row, slot.column
        case ListSlot():
            return slot.first, slot.column
        case TableSlot():
            return slot.first, slot.columns[0].column


def _area(book: Any, text: str | None) -> tuple[str, int, int, int, int] | None:
    """The sheet and the corners of what a name refers to; a merged range is its first cell."""
    from openpyxl.utils import column_index_from_string

    found = _AREA.match(text or "")
    if found is None:
        return None
    title = (found[1] or "").replace("''", "'") or found[2]
    if title not in (sheet.title for sheet in book.worksheets):
        return None
    left, top = column_index_from_string(found[3]), int(found[4])
    right, bottom = (column_index_from_string(found[5]), int(found[6])) if found[5] else (left, top)
    for merged in book[title].merged_cells.ranges:
        if (merged.min_col <= left <= right <= merged.max_col) and (merged.min_row <= top <= bottom <= merged.max_row):
            return title, merged.min_col, merged.min_row, merged.min_col, merged.min_row
    return title, left, top, right, bottom


def _path(name: str) -> str:
    return ".".join(filter(None, name.split(".")))


def _is_inside(table: TableSlot, title: str, column: int, row: int) -> bool:
    columns = [one.column for one in table.columns]
    return table.sheet == title and column in columns and table.first <= row <= table.last


def _table(sheet: Any, table: Any) -> TableSlot | None:
    from openpyxl.utils import range_boundaries

    left, top, right, bottom = range_boundaries(table.ref)
    header = 1 if table.headerRowCount is None else table.headerRowCount
    first, last = top + header, bottom - (table.totalsRowCount or 0)
    if table.displayName.startswith("_") or last < first:
        return None
    if len(table.tableColumns) != right - left + 1:
        raise UsageError(f"the table {table.displayName} is damaged: it has more columns than titles, or fewer")
    if any(one.min_row <= last and one.max_row >= first for one in _merged(sheet, left, right)):
        raise UsageError(f"the table {table.displayName} has merged cells, which hold no rows; unmerge them")
    used: dict[str, int] = {}
    columns = []
    for number, column in zip(range(left, right + 1), table.tableColumns, strict=True):
        plain = property_name(column.name) or f"column_{number - left + 1}"
        used[plain] = used.get(plain, 0) + 1
        name = plain if used[plain] == 1 else f"{plain}_{used[plain]}"
        computed = column.calculatedColumnFormula is not None or is_formula(sheet.cell(first, number).value)
        columns.append(ColumnSlot(name, column.name, number, computed))
    slot = TableSlot(_path(table.displayName), sheet.title, first, last, tuple(columns))
    return slot if slot.asked else None


def _merged(sheet: Any, left: int, right: int) -> list[Any]:
    """The merged cells in some columns."""
    return [one for one in sheet.merged_cells.ranges if one.min_col <= right and one.max_col >= left]


def _check_paths(paths: list[str]) -> None:
    known = set()
    for path in paths:
        if path in known:
            raise UsageError(f"the template has the name {path} on two sheets; give each cell a name of its own")
        known.add(path)
    for path in paths:
        parts = path.split(".")
        if outer := next((one for n in range(1, len(parts)) if (one := ".".join(parts[:n])) in known), None):
            raise UsageError(f"the template has the names {outer} and {path}; a name cannot be a value and a group")
