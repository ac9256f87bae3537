"""Documents printed to PDF by LibreOffice, so that what they say has a place on a page."""

from __future__ import annotations

import json
import os

from quire.core.errors import ConfigurationError
from quire.pages.formats import libreoffice

_WORD = "writer_pdf_Export", {"ExportNotesInMargin": False}
_SHEETS = "calc_pdf_Export", {"SinglePageSheets": True}
_SLIDES = "impress_pdf_Export", {"ExportHiddenSlides": True, "ExportNotesPages": False}
# Tags are not needed, and bookmarks of headings come with the structure.
_FILTERS: dict[str, tuple[str, dict[str, bool]]] = {
    **dict.fromkeys(("docx", "doc", "rtf", "odt", "html"), _WORD),
    **dict.fromkeys(("xlsx", "xls", "ods"), _SHEETS),
    **dict.fromkeys(("pptx", "ppt", "odp"), _SLIDES),
}
"""By docling's name of the format: the filter that prints it, and its options."""

_OPENED_AS = {"html": "HTML (StarWriter)"}
"""As text on pages: by itself, a web page is opened without any."""


def printer(input_format: str) -> str | None:
    """The version of LibreOffice that prints documents of this format, for keys: printed pages depend on it.

    None for nothing: it is not installed, or QUIRE_PRINT says `no`, or not `all` for a web page. Raises
    ConfigurationError for another value.
    """
    choice = os.environ.get("QUIRE_PRINT", "office")
    if choice not in ("no", "office", "all"):
        raise ConfigurationError(f"QUIRE_PRINT is {choice!r}; it may be no, office or all")
    is_printed = input_format in _FILTERS and choice != "no" and (choice == "all" or input_format != "html")
    return libreoffice.version() if is_printed else None


def print_to_pdf(data: bytes, *, input_format: str, name: str, until: float | None = None) -> bytes:
    """The printed pages as PDF: one page for each sheet and each slide, hidden ones too.

    Raises the errors of `libreoffice.convert`.
    """
    kind, options = _FILTERS[input_format]
    values = {key: {"type": "boolean", "value": str(value).lower()} for key, value in options.items()}
    written = f"{kind}:{json.dumps(values, separators=(',', ':'))}"
    opened_as = _OPENED_AS.get(input_format, "")
    return libreoffice.convert(
        data, suffix=input_format, to="pdf", filter_options=written, opened_as=opened_as, name=name, until=until
    )
