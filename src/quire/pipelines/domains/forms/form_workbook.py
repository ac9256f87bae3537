"""A form as a workbook: fields, check boxes and tables, coloured by the confidence of the OCR engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quire.core.types import Table
from quire.output.export.workbooks import ReportSheets, fitting, open_workbook

if TYPE_CHECKING:
    from quire.pipelines.domains.forms.found_form import Form

SURE, DOUBTFUL = 0.9, 0.7
_COLOURS = ((SURE, "#C6EFCE"), (DOUBTFUL, "#FFEB9C"), (0.0, "#FFC7CE"))
"""Least confidence, and the colour of cells with at least that: green, yellow, red."""


def form_workbook(form: Form) -> bytes:
    with open_workbook(title=form.name) as (book, target):
        _Sheets(book).write(form)
    return target.getvalue()


class _Sheets(ReportSheets):
    def __init__(self, book: Any) -> None:
        super().__init__(book)
        self._bold = book.add_format({"valign": "top", "text_wrap": True, "bold": True})
        self._coloured = [
            (least, book.add_format({"valign": "top", "text_wrap": True, "bg_color": colour}))
            for least, colour in _COLOURS
        ]

    def write(self, form: Form) -> None:
        fields = self._sheet("Fields", ("Label", "Value", "Page", "Confidence", "Sure"), (32, 48, 7, 11, 7))
        for row, field in enumerate(form.fields, start=1):
            self._text(fields, row, 0, field.label)
            fields.write_string(row, 1, fitting(field.value), self._look(field.confidence))
            fields.write_number(row, 2, field.page, self._plain)
            if field.confidence is not None:
                fields.write_number(row, 3, round(field.confidence, 3), self._plain)
            self._text(fields, row, 4, "yes" if field.sure else "no")
        boxes = self._sheet("Check boxes", ("Label", "Checked", "Page"), (48, 9, 7))
        for row, box in enumerate(form.boxes, start=1):
            self._text(boxes, row, 0, box.label)
            boxes.write_boolean(row, 1, box.is_checked, self._plain)
            boxes.write_number(row, 2, box.page, self._plain)
        for number, block in enumerate(form.tables, start=1):
            if block.table is not None:
                self._table(self._book.add_worksheet(f"Table {number}"), block.table)

    def _table(self, sheet: Any, table: Table) -> None:
        for cell in table.cells:
            look = self._bold if cell.header and cell.confidence is None else self._look(cell.confidence)
            last = cell.row + cell.row_span - 1, cell.column + cell.column_span - 1
            if last != (cell.row, cell.column):
                sheet.merge_range(cell.row, cell.column, *last, "", look)
            sheet.write_string(cell.row, cell.column, fitting(cell.text), look)
        sheet.autofit()

    def _look(self, confidence: float | None) -> Any:
        if confidence is None:
            return self._plain
        return next(look for least, look in self._coloured if confidence >= least)
