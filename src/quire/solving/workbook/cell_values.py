"""Values in cells: numbers and dates as what they are, and text that is never a formula."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any, TypeAlias

from quire.core.context import Json
from quire.evidence.extract.reports.value_rows import shown
from quire.lexicon.amounts import number_readings
from quire.output.export.workbooks import fitting
from quire.solving.workbook.number_formats import meaning_of

CellValue: TypeAlias = str | int | float | bool | date | datetime | None
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_LIKE_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")
_LARGEST = 2**53
"""The integers up to it are exact in a cell."""
_FIRST_DAY = date(1900, 3, 1)
"""Excel counts a 29 February 1900, and no day before 1900."""
_NUMBERS = ("number", "amount", "percentage")


def cell_text(text: str) -> str:
    """What a cell can hold of a text: no control characters, at most 32,767 characters, and `_x000A_` as it stands."""
    return fitting(_ESCAPED.sub("_x005F_", fitting(_CONTROL.sub("", text))))


def write_text(cell: Any, text: str) -> None:
    """Write a text as text: neither a formula nor an error, however it begins."""
    cell.value = None
    if not text:
        return
    cell.value = " "  # of the type that follows; the setter would take some texts for formulas
    cell._value, cell.data_type = cell_text(text), "s"
    if text.startswith(_LIKE_A_FORMULA):
        cell.quotePrefix = True  # it stays text when someone edits it


def write_value(cell: Any, value: Json, *, quote: str = "") -> None:
    """Write a value as its cell wants it: with a date format as a date, with a number format as a number. `quote` is
    how the document writes it, which says whether 0.08 is eight percent."""
    written = _cell_value(value, meaning_of(cell).kind, quote)
    if isinstance(written, str):
        write_text(cell, written)
    else:
        style = cell.number_format
        cell.value = written
        if isinstance(written, (date, datetime)):
            cell.number_format = style  # setting a date has chosen another


def _cell_value(value: Json, kind: str, quote: str) -> CellValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and kind in _NUMBERS and _PLAIN_NUMBER.fullmatch(value.strip()):
        value = float(value) if "." in value else int(value)
    if isinstance(value, (int, float)):
        if abs(value) > _LARGEST if isinstance(value, int) else not isfinite(value):
            return str(value)
        return _fraction(value, quote) if kind == "percentage" else value
    if isinstance(value, str):
        day = _date(value) if kind in ("date", "date-time") else None
        return value if day is None else day
    if isinstance(value, list) and all(not isinstance(one, (list, dict)) for one in value):
        return "; ".join(shown(one) for one in value)
    return shown(value)


def _fraction(value: float, quote: str) -> float:
    """A percentage is a fraction in a cell: 0.08. The value is in percent, unless the document writes a hundred times
    as much."""
    percent = Decimal(str(value))
    if percent * 100 in number_readings(quote):
        return value
    return float(percent / 100)


def _date(text: str) -> date | datetime | None:
    """A day, or a time without its zone, which cells do not know; None for another text, and days before 1900."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.date() < _FIRST_DAY or moment.tzinfo is not None:
        return None
    return moment.date() if len(text.strip()) <= len("2031-09-30") else moment
