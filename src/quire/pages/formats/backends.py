"""Docling's backends by format: they make a DoclingDocument of bytes. Runs in worker processes only.

`docling.document_converter` is not imported: it needs torch. Nothing is fetched: every option that fetches is off by
default, and set here all the same. Nor do backends start LibreOffice by themselves, once for each drawing and with the
network: drawings become pictures without pixels, which are cut from the printed pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from quire.core.errors import ConfigurationError, install_advice

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument


class FormatBackend(NamedTuple):
    """A class of `docling.backend`, the class of its options ("" for one without), and those that matter here."""

    place: str
    options: str = ""
    settings: Mapping[str, object] = {}


_NO_IMAGES = {"fetch_images": False}

BACKENDS: Mapping[str, FormatBackend] = {
    "docx": FormatBackend("msword_backend:MsWordDocumentBackend", "MsWordBackendOptions"),
    "pptx": FormatBackend("mspowerpoint_backend:MsPowerpointDocumentBackend", "MsPowerpointBackendOptions"),
    "xlsx": FormatBackend("msexcel_backend:MsExcelDocumentBackend", "MsExcelBackendOptions"),
    "odt": FormatBackend("opendocument_backend:OdtDocumentBackend", "DeclarativeBackendOptions"),
    "ods": FormatBackend("opendocument_backend:OdsDocumentBackend", "OdsBackendOptions"),
    "odp": FormatBackend("opendocument_backend:OdpDocumentBackend", "DeclarativeBackendOptions"),
    "html": FormatBackend("html_backend:HTMLDocumentBackend", "HTMLBackendOptions", _NO_IMAGES),
    "mhtml": FormatBackend("html_backend:HTMLDocumentBackend", "HTMLBackendOptions", _NO_IMAGES),
    "md": FormatBackend("md_backend:MarkdownDocumentBackend", "MarkdownBackendOptions", _NO_IMAGES),
    "csv": FormatBackend("csv_backend:CsvDocumentBackend", "CsvBackendOptions"),
    "asciidoc": FormatBackend("asciidoc_backend:AsciiDocBackend", "AsciiDocBackendOptions", _NO_IMAGES),
    "latex": FormatBackend("latex_backend:LatexDocumentBackend", "LatexBackendOptions"),
    "epub": FormatBackend("epub_backend:EpubDocumentBackend", "EpubBackendOptions", _NO_IMAGES),
    "email": FormatBackend("email_backend:EmailDocumentBackend", "EmailBackendOptions", {"list_attachments": True}),
    "xml_jats": FormatBackend("xml.jats_backend:JatsDocumentBackend", "JatsBackendOptions", _NO_IMAGES),
    "xml_uspto": FormatBackend("xml.uspto_backend:PatentUsptoDocumentBackend"),
    "xml_doclang": FormatBackend("xml.doclang_backend:DocLangDocumentBackend"),
    "dclx": FormatBackend("xml.doclang_archive_backend:DocLangArchiveBackend"),
    "json_docling": FormatBackend("json.docling_json_backend:DoclingJSONBackend", "DeclarativeBackendOptions"),
    "vtt": FormatBackend("webvtt_backend:WebVTTDocumentBackend"),
    "boxnote": FormatBackend("boxnote_backend:BoxNoteDocumentBackend"),
    "iwork_pages": FormatBackend("iwork_backend:IWorkPagesDocumentBackend", "IWorkBackendOptions"),
    "iwork_keynote": FormatBackend("iwork_backend:IWorkKeynoteDocumentBackend", "IWorkBackendOptions"),
    "iwork_numbers": FormatBackend("iwork_backend:IWorkNumbersDocumentBackend", "IWorkBackendOptions"),
}
"""By docling's name of the format. Audio, video and XBRL need models or a network, and are not read."""


_CONVERTER = "get_docx_to_pdf_converter"
"""What the backends of office files call to have a drawing rendered."""


@cache
def docling_version() -> str:
    """The installed version, for keys of what it makes. Raises ConfigurationError without the extra `formats`."""
    try:
        return version("docling-slim")
    except PackageNotFoundError as error:
        raise ConfigurationError(
            f"office files, web pages, mail and markup are read by docling's backends: {install_advice('formats')}"
        ) from error


def structure_of(data: bytes, *, input_format: str, name: str) -> DoclingDocument:
    """The document that docling's own backend makes of these bytes. Raises whatever the backend raises."""
    from docling.datamodel import backend_options
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument

    backend = BACKENDS[input_format]
    place, kind = backend.place.split(":")
    module = import_module(f"docling.backend.{place}")
    if hasattr(module, _CONVERTER):
        setattr(module, _CONVERTER, lambda: _without_drawings)
    settings = {"enable_remote_fetch": False, "enable_local_fetch": False, **backend.settings}
    options = getattr(backend_options, backend.options)(**settings) if backend.options else None
    opened = InputDocument(
        path_or_stream=BytesIO(data),
        format=InputFormat(input_format),
        filename=name,
        backend=getattr(module, kind),
        backend_options=options,
    )
    if not opened.valid:
        raise ValueError("its content is another")
    try:
        document: DoclingDocument = opened._backend.convert()  # type: ignore[attr-defined]
    finally:
        opened._backend.unload()  # type: ignore[no-untyped-call]
    return document


def _without_drawings(source: object, target: object) -> None:
    """Stands for the conversion of a drawing to PDF. The backend keeps the picture, without pixels."""
    raise OSError("drawings are not rendered here")
