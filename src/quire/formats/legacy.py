"""Old office formats as new ones, which docling's backends read: `doc` as `docx`, `xls` as `xlsx`, `ppt` as `pptx`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from quire.errors import UnsupportedError
from quire.formats.libreoffice import TIMEOUT_S, convert

MODERN: Mapping[str, str] = {
    **dict.fromkeys(("doc", "dot", "rtf", "odt", "ott", "fodt", "wps", "wpd"), "docx"),
    **dict.fromkeys(("xls", "xlt", "xlsb", "ods", "ots", "fods"), "xlsx"),
    **dict.fromkeys(("ppt", "pot", "pps", "odp", "otp", "fodp"), "pptx"),
}
"""Suffix of a format to the suffix of the one that stands for it."""

_FILTERS = {"docx": "MS Word 2007 XML", "xlsx": "Calc MS Excel 2007 XML", "pptx": "Impress MS PowerPoint 2007 XML"}


def modern(path: Path, *, suffix: str, timeout_s: float = TIMEOUT_S, name: str | None = None) -> bytes:
    """The document as `docx`, `xlsx` or `pptx`, by `MODERN`. Raises the errors of `libreoffice.convert`."""
    to = MODERN.get(suffix.lstrip(".").lower())
    if to is None:
        raise UnsupportedError(f"{suffix} is no old office format", document=name or path.name)
    return convert(path, suffix=suffix, to=to, filter_options=_FILTERS[to], timeout_s=timeout_s, name=name)
