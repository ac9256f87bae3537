"""Docling's backends by format: they make a DoclingDocument of bytes. Runs in worker processes only.

`docling.document_converter` is not imported: it needs torch. Nothing is fetched: every option that fetches is off by
default, and set here all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from quire.errors import ConfigurationError, install_advice

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument


class Backend(NamedTuple):
    """A class of `docling.backend`, the class of its options ("" for one without), and those that matter here."""

    place: str
    options: str = ""
    settings: Mapping[str, object] = {}


_NO_IMAGES = {"fetch_images": False}

BACKENDS: Mapping[str, Backend] = {
    "docx": Backend("msword_backend:MsWordDocumentBackend", "MsWordBackendOptions"),
    "pptx": Backend("mspowerpoint_backend:MsPowerpointDocumentBackend", "MsPowerpointBackendOptions"),
    "xlsx": Backend("msexcel_backend:MsExcelDocumentBackend", "MsExcelBackendOptions"),
    "odt": Backend("opendocument_backend:OdtDocumentBackend", "DeclarativeBackendOptions"),
    "ods": Backend("opendocument_backend:OdsDocumentBackend", "OdsBackendOptions"),
    "odp": Backend("opendocument_backend:OdpDocumentBackend", "DeclarativeBackendOptions"),
    "html": Backend("html_backend:HTMLDocumentBackend", "HTMLBackendOptions", _NO_IMAGES),
    "mhtml": Backend("html_backend:HTMLDocumentBackend", "HTMLBackendOptions", _NO_IMAGES),
    "md": Backend("md_backend:MarkdownDocumentBackend", "MarkdownBackendOptions", _NO_IMAGES),
    "csv": Backend("csv_backend:CsvDocumentBackend", "CsvBackendOptions"),
    "asciidoc": Backend("asciidoc_backend:AsciiDocBackend", "AsciiDocBackendOptions", _NO_IMAGES),
    "latex": Backend("latex_backend:LatexDocumentBackend", "LatexBackendOptions"),
    "epub": Backend("epub_backend:EpubDocumentBackend", "EpubBackendOptions", _NO_IMAGES),
    "email": Backend("email_backend:EmailDocumentBackend", "EmailBackendOptions", {"list_attachments": True}),
    "xml_jats": Backend("xml.jats_backend:JatsDocumentBackend", "JatsBackendOptions", _NO_IMAGES),
    "xml_uspto": Backend("xml.uspto_backend:PatentUsptoDocumentBackend"),
    "xml_doclang": Backend("xml.doclang_backend:DocLangDocumentBackend"),
    "dclx": Backend("xml.doclang_archive_backend:DocLangArchiveBackend"),
    "json_docling": Backend("json.docling_json_backend:DoclingJSONBackend", "DeclarativeBackendOptions"),
    "vtt": Backend("webvtt_backend:WebVTTDocumentBackend"),
    "boxnote": Backend("boxnote_backend:BoxNoteDocumentBackend"),
    "iwork_pages": Backend("iwork_backend:IWorkPagesDocumentBackend", "IWorkBackendOptions"),
    "iwork_keynote": Backend("iwork_backend:IWorkKeynoteDocumentBackend", "IWorkBackendOptions"),
    "iwork_numbers": Backend("iwork_backend:IWorkNumbersDocumentBackend", "IWorkBackendOptions"),
}
"""By docling's name of the format. Audio, video and XBRL need models or a network, and are not read."""


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
    module, kind = backend.place.split(":")
    settings = {"enable_remote_fetch": False, "enable_local_fetch": False, **backend.settings}
    options = getattr(backend_options, backend.options)(**settings) if backend.options else None
    given = InputDocument(
        path_or_stream=BytesIO(data),
        format=InputFormat(input_format),
        filename=name,
        backend=getattr(import_module(f"docling.backend.{module}"), kind),
        backend_options=options,
    )
    try:
        if not given.valid:
            raise ValueError("the backend finds it invalid")
        document: DoclingDocument = given._backend.convert()  # type: ignore[attr-defined]
        return document
    finally:
        given._backend.unload()  # type: ignore[no-untyped-call]
