"""The head of a sheet that Quire adds to a workbook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire.solving.workbook.cell_values import write_text

FONT = "Calibri"


def write_head(sheet: Any, widths: Mapping[str, int]) -> None:
    """Write the titles of the columns with their widths, and let the sheet be printed on one page's width."""
    from openpyxl.styles import Border, Font, Side

    for number, (title, width) in enumerate(widths.items(), start=1):
        head = sheet.cell(1, number)
        write_text(head, title)
        head.font, head.border = Font(name=FONT, bold=True), Border(bottom=Side(style="thin"))
        sheet.column_dimensions[head.column_letter].width = width
    sheet.freeze_panes = "A2"
    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "landscape", 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
