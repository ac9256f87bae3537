"""What workers do for durable reads beside reading pages: assemble a document, and write its exports.

Runs in worker processes. A worker has no store: what it needs of it the parent hands over, and what it makes the
parent saves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quire.assemble import assemble as assembled
from quire.encoding import decode_document, decode_page, encode_document
from quire.engine import Attempt
from quire.keys import Digest
from quire.opened import Opened, WorkerWork
from quire.pagetext import PageText
from quire.reading.native_pages import text_of_page
from quire.result import DocumentResult, ReadSource
from quire.types import OutlineEntry, PageInfo, PageResult

AT_ONCE = 64
"""Artifacts in one message from the parent."""


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a document to assemble: records of those that were read, infos of the others."""

    pages: tuple[Digest | PageInfo, ...]
    outline: tuple[OutlineEntry, ...]


@dataclass(frozen=True, slots=True)
class Export:
    """A document to write in some formats. `texts` are the digests of the texts of its pages."""

    source: Opened
    media_type: str
    document: Digest
    texts: Mapping[int, Digest]
    formats: tuple[str, ...]
    words: bool
    path: Mapping[int, tuple[Attempt, ...]] | None


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
    source = ReadSource(asked.source.id, asked.source.name, asked.media_type, asked.source.open)
    result = DocumentResult(source, infos, blocks, asked.path)
    files = result.files(asked.formats, stem="", words=asked.words, trace=asked.path is not None)
    return {"files": [[name, len(content)] for name, content in files.items()]}, b"".join(files.values())


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
