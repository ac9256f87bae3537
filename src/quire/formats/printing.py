"""Office files printed to PDF by LibreOffice, so that what they say has a place on a page."""

from __future__ import annotations

import json
from pathlib import Path

from quire.formats import libreoffice
from quire.formats.libreoffice import TIMEOUT_S, Isolation

TEXTS = frozenset(("docx", "docm", "dotx", "dotm", "doc", "dot", "rtf", "odt", "ott", "fodt"))
SHEETS = frozenset(("xlsx", "xlsm", "xltx", "xltm", "xls", "xlt", "xlsb", "ods", "ots", "fods"))
SLIDES = frozenset(("pptx", "pptm", "potx", "potm", "ppsx", "ppsm", "ppt", "pot", "pps", "odp", "otp", "fodp"))
PRINTED = TEXTS | SHEETS | SLIDES
"""Suffixes of the formats that can be printed."""


def version() -> str | None:
    """The version of the installed LibreOffice, on which printed pages depend; None where it is not installed."""
    return libreoffice.version()


def isolation() -> Isolation:
    """How documents are kept off the network while they are printed."""
    return libreoffice.isolation()


def print_to_pdf(path: Path, *, suffix: str, timeout_s: float = TIMEOUT_S, name: str | None = None) -> bytes:
    """The printed pages of an office file as PDF: one page for each sheet and each slide, hidden ones too.

    Raises the errors of `libreoffice.convert`.
    """
    plain = suffix.lstrip(".").lower()
    return libreoffice.convert(
        path, suffix=plain, to="pdf", filter_options=_export(plain), timeout_s=timeout_s, name=name
    )


def _export(suffix: str) -> str:
    """The filter and its options. Tags are not needed, and bookmarks of headings come with the structure."""
    if suffix in SHEETS:
        return _filter("calc_pdf_Export", SinglePageSheets=True)
    if suffix in SLIDES:
        return _filter("impress_pdf_Export", ExportHiddenSlides=True, ExportNotesPages=False)
    return _filter("writer_pdf_Export", ExportNotesInMargin=False)


def _filter(name: str, **options: bool) -> str:
    values = {key: {"type": "boolean", "value": str(value).lower()} for key, value in options.items()}
    return f"{name}:{json.dumps(values, separators=(',', ':'))}"
