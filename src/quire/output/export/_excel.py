"""Excel workbook: one sheet per table, and a first sheet that lists the location of each table."""

from __future__ import annotations

import re
from typing import Any

from quire.core.types import NO_BOX, Block, Cell, Table
from quire.output.export._flow import flow
from quire.output.export._grid import cell_text, grid
from quire.output.export._structure import captions, tables
from quire.output.export.contracts import Exportable
from quire.output.export.workbooks import fitting, open_workbook

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.(\d{1,10}))?", re.ASCII)
_COLUMNS = ("Table", "Page", "Left", "Top", "Width", "Height", "Rows", "Columns", "Caption")


def excel(result: Exportable) -> bytes:
    """All tables. Raises `ConfigurationError` when xlsxwriter is not installed."""
    with open_workbook() as (book, target):
        _write(book, result)
    return target.getvalue()


def _write(book: Any, result: Exportable) -> None:
    formats = _Formats(book)
    found, linked = tables(result.blocks), captions(result.blocks)
    listing = book.add_worksheet("Tables")
    listing.write_row(0, 0, _COLUMNS, formats.get(header=True))
    row = 1
    for number, block in enumerate(found, 1):
        row = _write_listing(listing, row, number, block, linked.get(block.id))
        if block.table is not None:
            _write_table(book.add_worksheet(f"Table {number}"), block.table, formats)
    listing.autofit()


class _Formats:
    """Cell formats, each created once."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._made: dict[tuple[bool, int], Any] = {}

    def get(self, *, header: bool = False, decimals: int = -1) -> Any:
        """Bold for headers; numbers with as many decimals as printed."""
        key = (header, decimals)
        if key not in self._made:
            look: dict[str, object] = {"valign": "top", "text_wrap": False}
            if header:
                look["bold"] = True
            if decimals >= 0:
                look["num_format"] = "0" + ("." + "0" * decimals if decimals else "")
            self._made[key] = self._book.add_format(look)
        return self._made[key]


def _write_listing(sheet: Any, row: int, number: int, block: Block, caption: Block | None) -> int:
    """Write one row for every place of the table; returns the next row."""
    assert block.table is not None
    for part in block.places:
        box = part.bbox
        sheet.write_url(row, 0, f"internal:'Table {number}'!A1", string=f"Table {number}")
        place = (None,) * 4 if box == NO_BOX else (box.left, box.top, box.width, box.height)
        for column, value in enumerate((part.page, *place, block.table.rows, block.table.columns), 1):
            if value is not None:
                sheet.write_number(row, column, round(value, 5))
        if caption is not None:
            sheet.write_string(row, len(_COLUMNS) - 1, fitting(flow(caption.text)))
        row += 1
    return row


def _write_table(sheet: Any, table: Table, formats: _Formats) -> None:
    covered = grid(table)
    for cell in table.cells:
        if covered[cell.row][cell.column] is not cell:
            continue
        text = fitting(cell_text(cell))
        number = _NUMBER.fullmatch(text)
        look = formats.get(header=cell.header, decimals=len(number[1] or "") if number else -1)
        last_row = min(cell.row + cell.row_span, len(covered)) - 1
        last_column = min(cell.column + cell.column_span, len(covered[0])) - 1
        if (last_row, last_column) != (cell.row, cell.column) and _is_whole(cell, last_row, last_column, covered):
            sheet.merge_range(cell.row, cell.column, last_row, last_column, "", look)
        if number:
            sheet.write_number(cell.row, cell.column, float(text), look)
        else:
            sheet.write_string(cell.row, cell.column, text, look)  # never a formula, however it begins
    sheet.autofit()


def _is_whole(cell: Cell, last_row: int, last_column: int, covered: list[list[Cell | None]]) -> bool:
    """Whether no other cell lies within the span of a cell."""
    return all(
        covered[row][column] is cell
        for row in range(cell.row, last_row + 1)
        for column in range(cell.column, last_column + 1)
    )
