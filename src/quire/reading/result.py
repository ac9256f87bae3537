"""The result of a read: pages, blocks, tables, and exports to every format."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from quire.core.document import Document
from quire.core.errors import ChangedError, InputError, UsageError
from quire.core.types import REDACTED, BBox, Block, PageInfo, PageResult, TableBlock, shortened
from quire.system.atomic_files import fitting_stem, output_stem, write_files
from quire.system.budget import cpu_budget

if TYPE_CHECKING:
    from PIL.Image import Image

    from quire.core.context import Json
    from quire.core.engine import Attempt
    from quire.evidence.catalog.records import SourceCatalog
    from quire.evidence.extract.extractor import Extractor
    from quire.evidence.extract.values import Extraction
    from quire.output.export._figures import FigureView
    from quire.output.export.crops import Crop
    from quire.retrieval.chunk import Chunk, ChunkOptions
    from quire.retrieval.chunk.docling_chunks import DoclingChunk

ResultStatus = Literal["complete", "partial"]
ImageMode = Literal["embed", "files"]
"""The place of the pictures of figures: in the Markdown or HTML, or in files beside it."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The number of pages by status: `pages = ok + empty + failed + skipped`.

    `left_out` counts pages among those that were read of which more than a small share of the text is in no block;
    the reason of the page says why, and its `characters` how much.
    """

    pages: int
    ok: int
    empty: int
    failed: int
    skipped: int
    left_out: int = 0

    @classmethod
    def of(cls, infos: Sequence[PageInfo]) -> Ledger:
        found = [info.status for info in infos]
        ok, empty, failed, skipped = (found.count(status) for status in ("ok", "empty", "failed", "skipped"))
        return cls(len(found), ok, empty, failed, skipped, sum(info.lacks_text for info in infos))

    @property
    def status(self) -> ResultStatus:
        return "partial" if self.failed or self.skipped else "complete"


class Redacted(NamedTuple):
    """A blacked-out area of a scan. The score, 0 to 1, is its confidence."""

    page: int
    bbox: BBox
    score: float


@dataclass(frozen=True, slots=True)
class _Export:
    """The part of a result that the exports need."""

    id: str
    name: str
    media_type: str
    pages: Sequence[PageInfo]
    blocks: Sequence[Block]
    source: Callable[[], Document]
    trace: Mapping[int, Sequence[Attempt]] | None
    url: str | None
    structure: Callable[[], bytes] | None
    figures: FigureView


@dataclass(frozen=True, slots=True)
class ReadSource:
    """The document of a result. Its file may no longer exist; `reopen` opens it to render pages."""

    id: str
    name: str
    media_type: str
    reopen: Callable[[], Document]
    url: str | None = None
    structure: Callable[[], bytes] | None = None
    """Returns the DoclingDocument, as JSON, of a document that was converted; None for one that was not."""

    @classmethod
    def of(cls, document: Document, structure: bytes | None = None) -> ReadSource:
        loaded = None if structure is None else partial(bytes, structure)
        reopen = partial(_reopened, document)
        return cls(document.id, document.name, document.media_type, reopen, document.url, loaded)


class DocumentResult:
    """A document that was read: `pages` and `blocks` in reading order, with everything that crosses pages resolved.

    Holds no open file. The words of blocks and pictures of pages are lazy; pictures are rendered from the source,
    which must still exist.
    """

    def __init__(
        self,
        document: Document | ReadSource,
        infos: Sequence[PageInfo],
        blocks: Sequence[Block],
        path: Mapping[int, tuple[Attempt, ...]] | None = None,
    ) -> None:
        self._source = ReadSource.of(document) if isinstance(document, Document) else document
        self._infos = tuple(infos)
        self.blocks = tuple(blocks)
        self.path: Mapping[int, tuple[Attempt, ...]] = dict(path or {})
        """The attempts to read each OCR page: the engines that were tried, in order, by page number."""

    @property
    def id(self) -> str:
        """sha256 of the document's bytes."""
        return self._source.id

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def url(self) -> str | None:
        """The URL that the document was downloaded from; None for other sources."""
        return self._source.url

    @property
    def media_type(self) -> str:
        return self._source.media_type

    @cached_property
    def pages(self) -> tuple[PageResult, ...]:
        """Each page with its ledger entry and the blocks that begin on it."""
        begun: dict[int, list[Block]] = {}
        for block in self.blocks:
            begun.setdefault(block.page, []).append(block)
        return tuple(PageResult(info, tuple(begun.get(info.number, ()))) for info in self._infos)

    @property
    def tables(self) -> tuple[TableBlock, ...]:
        """The blocks that hold a table; each has its grid in `table`."""
        return tuple(cast(TableBlock, block) for block in self.blocks if block.table is not None)

    @property
    def redactions(self) -> list[Redacted]:
        """The audit list of a read with `redactions=True`: every blacked-out area, with its confidence."""
        return [
            Redacted(block.page, word.bbox, word.confidence or 0.0)
            for block in self.blocks
            for word in block.words
            if word.text == REDACTED
        ]

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger.of(self._infos)

    @property
    def status(self) -> ResultStatus:
        """`complete`, or `partial` when a page failed or was skipped; `pages` says which and why."""
        return self.ledger.status

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def __repr__(self) -> str:
        name, pages, blocks = shortened(self.name), len(self._infos), len(self.blocks)
        return f"<{type(self).__name__} {name}: {pages} pages, {blocks} blocks, {self.status}>"

    def _repr_markdown_(self) -> str:
        from quire.output.export import _notebook

        return _notebook.document(self._export, self.status)

    def to_markdown(self, *, figures: bool = False, images: Literal["embed"] | None = None) -> str:
        """Markdown. Tables with pipes, or as HTML if cells span rows or columns.

        `figures` shows all words in figures, not only sentences and values; `images` embeds the pictures of figures.
        """
        from quire.output import export

        return export.markdown(self._shown(figures, images))

    def to_html(self, *, figures: bool = False, images: Literal["embed"] | None = None) -> str:
        """A standalone HTML page, in which every block has its page number and bounding box; figures as in Markdown."""
        from quire.output import export

        return export.html(self._shown(figures, images))

    def to_text(self, *, figures: bool = False) -> str:
        """Plain text, in reading order; `figures` as in Markdown."""
        from quire.output import export

        return export.text(self._shown(figures))

    def to_json(self, *, words: bool = False, trace: bool = False) -> str:
        """Everything as JSON in the schema `quire/1`; optionally the words of each block, and how it was read."""
        from quire.output import export

        return export.json_(self._exported(trace=trace), words=words)

    def to_docling(self) -> dict[str, object]:
        """A `DoclingDocument` as a dictionary, ready for docling-core's `model_validate`."""
        from quire.output import export

        return export.docling(self._export)

    def to_docling_chunks(
        self, options: Mapping[str, object], *, descriptions: Mapping[str, str] | None = None
    ) -> list[DoclingChunk]:
        """Chunks as docling-serve returns them; `options` are those of its chunk endpoints, with the chunker.

        `descriptions` of pictures, by their reference in `to_docling()`, become part of the text.
        """
        from quire.retrieval.chunk.docling_chunks import cut_for_docling

        return cut_for_docling(self._export, options, descriptions)

    def to_doctags(self) -> str:
        from quire.output import export

        return export.doctags(self._export)

    def to_excel(self, path: str | Path | None = None) -> bytes:
        """A workbook with a sheet per table, written to `path` if given. Needs the extra `excel`."""
        from quire.output import export

        workbook = export.excel(self._export)
        if path is not None:
            write_files({Path(path): workbook})
        return workbook

    def to_hocr(self, *, dpi: float = 300) -> str:
        """hOCR of all pages, with the boxes of lines and words in pixels of pages rendered at `dpi`."""
        from quire.output import export

        return export.hocr(self._export, dpi=dpi)

    def to_alto(self, page: int | None = None, *, dpi: float = 300) -> str:
        """ALTO of one page, optional if only one was read; boxes in pixels of a page rendered at `dpi`."""
        from quire.output import export

        read = [info.number for info in self._infos]
        if page is None and len(read) != 1:
            raise UsageError(
                f"ALTO is one file per page, and {len(read)} were read; pass a page number, or write all with save()"
            )
        if page is not None and page not in read:
            raise UsageError(f"page {page} of {self.name} was not read")
        return export.alto(self._export, dpi=dpi)[0 if page is None else read.index(page)]

    def to_pdf(self, path: str | Path | None = None) -> bytes:
        """The source as a searchable PDF, written to `path` if given. Needs the extra `pdf`.

        OCR words become an invisible text layer; text that the file already has stays as it is. The source must still
        be the document that was read.
        """
        from quire.output import export

        searchable = export.pdf(self._export)
        if path is not None:
            write_files({Path(path): searchable})
        return searchable

    def chunks(self, options: ChunkOptions | None = None) -> list[Chunk]:
        """Pieces for search and language models, each with its headings, blocks, pages and boxes.

        By default of at most 256 tokens, as the tokenizer of `sentence-transformers/all-MiniLM-L6-v2` counts them.
        """
        from quire.retrieval import chunk

        return chunk.chunks(self._export, options)

    def catalog(self, options: ChunkOptions | None = None) -> SourceCatalog:
        """Everything of the document that a value can cite, with stable ids: chunks, blocks and cells."""
        from quire.evidence.catalog.builder import catalog_of

        return catalog_of(self._export, options)

    def extract(
        self,
        schema: Mapping[str, Json] | None = None,
        *,
        fields: Sequence[str] | str | None = None,
        extractors: Sequence[str | Extractor] = (),
        min_confidence: float = 0.0,
    ) -> Extraction:
        """Values by a JSON Schema, or by the names of fields, each with its evidence; as `quire.extract`."""
        from quire.evidence.extract.extraction import extract
        from quire.evidence.extract.extractor_registry import find_extractors
        from quire.evidence.extract.schema import asked_schema
        from quire.evidence.extract.shown_values import seen_when_reopened

        requested, catalog = asked_schema(schema, fields), self.catalog()
        found = extract(catalog, requested, find_extractors(extractors), min_confidence=min_confidence)
        return replace(seen_when_reopened(found, catalog, self._source.reopen), reopen=self._source.reopen)

    def to_bytes(
        self,
        format: str,
        *,
        words: bool = False,
        trace: bool = False,
        figures: bool = False,
        images: Literal["embed"] | None = None,
        crop: Crop | None = None,
    ) -> bytes:
        """The bytes of a format with a single file, by its name (`md`, `json`, …); the options as in `save`."""
        from quire.output import export

        exported = self._shown(figures, images, trace=trace, crop=crop)
        files = list(export.files(exported, format, stem="", words=words).values())
        if len(files) != 1:
            each = "page" if export.find_format(format).by_page else "table"
            raise UsageError(
                f"{format} is one file per {each}, here {len(files)}; write them into a folder with save()"
            )
        return files[0]

    def save(
        self,
        folder: str | Path,
        formats: str | Iterable[str] = ("md",),
        *,
        stem: str | None = None,
        words: bool = False,
        trace: bool = False,
        figures: bool = False,
        images: ImageMode | None = None,
        crop: Crop | None = None,
    ) -> list[Path]:
        """Write the document into `folder`, named after the source: `report.md`, `report.table-1.csv`.

        `figures` shows all words in figures in Markdown, HTML and text, not only sentences and values. `images` adds
        the pictures of figures to Markdown and HTML: `embed` in the file, `files` as `report.images/p3-b2.png` beside
        it. They are rendered from the source, which must still exist, in this process, or by `crop`. Files are written
        atomically. Raises UsageError for an unknown format.
        """
        contents = self.files(formats, stem=stem, words=words, trace=trace, figures=figures, images=images, crop=crop)
        paths = {Path(folder) / name: data for name, data in contents.items()}
        write_files(paths)
        return list(paths)

    def files(
        self,
        formats: str | Iterable[str] = ("md",),
        *,
        stem: str | None = None,
        words: bool = False,
        trace: bool = False,
        figures: bool = False,
        images: ImageMode | None = None,
        crop: Crop | None = None,
    ) -> dict[str, bytes]:
        """The contents of the files that `save` writes, by name."""
        from quire.output import export

        name = output_stem(self.name) if stem is None else fitting_stem(stem)
        names = (formats,) if isinstance(formats, str) else tuple(formats)
        pictures = self._cut(crop) if images and {"md", "html"}.intersection(names) else {}
        beside = {f"{name}.images/{block}.png": png for block, png in pictures.items()} if images == "files" else {}
        targets = dict(zip(pictures, beside, strict=True)) if beside else _embedded(pictures)
        exported = self._exported(trace=trace, figures=figures, pictures=targets)
        return beside | {
            file: data
            for format in names
            for file, data in export.files(exported, format, stem=name, words=words).items()
        }

    def show(self, page: int = 1, *, dpi: int = 150, path: str | Path | None = None) -> Image:
        """Show a page with the boxes of its blocks drawn, and return the picture as a Pillow image.

        A notebook displays it. In a script it is opened in the viewer of the system, or, without a screen, written to a
        temporary folder; with `path` it is only written there.
        """
        from PIL import Image

        from quire.output.export import _viewer

        picture = next(self.pictures([page], dpi=dpi))
        if isinstance(picture, InputError):
            raise picture
        image = Image.open(io.BytesIO(picture))
        if path is not None:
            write_files({Path(path): picture})
        else:
            _viewer.present(image, f"{output_stem(self.name)}.page-{page}.png")
        return image

    def pictures(
        self, pages: Iterable[int] | None = None, *, dpi: int = 150, threads: int | None = None
    ) -> Iterator[bytes | InputError]:
        """PNGs of pages with the boxes drawn, in order; the error instead for a page that cannot be rendered.

        Renders from the source, which must still be the document that was read, in this process and by default with
        one thread per CPU. At most a few pictures are in memory at a time.
        """
        from quire.output.export import _show

        read = [info.number for info in self._infos]
        numbers = read if pages is None else list(pages)
        unread = [number for number in numbers if number not in read]
        if unread:
            raise UsageError(f"page {unread[0]} of {self.name} was not read")
        with self._source.reopen() as document:
            marks = _show.marks(self.blocks)
            for image in _show.shown(document, numbers, marks, dpi=dpi, threads=threads or cpu_budget()):
                yield image if isinstance(image, InputError) else image.png

    def reopened(self) -> Document:
        """The source, reopened. Raises InputError if its content has changed."""
        return self._source.reopen()

    def _cut(self, crop: Crop | None) -> dict[str, bytes]:
        """The pictures of the figures, by block id."""
        from quire.output.export import _figures
        from quire.output.export.crops import PageCrops, rendered_by

        if crop is not None:
            return _figures.cut(self.blocks, crop)
        with self._source.reopen() as document:
            return _figures.cut(self.blocks, PageCrops(rendered_by(document.reader)))

    def _shown(
        self, figures: bool, images: Literal["embed"] | None = None, *, trace: bool = False, crop: Crop | None = None
    ) -> _Export:
        pictures = _embedded(self._cut(crop)) if images else {}
        return self._exported(trace=trace, figures=figures, pictures=pictures)

    @property
    def _export(self) -> _Export:
        return self._exported(trace=False)

    def _exported(self, *, trace: bool, figures: bool = False, pictures: Mapping[str, str] | None = None) -> _Export:
        from quire.output.export._figures import FigureView

        attempts = self.path if trace else None
        reopen = self._source.reopen
        source = self._source
        return _Export(
            self.id,
            self.name,
            self.media_type,
            self._infos,
            self.blocks,
            reopen,
            attempts,
            self.url,
            source.structure,
            FigureView(figures, pictures or {}),
        )


def _embedded(pictures: Mapping[str, bytes]) -> dict[str, str]:
    from quire.output.export import _figures

    return {block: _figures.embedded(png) for block, png in pictures.items()}


def _reopened(read: Document) -> Document:
    """Raises InputError if the content of the file has changed."""
    source = read.path if read.data is None else read.data
    assert source is not None
    document = Document(source, name=read.name, password=read.password, known=read.hashed, bundle=read.bundle)
    if document.id != read.id:
        raise ChangedError("has changed since it was read; read it again", document=read.name)
    return document
