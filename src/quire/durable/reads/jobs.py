"""What workers do for durable reads besides reading pages: assemble a document, and write its exports.

Runs in worker processes. A worker has no store: the parent loads what it needs, and saves what it makes.
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
    structured: bool = False


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
    structure: Digest | None = None


def assemble(gathered: Pages, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The document from its pages."""
    digests = [page for page in gathered.pages if not isinstance(page, PageInfo)]
    loaded = _load(work, digests)
    pages = [
        PageResult(page) if isinstance(page, PageInfo) else decode_page(next(loaded), _no_texts)
        for page in gathered.pages
    ]
    infos = [page.info for page in pages]
    if gathered.structured:
        return {}, encode_document(infos, [block for page in pages for block in page.blocks])
    return {}, encode_document(infos, assembled(pages, gathered.outline))


def export(request: Export, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The files of a document. The header has their suffixes (after the stem) and sizes, the data their bytes."""

    def text(page: int) -> PageText:
        (data,) = _load(work, [request.texts[page]])
        return text_of_page(data, page)

    (data,) = _load(work, [request.document])
    infos, blocks = decode_document(data, text)
    wanted = request.structure
    structure = None if wanted is None else (lambda: next(_load(work, [wanted])))
    source = ReadSource(
        request.source.id, request.source.name, request.media_type, request.source.open, structure=structure
    )
    result = DocumentResult(source, infos, blocks, request.path)
    files = result.files(request.formats, stem="", words=request.words, trace=request.path is not None)
    return {"files": [[name, len(content)] for name, content in files.items()]}, b"".join(files.values())


def _no_texts(page: int) -> PageText:
    raise AssertionError(f"assembling does not need the words of page {page}")


def _load(work: WorkerWork, digests: Sequence[Digest]) -> Iterator[bytes]:
    """Artifacts from the store, through the parent, in messages of a limited size."""
    for begin in range(0, len(digests), AT_ONCE):
        header, data = work.request("load", {"digests": list(digests[begin : begin + AT_ONCE])})
        sizes, at = header["sizes"], 0
        assert isinstance(sizes, list)
        for size in sizes:
            yield data[at : at + size]
            at += size
