"""Jobs of workers for the pages of a document: open it, read its text, and lay out pages that need no engine.

Runs in worker processes. A worker has no store: it sends its results to the parent, page by page.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.core.document import Document
from quire.core.encoding import encode_page, info_row
from quire.core.errors import InputError
from quire.core.keys import Digest
from quire.core.opened import Opened, WorkerWork
from quire.core.table_areas import TableOptions
from quire.pages.recognize.options import RecognizeOptions
from quire.reading.native_pages import judged, lay_out, looked_at, page_info
from quire.system.workers.job_errors import describe


@dataclass(frozen=True, slots=True)
class Group:
    """Pages of a document to read without an engine."""

    source: Opened
    pages: tuple[int, ...]
    options: RecognizeOptions


@dataclass(frozen=True, slots=True)
class StoredText:
    """A page whose text is stored, to be laid out."""

    page: int
    text: Digest
    tables: TableOptions


def look_into(source: Opened, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The facts that are needed before a document is read: number of pages, name of its reader, its outline."""
    return about(source.document(work))


def about(document: Document) -> tuple[dict[str, object], bytes]:
    outline = [[entry.level, entry.title, entry.page, entry.top] for entry in document.reader.outline()]
    header: dict[str, object] = {
        "pages": document.page_count,
        "reader": document.reader.name,
        "media_type": document.media_type,
    }
    header["size"] = document.size
    return header, json.dumps(outline).encode()


def read_group(group: Group, work: WorkerWork) -> bytes:
    """Sends one page after the other: its text and blocks, how long they took, and what an engine must add."""
    document = group.source.document(work)
    _ = document.reader  # opened before the parent hears so
    work.request("opened", {})
    for header, data in read_pages(document, group.pages, group.options):
        work.request("page", header, data)
    return b""


def read_pages(
    document: Document, pages: Sequence[int], options: RecognizeOptions
) -> Iterator[tuple[dict[str, object], bytes]]:
    """Each page: how it was read, and its text followed by its blocks."""
    reader = document.reader
    begun = time.perf_counter()
    for number, text in zip(pages, reader.text(pages, threads=1), strict=True):
        header: dict[str, object] = {"page": number, "text_ms": _ms(begun)}
        blocks = b""
        begun = time.perf_counter()
        try:
            if isinstance(text, InputError):
                raise text
            header["text"] = len(text)
            text, page = looked_at(document, text, judged(text, number, options), options)
            header["text"] = len(text)
            if page.needs is None:
                laid = lay_out(page)
                blocks = encode_page(laid)
                header |= {"info": info_row(laid.info), "blocks_ms": _ms(begun)}
            else:
                header["needs"] = page.needs.to_row()
        except Exception as error:  # one bad page never loses the document
            header |= {"failed": describe(error), "info": info_row(page_info(reader, number)), "blocks_ms": _ms(begun)}
        yield header, (text if isinstance(text, bytes) else b"") + blocks
        begun = time.perf_counter()


def lay_out_stored(stored: StoredText, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The blocks of a page from its text, which the parent has."""
    _, text = work.request("load", {"digests": [stored.text]})
    laid = lay_out(judged(text, stored.page, RecognizeOptions(mode="never", tables=stored.tables)))
    return {"info": info_row(laid.info)}, encode_page(laid)


def _ms(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 3)
