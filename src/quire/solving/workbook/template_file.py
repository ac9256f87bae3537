"""Workbooks opened with openpyxl, checked before anything is parsed, and written without a clock."""

from __future__ import annotations

import io
import warnings
import zipfile
from datetime import datetime
from typing import Any
from xml.etree.ElementTree import canonicalize

from quire.core.errors import ConfigurationError, InputError, UsageError, install_advice
from quire.pages.formats import safety
from quire.system.zip_archive import zip_archive

_CREATED = datetime(2000, 1, 1)  # fixed: the same input produces the same bytes
_CORE = "docProps/core.xml"
_NAME = "the template"


def open_template(template: bytes) -> Any:
    """The workbook of a template. Raises UsageError for a file that is none, or that is not safe to open, and
    ConfigurationError when openpyxl is not installed."""
    openpyxl = _openpyxl()
    check_template(template)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what it does not keep: `lost_parts` names that
            book = openpyxl.load_workbook(io.BytesIO(template), rich_text=True)
    except Exception as error:  # openpyxl has no error of its own for a file that is damaged
        raise UsageError(f"{_NAME} cannot be opened ({error}); open it in Excel and save it again as .xlsx") from error
    book.template = False  # what is made from an .xltx is a workbook
    return book


def new_workbook() -> Any:
    """A workbook without a sheet. Raises ConfigurationError when openpyxl is not installed."""
    book = _openpyxl().Workbook()
    book.remove(book.active)
    book.properties.created = _CREATED
    return book


def workbook_bytes(book: Any) -> bytes:
    """The file of a workbook, which a spreadsheet calculates when it opens it."""
    from openpyxl.xml.functions import tostring

    book.calculation.fullCalcOnLoad = True
    target = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book.save(target)
    book.properties.modified = _CREATED  # save has put the time there
    with zipfile.ZipFile(target) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files[_CORE] = tostring(book.properties.to_tree())
    return zip_archive((name, _canonical(name, data)) for name, data in files.items())


def _canonical(name: str, data: bytes) -> bytes:
    """The same XML however it is spelled: openpyxl writes it with lxml where that is installed. It copies a theme."""
    if not name.endswith((".xml", ".rels", ".vml")) or name.startswith("xl/theme/"):
        return data
    declaration = "" if name.endswith(".vml") else '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return f"{declaration}{canonicalize(data.decode())}".encode()


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise ConfigurationError(f"Excel templates need openpyxl: {install_advice('excel')}") from error
    return openpyxl


def check_template(template: bytes) -> None:
    """Raise UsageError for bytes that are no Excel workbook, are encrypted, or unpack to too much."""
    if template.startswith(safety.OLE):
        raise UsageError(f"{_NAME} is an .xls file, or has a password; save it in Excel as .xlsx without a password")
    if not template.startswith(b"PK\x03\x04"):
        raise UsageError(f"{_NAME} is no Excel workbook; give an .xlsx file")
    try:
        safety.check(template, input_format="xlsx", name=_NAME)
    except InputError as error:
        raise UsageError(str(error)) from error
    with zipfile.ZipFile(io.BytesIO(template)) as archive:
        if "xl/workbook.xml" not in archive.namelist():
            raise UsageError(f"{_NAME} is no Excel workbook; save it in Excel as .xlsx")
