"""A pipeline: stages wired to read documents, and its sync and async calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from quire.core.document import Document, Source
from quire.core.events import Event, Sink
from quire.core.page_ranges import Pages, check_pages
from quire.pipelines.document import read_document
from quire.pipelines.event_loop_bridge import Feed, in_thread
from quire.pipelines.pipeline_options import Cache, ErrorPolicy, Options
from quire.pipelines.result import PipelineResult
from quire.pipelines.run import PipelineRun
from quire.pipelines.stages import PipelineStage, Placed, Stages

if TYPE_CHECKING:
    from quire.pipelines.builder import PipelineBuilder


class Pipeline:
    """Stages wired to read documents: `Pipeline(morphological_grid(), rule_based(), engine)("form.png")`.

    Stages find their slot by their methods, in any order; only an OCR engine is required. A pipeline is immutable:
    `replace` and `insert_after` return new ones. It is thread-safe, and any thread may cancel it.

    `page_concurrency` pages are read in parallel. `error_policy` says how a region that cannot be read is handled:
    `abort` fails its page, `attach` leaves an empty recognition with an `error`. `cache` is a store, or the folder of
    one: answers of the engine are looked up there before it is called and saved before they are interpreted.
    """

    def __init__(
        self,
        *stages: PipelineStage,
        page_concurrency: int = 1,
        error_policy: ErrorPolicy = "abort",
        on_event: Sink | None = None,
        cache: Cache = None,
        dpi: int = 200,
        languages: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        options = Options(page_concurrency, error_policy, on_event, cache, dpi, tuple(languages), tuple(hints))
        self._set(Stages([Placed.of(stage) for stage in stages]), options)

    @staticmethod
    def builder() -> PipelineBuilder:
        """Build a pipeline one stage at a time."""
        from quire.pipelines.builder import PipelineBuilder

        return PipelineBuilder()

    @property
    def stages(self) -> tuple[PipelineStage, ...]:
        """The stages in the order in which they run."""
        return tuple(one.stage for one in self._stages.placed)

    def replace(self, where: str, stage: PipelineStage) -> Pipeline:
        """A pipeline with `stage` in place of those in a slot (`recognize`), or of the stage of that name."""
        return self._with(self._stages.replaced(where, stage))

    def insert_after(self, where: str, stage: PipelineStage) -> Pipeline:
        """A pipeline with `stage` right after a slot, or after the stage of that name."""
        return self._with(self._stages.inserted(where, stage))

    def __repr__(self) -> str:
        return f"Pipeline({', '.join(stage.name for stage in self.stages)})"

    def __call__(
        self, source: Source | Document, *, pages: Pages | None = None, on_event: Sink | None = None
    ) -> PipelineResult:
        """Read a document. `on_event` is called with the events of this call, after the callback of the pipeline.

        Blocks until the document is read, also in a notebook; in a coroutine await `aio` instead.
        """
        run = self._begin(self._options.on_event, on_event)
        try:
            return self._read(source, check_pages(pages), run)
        finally:
            run.cancel()  # stops what is still running after an error or an interrupt

    def aio(
        self, source: Source | Document, *, pages: Pages | None = None, on_event: Sink | None = None
    ) -> Coroutine[Any, Any, PipelineResult]:
        """Read a document in `async` code. The work runs in threads; cancelling the task stops it."""
        run = self._begin(self._options.on_event, on_event)
        return self._awaited(source, check_pages(pages), run)

    def events(self, source: Source | Document, *, pages: Pages | None = None) -> AsyncIterator[Event | PipelineResult]:
        """The events of reading a document, and its result at the end.

        Leaving the loop before the end stops the work.
        """
        feed = Feed()
        run = self._begin(self._options.on_event, feed.tell)
        return self._events(source, check_pages(pages), run, feed)

    def cancel(self) -> None:
        """Cancel the current runs, from any thread, within a second. Unfinished pages are `skipped`."""
        self._cancelled = bool(self._runs)
        for run in list(self._runs):
            run.cancel()

    @property
    def cancelled(self) -> bool:
        """Whether the latest runs were cancelled."""
        return self._cancelled

    def _set(self, stages: Stages, options: Options) -> None:
        self._stages, self._options = stages, options
        self._runs: WeakSet[PipelineRun] = WeakSet()
        self._cancelled = False

    def _with(self, stages: Stages) -> Pipeline:
        other = Pipeline.__new__(Pipeline)
        other._set(stages, replace(self._options))
        return other

    def _begin(self, *sinks: Sink | None) -> PipelineRun:
        run = PipelineRun([sink for sink in sinks if sink is not None])
        self._cancelled = False
        self._runs.add(run)
        return run

    def _read(self, source: Source | Document, pages: Pages | None, run: PipelineRun) -> PipelineResult:
        try:
            return read_document(source, pages, self._stages, self._options, run)
        finally:
            self._runs.discard(run)

    async def _awaited(self, source: Source | Document, pages: Pages | None, run: PipelineRun) -> PipelineResult:
        try:
            return await in_thread(lambda: self._read(source, pages, run))
        finally:
            run.cancel()

    async def _events(
        self, source: Source | Document, pages: Pages | None, run: PipelineRun, feed: Feed
    ) -> AsyncIterator[Event | PipelineResult]:
        feed.open(run)
        reading = asyncio.ensure_future(in_thread(lambda: self._read(source, pages, run)))
        reading.add_done_callback(lambda _: feed.end())
        try:
            while (event := await feed.next()) is not None:
                yield event
            yield await reading
        finally:
            run.cancel()
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
