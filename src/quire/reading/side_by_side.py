"""The pages of a long document side by side: the first ones in this process, the others in workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quire.core.document import Document
from quire.core.keys import Digest
from quire.core.types import PageInfo, PageResult
from quire.pages.recognize.options import RecognizeOptions
from quire.pages.recognize.routing import Needs
from quire.reading.native_pages import LONG, LocalPages, Timed
from quire.reading.stage import Encoded
from quire.reading.worker_pages import About, Load, WorkerPages
from quire.system.workers import WorkerOutOfMemory, WorkerPool, WorkerTimeout

FIRST = 32
"""Pages parsed here while the workers start: the first page is there as soon as without them."""
EACH = (LONG - FIRST) // 2
"""The least number of pages for a worker: reading as many costs about as much as starting it."""


class SideBySidePages(LocalPages):
    """Parses here, and in at most `most` workers where there are enough pages for two of them. Not thread-safe.

    The file is trusted: a page that takes longer, or more memory, than a worker may have is parsed here.
    """

    def __init__(
        self,
        document: Document,
        options: RecognizeOptions,
        *,
        threads: int,
        most: int,
        pool: Callable[[], WorkerPool],
        load: Load,
    ) -> None:
        super().__init__(document, options, threads=threads)
        self._most, self._pool, self._load = most, pool, load
        self._workers: WorkerPages | None = None
        self._there: set[int] = set()

    def expect(self, pages: Sequence[int]) -> None:
        workers = min(self._most, (len(pages) - FIRST) // EACH)
        first = pages if workers < 2 else pages[:FIRST]
        self._there = set(pages[len(first) :])
        if self._there:
            about = About(self.reader, self.page_count)
            self._workers = WorkerPages(
                self.opened(), about, self._options, pool=self._pool(), load=self._load, most=workers
            )
            self._workers.expect(pages[len(first) :])
        super().expect(first)

    def text(self, page: int) -> Timed[bytes]:
        if there := self._worker(page):
            try:
                return there.text(page)
            except (WorkerTimeout, WorkerOutOfMemory):
                self._there.discard(page)
        return super().text(page)

    def needs(self, page: int, text: bytes) -> Needs | None:
        return there.needs(page, text) if (there := self._worker(page)) else super().needs(page, text)

    def blocks(self, page: int, text: Digest) -> Timed[PageResult | Encoded]:
        return there.blocks(page, text) if (there := self._worker(page)) else super().blocks(page, text)

    def info(self, page: int) -> PageInfo:
        return there.info(page) if (there := self._worker(page)) else super().info(page)

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
        super().close()

    def _worker(self, page: int) -> WorkerPages | None:
        """The pages of workers, if this one is among them."""
        return self._workers if page in self._there else None
