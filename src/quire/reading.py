"""Reading a document: the stages wired, page by page, and the four ways to call it."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from inspect import signature
from pathlib import Path
from secrets import token_hex
from threading import Event as Flag
from typing import TYPE_CHECKING, ParamSpec, TypedDict, TypeVar, Unpack

from quire.artifacts import encode_page
from quire.budget import cpu_budget
from quire.context import Store
from quire.document import Document, Source
from quire.engine import Attempt, Engine
from quire.errors import ConfigurationError, InputError, RecognitionError, StoreError, UsageError
from quire.events import Sink, reason_of
from quire.keys import digest_bytes
from quire.layout.quality import judge
from quire.pagetext import PageText
from quire.recognize.options import Effort, OcrMode, RecognizeOptions
from quire.recognize.routing import Needs, needs_of
from quire.recognize.structured import is_structured
from quire.result import DocumentResult, Ledger
from quire.runtime.inline import InlineRun
from quire.selection import Pages, check_pages, page_numbers
from quire.stage import Artifact
from quire.stages import (
    Assembled,
    AssembleDocument,
    Gathered,
    NativeText,
    PageBlocks,
    RecognisedText,
    StructuredBlocks,
    Texts,
)
from quire.store.temporary import TemporaryStore
from quire.types import PageInfo, PageResult, PageStatus

if TYPE_CHECKING:
    from concurrent.futures import Future

    from quire.recognizing import Recognised, Recognizer

P = ParamSpec("P")
R = TypeVar("R")

StorePlace = Store | str | Path | None
"""A store, the folder of one, or None for a temporary one."""
Engines = str | Engine | Sequence[str | Engine]
"""Names of engines, or engines, in the order of preference."""


class ReadOptions(TypedDict, total=False):
    """What `read` and its siblings take beside the source. `read` says what each of them means."""

    pages: Pages | None
    password: str | None
    store: StorePlace
    on_event: Sink | None
    threads: int | None
    ocr: OcrMode
    profile: Effort
    engines: Engines
    lang: str | Sequence[str]
    workers: int | None
    figures: bool
    redactions: bool
    hints: Sequence[str]
    similar: bool


def _with_options(function: Callable[P, R]) -> Callable[P, R]:
    """The function with every option in the signature that `help` and editors show."""
    options = [p for p in signature(_Reading).parameters.values() if p.name != "source"]
    source = next(iter(signature(function).parameters.values()))
    function.__signature__ = signature(function).replace(parameters=[source, *options])  # type: ignore[attr-defined]
    return function


def _engines(engines: Engines) -> tuple[str | Engine, ...]:
    return tuple(engines) if isinstance(engines, (list, tuple)) else (engines,)  # type: ignore[return-value]


def _languages(lang: str | Sequence[str]) -> tuple[str, ...]:
    """Canonical codes. Raises UsageError for a language that nobody knows."""
    named = (lang,) if isinstance(lang, str) else tuple(lang)
    if not named:
        return ()
    from quire.recognize.languages import resolve

    return tuple(resolve(language).code for language in named)


def _index(store: StorePlace, *, wanted: bool) -> Path | None:
    """Where pictures are remembered: beside the answers, so there must be a folder for them."""
    if not wanted:
        return None
    folder = store if isinstance(store, (str, Path)) else getattr(store, "folder", None)
    if not isinstance(folder, (str, Path)):
        raise UsageError("similar=True needs the folder of a store, in which earlier answers are")
    return Path(folder).absolute() / "similar.sqlite3"


def _refuse_in_loop(called: str, instead: str) -> None:
    asyncio = sys.modules.get("asyncio")  # who has not imported it has no loop
    if asyncio is not None and asyncio._get_running_loop() is not None:
        raise UsageError(f"quire.{called}() would block the running event loop; use {instead}")


class _Reading:
    """One read of one document. Its stages run in the thread that asks for pages or the result."""

    def __init__(  # noqa: PLR0913 - one argument per need
        self,
        source: Source,
        *,
        pages: Pages | None = None,
        password: str | None = None,
        store: StorePlace = None,
        on_event: Sink | None = None,
        threads: int | None = None,
        ocr: OcrMode = "auto",
        profile: Effort = "balanced",
        engines: Engines = (),
        lang: str | Sequence[str] = (),
        workers: int | None = None,
        figures: bool = False,
        redactions: bool = False,
        hints: Sequence[str] = (),
        similar: bool = False,
    ) -> None:
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise UsageError(f"threads is {threads!r}; it must be a number of at least 1")
        if store is not None and not isinstance(store, (str, Path)) and not hasattr(store, "find"):
            raise UsageError(f"store is {store!r}; name a folder or pass a store")
        self._recognition = RecognizeOptions(
            ocr,
            profile,
            _engines(engines),
            _languages(lang),
            figures=figures,
            redactions=redactions,
            workers=workers,
            hints=tuple(hints),
            similar=_index(store, wanted=similar),
        )
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
        return DocumentResult(self._document, assembled.pages, assembled.blocks, flow.path)

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
            flow = _Flow(document, run, numbers, self._threads, self._recognition)
            stack.callback(flow.close)
            yield flow


@dataclass(slots=True)
class _Pending:
    """A page that was begun: `done`, or waiting for its recognition."""

    number: int
    done: Artifact[PageResult] | None = None
    recognised: Future[Recognised] | None = None

    @property
    def ready(self) -> bool:
        return self.done is not None or (self.recognised is not None and self.recognised.done())


class _Flow:
    """The stages wired for one document: native text and blocks page by page, then what crosses pages."""

    def __init__(
        self, document: Document, run: InlineRun, numbers: Sequence[int], threads: int, recognition: RecognizeOptions
    ) -> None:
        self._document, self._run, self._numbers = document, run, numbers
        self.path: dict[int, tuple[Attempt, ...]] = {}
        self._recognition = recognition
        self._recognizer: Recognizer | None = None
        self._texts = Texts(run.store)
        self._recognised = RecognisedText(figures=recognition.figures)
        self._structured = StructuredBlocks(self._texts)
        self._native = NativeText(document.reader, threads=threads)
        self._blocks = PageBlocks(self._texts)
        self._begun = run.clock()
        told = {"name": document.name, "input_bytes": document.size, "pages": len(numbers)}
        run.emit("started", "read", payload=told)

    def pages(self) -> Iterator[Artifact[PageResult]]:
        """Each page that was asked for, found or made. Only those whose text is missing are asked of the reader."""
        native, document = self._native, self._document.id
        native.expect([n for n in self._numbers if not self._run.has(native, native.inputs(document, n))])
        waiting: deque[_Pending] = deque()
        for number in self._numbers:
            waiting.append(self._begin(number))
            while waiting and (waiting[0].ready or len(waiting) > self._ahead):
                yield self._finish(waiting.popleft())
        while waiting:
            yield self._finish(waiting.popleft())

    def assemble(self, pages: Sequence[Artifact[PageResult]]) -> Assembled:
        gathered = Gathered(pages, self._document.reader.outline())
        return self._run.do(AssembleDocument(self._texts), gathered, gathered.inputs()).value

    def finish(self, infos: Sequence[PageInfo]) -> None:
        """Tell what became of the pages."""
        ms = round((self._run.clock() - self._begun) * 1000, 3)
        self._run.emit("finished", "read", payload={"ms": ms, **asdict(Ledger.of(infos))})

    def close(self) -> None:
        if self._recognizer is not None:
            self._recognizer.close()
        self._native.close()

    def _begin(self, number: int) -> _Pending:
        """Read the native text of a page, and begin with its recognition if it needs some."""
        run, native = self._run, self._native
        if run.cancelled:
            return _Pending(number, done=self._without_blocks(number, "skipped", "cancelled"))
        with self._kept_going(_Pending(number)) as page:
            text = run.do(native, number, native.inputs(self._document.id, number), page=number)
            shown = PageText.from_bytes(text.value)
            needs = needs_of(shown, judge(shown), self._recognition)
            if needs is None:
                page.done = self._blocks_of(number, text, shown)
            else:
                page.recognised = self._begin_recognition(number, text, needs)
            text.release()
        return page

    def _begin_recognition(self, number: int, text: Artifact[bytes], needs: Needs) -> Future[Recognised]:
        if self._recognizer is None:
            from quire.recognizing import Recognizer  # workers and engines only for those who have scans

            self._recognizer = Recognizer(self._document, self._run, self._recognition)
        return self._recognizer.start(number, text.value, text.digest, needs)

    @property
    def _ahead(self) -> int:
        return self._recognizer.ahead if self._recognizer is not None else 0

    def _finish(self, page: _Pending) -> Artifact[PageResult]:
        """The page, when it is ready."""
        if page.done is None and page.recognised is not None and self._recognizer is not None:
            with self._kept_going(page):
                recognised = self._recognizer.wait(page.recognised)
                if recognised is None:
                    return self._without_blocks(page.number, "skipped", "cancelled")
                self._note_path(page.number, recognised.inputs[-1], recognised.path)
                page.done = self._recognised_blocks(page.number, recognised)
        assert page.done is not None
        return page.done

    def _recognised_blocks(self, number: int, recognised: Recognised) -> Artifact[PageResult]:
        reading = recognised.reading
        if reading.whole and is_structured(reading.readings):
            return self._run.do(self._structured, reading, recognised.inputs, page=number)
        text = self._run.do(self._recognised, reading, recognised.inputs, page=number)
        blocks = self._blocks_of(number, text, PageText.from_bytes(text.value))
        text.release()
        return blocks

    def _note_path(self, number: int, reading: str, path: Sequence[Attempt]) -> None:
        """Remember how a page was read; finding what was read before does not change that."""
        store, document = self._run.store, self._document.id
        known = store.path(document, number, reading) if all(a.outcome == "hit" for a in path) else ()
        if not known:
            store.note_path(document, number, reading, path)
        self.path[number] = known or tuple(path)

    def _blocks_of(self, number: int, text: Artifact[bytes], shown: PageText) -> Artifact[PageResult]:
        self._texts.add(number, text.digest, shown)
        return self._run.do(self._blocks, number, (text.digest,), page=number)

    @contextmanager
    def _kept_going(self, page: _Pending) -> Iterator[_Pending]:
        """One bad page never loses the document: its error becomes its ledger entry."""
        try:
            yield page
        except (UsageError, ConfigurationError, StoreError):
            raise  # not the fault of this page
        except RecognitionError as error:
            self._note_path(page.number, "", error.path)
            page.done = self._without_blocks(page.number, "failed", reason_of(error))
        except Exception as error:
            page.done = self._without_blocks(page.number, "failed", reason_of(error))

    def _without_blocks(self, number: int, status: PageStatus, reason: str) -> Artifact[PageResult]:
        """A page of which only the ledger knows: the next run tries it again."""
        try:
            info = replace(self._document.reader.info(number), status=status, reason=reason)
        except InputError:
            info = PageInfo(number, 0.0, 0.0, status=status, reason=reason)
        page = PageResult(info)
        return Artifact(digest_bytes(encode_page(page)), lambda: page)


@_with_options
def read(source: Source, **options: Unpack[ReadOptions]) -> DocumentResult:
    """Read a document: `read("report.pdf").to_markdown()`.

    `pages` limits it to some pages ("1-3,7" or numbers). `store` names a folder in which what was read is kept:
    reading the same file again does no work. `on_event` is called with everything that happens, in the thread
    of the caller. `threads` is how many pages are read ahead at a time; by default as many as there are
    processors for this process.

    Pages without usable text are recognised (`ocr="auto"`; "always" recognises all, "never" none) by the engines
    that work here or by `engines`, names or engines in the order of preference. `profile` is the effort: "fast",
    "balanced" or "accurate". `lang` names the languages of scans ("de", "de-fraktur"), `workers` is how many pages
    are recognised at a time. `figures` also reads the text inside figures, `redactions` marks what was blacked
    out. `hints` are examples of what such pages say, for engines that take them. `similar` takes the answer for a
    nearly equal picture from the store.

    Raises InputError (or one of its kinds) when the document cannot be opened. A page that cannot be read is
    `failed` or `skipped` in the result, and the result is `partial`.
    """
    _refuse_in_loop("read", "await quire.aread(…)")
    return _Reading(source, **options).result()


@_with_options
def stream(source: Source, **options: Unpack[ReadOptions]) -> Iterator[PageResult]:
    """Read a document page by page: each page comes as soon as it is ready, before what crosses pages is known.

    Takes what `read` takes. Closing the iterator stops the work.
    """
    _refuse_in_loop("stream", "async for page in quire.astream(…)")
    return _Reading(source, **options).pages()


@_with_options
async def aread(source: Source, **options: Unpack[ReadOptions]) -> DocumentResult:
    """`read` for asynchronous programs. The work, and `on_event`, run in a thread; cancelling stops it."""
    import asyncio

    reading = _Reading(source, **options)
    try:
        return await asyncio.to_thread(reading.result)
    finally:
        reading.cancel()


@_with_options
async def astream(source: Source, **options: Unpack[ReadOptions]) -> AsyncIterator[PageResult]:
    """`stream` for asynchronous programs. The work runs in a thread, at most one page ahead of the caller."""
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
        closed = worker.submit(coming.close)  # after the page at work
        worker.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(closed))
