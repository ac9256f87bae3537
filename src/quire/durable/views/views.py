"""Views of documents that the store keeps: views of pages, pictures, exports, tables.

Each is made once, in a worker process, and is an artifact of the document, deleted with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

from quire.core.context import Claim, Json, Store
from quire.core.document import RenderOptions
from quire.core.errors import InputError, StoreError, UsageError
from quire.core.keys import ArtifactKey, Digest, artifact_key, digest_of
from quire.core.types import BBox
from quire.durable.extracts.extract_jobs import Reporting, Sampling
from quire.durable.reads.read_records import ReadPages, pages_key
from quire.durable.reads.read_steps import NOTHING, DocumentSteps, Reply
from quire.durable.steps.archives import parts_of
from quire.durable.steps.once import made_once
from quire.durable.views import view_jobs as jobs
from quire.evidence.extract.reports import MEDIA_TYPES, ReportFormat
from quire.output.export import find_format
from quire.output.place_crops import PAGE_DPI, picture_id
from quire.reading.messages import DocumentReference
from quire.reading.worker_rendering import draw
from quire.retrieval.chunk import ChunkOptions, find_tokenizer, settings_of
from quire.retrieval.chunk.rows import ChunkRow
from quire.system.atomic_files import output_stem
from quire.system.stage_versions import stage_version
from quire.system.workers import WorkerPool
from quire.system.zip_archive import zip_archive

EXTRACTS = "quire.durable.extracts.extract_jobs"
JOB_S = 120.0
"""Timeout of a job."""
WORKERS = 2
"""Workers for views: few, and separate from those that read, so that looking at a document does not wait for others to
be read."""
DPI = range(20, 301)
ZIP = "application/zip"

TableFormat: TypeAlias = Literal["csv", "xlsx", "json", "html"]


class StoredFile(NamedTuple):
    """Bytes in the store, with their digest, media type and, for a file to download, a name."""

    digest: Digest
    media_type: str
    name: str = ""


class PageList(NamedTuple):
    """The pages and tables of a document, as JSON."""

    pages: list[dict[str, Any]]
    tables: list[dict[str, Any]]


class DocumentViews:
    """Views of the documents in a store, each in its scope. Thread-safe; its methods block. `close` ends its workers.

    Every method raises StoreError if the document was deleted, and InputError if its source is needed and gone.
    """

    def __init__(self, steps: DocumentSteps, *, workers: int = WORKERS) -> None:
        self._pool = WorkerPool(workers)
        self._steps = steps.on(self._pool)

    @property
    def pool(self) -> WorkerPool:
        return self._pool

    def load(self, document: DocumentReference, digest: Digest) -> bytes:
        return self._store(document).load(digest)

    def pages(self, document: DocumentReference) -> PageList:
        """The pages and tables; makes the views of all pages on the first call."""
        key = _list_key(document)
        digest = self._once(key, document, lambda claim: self._make_views(document, claim)[0])
        return PageList(**json.loads(self.load(document, digest)))

    def page(self, document: DocumentReference, number: int, *, words: bool = False) -> StoredFile:
        """The view of a page, as JSON. Raises UsageError for a page that was not read."""
        inputs = *_read_from(document), str(number)
        key = artifact_key("view-words" if words else "view", stage_version("view"), inputs, NOTHING)

        def make(claim: Claim) -> Digest:
            self._check_page(document, number)
            if not words:
                return self._store(document).find(key) or self._make_views(document, claim)[number]
            data = self._work(document, "view_words", jobs.WordsOf(self._viewed(document), number))
            return self._save(key, data, document, claim, number)

        return StoredFile(self._once(key, document, make), "application/json")

    def check_place(self, document: DocumentReference, number: int, blocks: Collection[str]) -> None:
        """Raises UsageError for a page that was not read, and for a block that is not on it."""
        view = json.loads(self.load(document, self.page(document, number).digest))
        there = {block["id"] for block in view["blocks"]}
        if unknown := [block for block in blocks if block not in there]:
            raise UsageError(f"page {number} of {document['source']['name']} has no block {unknown[0][:100]}")

    def picture(self, document: DocumentReference, number: int, *, dpi: int = PAGE_DPI) -> StoredFile:
        """A page as PNG; at a lower resolution if it is too large.

        Raises InputError for a page that cannot be drawn, UsageError for one that does not exist.
        """
        key = picture_id(document["source"]["id"], number, dpi=_checked(dpi))

        digest = self._made(key, document, lambda: self._drawn(document, number, dpi), number)
        return StoredFile(digest, "image/png")

    def crop(self, document: DocumentReference, number: int, box: BBox, *, dpi: int = PAGE_DPI) -> bytes:
        """The part of a page inside a box, as PNG. It is not stored: there are more boxes than any store has room for.

        Raises the same as `picture`.
        """
        self._check(document)
        return self._drawn(document, number, _checked(dpi), box)

    def export(
        self,
        document: DocumentReference,
        format: str,
        *,
        words: bool = False,
        trace: bool = False,
        figures: bool = False,
    ) -> StoredFile:
        """The document in a format: one file, or a zip archive of several. Raises UsageError for an unknown format."""
        known = find_format(format)
        stem = output_stem(document["source"]["name"])
        several = "{number}" in known.suffix
        inputs = *_read_from(document), stem, format, known.version, f"{words:d}{trace:d}{figures:d}"
        key = artifact_key("export-file", stage_version("export"), inputs, NOTHING)

        def make() -> bytes:
            files = self._scoped(document).export(document, [format], words=words, trace=trace, figures=figures)
            if several:
                return zip_archive((stem + suffix, data) for suffix, data in files.items())
            return next(iter(files.values()))

        name = f"{stem}.{format}.zip" if several else stem + known.suffix
        return StoredFile(self._made(key, document, make), ZIP if several else known.media_type, name)

    def table(self, document: DocumentReference, block: str, format: TableFormat) -> StoredFile:
        """A table as a file. Raises UsageError when there is none in that block."""
        if all(block != row["block"] for row in self.pages(document).tables):
            raise UsageError(f"{document['source']['name']} has no table {block}")
        key = artifact_key("table-file", stage_version("view"), (*_read_from(document), block, format), NOTHING)

        def make() -> bytes:
            return self._work(document, "write_table", jobs.TableFile(self._viewed(document), block, format))

        name = f"{output_stem(document['source']['name'])}.{block}.{format}"
        return StoredFile(self._made(key, document, make), jobs.TABLE_FORMATS[format], name)

    def catalog(self, document: DocumentReference) -> StoredFile:
        """Everything of the document that a value can cite, as lines of JSON."""
        key = artifact_key(
            "catalog", stage_version("catalog"), (*_read_from(document), document["source"]["name"]), NOTHING
        )

        def make() -> bytes:
            with self._scoped(document).requested(document) as read:
                return self._work(document, f"{EXTRACTS}:cataloged", read)

        name = f"{output_stem(document['source']['name'])}.catalog.jsonl"
        return StoredFile(self._made(key, document, make), "application/x-ndjson", name)

    def sample(self, document: DocumentReference, sample: Mapping[str, Json]) -> bytes:
        """A sample of a review with the content of its document, as a line of JSON: not kept, so that a sample that is
        taken back leaves nothing behind."""
        self._check(document)
        with self._scoped(document).requested(document) as read:
            return self._work(document, f"{EXTRACTS}:sampled", Sampling(read, sample))

    def report(self, document: DocumentReference, extraction: Digest, format: ReportFormat) -> StoredFile:
        """An extraction as a file; as JSON it is the extraction itself."""
        if format == "json":
            return StoredFile(extraction, MEDIA_TYPES[format])
        inputs = *_read_from(document), extraction, format
        key = artifact_key("extract-report", stage_version("report"), inputs, NOTHING)

        def make() -> bytes:
            tree = json.loads(self.load(document, extraction))
            with self._scoped(document).requested(document) as read:
                return self._work(document, f"{EXTRACTS}:reported", Reporting(read, tree, (format,)))

        name = f"{output_stem(document['source']['name'])}.extracted.{format}"
        return StoredFile(self._made(key, document, make), MEDIA_TYPES[format], name)

    def search(self, document: DocumentReference, query: str, *, limit: int = 50) -> bytes:
        """The matches of a text, as JSON: not kept. Raises UsageError for an empty text."""
        if not query.strip():
            raise UsageError("the text to search for is empty")
        self._check(document)
        return self._work(document, "find", jobs.Find(self._viewed(document), query, limit))

    def chunks(self, document: DocumentReference, options: ChunkOptions) -> list[ChunkRow]:
        """The chunks of a document, for an index."""
        source = document["source"]
        settings = digest_of(settings_of(options, find_tokenizer(options.tokenizer)))
        key = artifact_key("view-chunks", stage_version("chunk"), (*_read_from(document), source["name"]), settings)

        def make() -> bytes:
            media_type = document.get("media_type") or ""
            cut = jobs.Cut(self._viewed(document), source["name"], source["id"], media_type, options)
            return self._work(document, "cut", cut)

        listed: list[ChunkRow] = json.loads(self.load(document, self._made(key, document, make)))
        return listed

    def close(self) -> None:
        self._pool.close()

    def _make_views(self, document: DocumentReference, claim: Claim) -> Mapping[int, Digest]:
        """Make the views of all pages, and their list as 0."""
        saved: dict[int, Digest] = {}

        def save(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
            for number, view in zip(header["pages"], parts_of(data, header["sizes"]), strict=True):
                key = artifact_key("view", stage_version("view"), (*_read_from(document), str(number)), NOTHING)
                saved[number] = self._save(key, view, document, None, number)
            return {}, b""

        listed = self._work(document, "view_pages", self._viewed(document), {"views": save})
        self._store(document).flush(lasting=False)  # else they would come back after the document is deleted
        return saved | {0: self._save(_list_key(document), listed, document, claim)}

    def _made(
        self, key: ArtifactKey, document: DocumentReference, make: Callable[[], bytes], page: int | None = None
    ) -> Digest:
        """The artifact of a key, with what `make` returns unless it is in the store."""
        return self._once(key, document, lambda claim: self._save(key, make(), document, claim, page))

    def _once(self, key: ArtifactKey, document: DocumentReference, make: Callable[[Claim], Digest]) -> Digest:
        def made(claim: Claim) -> Digest:
            self._check(document)
            return make(claim)

        store = self._store(document)
        return made_once(store, key, partial(store.find, key), made)[0]

    def has(self, document: DocumentReference) -> bool:
        """Whether the document is still in the store: other documents may have contents in common with it."""
        return self._store(document).find(pages_key(document["source"]["id"], document["index"])) is not None

    def _check(self, document: DocumentReference) -> None:
        if not self.has(document):
            raise StoreError(f"{document['source']['name']} was deleted from the store; read it again")

    def _check_page(self, document: DocumentReference, number: int) -> None:
        if all(number != page["number"] for page in self.pages(document).pages):
            raise UsageError(f"page {number} of {document['source']['name']} was not read")

    def _drawn(self, document: DocumentReference, number: int, dpi: int, box: BBox | None = None) -> bytes:
        self._check_page(document, number)
        with self._scoped(document).requested(document) as request:
            options = RenderOptions(dpi=dpi)
            drawing = draw(request.source, [number], options, fit=True, box=box, threads=1, pool=self._pool)
            with closing(drawing) as drawn:
                image = next(drawn)
        if isinstance(image, InputError):
            raise image
        return image.png

    def _scoped(self, document: DocumentReference) -> DocumentSteps:
        return self._steps.scoped(document.get("scope", ""))

    def _store(self, document: DocumentReference) -> Store:
        return self._scoped(document).store

    def _save(
        self, key: ArtifactKey, data: bytes, document: DocumentReference, claim: Claim | None, page: int | None = None
    ) -> Digest:
        source = document["source"]["id"]
        return self._store(document).save(key, data, stage="view", document=source, page=page, claim=claim)

    def _viewed(self, document: DocumentReference) -> jobs.Viewed:
        index = ReadPages.load(self._store(document), document["index"])
        return jobs.Viewed(document["document"], index.texts, index.path)

    def _work(
        self, document: DocumentReference, job: str, arguments: object, more: Mapping[str, Reply] | None = None
    ) -> bytes:
        """The bytes of a job, one of `view_jobs` or `module:function`."""
        named = job if ":" in job else f"quire.durable.views.view_jobs:{job}"
        return bytes(self._scoped(document).work(named, arguments, JOB_S, more=more).data)


def _checked(dpi: int) -> int:
    if dpi not in DPI:
        raise UsageError(f"dpi is {dpi}; choose {DPI.start} to {DPI.stop - 1}")
    return dpi


def _read_from(document: DocumentReference) -> tuple[str, str, str]:
    """The inputs of views: the document as it was read, and the file. Another file may have the same contents, and be
    deleted."""
    return document["document"], document["index"], document["source"]["id"]


def _list_key(document: DocumentReference) -> ArtifactKey:
    return artifact_key("views", stage_version("view"), _read_from(document), NOTHING)
