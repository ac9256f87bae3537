"""Make the Excel template that the sample document fills: `python scripts/make_template.py [FILE]`.

Named cells for what the report says about punctuality and the result, a table for the fleet, and formulas over both.
The same bytes every time.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableColumn, TableFormula, TableStyleInfo

from quire.solving.workbook.template_file import new_workbook, workbook_bytes

TEMPLATE = Path(__file__).parent.parent / "examples" / "report-template.xlsx"

NAVY, PALE = "1F3864", "DCE6F1"
FIELDS = (  # label, name, number format, note
    ("Punctual sailings", "punctual.all", "0", "Of 100 sailings, how many left on time."),
    ("Inner harbour", "punctual.inner_harbour", "0", "Punctual sailings of 100 on these routes."),
    ("Outer islands", "punctual.outer_islands", "0", "Punctual sailings of 100 on these routes."),
    ("Result", "result", '0.0 "million crowns"', "Of the quarter."),
    ("Next report", "next_report", "d mmmm yyyy", "The day on which the next report appears."),
)
COLUMNS = ("Boat", "Route", "Built", "Seats", "Drive", "Age")
FIRST = 14
"""The row of the header of the table."""


def template() -> bytes:
    book = new_workbook()
    sheet = book.create_sheet("Quarter")
    sheet.sheet_view.showGridLines = False
    for letter, width in zip("ABCDEF", (26, 22, 10, 10, 12, 10), strict=True):
        sheet.column_dimensions[letter].width = width
    sheet["A1"] = "Ferry quarter at a glance"
    sheet["A1"].font = _font(size=16, bold=True, color=NAVY)
    sheet.merge_cells("A1:F1")
    sheet.row_dimensions[1].height = 26
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet["A2"] = "Filled from the quarterly report. White cells are calculated."
    sheet["A2"].font = _font(italic=True, color="7F7F7F")
    line = Border(bottom=Side(style="hair", color="7F7F7F"))
    for row, (label, name, style, note) in enumerate(FIELDS, start=4):
        sheet.cell(row, 1, label).border = line
        cell = sheet.cell(row, 2)
        cell.number_format, cell.border, cell.fill = style, line, PatternFill("solid", start_color=PALE)
        cell.alignment = Alignment(horizontal="right")
        cell.comment = Comment(note, "Template")
        book.defined_names[name] = DefinedName(name, attr_text=f"Quarter!$B${row}")
    _calculated(sheet, 9, "Inner harbour ahead by", "=B5-B6", '0 "points"')
    _calculated(sheet, 10, "Seats in all", "=SUM(boats[Seats])", "#,##0")
    _calculated(sheet, 11, "Seats on hybrid boats", '=SUMIF(boats[Drive],"hybrid",boats[Seats])/B10', "0%")
    sheet.cell(FIRST - 1, 1, "Boats in service").font = _font(bold=True, color=NAVY)
    _fleet(sheet)
    book.properties.title = "Ferry quarter"
    book.properties.creator = "Quire"
    return workbook_bytes(book)


def _font(**look: Any) -> Font:
    return Font(name="Calibri", **look)


def _calculated(sheet: Any, row: int, label: str, formula: str, style: str) -> None:
    sheet.cell(row, 1, label)
    sheet.cell(row, 2, formula).number_format = style
    sheet.cell(row, 2).font = _font(bold=True)


def _fleet(sheet: Any) -> None:
    for number, title in enumerate(COLUMNS, start=1):
        head = sheet.cell(FIRST, number, title)
        head.font, head.fill = _font(bold=True, color="FFFFFF"), PatternFill("solid", start_color=NAVY)
    row, below = FIRST + 1, FIRST + 2
    sheet.cell(row, 3).number_format = sheet.cell(row, 4).number_format = sheet.cell(row, 6).number_format = "0"
    age = "2031-boats[[#This Row],[Built]]"
    sheet.cell(row, 6).value = f"={age}"
    table = Table(displayName="boats", ref=f"A{FIRST}:F{row}")
    table._initialise_columns()
    for column, title in zip(table.tableColumns, COLUMNS, strict=True):
        column.name = title
    last: TableColumn = table.tableColumns[-1]
    last.calculatedColumnFormula = TableFormula(attr_text=age)
    table.tableStyleInfo = TableStyleInfo(name="TableStyleMedium2", showRowStripes=True)
    sheet.add_table(table)
    drives = DataValidation(type="list", formula1='"diesel,hybrid"', allow_blank=True)
    drives.add(f"E{row}")
    sheet.add_data_validation(drives)
    sheet.cell(below, 1, "Average age").font = _font(bold=True)
    sheet.cell(below, 6, f"=AVERAGE(F{row}:F{row})").number_format = "0.0"
    sheet.cell(below, 6).font = _font(bold=True)


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else TEMPLATE).write_bytes(template())
