"""Converts a document without pages of its own to a bundle. Runs in a worker process: the bytes are untrusted.

The structure comes from docling's own backend. An office file is also printed by LibreOffice where it is installed;
then its blocks are placed on the printed pages. Otherwise its sheets, slides or whole text are the pages.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from quire.core.bundle import Bundle
from quire.core.document import Document
from quire.core.encoding import encode_page
from quire.core.errors import ConfigurationError, CorruptError, InputError, LimitError, QuireError
from quire.core.events import reason_of
from quire.core.keys import digest_bytes
from quire.core.media_types import INPUT_FORMATS
from quire.core.opened import Opened, WorkerWork
from quire.core.pagetext import PageText
from quire.core.types import PageResult
from quire.pages.formats.backends import docling_version, structure_of
from quire.pages.formats.blocks import pages_of
from quire.pages.formats.decryption import decrypted
from quire.pages.formats.item_places import place
from quire.pages.formats.legacy import MODERN, modern
from quire.pages.formats.printed import print_to_pdf, printer
from quire.pages.formats.safety import check
from quire.system.stage_versions import stage_version


def reader_of(media_type: str) -> str:
    """The versions of what converts a type here, for keys. Raises ConfigurationError without the extra."""
    input_format = INPUT_FORMATS[media_type]
    printing = printer(input_format)
    printed = f"-libreoffice-{printing}" if printing else ""
    return f"docling-{docling_version()}-{input_format}-{stage_version('bundle')[:16]}{printed}"


def convert(document: Document, *, until: float | None = None) -> tuple[Bundle, bytes]:
    """The bundle of a document, and its structure: a DoclingDocument as JSON.

    Printing ends in time for `until`, on the clock of `time.monotonic`. Raises UnsupportedError, PasswordError,
    LimitError or CorruptError with the name of the document, and ConfigurationError for an old office file where
    LibreOffice is not installed.
    """
    name, input_format = document.name, INPUT_FORMATS[document.media_type]
    data = decrypted(document.read_bytes(), password=document.password, name=name)
    check(data, input_format=input_format, name=name)
    structure = _structure(*_readable(data, input_format, name, until), name)
    pdf, unprinted = _printed(data, input_format, name, until)
    texts = _texts_of(pdf, name) if pdf else []
    if texts:
        structure = place(structure, texts)
    pages = pages_of(structure, input_format=input_format, printed=bool(texts))
    written = json.dumps(structure, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    by_number = {text.number: text for text in texts}
    bundle = Bundle(
        reader_of(document.media_type),
        tuple(page.info for page in pages),
        tuple(_text(page, by_number.get(page.info.number)).to_bytes() for page in pages),
        digest_bytes(written),
        pdf,
        unprinted,
    )
    return bundle, written


def convert_in_worker(source: Opened, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The job: the size of the bundle, then the bundle and the structure."""
    with source.open() as document:
        bundle, structure = convert(document, until=work.deadline)
    data = bundle.to_bytes()
    return {"bundle": len(data)}, data + structure


def _readable(data: bytes, input_format: str, name: str, until: float | None) -> tuple[bytes, str]:
    """The document in a format that a backend reads: an old office format is converted first."""
    if input_format not in MODERN:
        return data, input_format
    data, input_format = modern(data, input_format=input_format, name=name, until=until), MODERN[input_format]
    check(data, input_format=input_format, name=name)
    return data, input_format


def _printed(data: bytes, input_format: str, name: str, until: float | None) -> tuple[bytes | None, str]:
    """The printed pages, or why there are none: a document that cannot be printed is still read."""
    if printer(input_format) is None:
        return None, ""
    try:
        return print_to_pdf(data, input_format=input_format, name=name, until=until), ""
    except (ConfigurationError, InputError) as error:
        return None, reason_of(error)


def _texts_of(pdf: bytes, name: str) -> list[PageText]:
    with Document(pdf, name=name) as printed:
        numbers = range(1, printed.page_count + 1)
        texts = list(printed.reader.text(numbers))
    return [PageText.from_bytes(text) for text in texts if not isinstance(text, InputError)]


def _structure(data: bytes, input_format: str, name: str) -> dict[str, Any]:
    try:
        made: dict[str, Any] = structure_of(data, input_format=input_format, name=name).export_to_dict()
    except (QuireError, MemoryError):
        raise
    except RecursionError as error:
        raise LimitError("is nested too deeply; save it with fewer levels", document=name) from error
    except Exception as error:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        if limit := re.search(r"[^,;]* exceeds the limit of [\d,]+ \w+", reason):  # docling has its own
            raise LimitError(f"{limit[0].strip()}; split it", document=name) from error
        raise CorruptError(
            f"cannot be read as {input_format} ({reason}); check that it opens in its own program", document=name
        ) from error
    return made


def _text(page: PageResult, printed: PageText | None) -> PageText:
    """The text of a page that carries its blocks; the words are those of the printed page."""
    ready = encode_page(page).decode("utf-8", "replace")
    return replace(printed or PageText.empty(page.info), ready=ready)
