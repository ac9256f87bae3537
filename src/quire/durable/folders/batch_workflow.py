"""The workflow `batch`: a flow over many documents, submitted, watched and cancelled like any run.

Its only step plans and drives the documents: it submits one run of the flow for each to the same runtime, and writes
the files. If its process crashes, the next one plans again and finds what was done. So the step is idempotent, and
picks up new documents.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Event as Flag
from typing import cast

from quire.batch import StageContext, StageError, StageHooks, StageOutcome, StagePlan, Stop
from quire.batch.manifest import LEFT_OUT, Row, item_name
from quire.batch.stage_events import COUNTED, StageTeller
from quire.batch.stage_scheduler import StageScheduling
from quire.core.context import Context, RunState, Runtime, Workflow
from quire.core.errors import Category, FencedError, QuireError, RunError, UsageError
from quire.core.events import Event, Sink
from quire.database.paths import path_text
from quire.database.runs import ENDED, Runs
from quire.durable.flows.workflow import Registered
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.folders.discovery import LeftOutFile
from quire.durable.folders.document_runs import STAGE, Documents, Planned, item_of
from quire.durable.folders.plan import PlanStopped, plan_batch
from quire.reading.messages import BatchArgument, BatchCountsJson
from quire.store.artifacts import ArtifactStore
from quire.system.supervisor import SupervisedThread

FLOW = "batch"
"""The name of the workflow."""
UNFINISHED: tuple[RunState, ...] = ("waiting", "interrupted")
LOOKED_THROUGH = 20
"""Maximum number of unfinished batches that are compared with a request."""
LOOK_EVERY_S = 0.1
"""The seconds between two looks of the step whether it should end."""
FOLLOW_EVERY_S = 0.3
"""The seconds between two looks of a follower for new events."""


class Batches:
    """The workflow over one store.

    `runtime` returns the runtime that documents are submitted to. `named` finds registered flows, if batches may only
    name those; without it they may also name a file. `password` says whether a password is set.
    """

    def __init__(
        self,
        store: ArtifactStore,
        runtime: Callable[[], Runtime],
        named: Callable[[str], Registered] | None = None,
        *,
        password: bool = False,
    ) -> None:
        self._store, self._runtime, self._named, self._password = store, runtime, named, password

    def workflow(self) -> Workflow:
        """If machines share a database, only the machine that submitted a batch can access its files."""
        return Workflow(FLOW, self.batch, pool=batch_pool(self._store))

    async def batch(self, ctx: Context, argument: BatchArgument) -> BatchCountsJson | None:
        """Drive a `BatchRequest`; returns its counts, or None if it was cancelled."""
        began = (await ctx.now()).timestamp()
        counts: BatchCountsJson | None = await ctx.run("documents", self._drive, ctx, argument, began)
        return counts

    def _drive(self, ctx: Context, argument: BatchArgument, began: float) -> BatchCountsJson | None:
        """Runs in a thread of the runtime until the batch ends."""
        request, store, run = BatchRequest.from_json(argument), self._store, ctx.run_id
        done_before = _done_in(Runs(store.database), run)
        emit = _emitting(ctx, Runs(store.database))
        with _watching(ctx) as stop:
            try:
                plan = plan_batch(request, store.database, stop=stop, named=self._named, password=self._password)
            except PlanStopped as stopped:
                raise _left(run) from stopped
            documents = plan.documents
            driver = Documents(request, plan.asked, self._runtime(), store, run, began=began)
            context = StageContext(STAGE, run, request.stage_options(), len(documents))
            teller = StageTeller(context, StageHooks(after_item=driver.after), (emit,), map(_row, plan.left_out))
            items = StagePlan(STAGE, [item_of(document) for document in documents])
            outcome = StageScheduling(items, driver.work, context, teller, stop, Planned(documents)).run()
        if stop.at_once and Runs(store.database).cancel_requested(run):
            driver.cancel()
            return None
        if outcome.cancelled and stop.requested:
            raise _left(run)
        if outcome.cancelled:
            raise RunError(outcome.cancelled_reason, exit_code=_exit_code(outcome))
        counts = {name: getattr(outcome, name) for name in (*COUNTED, "wall_ms")}
        # A run that continues after an interruption reports all of its documents as its own.
        own = sum(document.state == "done" and document.name in done_before for document in documents)
        counts |= {"succeeded": counts["succeeded"] + own, "skipped": counts["skipped"] - own}
        return cast("BatchCountsJson", {**counts, "quarantined": plan.counts["quarantined"]})


def batch_pool(store: ArtifactStore) -> str:
    """The pool of batches whose files this machine can access."""
    return "batches" if store.database.one_machine else f"batches of {socket.gethostname()}"


def unfinished_run(runtime: Runtime, request: BatchRequest) -> str | None:
    """The latest unfinished batch with the same request that no process works on."""
    waiting = [run for state in UNFINISHED for run in runtime.runs(flow=FLOW, state=state, limit=LOOKED_THROUGH)]
    waiting.sort(key=lambda run: -run.submitted)
    return next((run.run for run in waiting if BatchRequest.from_json(run.inputs) == request), None)


def run_batch(
    request: BatchRequest,
    runtime: Runtime,
    *,
    run: str | None = None,
    on_event: Sink | None = None,
    stop: Stop | None = None,
) -> tuple[str, StageOutcome]:
    """Submit a batch and follow it to its end. Returns the id of its run, and its outcome.

    Args:
        run: An earlier run that was interrupted, failed or cancelled, to continue.
        on_event: Callback for the events from now on, in this thread.
        stop: Pauses the batch; documents in progress are finished unless it requests to stop at once. What is done is
            kept, and submitting the key again continues.

    Raises:
        RunError: The batch could not be started, or the runtime cannot be reached.
        StoreError: What was done cannot be recorded.
    """
    runtime.check()
    stop = stop or Stop()
    followed = _Followed(on_event)
    before = None if run is None else runtime.status(run)
    run = runtime.submit(FLOW, request.to_json(), key=before.key if before else None)
    continues = before is not None and before.run == run and before.state not in ENDED
    after = before.last_event if before and continues else 0
    try:
        return run, _follow(runtime, run, followed, after, stop)
    except KeyboardInterrupt:
        _pause(runtime, run)
        raise


def _follow(runtime: Runtime, run: str, followed: _Followed, after: int, stop: Stop) -> StageOutcome:
    """Follow the events of a batch until it ends or is stopped."""
    paused = False
    while True:
        error = _waited(runtime, run)
        state = runtime.status(run).state
        for event in runtime.events(run, after=after):
            after = event.sequence
            followed(event)
        if state in ENDED:
            if isinstance(error, RunError) and not followed.begun:
                raise error
            return followed.outcome("cancelled" if state == "cancelled" else "")
        if error is not None:
            raise error
        if stop.requested and not paused:
            paused = True
            _pause(runtime, run)
        if stop.at_once or (paused and state == "interrupted"):
            return followed.outcome(stop.reason)


def _pause(runtime: Runtime, run: str) -> None:
    with suppress(UsageError):  # it has just ended
        runtime.pause(run)


def _waited(runtime: Runtime, run: str) -> QuireError | None:
    """Wait a moment for the end of a run. Returns the error that it ended with, or that prevents it from continuing."""
    try:
        runtime.result(run, timeout_s=FOLLOW_EVERY_S)
    except TimeoutError:
        return None
    except QuireError as error:
        return error
    return None


class _Followed:
    """Counts the events of a batch, for its outcome."""

    def __init__(self, on_event: Sink | None) -> None:
        self._on_event = on_event
        self._broken = False
        self._counts = {"ok": 0, "partial": 0, "skipped": 0, "failed": 0}
        self._planned: int | None = None
        self._end: Event | None = None
        self._errors: list[StageError] = []

    def __call__(self, event: Event) -> None:
        self._count(event)
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception:
            if not self._broken:
                logging.getLogger("quire").exception("an event callback raised; the batch continues")
            self._broken = True

    @property
    def begun(self) -> bool:
        """Whether it has started with its documents."""
        return self._planned is not None

    def outcome(self, reason: str) -> StageOutcome:
        """The outcome of the batch; `reason` says why it ended early, if it did."""
        if self._end is not None:
            payload = self._end.payload
            ended = {name: payload[name] for name in COUNTED if name in payload}
            why = (reason or str(payload["reason"])) if "reason" in payload else ""
            outcome = StageOutcome(**ended, cancelled=bool(why), cancelled_reason=why, wall_ms=payload["ms"])  # type: ignore[arg-type]
        else:
            counts = self._counts
            outcome = StageOutcome(
                planned=self._planned or 0,
                succeeded=counts["ok"] + counts["partial"],
                skipped=counts["skipped"],
                failed=counts["failed"],
                cancelled=True,
                cancelled_reason=reason,
            )
        return replace(outcome, errors=tuple(sorted(self._errors, key=lambda error: error.item_id)))

    def _count(self, event: Event) -> None:
        payload = event.payload
        if event.stage != STAGE:
            return
        if event.document is None and event.kind == "started":
            self._planned = cast("int", payload["planned"])
        elif event.document is None and event.kind in ("finished", "failed"):
            self._end = event
        elif (status := payload.get("status")) in self._counts:
            self._counts[str(status)] += 1
            if status == "failed":
                self._errors.append(_error(event))


def _row(left_out: LeftOutFile) -> Row:
    """The row of the manifest for a file that is not read."""
    name, path = path_text(left_out.name), path_text(left_out.path)
    return {"name": name, "status": LEFT_OUT, "input_path": path, "kind": left_out.kind, "reason": left_out.reason}


def _error(event: Event) -> StageError:
    payload = event.payload
    code = payload.get("exit_code")
    return StageError(
        event.stage,
        str(item_name(event)),
        cast("Category", payload["category"]),
        str(payload.get("reason", "")),
        cast("int", payload["attempts"]),
        exit_code=code if isinstance(code, int) else None,
    )


def _exit_code(outcome: StageOutcome) -> int | None:
    return outcome.errors[0].exit_code if outcome.errors else None


def _left(run: str) -> FencedError:
    """The step is not recorded, so it is replayed when the run continues."""
    return FencedError(f"run {run} is left to the next process")


def _done_in(runs: Runs, run: str) -> set[str]:
    """Documents that a run had finished before it was interrupted."""
    if not runs.status(run).last_event:
        return set()
    ended = (event for event in runs.events(run) if event.payload.get("status") in ("ok", "partial"))
    return {name for event in ended if (name := item_name(event)) is not None}


def _emitting(ctx: Context, runs: Runs) -> Sink:
    """Emits events to the run. A run that continues emits some events again, so their ids get a suffix."""
    before = runs.status(ctx.run_id).last_event
    again = f"@{before}" if before else ""
    return lambda event: ctx.emit(replace(event, id=f"{event.id}{again}"))


@contextmanager
def _watching(ctx: Context) -> Iterator[Stop]:
    """A `Stop` that is requested when the run is paused or cancelled, or its process ends."""
    stop = Stop()

    def watch(ended: Flag) -> None:
        while not ended.wait(LOOK_EVERY_S):
            match ctx.stopping:
                case "now":
                    stop.now("cancelled")
                    return
                case "pause":
                    stop.request("paused")

    watcher = SupervisedThread("quire-batch", watch)
    watcher.start()
    try:
        yield stop
    finally:
        watcher.stop()
        watcher.join()
