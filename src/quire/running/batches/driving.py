"""Driving a batch: one run of a flow for each document, submitted to a runtime, its files written where they belong.

The driver is a process like any other: when it is killed, documents under way are finished by whoever opens the
runtime next, and driving the same request again finds them done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Event as Flag
from threading import Thread

from quire.batch import StageContext, StageHooks, StageOutcome, StagePlan, Stop
from quire.batch.running import Stage
from quire.batch.telling import StageTeller
from quire.context import Runtime
from quire.errors import QuireError, StoreError, UsageError
from quire.events import Event, Sink
from quire.records.claims import Claims
from quire.records.runs import Runs, claim_of
from quire.running.batches.documents import Documents, Planned, item_of
from quire.running.batches.plan import PlanStopped, plan_batch
from quire.running.batches.request import BatchRequest
from quire.store.artifacts import ArtifactStore

FLOW = "batch"
"""The flow of a batch's own run."""
STAGE = "document"
"""The stage in the events of its documents."""
LOOK_EVERY_S = 0.5
"""How often somebody looks whether the run was cancelled."""
EVENTS_AT_ONCE = 200


def begin_batch(request: BatchRequest, store: ArtifactStore) -> str:
    """The id of a new run for the request, which waits until it is driven."""
    run, _ = Runs(store.database).begin(FLOW, request.to_json())
    return run


def stored_request(store: ArtifactStore, run: str) -> BatchRequest:
    """The request of a run. Raises UsageError for a run that is unknown or no batch."""
    status = Runs(store.database).status(run)
    if status.flow != FLOW:
        raise UsageError(f"run {run} is no batch but one of the flow {status.flow}")
    return BatchRequest.from_json(status.inputs)


def run_batch(
    request: BatchRequest,
    runtime: Runtime,
    store: ArtifactStore,
    *,
    run: str | None = None,
    on_event: Sink | None = None,
    stop: Stop | None = None,
    only: Iterable[str] | None = None,
) -> StageOutcome:
    """Drive a batch to its end, in the thread that calls it.

    Args:
        run: A run that was begun before and is gone on with; a new one by default.
        on_event: Told what happens, in this thread.
        stop: Ends it early; what is done is kept.
        only: Names of documents; all by default.

    Raises:
        UsageError: Nothing to do it with, or another process drives the run.
        RunError: The runtime cannot be reached.
        StoreError: What was done cannot be remembered.
    """
    runtime.check()
    run = run or begin_batch(request, store)
    stop = stop or Stop()
    with _driving(run, store, stop) as cancelled:
        try:
            plan = plan_batch(request, store, stop=stop)
        except PlanStopped as stopped:
            outcome = StageOutcome(planned=stopped.documents, cancelled=True, cancelled_reason=stop.reason)
            _end(run, outcome, Runs(store.database), stopped=True, cancelled=cancelled.is_set())
            return outcome
        wanted = None if only is None else set(only)
        documents = [document for document in plan.documents if wanted is None or document.name in wanted]
        driver = Documents(request, plan.asked, runtime, store, run)
        stored = _Stored(Runs(store.database), run)
        known = Planned(documents)
        context = StageContext(STAGE, run, request.stage_options(), len(documents))
        sinks = (stored, on_event) if on_event else (stored,)
        teller = StageTeller(context, StageHooks(after_item=driver.after), sinks)
        items = StagePlan(STAGE, [item_of(document) for document in documents])
        try:
            outcome = Stage(items, driver.work, context, teller, stop, known).run()
        finally:
            stored.flush()
        if cancelled.is_set():
            driver.cancel()
        _end(run, outcome, Runs(store.database), stopped=stop.requested, cancelled=cancelled.is_set())
    return outcome


class _Stored:
    """Stores the events of a batch, some at a time. Used by the thread that drives."""

    def __init__(self, runs: Runs, run: str) -> None:
        self._runs, self._run = runs, run
        # A run that is gone on with tells things again that it told before.
        before = runs.status(run).last_event
        self._again = f"@{before}" if before else ""
        self._waiting: list[Event] = []

    def __call__(self, event: Event) -> None:
        self._waiting.append(replace(event, id=f"{event.id}{self._again}"))
        if event.kind != "hit" or len(self._waiting) >= EVENTS_AT_ONCE:
            with suppress(StoreError):  # on a full disk: whoever works says so, and these go with what comes next
                self.flush()

    def flush(self) -> None:
        self._runs.append(self._run, self._waiting)
        self._waiting = []


@contextmanager
def _driving(run: str, store: ArtifactStore, stop: Stop) -> Iterator[Flag]:
    """Hold the claim of the run, so that everybody sees that somebody works on it; watch whether it is cancelled.

    A run that ends without `finish` is left as it is: without a claim it is `interrupted`.
    """
    runs, claims = Runs(store.database), Claims(store.database)
    if claims.claim(claim_of(run)) is None:
        claims.close()
        raise UsageError(f"another process works on run {run}; `quire status {run}` shows how far it is")
    cancelled, ended = Flag(), Flag()

    def watch() -> None:
        while not ended.wait(LOOK_EVERY_S):
            with suppress(StoreError):  # whoever works meets it too; it may pass
                if runs.cancel_requested(run):
                    cancelled.set()
                    stop.now("cancelled")
                    return

    watcher = Thread(target=watch, name="quire-batch", daemon=True)
    try:
        runs.reopen(run)
        runs.set_state(run, "running")
        watcher.start()
        yield cancelled
    except QuireError as error:
        runs.finish(run, "failed", error=str(error), category=error.category)
        raise
    finally:
        ended.set()
        if watcher.ident is not None:
            watcher.join()
        claims.close()


def _end(run: str, outcome: StageOutcome, runs: Runs, *, stopped: bool, cancelled: bool) -> None:
    """Write down how the run ended. One that was stopped in the middle has not: it is gone on with later."""
    told = {name: getattr(outcome, name) for name in ("planned", "succeeded", "skipped", "failed", "wall_ms")}
    if cancelled:
        runs.finish(run, "cancelled", result=told, error=f"run {run} was cancelled")
    elif not outcome.cancelled:
        runs.finish(run, "finished", result=told)
    elif not stopped:
        runs.finish(run, "failed", result=told, error=outcome.cancelled_reason, category="runtime")
