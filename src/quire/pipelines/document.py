"""Runs the pages of a document through a pipeline: rendered one after the other, read a few at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from quire.asking import Asker
from quire.core.context import Store
from quire.core.document import Document, Source, document_of
from quire.core.errors import InputError, RecognitionError
from quire.core.page_ranges import Pages, page_numbers
from quire.core.picture import Picture
from quire.core.plugin_checks import check_returned
from quire.core.types import PageInfo, PageStatus
from quire.pages.prepare import PrepareProfile, page_picture
from quire.pipelines.page_run import PageWork
from quire.pipelines.pipeline_options import Cache, Options
from quire.pipelines.result import PageReading, PipelineResult
from quire.pipelines.run import GLANCE_S, NOT_THE_PAGE, Cancelled, PipelineRun, failure_of, message_of
from quire.pipelines.stages import Exporter, Stages
from quire.system.awaited import settled

GRACE_S = 0.5
"""Seconds that running pages have to notice that the run was cancelled."""


def read_document(
    source: Source | Document, pages: Pages | None, stages: Stages, options: Options, run: PipelineRun
) -> PipelineResult:
    """Runs in the thread of the caller, which renders the pages; each page is read in its own thread."""
    with ExitStack() as stack:
        document = stack.enter_context(document_of(source))
        stack.callback(run.close)
        run.document = document.id
        numbers = page_numbers(pages, document.page_count)
        store = stack.enter_context(_opened(options.cache))
        asker = Asker(store, document=document.id, check=run.check, tell=run.tell)
        work = PageWork(stages, options, asker, run)
        begun = run.clock()
        payload = {"name": document.name, "input_bytes": document.size, "pages": len(numbers)}
        run.emit("started", "pipeline", payload=payload)
        try:
            read = _Pages(document, numbers, work).read()
        except BaseException as error:
            run.cancel()  # stops pages that are still running
            run.emit("failed", "pipeline", payload=failure_of(error))
            raise
        result = PipelineResult(document, [read[number] for number in numbers])
        with run.current():
            result.errors = _export(result, stages.exporters, options, run)
        run.emit("finished", "pipeline", payload={"ms": run.ms_since(begun), **asdict(result.ledger)})
        return result


class _Pages:
    """The pages of one run. At most `page_concurrency` pictures exist at a time, plus one just rendered."""

    def __init__(self, document: Document, numbers: Sequence[int], work: PageWork) -> None:
        self._document, self._work, self._run = document, work, work.run
        self._waiting = list(reversed(numbers))
        dpi = work.options.dpi
        self._profile = PrepareProfile(dpi=dpi, max_dpi=max(dpi, PrepareProfile().max_dpi))
        self._finished: SimpleQueue[tuple[int, PageReading | BaseException]] = SimpleQueue()
        self._at_work: set[int] = set()
        self._read: dict[int, PageReading] = {}

    def read(self) -> dict[int, PageReading]:
        deadline: float | None = None
        while self._waiting or self._at_work:
            if self._run.cancelled:
                deadline = deadline or self._run.clock() + GRACE_S
                if not self._at_work or self._run.clock() > deadline:
                    break
            elif self._waiting and len(self._at_work) < self._work.options.page_concurrency:
                self._begin(self._waiting.pop())
                continue
            self._take()
        for number in (*self._waiting, *self._at_work):
            self._read[number] = PageReading(self._info(number, "skipped", "cancelled"))
        return self._read

    def _begin(self, number: int) -> None:
        try:
            info = self._document.reader.info(number)
            picture = page_picture(self._document.reader, number, self._profile)
        except NOT_THE_PAGE:
            raise
        except Exception as error:  # one bad page never loses the document
            self._run.emit("failed", "render", page=number, payload=failure_of(error))
            reason = str(error.args[0]) if isinstance(error, InputError) else message_of(error)
            self._read[number] = PageReading(self._info(number, "failed", reason))
            return
        self._at_work.add(number)
        Thread(target=self._page, args=(info, picture), name=f"quire-page-{number}", daemon=True).start()

    def _page(self, info: PageInfo, picture: Picture) -> None:
        try:
            self._finished.put((info.number, self._work.read(info, picture)))
        except BaseException as error:
            self._finished.put((info.number, error))

    def _take(self) -> None:
        """Wait briefly for a page to finish."""
        try:
            number, read = self._finished.get(timeout=GLANCE_S)
        except Empty:
            return
        self._at_work.discard(number)
        if isinstance(read, PageReading):
            self._read[number] = read
        elif isinstance(read, Cancelled):
            self._read[number] = PageReading(self._info(number, "skipped", "cancelled"))
        else:
            raise read

    def _info(self, number: int, status: PageStatus, reason: str) -> PageInfo:
        try:
            return replace(self._document.reader.info(number), status=status, reason=reason)
        except InputError:
            return PageInfo(number, 0.0, 0.0, status=status, reason=reason)


def _export(
    result: PipelineResult, exporters: Sequence[Exporter], options: Options, run: PipelineRun
) -> tuple[Exception, ...]:
    """Run all exporters; the first error is raised afterwards, unless errors are attached."""
    errors: list[Exception] = []
    for place, exporter in enumerate(exporters, 1):
        try:
            written = settled(exporter.export(result))
            check_returned(written, Sequence, exporter.name)
            for number, path in enumerate(written, 1):
                check_returned(path, Path, exporter.name)
                payload = {"path": str(path), "format": exporter.format, "bytes": path.stat().st_size}
                run.emit("finished", "export", payload=payload, mark=f"/{place}/{number}")
        except Exception as error:
            run.emit("failed", "export", payload=failure_of(error), mark=f"/{place}")
            if isinstance(error, NOT_THE_PAGE):
                errors.append(error)
                continue
            wrapped = RecognitionError(f"export stage {exporter.name} failed: {message_of(error)}")
            wrapped.__cause__ = error
            errors.append(wrapped)
    if errors and options.error_policy == "abort":
        raise errors[0]
    return tuple(errors)


@contextmanager
def _opened(cache: Cache) -> Iterator[Store]:
    """The store of the answers, or a temporary one for this run; a store that is opened here is closed here."""
    if cache is None:
        from quire.store.temporary import TemporaryStore

        with closing(TemporaryStore()) as store:
            yield store
    elif isinstance(cache, (str, Path)):
        from quire.store.opening import open_store

        with open_store(cache) as lasting:
            yield lasting
    else:
        yield cache
