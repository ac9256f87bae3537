"""Excel workbooks: opened without dates and formulas, and what their cells can hold."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from quire.core.errors import ConfigurationError, install_advice

_CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # fixed: the same input produces the same bytes
_LONGEST = 32_767  # characters that a cell can hold


@contextmanager
def open_workbook(*, title: str = "") -> Iterator[tuple[Any, io.BytesIO]]:
    """A workbook and the bytes that it is written to, complete after the block. Raises ConfigurationError when
    xlsxwriter is not installed."""
    try:
        workbook = import_module("xlsxwriter").Workbook
    except ImportError as error:
        raise ConfigurationError(f"Excel needs xlsxwriter: {install_advice('excel')}") from error
    target = io.BytesIO()
    book = workbook(target, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties({"created": _CREATED, **({"title": fitting(title)} if title else {})})
    yield book, target
    book.close()


def fitting(text: str) -> str:
    """Truncate to what a cell can hold, without lone surrogates, which XML cannot contain."""
    return text[:_LONGEST].encode("utf-8", "replace").decode()


class ReportSheets:
    """The sheets of a report, each with a head that stays in sight and columns of given widths."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._head = book.add_format({"bold": True, "valign": "top", "bottom": 1})
        self._plain = book.add_format({"valign": "top", "text_wrap": True})

    def _sheet(self, name: str, columns: tuple[str, ...], widths: tuple[int, ...]) -> Any:
        sheet = self._book.add_worksheet(name)
        sheet.write_row(0, 0, columns, self._head)
        sheet.freeze_panes(1, 0)
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)
        return sheet

    def _text(self, sheet: Any, row: int, column: int, text: str) -> None:
        sheet.write_string(row, column, fitting(text), self._plain)  # never a formula, however it begins
