"""A pipeline: stages wired to read documents, its sync and async calls, and its builder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakSet

from quire.core.document import Document, Source
from quire.core.engine import Engine
from quire.core.errors import ConfigurationError
from quire.core.events import Event, Sink
from quire.core.page_ranges import Pages, check_pages
from quire.pipelines.document import read_document
from quire.pipelines.event_loop_bridge import Feed, in_thread
from quire.pipelines.pipeline_options import Cache, ErrorPolicy, Options
from quire.pipelines.result import PipelineResult
from quire.pipelines.roles import Classifier, Corrector, LayoutDetector, Preprocessor, RegionPreprocessor, Slot
from quire.pipelines.run import PipelineRun
from quire.pipelines.stages import Exporter, PipelineStage, Placed, Stages


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
        self._set(Stages.of(stages), options)

    @staticmethod
    def builder() -> PipelineBuilder:
        """Build a pipeline one stage at a time."""
        return PipelineBuilder()

    @property
    def stages(self) -> tuple[PipelineStage, ...]:
        """The stages in the order in which they run."""
        return tuple(one.stage for one in self._stages.placed)

    def replace(self, where: str, stage: PipelineStage) -> Pipeline:
        """A pipeline with `stage` in place of those in a slot (`recognize`), or of the stage of that name."""
        return self._made(self._stages.replaced(where, stage), replace(self._options))

    def insert_after(self, where: str, stage: PipelineStage) -> Pipeline:
        """A pipeline with `stage` right after a slot, or after the stage of that name."""
        return self._made(self._stages.inserted(where, stage), replace(self._options))

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

    @staticmethod
    def _made(stages: Stages, options: Options) -> Pipeline:
        made = Pipeline.__new__(Pipeline)
        made._set(stages, options)
        return made

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


@dataclass(frozen=True, slots=True)
class PipelineBuilder:
    """A pipeline built one stage at a time. Every call returns a new builder: pipelines can share a beginning."""

    stages: tuple[PipelineStage, ...] = ()
    settings: Options = field(default_factory=Options)

    def preprocess(self, *stages: Preprocessor) -> PipelineBuilder:
        return self._add("preprocess", *stages)

    def detect(self, stage: LayoutDetector) -> PipelineBuilder:
        return self._add("detect", stage)

    def classify(self, stage: Classifier) -> PipelineBuilder:
        return self._add("classify", stage)

    def region_preprocess(self, *stages: RegionPreprocessor) -> PipelineBuilder:
        return self._add("region_preprocess", *stages)

    def recognize(self, engine: Engine, *, cache: Cache = None) -> PipelineBuilder:
        """Set the OCR engine, and the cache of its answers."""
        added = self._add("recognize", engine)
        return added if cache is None else replace(added, settings=replace(added.settings, cache=cache))

    def post_process(self, *stages: Corrector) -> PipelineBuilder:
        return self._add("post_process", *stages)

    def export(self, *stages: Exporter) -> PipelineBuilder:
        return self._add("export", *stages)

    def stage(self, *stages: PipelineStage) -> PipelineBuilder:
        """Add stages of any role."""
        return replace(self, stages=(*self.stages, *stages))

    def options(
        self,
        *,
        page_concurrency: int | None = None,
        error_policy: ErrorPolicy | None = None,
        on_event: Sink | None = None,
        dpi: int | None = None,
        languages: Sequence[str] | None = None,
        hints: Sequence[str] | None = None,
    ) -> PipelineBuilder:
        """Change settings of `Pipeline`; those left out stay as they are."""
        changes = {
            "page_concurrency": page_concurrency,
            "error_policy": error_policy,
            "on_event": on_event,
            "dpi": dpi,
            "languages": None if languages is None else tuple(languages),
            "hints": None if hints is None else tuple(hints),
        }
        stated: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
        return replace(self, settings=replace(self.settings, **stated))

    def build(self) -> Pipeline:
        """Raises ConfigurationError when the stages do not fit together."""
        return Pipeline._made(Stages.of(self.stages), self.settings)

    def _add(self, slot: Slot, *stages: PipelineStage) -> PipelineBuilder:
        for stage in stages:
            placed = Placed.of(stage)
            if placed.slot != slot:
                raise ConfigurationError(f"{placed.stage.name} is for {placed.slot}, not for {slot}")
        return self.stage(*stages)
