"""What workers do for durable reads: open a document, read groups of its pages, assemble it, write its exports.

Runs in worker processes: documents are opened here before anywhere else, and their pages are parsed here alone. A
worker has no store; what it needs of it the parent hands over, and what it makes the parent saves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from quire import layout
from quire.artifacts import decode_document, decode_page, encode_document, encode_page
from quire.assemble import assemble as assembled
from quire.context import Json
from quire.engine import Attempt
from quire.errors import InputError
from quire.events import reason_of
from quire.keys import Digest
from quire.layout.quality import judge
from quire.opened import Opened, WorkerWork
from quire.pagetext import PageText
from quire.recognize.options import OcrMode, RecognizeOptions
from quire.recognize.routing import needs_of
from quire.result import DocumentResult
from quire.stages import text_of_page
from quire.types import OutlineEntry, PageInfo, PageResult
from quire.words import PageWords

AT_ONCE = 64
"""Artifacts in one message from the parent."""


@dataclass(frozen=True, slots=True)
class Group:
    """Pages of a document to read as far as it goes without an engine."""

    source: Opened
    pages: tuple[int, ...]
    mode: OcrMode
    figures: bool


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a document to assemble: records of those that were read, infos of the others."""

    pages: tuple[Digest | PageInfo, ...]
    outline: tuple[OutlineEntry, ...]


@dataclass(frozen=True, slots=True)
class Export:
    """A document to write in some formats. `texts` are the digests of the texts of its pages."""

    source: Opened
    document: Digest
    texts: Mapping[int, Digest]
    formats: tuple[str, ...]
    words: bool
    path: Mapping[int, tuple[Attempt, ...]] | None


def look_into(source: Opened, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """What must be known before a document is read: number of pages, name of its reader, its outline."""
    document = source.document(work)
    outline = [[entry.level, entry.title, entry.page, entry.top] for entry in document.reader.outline()]
    header = {"pages": document.page_count, "reader": document.reader.name, "media_type": document.media_type}
    return header, json.dumps(outline).encode()


def read_group(group: Group, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """Native text of every page, and blocks of those that need no engine.

    The header has an entry per page: sizes of its text and blocks, which follow each other in the data, or what it
    needs, or why it failed.
    """
    reader = group.source.document(work).reader
    options = RecognizeOptions(group.mode, figures=group.figures)
    entries: list[dict[str, object]] = []
    pieces: list[bytes] = []
    for number, text in zip(group.pages, reader.text(group.pages, threads=1), strict=True):
        entry: dict[str, object] = {"page": number}
        entries.append(entry)
        try:
            if isinstance(text, InputError):
                raise text
            pieces.append(text)
            entry["text"] = len(text)
            shown = text_of_page(text, number)
            needs = needs_of(shown, judge(shown), options)
            if needs is not None:
                entry["needs"] = needs.reason
                continue
            blocks = encode_page(_blocks(shown))
        except Exception as error:  # one bad page never loses the document
            entry["failed"] = reason_of(error)
            entry["info"] = _info(reader.info, number)
            continue
        pieces.append(blocks)
        entry["blocks"] = len(blocks)
    return {"entries": entries}, b"".join(pieces)


def assemble(gathered: Pages, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The document from its pages."""
    digests = [page for page in gathered.pages if not isinstance(page, PageInfo)]
    loaded = _load(work, digests)
    pages = [
        PageResult(page) if isinstance(page, PageInfo) else decode_page(next(loaded), _no_texts)
        for page in gathered.pages
    ]
    infos = [page.info for page in pages]
    return {}, encode_document(infos, assembled(pages, gathered.outline))


def export(asked: Export, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The files of a document: what follows the stem of their names, and sizes, in the header; then their bytes."""

    def text(page: int) -> PageText:
        (data,) = _load(work, [asked.texts[page]])
        return text_of_page(data, page)

    (data,) = _load(work, [asked.document])
    infos, blocks = decode_document(data, text)
    result = DocumentResult(asked.source.document(work), infos, blocks, asked.path)
    files = result.files(asked.formats, stem="", words=asked.words, trace=asked.path is not None)
    return {"files": [[name, len(content)] for name, content in files.items()]}, b"".join(files.values())


def _blocks(shown: PageText) -> PageResult:
    page = layout.page_blocks(shown, layout.LayoutProfile())
    for block in page.blocks:
        if isinstance(block.words, PageWords):
            block.words.bind(lambda: shown, page.number)
    return page


def _info(info: Callable[[int], PageInfo], number: int) -> Json:
    try:
        found = info(number)
    except InputError:
        return [number, 0.0, 0.0, 0]
    return [number, found.width, found.height, found.rotation]


def _no_texts(page: int) -> PageText:
    raise AssertionError(f"nobody needs the words of page {page} to assemble it")


def _load(work: WorkerWork, digests: Sequence[Digest]) -> Iterator[bytes]:
    """Artifacts from the store, by way of the parent, in messages that stay small however many there are."""
    for begin in range(0, len(digests), AT_ONCE):
        header, data = work.request("load", {"digests": list(digests[begin : begin + AT_ONCE])})
        sizes, at = header["sizes"], 0
        assert isinstance(sizes, list)
        for size in sizes:
            yield data[at : at + size]
            at += size
