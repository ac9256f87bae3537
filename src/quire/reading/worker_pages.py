"""The pages of a document parsed in worker processes: a hostile page costs only that page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from quire.core.encoding import info_of_row
from quire.core.keys import Digest
from quire.core.opened import Opened
from quire.core.types import OutlineEntry, PageInfo, PageResult
from quire.pages.recognize.options import RecognizeOptions
from quire.pages.recognize.routing import Needs
from quire.reading.native_pages import Timed, judged
from quire.reading.page_groups import PageGroups
from quire.reading.page_jobs import Group, StoredText
from quire.reading.stage import Encoded
from quire.system.workers import Job, WorkerCrashed, WorkerPool
from quire.system.workers.job_errors import rebuilt
from quire.system.workers.pool import Lane

OPEN_S, PAGE_S = 120.0, 30.0
"""Timeouts in seconds for opening a document, and for each page."""
GROUP = 16
"""Maximum pages per job."""
LEAST = 4
"""Minimum pages per job, if there are as many."""

READ_GROUP = "quire.reading.page_jobs:read_group"

Load = Callable[[Digest], bytes]


@dataclass(frozen=True, slots=True)
class About:
    """Facts about a document from the worker that opened it. `outline` are the bytes of its JSON rows."""

    reader: str
    pages: int = 0
    media_type: str = ""
    outline: bytes = b"[]"
    size: int = 0

    @classmethod
    def of(cls, header: Mapping[str, object], outline: bytes) -> About:
        pages, size = (int(str(header[name])) for name in ("pages", "size"))
        return cls(str(header["reader"]), pages, str(header["media_type"]), outline, size)

    def entries(self) -> tuple[OutlineEntry, ...]:
        return tuple(OutlineEntry(*row) for row in json.loads(self.outline))


def look_into(source: Opened, pool: WorkerPool) -> About:
    """Open the document in a worker. Raises the error of a document that cannot be opened."""
    opening = pool.submit(Job("quire.reading.page_jobs:look_into", source), timeout_s=OPEN_S, lane=Lane.BRIEF)
    import quire.reading.pages  # noqa: F401 - what comes next is loaded while the worker opens the document

    answer = opening.result()
    return About.of(answer.header, answer.data)


@dataclass(frozen=True, slots=True)
class ReceivedPage:
    """A page as received from a worker."""

    number: int
    text: bytes | None
    text_ms: float
    needs: Needs | None = None
    blocks: Encoded | None = None
    blocks_ms: float = 0.0
    failed: Exception | None = None
    info: PageInfo | None = None


class WorkerPages:
    """Not thread-safe. `load` returns stored texts; `ready` are pages that a worker has read already; `most` is how
    many workers it may use, all of the pool unless given; `share` takes turns with others in the pool."""

    structured = False

    def __init__(
        self,
        source: Opened,
        about: About,
        options: RecognizeOptions,
        *,
        pool: WorkerPool,
        load: Load,
        ready: Mapping[int, ReceivedPage] | None = None,
        most: int | None = None,
        share: str = "",
    ) -> None:
        self._ready = dict(ready or {})
        self._most = most or pool.workers
        self._source, self._about, self._pool, self._load = source, about, pool, load
        self._options = options.of_workers
        self._groups = PageGroups(pool, self._job, self._received, open_s=OPEN_S, page_s=PAGE_S, share=share)
        self._page: ReceivedPage | None = None  # whose text was requested last
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
        pages = [page for page in pages if page not in self._ready]
        workers = min(self._most, self._pool.workers)
        size = min(GROUP, max(LEAST, -(-len(pages) // (4 * workers))))
        self._groups.expect(pages, size=size, ahead=workers + 1 if workers == self._pool.workers else workers)

    def text(self, page: int) -> Timed[bytes]:
        self._page = None
        self._page = read = self._ready[page] if page in self._ready else self._groups.take(page)
        if read.text is None:
            raise read.failed or WorkerCrashed("the worker sent no text")
        return Timed(read.text, read.text_ms)

    def needs(self, page: int, text: bytes) -> Needs | None:
        if self._page is None or self._page.number != page:
            self._page = None
            return judged(text, page, self._options).needs
        return self._page.needs

    def blocks(self, page: int, text: Digest) -> Timed[PageResult | Encoded]:
        read = self._page
        if read is None:
            job = Job("quire.reading.page_jobs:lay_out_stored", StoredText(page, text, self._options.tables))
            answer = self._pool.submit(job, timeout_s=PAGE_S, on_request=self._load_stored, lane=Lane.BRIEF).result()
            return Timed(Encoded(answer.data, info_of_row(cast("Sequence[Any]", answer.header["info"]))), answer.ms)
        if read.blocks is None:
            raise read.failed or WorkerCrashed("the worker sent no blocks")
        return Timed(read.blocks, read.blocks_ms)

    def info(self, page: int) -> PageInfo:
        return self._infos.get(page) or PageInfo(page, 0.0, 0.0)

    def close(self) -> None:
        self._groups.close()

    def _job(self, pages: tuple[int, ...]) -> Job:
        return Job(READ_GROUP, Group(self._source, pages, self._options))

    def _received(self, number: int, header: Mapping[str, object], data: bytes) -> ReceivedPage:
        page = received(header, data, number)
        if page.info is not None and page.failed is not None:
            self._infos[number] = page.info
        return page

    def _load_stored(self, name: str, header: Mapping[str, object], data: bytes) -> tuple[dict[str, object], bytes]:
        return {}, stored(self._load, header)[1]


def stored(load: Load, header: Mapping[str, object]) -> tuple[dict[str, object], bytes]:
    """The contents that a worker requests: their sizes, and the contents concatenated."""
    digests = header["digests"]
    assert isinstance(digests, list)
    loaded = [load(digest) for digest in digests]
    return {"sizes": [len(one) for one in loaded]}, b"".join(loaded)


def received(header: Mapping[str, Any], data: bytes, number: int) -> ReceivedPage:
    """A page from the message of a worker."""
    if header["page"] != number:
        raise ValueError(f"page {header['page']} instead of {number}")
    size = header.get("text")
    text = None if size is None else data[:size]
    info = info_of_row(header["info"]) if "info" in header else None
    needs = Needs.of_row(header["needs"]) if "needs" in header else None
    failed = rebuilt(header["failed"]) if "failed" in header else None
    blocks = Encoded(data[size:], info) if info is not None and failed is None else None
    return ReceivedPage(number, text, header["text_ms"], needs, blocks, header.get("blocks_ms", 0.0), failed, info)
