"""The pages of a document parsed in worker processes: what a hostile file does there costs one page.

Each page has a deadline and each worker a memory limit. A page on which a worker ends is read once more by itself;
when that ends a worker too, the page fails with the reason, and the pages after it go on.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from threading import Condition
from typing import Any

from quire.keys import Digest
from quire.native_pages import Timed, judged
from quire.opened import Opened
from quire.page_jobs import Group, StoredText
from quire.pool import Answer, Job, Pool, WorkerCrashed, WorkerError
from quire.pool.errors import rebuilt
from quire.recognize.options import RecognizeOptions
from quire.recognize.routing import Needs
from quire.stage import Encoded
from quire.types import OutlineEntry, PageInfo, PageResult

OPEN_S, PAGE_S = 120.0, 30.0
"""Seconds that a worker gets to open a document, and for each page."""
GROUP = 16
"""Pages of one job at most."""
LEAST = 4
"""Pages of one job at least, where there are as many."""

READ_GROUP = "quire.page_jobs:read_group"

Load = Callable[[Digest], bytes]


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a document once a worker has opened it. `outline` are the bytes of its JSON rows."""

    reader: str
    pages: int = 0
    media_type: str = ""
    outline: bytes = b"[]"
    size: int = 0

    def entries(self) -> tuple[OutlineEntry, ...]:
        return tuple(OutlineEntry(*row) for row in json.loads(self.outline))


def look_into(source: Opened, pool: Pool) -> About:
    """Have a worker open the document. Raises the error of what is wrong with it."""
    opening = pool.submit(Job("quire.page_jobs:look_into", source), timeout_s=OPEN_S)
    import quire.paging  # noqa: F401 - what comes next is loaded while the worker opens the document

    answer = opening.result()
    pages, size = (int(str(answer.header[name])) for name in ("pages", "size"))
    return About(str(answer.header["reader"]), pages, str(answer.header["media_type"]), answer.data, size)


@dataclass(slots=True, eq=False)
class _Group:
    """Pages that one job reads. `waiting` are those that were not handed over yet."""

    waiting: deque[int]
    alone: bool = False
    future: Future[Answer] | None = None

    @property
    def ended(self) -> bool:
        return self.future is not None and self.future.done()


@dataclass(frozen=True, slots=True)
class _Page:
    """A page as a worker handed it over."""

    text: bytes | None
    text_ms: float
    needs: Needs | None = None
    blocks: Encoded | None = None
    blocks_ms: float = 0.0
    failed: Exception | None = None
    info: PageInfo | None = None


class WorkerPages:
    """Used by one thread; workers hand pages over in their supervising threads. `load` gives stored texts."""

    def __init__(self, source: Opened, about: About, options: RecognizeOptions, *, pool: Pool, load: Load) -> None:
        self._source, self._about, self._pool, self._load = source, about, pool, load
        # What a worker needs of the options: engines need not be picklable.
        self._options = RecognizeOptions(options.mode, languages=options.languages, figures=options.figures)
        self._changed = Condition()
        self._wanted: dict[int, None] = {}  # expected, and not asked for yet, in their order
        self._groups: deque[_Group] = deque()  # with pages that are wanted, in the order of the pages
        self._passed: list[_Group] = []  # under way, with pages that another reader has saved
        self._pages: dict[int, _Page] = {}
        self._infos: dict[int, PageInfo] = {}

    @property
    def reader(self) -> str:
        return self._about.reader

    @property
    def page_count(self) -> int:
        return self._about.pages

    def outline(self) -> Sequence[OutlineEntry]:
        return self._about.entries()

    def opened(self) -> Opened:
        return self._source

    def expect(self, pages: Sequence[int]) -> None:
        size = min(GROUP, max(LEAST, -(-len(pages) // (4 * self._pool.workers))))
        self._wanted = dict.fromkeys(pages)
        self._groups = deque(_Group(deque(pages[at : at + size])) for at in range(0, len(pages), size))
        self._submit()

    def text(self, page: int) -> Timed[bytes]:
        with self._changed:
            if page not in self._wanted:
                self._groups.appendleft(_Group(deque([page]), alone=True))
                self._wanted = {page: None, **self._wanted}
            while (first := next(iter(self._wanted))) != page:  # another reader of the store has saved it meanwhile
                del self._wanted[first]
                self._pages.pop(first, None)
        read = self._taken(page)
        if read.text is None:
            raise read.failed or WorkerCrashed("the worker gave no text")
        return Timed(read.text, read.text_ms)

    def needs(self, page: int, text: bytes) -> Needs | None:
        read = self._pages.get(page)
        return judged(text, page, self._options).needs if read is None else read.needs

    def blocks(self, page: int, text: Digest) -> Timed[PageResult | Encoded]:
        read = self._pages.pop(page, None)
        if read is None:
            job = Job("quire.page_jobs:lay_out_stored", StoredText(page, text))
            answer = self._pool.submit(job, timeout_s=PAGE_S, on_request=self._asked).result()
            return Timed(Encoded(answer.data, _info(answer.header)), answer.ms)
        if read.blocks is None:
            raise read.failed or WorkerCrashed("the worker gave no blocks")
        return Timed(read.blocks, read.blocks_ms)

    def info(self, page: int) -> PageInfo:
        return self._infos.get(page) or PageInfo(page, 0.0, 0.0)

    def close(self) -> None:
        under_way = (*self._passed, *self._groups)
        self._pool.cancel([group.future for group in under_way if group.future is not None and group.waiting])

    def _taken(self, page: int) -> _Page:
        """The page, as soon as a worker has handed it over."""
        while True:
            self._submit()
            with self._changed:
                if page in self._pages:
                    del self._wanted[page]
                    return self._pages[page]
                group = next(group for group in self._groups if page in group.waiting)
                while page not in self._pages and not group.ended:
                    self._changed.wait()
                if page in self._pages:
                    continue
            self._ended(group)

    def _ended(self, group: _Group) -> None:
        """A job ended before it handed over all of its pages."""
        assert group.future is not None
        error = group.future.exception()
        if not isinstance(error, WorkerError):
            raise error or WorkerCrashed("the worker left pages out")
        with self._changed:
            place = self._groups.index(group)
            self._groups.remove(group)
            first = group.waiting.popleft()
            if group.waiting:
                self._groups.insert(place, _Group(group.waiting))
            if group.alone:
                self._pages[first] = _Page(None, 0.0, failed=error)
            else:
                self._groups.insert(place, _Group(deque([first]), alone=True))

    def _submit(self) -> None:
        """Keep the workers busy, a few groups ahead of the page that is asked for."""
        with self._changed:
            while self._groups and not any(page in self._wanted for page in self._groups[0].waiting):
                self._passed.append(self._groups.popleft())
            self._passed = [group for group in self._passed if group.future is not None and not group.ended]
            ahead = [group for group, _ in zip(self._groups, range(self._pool.workers + 1), strict=False)]
        for group in ahead:
            if group.future is None:
                job = Job(READ_GROUP, Group(self._source, tuple(group.waiting), self._options))
                take = partial(self._take, group)
                group.future = self._pool.submit(job, timeout_s=OPEN_S, renew_s=PAGE_S, on_request=take)
                group.future.add_done_callback(self._wake)

    def _wake(self, _: Future[Answer]) -> None:
        with self._changed:
            self._changed.notify_all()

    def _take(
        self, group: _Group, name: str, header: Mapping[str, object], data: bytes
    ) -> tuple[dict[str, object], bytes]:
        """Runs in the thread that supervises the worker, which is not trusted to make sense."""
        number = group.waiting[0] if group.waiting else 0
        try:
            page = _page(header, data, number)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise WorkerCrashed(f"the worker handed over nonsense ({error})") from error
        with self._changed:
            group.waiting.popleft()
            if number in self._wanted:
                self._pages[number] = page
            if page.info is not None and page.failed is not None:
                self._infos[number] = page.info
            self._changed.notify_all()
        return {}, b""

    def _asked(self, name: str, header: Mapping[str, object], data: bytes) -> tuple[dict[str, object], bytes]:
        return {}, stored(self._load, header)[1]


def stored(load: Load, header: Mapping[str, object]) -> tuple[dict[str, object], bytes]:
    """The contents that a worker asks for: their sizes, and the contents one after the other."""
    digests = header["digests"]
    assert isinstance(digests, list)
    loaded = [load(digest) for digest in digests]
    return {"sizes": [len(one) for one in loaded]}, b"".join(loaded)


def _page(header: Mapping[str, Any], data: bytes, number: int) -> _Page:
    if header["page"] != number:
        raise ValueError(f"page {header['page']} instead of {number}")
    size = header.get("text")
    text = None if size is None else data[:size]
    info = _info(header) if "info" in header else None
    needs = Needs.of_row(header["needs"]) if "needs" in header else None
    failed = rebuilt(header["failed"]) if "failed" in header else None
    blocks = Encoded(data[size:], info) if info is not None and failed is None else None
    return _Page(text, header["text_ms"], needs, blocks, header.get("blocks_ms", 0.0), failed, info)


def _info(header: Mapping[str, Any]) -> PageInfo:
    return PageInfo(*header["info"])
