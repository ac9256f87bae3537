"""The pages of a long document side by side: the first ones in this process, the others in workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quire.core.keys import Digest
from quire.core.opened import Opened
from quire.core.types import OutlineEntry, PageInfo, PageResult
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


class SideBySidePages:
    """Parses here, and in at most `most` workers where there are enough pages for two of them. Not thread-safe.

    The file is trusted: a page that takes longer, or more memory, than a worker may have is parsed here.
    """

    def __init__(
        self,
        here: LocalPages,
        options: RecognizeOptions,
        *,
        most: int,
        pool: Callable[[], WorkerPool],
        load: Load,
    ) -> None:
        self._here, self._options, self._most, self._pool, self._load = here, options, most, pool, load
        self._workers: WorkerPages | None = None
        self._there: set[int] = set()

    @property
    def reader(self) -> str:
        return self._here.reader

    @property
    def page_count(self) -> int:
        return self._here.page_count

    @property
    def structured(self) -> bool:
        return self._here.structured

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
        self._here.expect(first)

    def text(self, page: int) -> Timed[bytes]:
        try:
            return self._of(page).text(page)
        except (WorkerTimeout, WorkerOutOfMemory):
            self._there.discard(page)
            return self._here.text(page)

    def needs(self, page: int, text: bytes) -> Needs | None:
        return self._of(page).needs(page, text)

    def blocks(self, page: int, text: Digest) -> Timed[PageResult | Encoded]:
        return self._of(page).blocks(page, text)

    def info(self, page: int) -> PageInfo:
        return self._of(page).info(page)

    def outline(self) -> Sequence[OutlineEntry]:
        return self._here.outline()

    def opened(self) -> Opened:
        return self._here.opened()

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
        self._here.close()

    def _of(self, page: int) -> LocalPages | WorkerPages:
        return self._workers if self._workers is not None and page in self._there else self._here
