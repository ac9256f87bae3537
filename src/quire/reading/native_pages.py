"""The pages of a document without OCR: native text, what an engine must add, and blocks if nothing must be added.

`judged` and `lay_out` process every page: `LocalPages` calls them in the thread of the caller,
`quire.reading.worker_pages` in worker processes.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from quire.core.document import Document, Reader
from quire.core.errors import InputError, StoreError
from quire.core.keys import Digest
from quire.core.opened import DiskCopy, Opened
from quire.core.pagetext import PageText
from quire.core.table_areas import TableOptions
from quire.core.types import OutlineEntry, PageInfo, PageResult
from quire.pages import layout
from quire.pages.recognize.options import RecognizeOptions
from quire.pages.recognize.routing import Needs, needs_of
from quire.reading.searchable import with_pictures
from quire.reading.stage import Encoded
from quire.reading.unseen import without_tiny

if TYPE_CHECKING:
    from quire.pages.layout.quality import Quality

T = TypeVar("T")

LONG = 128
"""The least number of pages that are parsed side by side, here and in workers: with fewer, starting these costs more
than they save."""


class Timed(NamedTuple, Generic[T]):
    """A result, and the milliseconds it took in the process that made it."""

    made: T
    ms: float


class Judged(NamedTuple):
    """The text of a page, its quality, what an engine must add, and how its tables are found."""

    text: PageText
    quality: Quality
    needs: Needs | None
    tables: TableOptions


def text_of_page(data: bytes, page: int) -> PageText:
    """The decoded text of a page. Raises StoreError for the text of another page."""
    text = PageText.from_bytes(data)
    if text.number != page:
        raise StoreError(
            f"the stored text of page {page} is that of page {text.number}: this is a bug in Quire, please report it"
        )
    return text


def judged(data: bytes, page: int, options: RecognizeOptions) -> Judged:
    from quire.pages.layout.quality import judge  # lazy: not needed when workers parse the pages

    text = text_of_page(data, page)
    quality = judge(text)
    return Judged(text, quality, needs_of(text, quality, options), options.tables.of_page(page))


def looked_at(document: Document, data: bytes, page: Judged, options: RecognizeOptions) -> tuple[bytes, Judged]:
    """The text of a page as its picture shows it: with the pictures of a searchable scan, or without type that is too
    small to be seen; any other page as it is."""
    if (text := with_pictures(document.reader, page.text)) is not None:
        return text.to_bytes(), page._replace(text=text)
    if (text := without_tiny(document, page.text)) is not None:
        data = text.to_bytes()
        return data, judged(data, text.number, options)
    return data, page


def lay_out(page: Judged) -> PageResult:
    """The blocks of a page from its text."""
    return layout.page_blocks(page.text, page.quality, page.tables)


def page_info(reader: Reader, page: int) -> PageInfo:
    """Size and rotation of a page, as far as they are known."""
    try:
        return reader.info(page)
    except InputError:
        return PageInfo(page, 0.0, 0.0)


class NativePages(Protocol):
    """The pages of one opened document. Not thread-safe; pages are requested one after the other."""

    @property
    def reader(self) -> str:
        """The name of the reader, for keys."""
        ...

    @property
    def page_count(self) -> int: ...

    def expect(self, pages: Sequence[int]) -> None:
        """Prefetch these pages: their texts will be requested in this order, possibly with gaps."""
        ...

    def text(self, page: int) -> Timed[bytes]:
        """The bytes of the `PageText`. Raises the error of a page that cannot be read."""
        ...

    def needs(self, page: int, text: bytes) -> Needs | None:
        """The needs of a page with this text: parts that an engine must add. None if there are none."""
        ...

    def blocks(self, page: int, text: Digest) -> Timed[PageResult | Encoded]:
        """The blocks of the page of the last call of `needs`, for a text that needs no engine."""
        ...

    def info(self, page: int) -> PageInfo:
        """Size and rotation of a page that could not be read, as far as they are known."""
        ...

    def outline(self) -> Sequence[OutlineEntry]: ...

    def opened(self) -> Opened:
        """The document for workers."""
        ...

    @property
    def structured(self) -> bool:
        """Whether the file says what its blocks are: then nothing is inferred across pages either."""
        ...

    def close(self) -> None: ...


class LocalPages:
    """Parses in this process: fast, for trusted bytes. The reader prefetches with `threads` threads."""

    def __init__(self, document: Document, options: RecognizeOptions, *, threads: int) -> None:
        self._document, self._options, self._threads = document, options, threads
        self._reader = document.reader
        self._expected: deque[int] = deque()
        self._coming: Iterator[bytes | InputError] = iter(())
        self._judged: Judged | None = None
        self._copy = DiskCopy(document)

    @property
    def reader(self) -> str:
        return self._reader.name

    @property
    def page_count(self) -> int:
        return self._reader.page_count

    @property
    def structured(self) -> bool:
        return self._document.bundle is not None

    def expect(self, pages: Sequence[int]) -> None:
        if pages:
            self._expected = deque(pages)
            self._coming = self._reader.text(pages, threads=self._threads)

    def text(self, page: int) -> Timed[bytes]:
        begun = time.perf_counter()
        text = self._text(page)
        if text is None:
            raise InputError("the reader stopped before this page", page=page)
        if isinstance(text, InputError):
            raise text
        ms = (time.perf_counter() - begun) * 1000
        text, self._judged = looked_at(self._document, text, judged(text, page, self._options), self._options)
        return Timed(text, ms)

    def needs(self, page: int, text: bytes) -> Needs | None:
        if self._judged is None or self._judged.text.number != page:
            self._judged = judged(text, page, self._options)
        return self._judged.needs

    def blocks(self, page: int, text: Digest) -> Timed[PageResult | Encoded]:
        assert self._judged is not None and self._judged.text.number == page
        begun = time.perf_counter()
        made = lay_out(self._judged)
        return Timed(made, (time.perf_counter() - begun) * 1000)

    def info(self, page: int) -> PageInfo:
        return page_info(self._reader, page)

    def outline(self) -> Sequence[OutlineEntry]:
        return self._reader.outline()

    def opened(self) -> Opened:
        return self._copy.opened()

    def close(self) -> None:
        """Stop prefetching."""
        close = getattr(self._coming, "close", None)
        if close is not None:
            close()
        self._copy.close()

    def _text(self, page: int) -> bytes | InputError | None:
        """The text of the page by its number: skips prefetched pages that another process has saved meanwhile."""
        if page not in self._expected:
            return next(iter(self._reader.text([page], threads=1)), None)
        while self._expected.popleft() != page:
            next(self._coming, None)
        return next(self._coming, None)
