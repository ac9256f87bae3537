"""Rows added to a sheet, or taken from it, with everything that refers to what stands below them.

openpyxl moves cells alone. Here formulas, names, merged cells, formats, validations, tables, charts, pictures and print
areas follow, as they do in a spreadsheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

from quire.core.errors import UsageError

_REFERENCE = re.compile(r"^(?:(?P<sheet>'(?:[^']|'')+'|[^'!\[\]]+)!)?(?P<first>[^:]+)(?::(?P<second>[^:]+))?$")
_CORNER = re.compile(r"^(?P<column>\$?[A-Za-z]{0,3})(?P<dollar>\$?)(?P<row>\d+)$")
_LOST = "#REF!"
_MOST_ROWS = 1_048_576


@dataclass(frozen=True, slots=True)
class RowShift:
    """Rows of the area from row `first` to `last`: `by` more below it, or so many fewer of its last ones."""

    sheet: str
    first: int
    last: int
    by: int

    def row(self, row: int) -> int | None:
        """Where a row is afterwards; None for one that is taken away."""
        if row > self.last:
            return row + self.by
        return row if row <= self.last + min(self.by, 0) else None

    def rows(self, first: int, last: int) -> tuple[int, int] | None:
        """Where a range is afterwards: one that reaches the last row of the area grows and shrinks with it."""
        kept = self.last + min(self.by, 0)
        begin = first if first <= kept else max(kept + 1, first + self.by if first > self.last else 0)
        end = last + self.by if last >= self.last else min(last, kept)
        return (begin, end) if begin <= end else None

    def formula(self, text: str, home: str, at: int | None = None) -> str:
        """A formula on the sheet `home`, in the row `at` if it is one of this sheet."""
        from openpyxl.formula.tokenizer import Tokenizer, TokenizerError

        if not text.startswith("="):
            return self.formula(f"={text}", home, at)[1:]
        try:
            tokens = Tokenizer(text)
        except TokenizerError:
            return text  # no formula that a spreadsheet would calculate either
        for token in tokens.items:
            if token.type == token.OPERAND and token.subtype == token.RANGE and "[" not in token.value:
                token.value = self.reference(token.value, home, at)
        return str(tokens.render())

    def reference(self, text: str, home: str, at: int | None = None) -> str:
        """One cell or range, as `$A$5`, `B5:B9` or `'Other sheet'!5:9`; anything else is returned as it is."""
        found = _REFERENCE.match(text)
        if found is None or (sheet := found["sheet"] or home).strip("'").replace("''", "'") != self.sheet:
            return text
        first = _CORNER.match(found["first"])
        second = _CORNER.match(found["second"]) if found["second"] else None
        if first is None or (found["second"] and second is None) or not (first["column"] or second):
            return text
        front = f"{sheet}!" if found["sheet"] else ""
        if second is None:
            row = self.row(int(first["row"]))
            return front + (_LOST if row is None else _corner(first, row))
        if at == self.last == int(second["row"]) and self.by > 0 and not second["dollar"]:
            return text  # the sum of a row, or of the rows up to it: not of those that are added
        rows = self.rows(*sorted((int(first["row"]), int(second["row"]))))
        return front + (_LOST if rows is None else f"{_corner(first, rows[0])}:{_corner(second, rows[1])}")

    def series(self, text: str) -> str:
        """The cells of a chart: the only cell of a column grows with its area, a single row does not."""
        front, _, area = text.rpartition("!")
        first, _, second = area.partition(":")
        found = _CORNER.match(first), _CORNER.match(second or first)
        if front.strip("'").replace("''", "'") != self.sheet or found[0] is None or found[1] is None:
            return text
        if found[0]["row"] != found[1]["row"]:
            return self.formula(text, "")
        if found[0]["column"] == found[1]["column"] and self.first == self.last == int(found[0]["row"]):
            return self.formula(f"{front}!{first}:{first}", "")
        return f"{front}!{':'.join(self.reference(one, self.sheet) for one in (first, second) if one)}"


def shift_rows(book: Any, shift: RowShift) -> None:
    """Add or remove rows. Raises UsageError where that would tear another table, or leave the sheet."""
    sheet = book[shift.sheet]
    if shift.by == 0:
        return
    if sheet.max_row + shift.by > _MOST_ROWS:
        raise UsageError(f"the sheet {shift.sheet!r} cannot hold {shift.by:,} more rows")
    _move_cells(sheet, shift)
    for one in book.worksheets:
        _shift_formulas(one, shift)
        for name in one.defined_names.values():
            name.attr_text = shift.formula(name.attr_text, one.title)
    for name in book.defined_names.values():
        if name.attr_text:
            name.attr_text = shift.formula(name.attr_text, "")
    for chart in (chart for one in (*book.worksheets, *book.chartsheets) for chart in one._charts):
        for reference in _references(chart, "tx"):
            reference.f = shift.formula(reference.f, "")
        for reference in _references(chart, "cat", "val", "xVal", "yVal", "bubbleSize"):
            reference.f = shift.series(reference.f)
    _shift_layout(sheet, shift)


def check_alone(sheet: Any, table: str, rows: tuple[int, int]) -> None:
    """Raise UsageError where another table stands beside these rows, so that rows of the sheet cannot be inserted."""
    from openpyxl.utils import range_boundaries

    for other in sheet.tables.values():
        _, top, _, bottom = range_boundaries(other.ref)
        if other.displayName != table and top <= rows[1] and bottom >= rows[0]:
            raise UsageError(
                f"the tables {table} and {other.displayName} stand side by side on the sheet {sheet.title!r}, so that "
                "rows cannot be added to one of them; put one below the other, or on another sheet"
            )


def _move_cells(sheet: Any, shift: RowShift) -> None:
    moved = {}
    for (row, column), cell in sheet._cells.items():
        if (to := shift.row(row)) is not None:
            cell.row = to
            moved[to, column] = cell
            if cell.hyperlink is not None:
                cell.hyperlink.ref = cell.coordinate
    sheet._cells = moved
    kept = {}
    for row, dimension in sheet.row_dimensions.items():
        if (to := shift.row(row)) is not None:
            dimension.index = to
            kept[to] = dimension
    sheet.row_dimensions.clear()
    sheet.row_dimensions.update(kept)


def _row_in(cell: Any, shift: RowShift) -> int | None:
    return cell.row if cell.parent.title == shift.sheet else None


def _shift_formulas(sheet: Any, shift: RowShift) -> None:
    for cell in sheet._cells.values():
        if cell.data_type != "f":
            continue
        if isinstance(cell.value, str):
            cell._value = shift.formula(cell.value, sheet.title, _row_in(cell, shift))
        elif isinstance(text := getattr(cell.value, "text", None), str):
            cell.value.text = shift.formula(text, sheet.title)
            cell.value.ref = shift.reference(cell.value.ref, sheet.title)
    for rule in sheet.data_validations.dataValidation:
        for name in ("formula1", "formula2"):
            if (text := getattr(rule, name)) and not text.startswith('"'):
                setattr(rule, name, shift.formula(text, sheet.title))
    for formatting in sheet.conditional_formatting:
        for rule in formatting.rules:
            rule.formula = [shift.formula(text, sheet.title) for text in rule.formula]
    for table in sheet.tables.values():
        for column in table.tableColumns:
            for formula in (column.calculatedColumnFormula, column.totalsRowFormula):
                if formula is not None and formula.attr_text:
                    formula.attr_text = shift.formula(formula.attr_text, sheet.title)


def _shift_layout(sheet: Any, shift: RowShift) -> None:
    from openpyxl.formatting.formatting import ConditionalFormatting, ConditionalFormattingList
    from openpyxl.worksheet.cell_range import MultiCellRange

    merged_cells = set()
    for merged in sheet.merged_cells.sorted():
        if (rows := shift.rows(merged.min_row, merged.max_row)) is not None:
            merged.min_row, merged.max_row = rows
            merged_cells.add(merged)
    sheet.merged_cells.ranges = merged_cells
    for rule in list(sheet.data_validations.dataValidation):
        rule.sqref = MultiCellRange(_areas(rule.sqref, shift))
        if not rule.sqref:
            sheet.data_validations.dataValidation.remove(rule)
    formats = ConditionalFormattingList()
    for formatting in sheet.conditional_formatting:
        if areas := _areas(formatting.sqref, shift):
            for rule in formatting.rules:
                formats.add(ConditionalFormatting(areas), rule)
    sheet.conditional_formatting = formats
    for table in sheet.tables.values():
        table.ref = shift.reference(table.ref, sheet.title)
        if table.autoFilter is not None and table.autoFilter.ref:
            table.autoFilter.ref = shift.reference(table.autoFilter.ref, sheet.title)
    if sheet.auto_filter.ref:
        sheet.auto_filter.ref = shift.reference(sheet.auto_filter.ref, sheet.title)
    if area := sheet.print_area:
        parts = (shift.reference(part, sheet.title) for part in re.split(r",(?=(?:[^']*'[^']*')*[^']*$)", area))
        sheet.print_area = [part.rpartition("!")[2] for part in parts if _LOST not in part]
    for drawn in (*sheet._charts, *sheet._images):
        for name in ("_from", "to"):
            marker = getattr(drawn.anchor, name, None)
            if marker is not None and marker.row >= shift.last:
                marker.row += shift.by
    for stop in sheet.row_breaks.brk:
        stop.id = shift.row(stop.id) or shift.last


def _areas(listed: Any, shift: RowShift) -> str:
    """The ranges of a rule, as text; that of a single cell in the last row of the area grows too."""
    texts = (f"{one}:{one}" if one.size["rows"] == 1 == one.size["columns"] else str(one) for one in listed.sorted())
    areas = (shift.reference(text, shift.sheet) for text in texts)
    return " ".join(area for area in areas if area != _LOST)


def _corner(corner: re.Match[str], row: int) -> str:
    return f"{corner['column']}{corner['dollar']}{row}"


def _references(chart: Any, *names: str) -> Iterator[Any]:
    """The references to cells in these parts of the series of a chart, and of those drawn over it."""
    for series in (series for one in chart._charts for series in one.ser or ()):
        for source in (getattr(series, name, None) for name in names):
            found = (getattr(source, name, None) for name in ("strRef", "numRef", "multiLvlStrRef"))
            yield from (reference for reference in found if reference is not None)


def copy_row(sheet: Any, *, source: int, target: int, columns: range) -> None:
    """Give cells of a new row the style of another, and its formulas as they read in the new row."""
    from openpyxl.formula.translate import Translator

    for column in columns:
        old, new = sheet.cell(source, column), sheet.cell(target, column)
        new._style = copy(old._style)
        if old.data_type == "f" and isinstance(old.value, str):
            new.value = Translator(old.value, old.coordinate).translate_formula(new.coordinate)
    if source in sheet.row_dimensions and sheet.row_dimensions[source].height is not None:
        sheet.row_dimensions[target].height = sheet.row_dimensions[source].height
