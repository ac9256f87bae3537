"""Reading a document: the stages wired, page by page, and the four ways to call it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from secrets import token_hex
from threading import Event as Flag

from quire.artifacts import encode_page
from quire.budget import cpu_budget
from quire.context import Store
from quire.document import Document, Source
from quire.errors import ConfigurationError, InputError, StoreError, UsageError
from quire.events import Sink
from quire.keys import digest_bytes
from quire.result import DocumentResult, Ledger
from quire.runtime.inline import InlineRun, reason_of
from quire.selection import Pages, check_pages, page_numbers
from quire.stage import Artifact
from quire.stages import Assembled, AssembleDocument, Gathered, NativeText, PageBlocks, Texts
from quire.store.temporary import TemporaryStore
from quire.types import PageInfo, PageResult, PageStatus

StorePlace = Store | str | Path | None
"""A store, the folder of one, or None for a temporary one."""


def read(
    source: Source,
    *,
    pages: Pages | None = None,
    password: str | None = None,
    store: StorePlace = None,
    on_event: Sink | None = None,
    threads: int | None = None,
) -> DocumentResult:
    """Read a document: `read("report.pdf").to_markdown()`.

    `pages` limits it to some pages ("1-3,7" or numbers). `store` names a folder in which what was read is kept:
    reading the same file again does no work. `on_event` is called with everything that happens, in the thread
    of the caller. `threads` is how many pages are read ahead at a time; by default as many as there are
    processors for this process.

    Raises InputError (or one of its kinds) when the document cannot be opened. A page that cannot be read is
    `failed` or `skipped` in the result, and the result is `partial`.
    """
    _refuse_in_loop("read", "await quire.aread(…)")
    reading = _Reading(source, pages, password, store, on_event, threads)
    return reading.result()


def stream(
    source: Source,
    *,
    pages: Pages | None = None,
    password: str | None = None,
    store: StorePlace = None,
    on_event: Sink | None = None,
    threads: int | None = None,
) -> Iterator[PageResult]:
    """Read a document page by page: each page comes as soon as it is ready, before what crosses pages is known.

    Takes what `read` takes. Closing the iterator stops the work.
    """
    _refuse_in_loop("stream", "async for page in quire.astream(…)")
    return _Reading(source, pages, password, store, on_event, threads).pages()


async def aread(
    source: Source,
    *,
    pages: Pages | None = None,
    password: str | None = None,
    store: StorePlace = None,
    on_event: Sink | None = None,
    threads: int | None = None,
) -> DocumentResult:
    """`read` for asynchronous programs. The work, and `on_event`, run in a thread; cancelling stops it."""
    import asyncio

    reading = _Reading(source, pages, password, store, on_event, threads)
    try:
        return await asyncio.to_thread(reading.result)
    finally:
        reading.cancel()


async def astream(
    source: Source,
    *,
    pages: Pages | None = None,
    password: str | None = None,
    store: StorePlace = None,
    on_event: Sink | None = None,
    threads: int | None = None,
) -> AsyncIterator[PageResult]:
    """`stream` for asynchronous programs. The work runs in a thread, at most one page ahead of the caller."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    reading = _Reading(source, pages, password, store, on_event, threads)
    coming = reading.pages()
    worker = ThreadPoolExecutor(1, thread_name_prefix="quire")
    following = worker.submit(next, coming, None)
    try:
        while (page := await asyncio.wrap_future(following)) is not None:
            following = worker.submit(next, coming, None)
            yield page
    finally:
        reading.cancel()
        closed = worker.submit(coming.close)  # after the page at work
        worker.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(closed))


def _refuse_in_loop(called: str, instead: str) -> None:
    asyncio = sys.modules.get("asyncio")  # who has not imported it has no loop
    if asyncio is not None and asyncio._get_running_loop() is not None:
        raise UsageError(f"quire.{called}() would block the running event loop; use {instead}")


class _Reading:
    """One read of one document. Its stages run in the thread that asks for pages or the result."""

    def __init__(
        self,
        source: Source,
        pages: Pages | None,
        password: str | None,
        store: StorePlace,
        on_event: Sink | None,
        threads: int | None,
    ) -> None:
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise UsageError(f"threads is {threads!r}; it must be a number of at least 1")
        if store is not None and not isinstance(store, (str, Path)) and not hasattr(store, "find"):
            raise UsageError(f"store is {store!r}; name a folder or pass a store")
        self._document = Document(source, password=password)
        self._asked = check_pages(pages)
        self._place = store
        self._sinks = (on_event,) if on_event else ()
        self._threads = threads or cpu_budget()
        self._cancel = Flag()

    def cancel(self) -> None:
        """Stop after the page at work. Any thread may call it."""
        self._cancel.set()

    def pages(self) -> Generator[PageResult]:
        with self._opened() as flow:
            infos = []
            for page in flow.pages():
                result = page.value
                infos.append(result.info)
                yield result
            flow.finish(infos)

    def result(self) -> DocumentResult:
        with self._opened() as flow:
            assembled = flow.assemble(list(flow.pages()))
            flow.finish(assembled.pages)
        return DocumentResult(self._document, assembled.pages, assembled.blocks)

    @contextmanager
    def _opened(self) -> Iterator[_Flow]:
        """The stages on the opened document and store; what was opened here is closed at the end."""
        document = self._document
        with ExitStack() as stack:
            stack.callback(document.close)
            numbers = page_numbers(self._asked, document.page_count)
            if isinstance(self._place, (str, Path)):
                from quire.store.files import FileStore  # SQLite only for those who keep something

                store: Store = FileStore(self._place)
                stack.callback(store.close)
            else:
                store = self._place or TemporaryStore()  # closed when the last result that needs it is gone
            run = InlineRun(store, run=token_hex(8), document=document.id, sinks=self._sinks, cancel=self._cancel)
            flow = _Flow(document, run, numbers, self._threads)
            stack.callback(flow.close)
            yield flow


class _Flow:
    """The stages wired for one document: native text and blocks page by page, then what crosses pages."""

    def __init__(self, document: Document, run: InlineRun, numbers: Sequence[int], threads: int) -> None:
        self._document, self._run, self._numbers = document, run, numbers
        self._texts = Texts(run.store)
        self._native = NativeText(document.reader, threads=threads)
        self._blocks = PageBlocks(self._texts)
        self._begun = run.clock()
        told = {"name": document.name, "input_bytes": document.size, "pages": len(numbers)}
        run.emit("started", "read", payload=told)

    def pages(self) -> Iterator[Artifact[PageResult]]:
        """Each page that was asked for, found or made. Only those whose text is missing are asked of the reader."""
        native, document = self._native, self._document.id
        native.expect([n for n in self._numbers if not self._run.has(native, native.inputs(document, n))])
        for number in self._numbers:
            if self._run.cancelled:
                yield self._without_blocks(number, "skipped", "cancelled")
            else:
                yield self._page(number)

    def assemble(self, pages: Sequence[Artifact[PageResult]]) -> Assembled:
        gathered = Gathered(pages, self._document.reader.outline())
        return self._run.do(AssembleDocument(self._texts), gathered, gathered.inputs()).value

    def finish(self, infos: Sequence[PageInfo]) -> None:
        """Tell what became of the pages."""
        ms = round((self._run.clock() - self._begun) * 1000, 3)
        self._run.emit("finished", "read", payload={"ms": ms, **asdict(Ledger.of(infos))})

    def close(self) -> None:
        self._native.close()

    def _page(self, number: int) -> Artifact[PageResult]:
        run, native = self._run, self._native
        try:
            text = run.do(native, number, native.inputs(self._document.id, number), page=number)
            self._texts.add(number, text.digest)
            page = run.do(self._blocks, text, (text.digest,), page=number)
            text.release()
            return page
        except (UsageError, ConfigurationError, StoreError):
            raise  # not the fault of this page
        except Exception as error:  # one bad page never loses the document
            return self._without_blocks(number, "failed", reason_of(error))

    def _without_blocks(self, number: int, status: PageStatus, reason: str) -> Artifact[PageResult]:
        """A page of which only the ledger knows: the next run tries it again."""
        try:
            info = replace(self._document.reader.info(number), status=status, reason=reason)
        except InputError:
            info = PageInfo(number, 0.0, 0.0, status=status, reason=reason)
        page = PageResult(info)
        return Artifact(digest_bytes(encode_page(page)), lambda: page)
