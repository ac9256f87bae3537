"""What the number format of a cell says about its value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

FormatKind = Literal["text", "number", "percentage", "amount", "date", "date-time", "time", "any"]
_CURRENCY_GROUP = re.compile(r"\[\$([^\]-]+)(?:-[0-9A-Fa-f]+)?\]")
_QUOTED = re.compile(r'"([^"]*)"|\\(.)')
_SIGN = re.compile(r"[$€£¥₹₩₽₺₴₫฿₦]")
_DIGITS = re.compile(r"[0#?]")
_SCALED = re.compile(r"[0#?],+(?![,0#?])")
"""A comma after the digits divides by a thousand: the cell shows 1.5 M, and holds 1,500,000."""
_WORDS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class FormatMeaning:
    """The kind of value that a format shows, and its unit where the format writes one."""

    kind: FormatKind
    unit: str = ""


def meaning_of(cell: Any) -> FormatMeaning:
    """By the format of a cell; by what stands in it where the format is the general one."""
    from openpyxl.styles.numbers import is_datetime

    code = (cell.number_format or "General").split(";")[0]
    if code == "@":
        return FormatMeaning("text")
    if (found := is_datetime(code)) is not None:
        return FormatMeaning({"date": "date", "time": "time"}.get(found, "date-time"))  # type: ignore[arg-type]
    if code.lower() == "general" or not _DIGITS.search(code):
        return _of_content(cell.value)
    bare = _QUOTED.sub("", _CURRENCY_GROUP.sub("", code))
    if "%" in bare:
        return FormatMeaning("percentage", "%")
    if sign := _CURRENCY_GROUP.search(code) or _SIGN.search(code):
        return FormatMeaning("amount", sign[sign.lastindex or 0].strip())
    if _SCALED.search(bare):
        return FormatMeaning("number")
    written = " ".join(text for quoted, escaped in _QUOTED.findall(code) if _WORDS.search(text := quoted or escaped))
    return FormatMeaning("number", written.strip())


def _of_content(value: object) -> FormatMeaning:
    if isinstance(value, bool) or value is None:
        return FormatMeaning("any")
    if isinstance(value, (int, float)):
        return FormatMeaning("number")
    return FormatMeaning("date" if isinstance(value, (date, datetime)) else "any")
