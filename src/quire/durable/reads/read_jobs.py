"""Jobs of workers for durable reads besides reading pages: assemble a document, and write its exports.

Runs in worker processes. A worker has no store: the parent loads what it needs, and saves what it makes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from quire.core.encoding import decode_document, decode_page, encode_document
from quire.core.engine import Attempt
from quire.core.keys import Digest
from quire.core.media_types import INPUT_FORMATS
from quire.core.opened import Opened, WorkerWork
from quire.core.page_ranges import page_numbers
from quire.core.pagetext import PageText
from quire.core.types import OutlineEntry, PageInfo, PageResult
from quire.durable.steps.archives import parts_of
from quire.pages.assemble import assemble_pages
from quire.pages.recognize.options import RecognizeOptions
from quire.reading.native_pages import text_of_page
from quire.reading.page_jobs import about, read_pages
from quire.reading.result import DocumentResult, ReadSource

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
    figures: bool = False
    images: Literal["embed"] | None = None


@dataclass(frozen=True, slots=True)
class Short:
    """A document to read in one go if it has at most `most` pages, and none of them needs an engine."""

    source: Opened
    pages: str | None
    options: RecognizeOptions
    most: int


@dataclass(frozen=True, slots=True)
class ShortRead:
    """A document that was read in one go: about it, its outline, its pages; the document if all of them were read."""

    header: dict[str, object]
    outline: bytes
    pages: list[tuple[dict[str, object], bytes]]
    document: bytes = b""
    bundle: bytes = b""
    structure: bytes = b""
    """Both of a document that was converted."""

    def message(self) -> tuple[dict[str, object], bytes]:
        """As the reply of a worker."""
        parts = [self.outline, self.document, self.bundle, self.structure, *(data for _, data in self.pages)]
        header: dict[str, object] = {
            "about": self.header,
            "pages": [page for page, _ in self.pages],
            "sizes": [len(one) for one in parts],
        }
        return header, b"".join(parts)

    @classmethod
    def of(cls, header: Mapping[str, Any], data: bytes) -> ShortRead:
        parts = list(parts_of(data, header["sizes"]))
        return cls(header["about"], parts[0], list(zip(header["pages"], parts[4:], strict=True)), *parts[1:4])


def short(request: Short, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """Read a short document. A long one is only looked into."""
    return read_short(request, work).message()


def read_short(request: Short, work: WorkerWork) -> ShortRead:
    opened = request.source.document(work)
    bundle = structure = b""
    if opened.media_type in INPUT_FORMATS:
        from quire.pages.formats.conversion import convert  # imports docling

        opened.bundle, structure = convert(opened, until=work.deadline)
        bundle = opened.bundle.to_bytes()
    header, outline = about(opened)
    numbers = page_numbers(request.pages, opened.page_count)
    if len(numbers) > request.most:
        return ShortRead(header, outline, [], bundle=bundle, structure=structure)
    pages = list(read_pages(opened, numbers, request.options))
    if any("needs" in page or "failed" in page for page, _ in pages):
        return ShortRead(header, outline, [])
    laid = [decode_page(data[int(str(page["text"])) :], _no_texts) for page, data in pages]
    entries = [OutlineEntry(*row) for row in json.loads(outline)]
    document = _document(laid, entries, structured=bool(bundle))
    return ShortRead(header, outline, pages, document, bundle, structure)


def assemble(gathered: Pages, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The document from its pages."""
    digests = [page for page in gathered.pages if not isinstance(page, PageInfo)]
    loaded = load_artifacts(work, digests)
    pages = [
        PageResult(page) if isinstance(page, PageInfo) else decode_page(next(loaded), _no_texts)
        for page in gathered.pages
    ]
    return {}, _document(pages, gathered.outline, structured=gathered.structured)


def _document(pages: Sequence[PageResult], outline: Sequence[OutlineEntry], *, structured: bool) -> bytes:
    if structured:
        return encode_document([page.info for page in pages], [block for page in pages for block in page.blocks])
    return encode_document(*assemble_pages(pages, outline))


def export(request: Export, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The files of a document. The header has their suffixes (after the stem) and sizes, the data their bytes."""

    result = loaded_result(request, work)
    files = result.files(
        request.formats,
        stem="",
        words=request.words,
        trace=request.path is not None,
        figures=request.figures,
        images=request.images,
    )
    return {"files": [[name, len(content)] for name, content in files.items()]}, b"".join(files.values())


def loaded_result(request: Export, work: WorkerWork) -> DocumentResult:
    """The document of a request, loaded through the parent."""

    def text(page: int) -> PageText:
        (data,) = load_artifacts(work, [request.texts[page]])
        return text_of_page(data, page)

    (data,) = load_artifacts(work, [request.document])
    infos, blocks = decode_document(data, text)
    wanted, source = request.structure, request.source
    structure = None if wanted is None else (lambda: next(load_artifacts(work, [wanted])))
    about = ReadSource(source.id, source.name, request.media_type, source.open, structure=structure)
    return DocumentResult(about, infos, blocks, request.path)


def _no_texts(page: int) -> PageText:
    raise AssertionError(f"assembling does not need the words of page {page}")


def load_artifacts(work: WorkerWork, digests: Sequence[Digest]) -> Iterator[bytes]:
    """Artifacts from the store, through the parent, in messages of a limited size."""
    for begin in range(0, len(digests), AT_ONCE):
        header, data = work.request("load", {"digests": list(digests[begin : begin + AT_ONCE])})
        yield from parts_of(data, cast("list[int]", header["sizes"]))
