"""Reading a document: `read`, `stream`, `aread` and `astream`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from secrets import token_hex
from threading import Event as Flag
from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypedDict, TypeGuard, TypeVar, Unpack

from quire.core.document import Document, Source, document_of, is_url
from quire.core.errors import CorruptError, UsageError
from quire.core.events import Sink
from quire.core.media_types import INPUT_FORMATS
from quire.core.page_ranges import Pages, check_pages, page_numbers
from quire.core.table_areas import TableArea, TableOptions, TablesMode, areas_beside
from quire.core.types import PageInfo, PageResult
from quire.pages.recognize.options import Effort, OcrMode, RecognizeOptions
from quire.reading.native_pages import LONG, LocalPages, NativePages
from quire.reading.result import DocumentResult, Ledger, ReadSource
from quire.reading.stage_run import StagedRun
from quire.store.temporary import TemporaryStore
from quire.system.budget import cpu_budget, worker_count

if TYPE_CHECKING:
    from quire.core.context import Store
    from quire.core.engine import Engine
    from quire.core.fetch_policy import FetchPolicy
    from quire.reading.pages import PageFlow

P = ParamSpec("P")
R = TypeVar("R")

StorePlace: TypeAlias = "Store | str | Path | None"
"""A store, the folder or URL of one, or None for a temporary one."""
Engines: TypeAlias = "str | Engine | Sequence[str | Engine]"
"""OCR engines or their names, in the order of preference."""


class ReadOptions(TypedDict, total=False):
    """The options of `read`, `stream`, `aread` and `astream`. `read` documents each of them."""

    pages: Pages | None
    password: str | None
    store: StorePlace
    facts: str | None
    on_event: Sink | None
    threads: int | None
    ocr: OcrMode
    effort: Effort
    engines: Engines
    lang: str | Sequence[str]
    workers: int | None
    figures: bool
    redactions: bool
    tables: TablesMode
    areas: Sequence[TableArea]
    hints: Sequence[str]
    similar: bool
    isolate: bool
    fetch: FetchPolicy | None


def _with_options(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: adds every option to the signature, for `help` and editors."""
    options = [p for p in signature(_Reading).parameters.values() if p.name != "source"]
    source = next(iter(signature(function).parameters.values()))
    function.__signature__ = signature(function).replace(parameters=[source, *options])  # type: ignore[attr-defined]
    return function


def _engines(engines: Engines) -> tuple[str | Engine, ...]:
    """Raises UsageError for an unknown engine, even if no page needs OCR."""
    listed: tuple[str | Engine, ...]
    listed = tuple(engines) if isinstance(engines, (list, tuple)) else (engines,)  # type: ignore[assignment]
    if named := [engine for engine in listed if isinstance(engine, str)]:
        from quire.pages.recognize.engine_registry import check_names  # scans the installed packages

        check_names(named)
    return listed


def _languages(lang: str | Sequence[str]) -> tuple[str, ...]:
    """Canonical codes. Raises UsageError for an unknown language."""
    named = (lang,) if isinstance(lang, str) else tuple(lang)
    if not named:
        return ()
    from quire.pages.recognize.languages import resolve

    return tuple(resolve(language).code for language in named)


def _is_path(source: Source | Document) -> TypeGuard[str | Path]:
    return isinstance(source, (str, Path)) and not is_url(source)


def _similar_pictures(store: StorePlace, *, requested: bool) -> Path | None:
    """The folder of the index of similar pictures: beside the cached answers, so the store must have a folder."""
    if not requested:
        return None
    folder = store if isinstance(store, (str, Path)) else getattr(store, "folder", None)
    if not isinstance(folder, (str, Path)) or "://" in str(folder):
        raise UsageError("similar=True needs the folder of a store with earlier OCR results; pass store='folder'")
    return Path(folder).absolute() / "similar.sqlite3"


class _Reading:
    """One read of one document. Its stages run in the thread that requests pages or the result."""

    def __init__(  # noqa: PLR0913 - one argument per need
        self,
        source: Source | Document,
        *,
        pages: Pages | None = None,
        password: str | None = None,
        store: StorePlace = None,
        facts: str | None = None,
        on_event: Sink | None = None,
        threads: int | None = None,
        ocr: OcrMode = "auto",
        effort: Effort = "balanced",
        engines: Engines = (),
        lang: str | Sequence[str] = (),
        workers: int | None = None,
        figures: bool = False,
        redactions: bool = False,
        tables: TablesMode = "auto",
        areas: Sequence[TableArea] = (),
        hints: Sequence[str] = (),
        similar: bool = False,
        isolate: bool = False,
        fetch: FetchPolicy | None = None,
    ) -> None:
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise UsageError(f"threads is {threads!r}; it must be a whole number of at least 1")
        if store is not None and not isinstance(store, (str, Path)) and not hasattr(store, "find"):
            raise UsageError(f"store is {store!r}; pass a folder or a store")
        if facts is not None and not isinstance(store, (str, Path)):
            raise UsageError("facts is the database of a store; pass the store as well: store='s3://bucket/folder'")
        self._recognition = RecognizeOptions(
            ocr,
            effort,
            _engines(engines),
            _languages(lang),
            figures=figures,
            redactions=redactions,
            workers=workers,
            hints=tuple(hints),
            similar=_similar_pictures(store, requested=similar),
            tables=TableOptions(tables, (*areas, *(areas_beside(source) if _is_path(source) else ()))),
        )
        self._document = document_of(source, password=password, fetch=fetch)
        self._selected = check_pages(pages)
        self._place, self._facts = store, facts
        self._sinks = (on_event,) if on_event is not None else ()
        self._threads = threads or cpu_budget()
        self._cancel = Flag()
        self._begun = 0.0
        self._isolate = isolate
        self._numbers: Sequence[int] = ()
        self._structure: bytes | None = None

    def cancel(self) -> None:
        """Cancel after the current page. Thread-safe."""
        self._cancel.set()

    def pages(self) -> Generator[PageResult]:
        with self._opened() as (flow, run):
            infos = []
            for page in flow.pages(self._numbers):
                assert page.blocks is not None
                result = page.blocks.value
                infos.append(result.info)
                yield result
            self._tell_end(run, infos)

    def result(self) -> DocumentResult:
        with self._opened() as (flow, run):
            assembled = flow.assemble([page.blocks for page in flow.pages(self._numbers) if page.blocks is not None])
            self._tell_end(run, assembled.pages)
        source = ReadSource.of(self._document, self._structure)
        return DocumentResult(source, assembled.pages, assembled.blocks, flow.path)

    @contextmanager
    def _opened(self) -> Iterator[tuple[PageFlow, StagedRun]]:
        """The stages on the opened document and store; everything opened here is closed at the end."""
        document = self._document
        with ExitStack() as stack:
            stack.callback(document.close)
            if isinstance(self._place, (str, Path)):
                from quire.store.opening import open_store  # imports SQLite, which a temporary store does not need

                store: Store = open_store(self._place, self._facts)
                stack.callback(store.close)
            else:
                store = (
                    self._place or TemporaryStore()
                )  # closed when the last result that needs it is garbage-collected
            run = StagedRun(store, run=token_hex(8), document=document.id, sinks=self._sinks, cancel=self._cancel)
            if document.media_type in INPUT_FORMATS:
                self._convert(run, stack)
            pages = self._native_pages(store, stack)
            from quire.reading.pages import PageFlow

            self._numbers = page_numbers(self._selected, pages.page_count)
            flow = PageFlow(document.id, pages, run, self._recognition)
            stack.callback(flow.close)
            self._begun = run.clock()
            payload = {"name": document.name, "input_bytes": document.size, "pages": len(self._numbers)}
            run.emit("started", "read", payload=payload)
            yield flow, run

    def _native_pages(self, store: Store, stack: ExitStack) -> NativePages:
        """The opened document: parsed here, or in worker processes with `isolate`."""
        document = self._document
        if not self._isolate or document.bundle is not None:
            return self._local_pages(store)
        from quire.core.opened import DiskCopy
        from quire.reading.worker_pages import WorkerPages, look_into
        from quire.system.workers import WorkerError, shared_pool

        copy = DiskCopy(document)
        stack.callback(copy.close)
        pool = shared_pool(worker_count(self._recognition.workers).workers)
        try:
            about = look_into(copy.opened(), pool)
        except WorkerError as error:
            raise CorruptError(f"cannot be opened: {error}", document=document.name) from error
        return WorkerPages(copy.opened(), about, self._recognition, pool=pool, load=store.load)

    def _local_pages(self, store: Store) -> NativePages:
        """Parsed here, and in workers too where there are pages and CPUs enough."""
        document, threads = self._document, self._threads
        if threads < 2 or document.bundle is not None or document.page_count < LONG:
            return LocalPages(document, self._recognition, threads=threads)
        from quire.reading.side_by_side import SideBySidePages
        from quire.system.workers import shared_pool

        workers = worker_count(self._recognition.workers).workers
        return SideBySidePages(
            document,
            self._recognition,
            threads=threads,
            most=min(threads, workers),
            pool=lambda: shared_pool(workers),
            load=store.load,
        )

    def _convert(self, run: StagedRun, stack: ExitStack) -> None:
        """Convert a document without pages of its own, in a worker even without `isolate`, or find it converted."""
        from quire.core.opened import DiskCopy
        from quire.reading.bundles import bundle_of
        from quire.system.workers import shared_pool

        document, copy = self._document, DiskCopy(self._document)
        stack.callback(copy.close)
        pool = shared_pool(worker_count(self._recognition.workers).workers)
        document.bundle, _ = bundle_of(run, copy.opened(), document.media_type, pool)
        self._structure = run.store.load(document.bundle.structure)

    def _tell_end(self, run: StagedRun, infos: Sequence[PageInfo]) -> None:
        """Emit the outcome of the pages."""
        ms = round((run.clock() - self._begun) * 1000, 3)
        ledger = Ledger.of(infos)
        run.emit("finished", "read", payload={"ms": ms, "status": ledger.status, **asdict(ledger)})


@_with_options
def read(source: Source | Document, **options: Unpack[ReadOptions]) -> DocumentResult:
    """Read a document: `read("report.pdf").to_markdown()`.

    `pages` limits it to some pages ("1-3,7" or numbers). `store` is a folder that caches results, so that reading the
    same file again does no work; or a bucket (`s3://…`, `gs://…`, `az://…`), with `facts` for its database
    (`postgresql://…` or the path of an SQLite file). `on_event` is a callback for every event, in the thread of the
    caller. `threads` is how many pages are read in parallel; by default one per CPU that this process may use.

    Pages without usable text go through OCR (`ocr="auto"`; "always" means all pages, "never" none) by the installed
    engines or by `engines`, names or engines in the order of preference. `effort` is "fast", "balanced" or
    "accurate". `lang` names the languages of scans ("de", "de-fraktur"), `workers` is the number of pages with OCR in
    parallel. `figures` also runs OCR on the text inside figures, `redactions` marks blacked-out areas. `hints` are
    examples of the expected text, for engines that support them. `similar` reuses the OCR result of a nearly identical
    picture in the store.

    Text and layout are parsed in the process of the caller, which is fastest, and from 128 pages on in worker processes
    too, unless `threads` is 1; scans are rendered and go through OCR in worker processes. With `isolate=True` the file
    is parsed in workers only, each page with a deadline and a memory limit: use it for untrusted files, which may be
    crafted to crash or exhaust a parser. Office files, web pages, mail and markup are always converted in a worker;
    they need the extra `formats`.

    A `source` that begins with `http://` or `https://` is downloaded first; `fetch` has the limits for that, and
    whether addresses on this machine and private networks are allowed.

    Raises InputError (or a subclass) when the document cannot be opened. A page that cannot be read is
    `failed` or `skipped` in the result, and the result is `partial`.

    Blocks until the document is read, also in a notebook; in a coroutine await `aread` instead.
    """
    return _Reading(source, **options).result()


@_with_options
def stream(source: Source | Document, **options: Unpack[ReadOptions]) -> Iterator[PageResult]:
    """Read a document page by page: yields each page as soon as it is ready, before content that crosses pages is
    resolved.

    Takes the options of `read`. Closing the iterator cancels the work.
    """
    return _Reading(source, **options).pages()


@_with_options
async def aread(source: Source | Document, **options: Unpack[ReadOptions]) -> DocumentResult:
    """`read` for `async` code: `result = await aread("report.pdf")`.

    The work, and `on_event`, run in a thread and the event loop stays free; cancelling the task stops the work.
    """
    import asyncio

    reading = _Reading(source, **options)
    try:
        return await asyncio.to_thread(reading.result)
    finally:
        reading.cancel()


@_with_options
async def astream(source: Source | Document, **options: Unpack[ReadOptions]) -> AsyncIterator[PageResult]:
    """`stream` for `async` code. The work runs in a thread, at most one page ahead of the caller."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    reading = _Reading(source, **options)
    coming = reading.pages()
    worker = ThreadPoolExecutor(1, thread_name_prefix="quire")
    following = worker.submit(next, coming, None)
    try:
        while (page := await asyncio.wrap_future(following)) is not None:
            following = worker.submit(next, coming, None)
            yield page
    finally:
        reading.cancel()
        closed = worker.submit(coming.close)  # after the current page
        worker.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(closed))
