"""The stages of a read: native text of a page, its blocks, the document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from quire.core.encoding import decode_document, decode_page, encode_document, encode_page
from quire.core.keys import Digest, digest_of
from quire.core.lazy_words import PageWords
from quire.core.pagetext import PageText
from quire.core.table_areas import TableOptions
from quire.core.types import AnswerSource, Block, Characters, OutlineEntry, PageInfo, PageResult
from quire.pages import assemble, layout
from quire.reading.native_pages import NativePages, text_of_page
from quire.reading.stage import Artifact, DerivedStage, Encoded, Took
from quire.system.stage_versions import stage_version

if TYPE_CHECKING:
    from quire.core.context import Store
    from quire.core.engine import Recognition
    from quire.pages.recognize.seen import Seen


class Texts:
    """The native texts of one document by page, from the store; the last ones are cached."""

    KEPT = 2

    def __init__(self, store: Store) -> None:
        self._store = store
        self._digests: dict[int, Digest] = {}
        self._kept: dict[int, PageText] = {}

    def add(self, page: int, digest: Digest, text: PageText | None = None) -> None:
        """Register the text of a page, decoded if available."""
        self._digests[page] = digest
        if text is not None:
            self._keep(page, text)

    def digest(self, page: int) -> Digest:
        return self._digests[page]

    def __call__(self, page: int) -> PageText:
        text = self._kept.get(page)
        if text is None:
            text = text_of_page(self._store.load(self._digests[page]), page)
            self._keep(page, text)
        return text

    def _keep(self, page: int, text: PageText) -> None:
        self._kept.pop(page, None)
        self._kept = dict([*self._kept.items(), (page, text)][-self.KEPT :])


class _TextStage(DerivedStage):
    """A stage that makes the bytes of a `PageText`."""

    def encode(self, output: bytes) -> bytes:
        return output

    def decode(self, data: bytes) -> bytes:
        return data


class _BlocksStage(DerivedStage):
    """A stage that makes the blocks of a page."""

    name = "page-blocks"
    _texts: Texts

    def encode(self, output: PageResult) -> bytes:
        return encode_page(output)

    def decode(self, data: bytes) -> PageResult:
        return decode_page(data, self._texts)


class NativeText(_TextStage):
    """The native text of a page, from the file itself: the bytes of a `PageText`."""

    name = "native-text"

    def __init__(self, pages: NativePages) -> None:
        self._pages = pages

    def inputs(self, document: str, page: int) -> tuple[str, ...]:
        return document, str(page), self._pages.reader

    def run(self, page: int, took: Took) -> bytes:
        text, ms = self._pages.text(page)
        took(ms)
        return text


class PageBlocks(_BlocksStage):
    """The blocks of a page from its native text, or from recognised text."""

    def __init__(self, texts: Texts, pages: NativePages, tables: TableOptions) -> None:
        self._texts, self._pages, self._tables = texts, pages, tables
        self.infos: dict[int, PageInfo] = {}
        """The ledger entries of pages made by this run."""

    def inputs(self, document: str, page: int, text: Digest) -> tuple[str, ...]:
        return document, text, *self._tables.key(page)

    def run(self, text: PageText | int, took: Took) -> PageResult | Encoded:
        """From a recognised text, or the number of a page that needs no OCR."""
        if isinstance(text, PageText):
            made: PageResult | Encoded = layout.page_blocks(text, tables=self._tables.of_page(text.number))
        else:
            made, ms = self._pages.blocks(text, self._texts.digest(text))
            took(ms)
        if made.info is not None:
            self.infos[made.info.number] = made.info
        if isinstance(made, PageResult):
            for block in made.blocks:
                if isinstance(block.words, PageWords):
                    block.words.bind(partial(self._texts, made.number), made.number)
        return made


@dataclass(frozen=True, slots=True)
class EngineReading:
    """The input for a page with OCR: its native text, what its picture shows, and what an engine recognised.

    `whole` says that it replaces the native text instead of adding to it; `ordered` that the engine's order is the
    reading order. `source` is the answer. A page that no engine read has no readings and no source.
    """

    native: PageText
    seen: Seen
    readings: tuple[Recognition, ...]
    engine: str
    whole: bool
    ordered: bool = False
    source: AnswerSource | None = None
    formulas: tuple[Recognition, ...] = ()
    """The readings of an engine for formulas, of regions that look like one."""


class RecognisedText(_TextStage):
    """The text of a page with the recognised text: the bytes of a `PageText`, like native text."""

    name = "recognised-text"

    def run(self, reading: EngineReading, took: Took) -> bytes:
        from quire.pages.recognize import recognised_text as placing

        text = placing.placed(
            reading.native,
            reading.seen,
            reading.readings,
            engine=reading.engine,
            source=reading.source,
            whole=reading.whole,
            ordered=reading.ordered,
            formulas=reading.formulas,
        )
        return text.to_bytes()


class StructuredBlocks(_BlocksStage):
    """The blocks of a page from an engine that returns structure."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    @property
    def version(self) -> str:
        return stage_version("structured-blocks")

    def run(self, reading: EngineReading, took: Took) -> PageResult:
        from quire.pages.layout.account import characters_in
        from quire.pages.recognize import recognised_text as placing
        from quire.pages.recognize import structured

        native = reading.native
        info = PageInfo(native.number, native.width, native.height, native.rotation)
        page = structured.page_of(info, reading.seen, reading.readings, engine=reading.engine, source=reading.source)
        read, left_out = sum(characters_in(block.text) for block in page.blocks), placing.replaced(native)
        counted = Characters(read + sum(left_out.values()), read, left_out)
        return replace(page, info=replace(page.info, characters=counted))


@dataclass(frozen=True, slots=True)
class Gathered:
    """All requested pages, in order, and the outline of the file. The blocks of a `structured` document stay as they
    are: their kinds and levels come from the file."""

    pages: Sequence[Artifact[PageResult]]
    outline: Sequence[OutlineEntry]
    structured: bool = False

    def inputs(self) -> tuple[str, ...]:
        outline = [[entry.level, entry.title, entry.page, entry.top] for entry in self.outline]
        return *(page.digest for page in self.pages), digest_of(outline)


@dataclass(frozen=True, slots=True)
class Assembled:
    """The document: its ledger and its blocks in reading order."""

    pages: tuple[PageInfo, ...]
    blocks: tuple[Block, ...]


class AssembleDocument(DerivedStage):
    """The document from its pages: everything that spans pages. `elsewhere` runs it in another process."""

    name = "document"

    def __init__(self, texts: Texts, elsewhere: Callable[[Gathered], Encoded] | None = None) -> None:
        self._texts, self._elsewhere = texts, elsewhere

    def run(self, gathered: Gathered, took: Took) -> Assembled | Encoded:
        if self._elsewhere is not None:
            return self._elsewhere(gathered)
        pages = [page.value for page in gathered.pages]
        if gathered.structured:
            infos = tuple(page.info for page in pages)
            return Assembled(infos, tuple(block for page in pages for block in page.blocks))
        return Assembled(*assemble.assemble_pages(pages, gathered.outline))

    def encode(self, output: Assembled) -> bytes:
        return encode_document(output.pages, output.blocks)

    def decode(self, data: bytes) -> Assembled:
        return Assembled(*decode_document(data, self._texts))
