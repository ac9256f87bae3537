"""The stages of a read: native text of a page, its blocks, the document."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from quire import assemble, layout
from quire.artifacts import decode_document, decode_page, encode_document, encode_page
from quire.context import Store
from quire.document import Reader
from quire.engine import Recognition
from quire.errors import InputError, StoreError
from quire.keys import Digest, Profile, digest_of
from quire.pagetext import PageText
from quire.recognize import placing, structured
from quire.recognize.seen import Seen
from quire.stage import Artifact, Unit, Work
from quire.types import Block, OutlineEntry, PageInfo, PageResult
from quire.words import PageWords


class Texts:
    """The native texts of one document by page, taken from the store; the last ones are kept."""

    KEPT = 2

    def __init__(self, store: Store) -> None:
        self._store = store
        self._digests: dict[int, Digest] = {}
        self._kept: dict[int, PageText] = {}

    def add(self, page: int, digest: Digest, text: PageText | None = None) -> None:
        """Remember the text of a page, decoded already if it is."""
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


class NativeText:
    """What the file itself says a page holds: the bytes of a `PageText`.

    The reader works ahead on the pages it is told to expect, in that order. Pages that another reader of the same
    store has saved meanwhile are passed over; a page that was not expected is read by itself.
    """

    name = "native-text"
    version = "2"
    unit: Unit = "page"
    profile = Profile()

    def __init__(self, reader: Reader, *, threads: int) -> None:
        self._reader = reader
        self._threads = threads
        self._expected: deque[int] = deque()
        self._coming: Iterator[bytes | InputError] = iter(())

    def inputs(self, document: str, page: int) -> tuple[str, ...]:
        return document, str(page), self._reader.name

    def expect(self, pages: Sequence[int]) -> None:
        if pages:
            self._expected = deque(pages)
            self._coming = self._reader.text(pages, threads=self._threads)

    def run(self, page: int, work: Work) -> bytes:
        text = self._text(page)
        if text is None:
            raise InputError("the reader stopped before this page", page=page)
        if isinstance(text, InputError):
            raise text
        return text

    def _text(self, page: int) -> bytes | InputError | None:
        if page not in self._expected:
            return next(iter(self._reader.text([page], threads=1)), None)
        while self._expected.popleft() != page:
            next(self._coming, None)
        return next(self._coming, None)

    def encode(self, output: bytes) -> bytes:
        return output

    def decode(self, data: bytes) -> bytes:
        return data

    def close(self) -> None:
        """Stop working ahead."""
        close: Callable[[], None] | None = getattr(self._coming, "close", None)
        if close is not None:
            close()


def text_of_page(data: bytes, page: int) -> PageText:
    """The decoded text of a page. Raises StoreError when it is the text of another page."""
    text = PageText.from_bytes(data)
    if text.number != page:
        raise StoreError(f"the stored text of page {page} is that of page {text.number}: this is a defect of Quire")
    return text


class PageBlocks:
    """The blocks of a page from its native text."""

    name = "page-blocks"
    version = layout.VERSION
    unit: Unit = "page"

    def __init__(self, texts: Texts) -> None:
        self.profile = layout.LayoutProfile()
        self._texts = texts

    def run(self, number: int, work: Work) -> PageResult:
        page = layout.page_blocks(self._texts(number), self.profile)
        load = partial(self._texts, page.number)
        for block in page.blocks:
            if isinstance(block.words, PageWords):
                block.words.bind(load, page.number)
        return page

    def encode(self, output: PageResult) -> bytes:
        return encode_page(output)

    def decode(self, data: bytes) -> PageResult:
        return decode_page(data, self._texts)


@dataclass(frozen=True, slots=True)
class PageReading:
    """What an engine read on a page: its native text, what its picture shows, and what was recognised there.

    `whole` says that it stands for the native text, not beside it; `ordered` that the engine's order is that of
    reading. A page read by nobody has no readings.
    """

    native: PageText
    seen: Seen
    readings: tuple[Recognition, ...]
    engine: str
    whole: bool
    ordered: bool = False


class RecognisedText:
    """The text of a page with what was recognised on it: the bytes of a `PageText`, like native text."""

    name = "recognised-text"
    version = placing.VERSION
    unit: Unit = "page"

    def __init__(self, *, figures: bool = False) -> None:
        self.profile = placing.PlaceProfile(figures=figures)

    def run(self, reading: PageReading, work: Work) -> bytes:
        text = placing.placed(
            reading.native,
            reading.seen,
            reading.readings,
            engine=reading.engine,
            whole=reading.whole,
            ordered=reading.ordered,
            profile=self.profile,
        )
        return text.to_bytes()

    def encode(self, output: bytes) -> bytes:
        return output

    def decode(self, data: bytes) -> bytes:
        return data


class StructuredBlocks:
    """The blocks of a page from an engine that sees its structure."""

    name = "page-blocks"
    version = f"structured-{structured.VERSION}"
    unit: Unit = "page"
    profile = Profile()

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def run(self, reading: PageReading, work: Work) -> PageResult:
        native = reading.native
        info = PageInfo(native.number, native.width, native.height, native.rotation)
        return structured.page_of(info, reading.seen, reading.readings, engine=reading.engine)

    def encode(self, output: PageResult) -> bytes:
        return encode_page(output)

    def decode(self, data: bytes) -> PageResult:
        return decode_page(data, self._texts)


@dataclass(frozen=True, slots=True)
class Gathered:
    """All pages that were asked for, in order, and the outline of the file."""

    pages: Sequence[Artifact[PageResult]]
    outline: Sequence[OutlineEntry]

    def inputs(self) -> tuple[str, ...]:
        outline = [[entry.level, entry.title, entry.page, entry.top] for entry in self.outline]
        return *(page.digest for page in self.pages), digest_of(outline)


@dataclass(frozen=True, slots=True)
class Assembled:
    """The document: its ledger and its blocks in reading order."""

    pages: tuple[PageInfo, ...]
    blocks: tuple[Block, ...]


class AssembleDocument:
    """The document from its pages: everything that crosses pages."""

    name = "document"
    version = assemble.VERSION
    unit: Unit = "document"
    profile = Profile()

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def run(self, gathered: Gathered, work: Work) -> Assembled:
        pages = [page.value for page in gathered.pages]
        return Assembled(tuple(page.info for page in pages), assemble.assemble(pages, gathered.outline))

    def encode(self, output: Assembled) -> bytes:
        return encode_document(output.pages, output.blocks)

    def decode(self, data: bytes) -> Assembled:
        return Assembled(*decode_document(data, self._texts))
