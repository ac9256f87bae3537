"""A template filled with the values of an answer, every cell linked to its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from quire.core.context import Json
from quire.evidence.extract.value_paths import value_at, values_by_path
from quire.evidence.extract.values import LeafEvidence
from quire.solving.workbook.blank_workbook import blank_workbook
from quire.solving.workbook.cell_values import write_value
from quire.solving.workbook.evidence_sheet import Cropper, FilledPlace, add_evidence, document_name, fill_colour
from quire.solving.workbook.notes import write_note
from quire.solving.workbook.row_shift import RowShift, check_alone, copy_row, shift_rows
from quire.solving.workbook.slots import CellSlot, ListSlot, Slot, TableSlot, slots_of
from quire.solving.workbook.template_file import open_template, workbook_bytes

_NO_EVIDENCE = "the answer gives no evidence for this value"


def fill_workbook(
    template: bytes | None,
    values: Json,
    evidence: Mapping[str, LeafEvidence],
    *,
    crop: Cropper | None = None,
    names: Mapping[str, str] | None = None,
) -> bytes:
    """The template with the values, or a new workbook without one, and a sheet with the evidence of each value.

    Formulas are kept, and calculated by the spreadsheet that opens it. Tables get as many rows as there are values, and
    what stands below them moves. A value without support is coloured, and its note says why. `crop` gives the picture
    of the place of a value as PNG, `names` the file names of documents by their short names. The same input gives the
    same bytes. Raises UsageError for a template that cannot be filled.
    """
    if template is None:
        book, slots = blank_workbook(values, evidence)
    else:
        book = open_template(template)
        slots = slots_of(book)
    cells = _Filling(book, values).cells(slots)
    places = _places(values, evidence, cells)
    for place in places:
        if place.cell is not None:
            write_value(place.cell, place.value, quote=place.evidence.quote)
            fill_colour(place.cell, place.evidence.status)
            write_note(place.cell, place.evidence, document_name(place.evidence, names or {}))
    add_evidence(book, places, crop, names or {})
    return workbook_bytes(book)


def _places(values: Json, evidence: Mapping[str, LeafEvidence], cells: Mapping[str, Any]) -> list[FilledPlace]:
    """Every value in the order of the evidence, then those without evidence."""
    paths = dict.fromkeys((*evidence, *(path for path, _ in values_by_path(values)), *cells))
    found = {path: value_at(values, path) for path in paths}
    return [
        FilledPlace(path, None if value == [] else value, _evidence(path, value, evidence), cells.get(path))
        for path, value in found.items()
    ]


def _evidence(path: str, value: Json, evidence: Mapping[str, LeafEvidence]) -> LeafEvidence:
    """The evidence of a value; of several values in one cell the one that is supported least."""
    found = evidence.get(path)
    if value is None or value == []:
        if found is None or found.supported:
            return LeafEvidence(path, "not_found", reason=found.reason if found else "")
        return found
    if found is None and isinstance(value, (list, dict)):
        inside = [one for other, one in evidence.items() if other.startswith((f"{path}[", f"{path}."))]
        found = min(inside, key=lambda one: one.supported, default=None)
    if found is None:
        return LeafEvidence(path, "unverified", reason=_NO_EVIDENCE)
    return replace(found, status="unverified") if found.status == "not_found" else found


class _Filling:
    """The cells of a workbook by the paths of their values, after tables have the rows that they need."""

    def __init__(self, book: Any, values: Json) -> None:
        self._book, self._values = book, values
        self._shifts: list[RowShift] = []
        self._room: dict[str, int] = {}

    def cells(self, slots: list[Slot]) -> dict[str, Any]:
        """Rows are added from the bottom up, so that each slot is still where the template has it."""
        lists = [slot for slot in slots if not isinstance(slot, CellSlot)]
        for slot in sorted(lists, key=lambda one: -one.last):
            self._make_room(slot)
        return {path: cell for slot in slots for path, cell in self._cells(slot)}

    def _rows(self, slot: ListSlot | TableSlot) -> int:
        rows = value_at(self._values, slot.path)
        return len(rows) if isinstance(rows, list) else 0

    def _make_room(self, slot: ListSlot | TableSlot) -> None:
        there, needed = slot.last - slot.first + 1, max(self._rows(slot), 1)
        sheet, columns = self._book[slot.sheet], _columns(slot)
        inserted = sum(one.by for one in self._shifts if (one.sheet, one.last) == (slot.sheet, slot.last))
        by = needed - there - inserted
        if by < 0 and (isinstance(slot, ListSlot) or _is_used(sheet, columns, slot.first + needed, slot.last)):
            by = 0  # the rows stay, empty: they are not those of the slot alone
        self._room[slot.path] = there + by
        if by == 0:
            return
        check_alone(sheet, slot.path, (slot.first, slot.last))
        shift = RowShift(slot.sheet, slot.first, slot.last, by)
        shift_rows(self._book, shift)
        self._shifts.append(shift)
        for row in range(slot.last + 1, slot.last + by + 1):
            copy_row(sheet, source=slot.first, target=row, columns=columns)

    def _cells(self, slot: Slot) -> Iterator[tuple[str, Any]]:
        sheet = self._book[slot.sheet]
        if isinstance(slot, CellSlot):
            yield slot.path, sheet.cell(self._now(slot.sheet, slot.row), slot.column)
            return
        first, rows = self._now(slot.sheet, slot.first), self._rows(slot)
        asked = {"": slot.column} if isinstance(slot, ListSlot) else {f".{one.name}": one.column for one in slot.asked}
        for number in range(max(rows, min(self._room[slot.path], sheet.max_row - first + 1))):
            for name, column in asked.items():
                cell = sheet.cell(first + number, column)
                cell.value = None  # what the template has there is an example
                if number < rows:
                    yield f"{slot.path}[{number}]{name}", cell
        if not rows:
            yield slot.path, sheet.cell(first, min(asked.values()))

    def _now(self, sheet: str, row: int) -> int:
        """The row of the template after rows were added and removed above it."""
        for shift in self._shifts:
            if shift.sheet == sheet:
                row = shift.row(row) or row
        return row


def _columns(slot: ListSlot | TableSlot) -> range:
    numbers = [slot.column] if isinstance(slot, ListSlot) else [one.column for one in slot.columns]
    return range(min(numbers), max(numbers) + 1)


def _is_used(sheet: Any, columns: range, first: int, last: int) -> bool:
    """Whether anything stands beside these columns in these rows."""
    rows = sheet.iter_rows(min_row=first, max_row=min(last, sheet.max_row))
    return any(cell.value is not None and cell.column not in columns for row in rows for cell in row)
