"""Converts a document without pages of its own to a bundle. Runs in a worker process: the bytes are untrusted.

The structure comes from docling's own backend. An office file is also printed by LibreOffice where it is installed;
then its blocks are placed on the printed pages. Otherwise its sheets, slides or whole text are the pages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from quire.bundle import Bundle
from quire.document import Document
from quire.encoding import encode_page
from quire.errors import CorruptError, QuireError, UnsupportedError
from quire.formats.backends import BACKENDS, docling_version, structure_of
from quire.formats.blocks import pages_of
from quire.formats.safety import check
from quire.keys import digest_bytes
from quire.media_types import INPUT_FORMATS
from quire.opened import Opened, WorkerWork
from quire.pagetext import PageText
from quire.types import PageResult

VERSION = "1"
"""Changed whenever the blocks of a converted document may change."""


def reader_of(media_type: str) -> str:
    """What converts documents of a type here, for keys: its versions. Raises ConfigurationError without the extra."""
    return f"docling-{docling_version()}-{INPUT_FORMATS[media_type]}-{VERSION}"


def convert(document: Document) -> tuple[Bundle, bytes]:
    """The bundle of a document, and its structure: a DoclingDocument as JSON.

    Raises UnsupportedError, PasswordError, LimitError or CorruptError with the name of the document.
    """
    name, input_format = document.name, INPUT_FORMATS[document.media_type]
    data = document.read_bytes()
    check(data, input_format=input_format, name=name)
    if input_format not in BACKENDS:
        raise UnsupportedError(f"the format {input_format} is not read", document=name)
    structure = _structure(data, input_format, name)
    pages = pages_of(structure, input_format=input_format)
    written = json.dumps(structure, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    bundle = Bundle(
        reader_of(document.media_type),
        tuple(page.info for page in pages),
        tuple(_text(page, None).to_bytes() for page in pages),
        digest_bytes(written),
    )
    return bundle, written


def convert_in_worker(source: Opened, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The job: the size of the bundle, then the bundle and the structure."""
    with source.open() as document:
        bundle, structure = convert(document)
    data = bundle.to_bytes()
    return {"bundle": len(data)}, data + structure


def _structure(data: bytes, input_format: str, name: str) -> Mapping[str, Any]:
    try:
        made: dict[str, Any] = structure_of(data, input_format=input_format, name=name).export_to_dict()
    except (QuireError, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise CorruptError(
            f"cannot be read as {input_format} ({reason}); check that it opens in its own program", document=name
        ) from error
    return made


def _text(page: PageResult, printed: PageText | None) -> PageText:
    """The text of a page that carries its blocks; the words are those of the printed page."""
    ready = encode_page(page).decode("utf-8", "replace")
    return replace(printed or PageText.empty(page.info), ready=ready)
