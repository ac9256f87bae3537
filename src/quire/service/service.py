"""The state that the routes share: the store, the runtime, and the ways to submit tasks and to find out about them."""

from __future__ import annotations

import asyncio
import json
import os
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Event
from typing import TypeVar

from quire.core.context import RunStatus, Store
from quire.core.errors import ConfigurationError, QuireError, RunError, UsageError
from quire.database.runs import Runs, run_of
from quire.database.scopes import note_scope
from quire.docling_serve.contract.refusals import RequestRefused
from quire.docling_serve.responses.document_contents import COUNTED, task_meta
from quire.docling_serve.responses.task_states import BUSY
from quire.durable.reads.sources import save_source, source_key
from quire.durable.review.review_queue import ReviewQueue
from quire.durable.runtimes import ServedRuntime
from quire.durable.tasks.secrets import sealed
from quire.durable.tasks.task_steps import READS
from quire.reading.messages import (
    SourceJson,
    TaskArgument,
    TaskCounts,
    TaskDocument,
    TaskLimits,
    TaskResult,
    TaskSource,
)
from quire.runtime.local import LocalRuntime
from quire.service.document_search import DocumentSearch
from quire.service.learned import LearnedModels
from quire.service.logs import log
from quire.service.result_removal import FetchedResults
from quire.service.run_progress import RunTallies
from quire.service.run_waiter import RunWaiter
from quire.service.settings import ServiceSettings
from quire.service.solve_runners import SolveRunners
from quire.service.uploads import Upload
from quire.service.warm_up import warm_up
from quire.store.artifacts import ArtifactStore
from quire.store.scoped import scoped
from quire.system.supervisor import SupervisedThread

FLOW = "task"
VISION = "vision"
CLEARED = 500
"""Runs that `clear` looks at, and forgets, at a time."""
FETCH_S = 120.0
"""The longest time of a download."""
THREADS = 16
"""Threads for calls of the store and the database, which block."""

T = TypeVar("T")


class Service:
    """The server's state, all of it in the store: any number of processes serve the same tasks.

    Coroutines run in the event loop; `call` runs what blocks in a thread.
    """

    def __init__(self, settings: ServiceSettings, store: ArtifactStore, runtime: ServedRuntime) -> None:
        self.settings, self.store, self.runtime = settings, store, runtime
        self.policy = settings.policy(tesseract_data=tesseract_data(), vision=vision_engine())
        self.runs = Runs(store.database)
        self.waiter = RunWaiter(runtime)
        self.tallies = RunTallies(runtime)
        self.search = DocumentSearch(settings, store, runtime)
        self.reviews = ReviewQueue(store.database, every=settings.review_samples == "all")
        self.learned = LearnedModels(settings.learned)
        self.runners = SolveRunners(settings.runners, os.environ)
        self.draining = False
        self._warm = not (settings.warm_up and isinstance(runtime, LocalRuntime))
        self._warming = SupervisedThread("quire-warm-up", self._warm_up)
        self._scopes: set[str] = {""}  # recorded by this process
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="quire-service")
        self._fetched = FetchedResults(settings.result_removal_delay_s, self._forget_many)
        self._sweeping = SupervisedThread("quire-leftovers", lambda _: store.leftovers.sweep())
        self._reporting = SupervisedThread("quire-reviews", lambda _: self.reviews.report_all(runtime))

    async def call(self, work: Callable[..., T], *args: object, **options: object) -> T:
        """Run something that blocks in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *args, **options))

    def store_of(self, tenant: str) -> Store:
        return scoped(self.store, tenant)

    @property
    def limits(self) -> TaskLimits:
        settings = self.settings
        return {
            "max_bytes": settings.max_file_bytes,
            "max_pages": settings.max_pages,
            "networks": list(settings.private_networks),
            "timeout_s": FETCH_S,
        }

    def keep_now(self, upload: Upload, tenant: str) -> TaskSource:
        """Save a file of a request to the store. Refuses one that is too large. Blocks.

        It is lasting with the run that names it: both are recorded in one database, one after the other.
        """
        if upload.size > (most := self.settings.max_file_bytes):
            raise RequestRefused(
                413, f"{upload.name} is larger than {most:,} bytes, the limit of this server for a file"
            )
        self._note_scope(tenant)
        store, document = self.store_of(tenant), upload.id
        if store.find(source_key(document)) is None:
            upload.file.seek(0)
            save_source(store, document, upload.file, lasting=False)
        else:
            store.flush(lasting=False)  # another request may have saved it just now
        source: SourceJson = {"id": document, "name": upload.name, "path": "", "stored": True}
        return {"stored": source, "uri": upload.name, "size": upload.size, "format": upload.format}

    async def keep(self, upload: Upload, tenant: str) -> TaskSource:
        return await self.call(self.keep_now, upload, tenant)

    def submit(self, argument: TaskArgument, *, task: str | None = None) -> RunStatus:
        """Submit a task. Refuses it while too much is waiting, or the server is stopping. Blocks."""
        if self.draining:
            raise _busy("the server is stopping")
        if self.runs.in_progress(FLOW) >= self.settings.max_queued:
            raise _busy()
        most = self.settings.max_queued_per_tenant
        if most and self.runs.in_progress_of(FLOW, argument["tenant"]) >= most:
            raise _busy()
        self._note_scope(argument["tenant"])
        key = task or str(uuid.uuid4())
        try:
            run = self.runtime.submit(FLOW, sealed(self.search.indexed(argument)), key=key)
        except RunError as error:  # the server that runs it cannot be reached: it must not wait there for ever
            if task is None:
                with suppress(QuireError):
                    self.runtime.cancel(run_of(FLOW, key))
            raise _busy(f"{BUSY} {error}") from error
        status = self.runs.glance(run)
        if status is None or status.inputs["tenant"] != argument["tenant"]:  # two keys with one id: 1 in 2^48
            raise _busy()
        return status

    def find(self, task: str, tenant: str) -> RunStatus | None:
        """The run of a task; None if the tenant has none of that id, or deleted a document of it. Blocks."""
        status = self.runs.glance(run_of(FLOW, task))
        if status is None or status.flow != FLOW or status.inputs["tenant"] != tenant:
            return None
        return None if status.inputs.get("deleted") else status

    def documents(self, status: RunStatus) -> list[TaskDocument]:
        """The documents of a task that is finished, one for each source. Blocks."""
        result: TaskResult = status.result
        listed = result["documents"]
        return json.loads(self.store.load(listed)) if isinstance(listed, str) else listed

    @property
    def trouble(self) -> QuireError | None:
        """The error that keeps the runtime from working at the moment."""
        return self.runtime.trouble

    def position(self, status: RunStatus) -> int:
        """The place of a waiting task in the queue, from 1."""
        return self.runs.in_progress(FLOW, before=status.submitted) + 1

    def progress(self, status: RunStatus) -> dict[str, int] | None:
        """The counts of a task: its documents by outcome, and its pages. Blocks."""
        if status.state == "finished":
            counts: TaskCounts = status.result["counts"]
            pages = counts.get("pages")
            names = ("total", "total", "succeeded", "partial", "failed")
            meta = dict(zip(COUNTED, (counts[name] for name in names), strict=True))  # type: ignore[literal-required]
            return meta if pages is None else meta | {"num_pages": pages, "num_pages_processed": pages}
        if status.state == "waiting":
            return None
        tally = self.tallies.of(status.run, status.last_event)
        total, done = tally.pages
        ended = [document["status"] for document in tally.ended.values()]
        return task_meta(ended, tally.total or len(status.inputs["sources"]), pages=total, pages_done=done)

    def fetched(self, run: str) -> None:
        """The result of a task was fetched: remove it after a while, where results are for one use."""
        if self.settings.single_use_results:
            self._fetched.add(run)

    def clear(self, tenant: str, older_s: float) -> None:
        """Forget the tasks of docling's API that ended some seconds ago. One that cannot be forgotten is logged."""
        for portion in self.runs.ended_before(FLOW, time.time() - older_s, limit=CLEARED):
            ended = [run for run, inputs in portion if inputs["tenant"] == tenant and inputs["type"] not in READS]
            try:
                self._forget_many(ended)
            except QuireError as error:
                log.warning("not all tasks are cleared: %s", error)

    def begin(self) -> None:
        """Start working on what is queued."""
        self.runtime.serve()
        self.search.begin()
        self._sweeping.start()
        self._reporting.start()
        if not self._warm:
            self._warming.start()

    @property
    def awaited(self) -> str:
        """The event that the server waits for before it is ready; "" once it is ready."""
        return "" if self._warm else "a worker starts and loads the OCR engine"

    def _warm_up(self, _: Event) -> None:
        try:
            if not self._warm:
                warm_up(self.settings.workers)
        finally:
            self._warm = True

    def drain(self) -> None:
        """The server is about to stop: refuse new tasks, and end what only waits. Safe in a signal handler."""
        self.draining = True

    async def close(self) -> None:
        """Let the steps in progress end, and close the runtime and the store."""
        self.drain()
        await self.call(self.waiter.close)
        await self.call(self._close)
        self._threads.shutdown(wait=False)

    def _close(self) -> None:
        self._sweeping.stop()
        self._reporting.stop()
        self._warming.stop()
        self._fetched.close()
        if isinstance(self.runtime, LocalRuntime):
            self.runtime.close(patience_s=self.settings.shutdown_s)
        else:
            self.runtime.close()
        self.search.close()
        self.store.close()

    def _note_scope(self, scope: str) -> None:
        if scope not in self._scopes:
            note_scope(self.store.database, scope)
            self._scopes.add(scope)

    def _forget_many(self, runs: Sequence[str]) -> None:
        """On this machine in one transaction; a server elsewhere is asked for each, and its first error is raised."""
        if isinstance(self.runtime, LocalRuntime):
            self.runs.forget_ended(runs)
            return
        failures: list[QuireError] = []
        for run in runs:
            try:
                self.runtime.forget(run)
            except UsageError:  # it is gone already
                continue
            except QuireError as error:
                failures.append(error)
        if failures:
            raise failures[0]


def tesseract_data() -> tuple[str, ...]:
    """The traineddata of the Tesseract on this machine; none where it is not installed."""
    from quire.pages.recognize.tesseract import program

    with suppress(ConfigurationError):
        return program.find().traineddata
    return ()


def vision_engine() -> str | None:
    """The engine for `pipeline: vlm`, if the environment configures it."""
    from quire.pages.recognize import engine_registry as registry

    with suppress(ConfigurationError):
        registry.make(VISION)
        return VISION
    return None


def _busy(detail: str = BUSY) -> RequestRefused:
    return RequestRefused(503, detail)
