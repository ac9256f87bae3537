"""Old office formats as new ones, which docling's backends read: `doc` as `docx`, `xls` as `xlsx`, `ppt` as `pptx`."""

from __future__ import annotations

from collections.abc import Mapping

from quire.pages.formats.libreoffice import convert

MODERN: Mapping[str, str] = {"doc": "docx", "rtf": "docx", "xls": "xlsx", "ppt": "pptx"}
"""Docling's name of an old format to that of the new one that stands for it."""

_FILTERS = {"docx": "MS Word 2007 XML", "xlsx": "Calc MS Excel 2007 XML", "pptx": "Impress MS PowerPoint 2007 XML"}


def modern(data: bytes, *, input_format: str, name: str, until: float | None = None) -> bytes:
    """The document in the format of `MODERN`. Raises the errors of `libreoffice.convert`."""
    to = MODERN[input_format]
    return convert(data, suffix=input_format, to=to, filter_options=_FILTERS[to], name=name, until=until)
