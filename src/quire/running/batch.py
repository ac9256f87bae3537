"""Driving a batch: one run of a flow for each document, submitted to a runtime, its files written where they belong.

The driver is a process like any other: when it is killed, documents under way are finished by whoever opens the
runtime next, and driving the same request again finds them done.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event as Flag
from threading import Lock, Thread

from quire.batch import ItemOutcome, StageContext, StageHooks, StageOutcome, StagePlan, Stop, WorkItem
from quire.batch.running import Stage
from quire.batch.schedule import Task
from quire.batch.telling import StageTeller
from quire.context import Json, Runtime
from quire.errors import InputError, RunCancelled, RunError, StoreError, UsageError
from quire.events import Event, Sink
from quire.keys import Digest, digest_bytes
from quire.recognizing.page import GATE
from quire.records.claims import Claims
from quire.records.files import Seen
from quire.records.outputs import Output, OutputFile, Outputs
from quire.records.places import path_text
from quire.records.quarantine import Quarantine, Quarantined
from quire.records.runs import Runs, claim_of
from quire.running.batch_plan import PlannedDocument, plan_batch
from quire.running.batch_request import BatchRequest
from quire.running.batch_settings import Asked
from quire.running.flow import file_name, files_in
from quire.running.flowing import flow_output
from quire.saving import write_files
from quire.store.artifacts import ArtifactStore

FLOW = "batch"
"""The flow of a batch's own run."""
STAGE = "document"
"""The stage in the events of its documents."""
LOOK_EVERY_S = 0.5
"""How often somebody looks whether the run was cancelled."""
CANCELLED_S = 60.0
"""How long a run that was cancelled may take to end."""
EVENTS_AT_ONCE = 200
PLANNED = "planned"
LEDGER = ("pages", "ok", "empty", "failed", "skipped")
PERMANENT = ("input", "runtime", "unknown")
"""Classes of errors of a document that will not change by themselves; what is not set up is nobody's fault there."""


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
        StoreError: What was done cannot be remembered.
    """
    run = run or begin_batch(request, store)
    stop = stop or Stop()
    with _driving(run, store, stop) as cancelled:
        plan = plan_batch(request, store)
        wanted = None if only is None else set(only)
        documents = [document for document in plan.documents if wanted is None or document.name in wanted]
        driver = _Driver(request, plan.asked, runtime, store, run)
        sink = _Told(Runs(store.database), run, on_event)
        known = _Planned(documents)
        context = StageContext(STAGE, run, request.stage_options(), len(documents))
        teller = StageTeller(context, StageHooks(after_item=driver.after), sink)
        items = StagePlan(STAGE, [_item(document) for document in documents])
        try:
            outcome = Stage(items, driver.work, context, teller, stop, known).run()
        finally:
            sink.flush()
        if cancelled.is_set():
            driver.cancel()
        _end(run, outcome, Runs(store.database), stopped=stop.requested, cancelled=cancelled.is_set())
    return outcome


class _Driver:
    """What is done with one document after the other. `work` runs in many threads."""

    def __init__(self, request: BatchRequest, asked: Asked, runtime: Runtime, store: ArtifactStore, run: str) -> None:
        self._request, self._asked, self._runtime, self._store = request, asked, runtime, store
        self._outputs, self._quarantine = Outputs(store.database), Quarantine(store.database)
        self._runs, self._run = Runs(store.database), run
        self._began = time.time()
        self._lock = Lock()
        self._under_way: set[str] = set()

    def work(self, item: WorkItem) -> ItemOutcome:
        document = _document(item)
        self._check_unchanged(document)
        key = f"{document.key}/{document.again}" if document.again else document.key
        run, result = self._result(document, key)
        try:
            files = self._written(document, result)
        except StoreError:
            if self._runtime.status(run).submitted >= self._began:
                raise
            # A run of before whose artifacts were collected: it is run again, under another key.
            run, result = self._result(document, f"{key}/{time.time_ns()}")
            files = self._written(document, result)
        self._check_unchanged(document)
        facts = _facts(self._runtime.events(run), earlier=self._runtime.status(run).submitted < self._began)
        self._record(document, files, facts["ledger"].get("failed", 0))
        partial = facts.pop("status") == "partial"
        paths = [file.path for file in files]
        told = {**_told(document), **facts, "output_path": paths[0], "document_run": run, "files": paths}
        return ItemOutcome("partial" if partial else "ok", told)

    def after(self, item: WorkItem, outcome: ItemOutcome, context: StageContext) -> None:
        """A document that cannot be read is left alone from now on. Runs in the thread that drives."""
        document, error = _document(item), outcome.error
        if error is None or error.category not in PERMANENT or not document.key:
            return
        self._quarantine.add(
            Quarantined(
                document.key,
                document.document,
                path_text(document.path),
                error.category,
                error.message,
                error.attempts,
                self._run,
            )
        )

    def cancel(self) -> None:
        """Cancel the runs of documents that are under way."""
        with self._lock:
            runs = sorted(self._under_way)
        for run in runs:
            self._runtime.cancel(run)

    def _result(self, document: PlannedDocument, key: str) -> tuple[str, Json]:
        reference = {"path": str(document.path), "name": document.path.name, "id": document.document}
        run = self._submitted(self._asked.argument(reference), key)
        limit_s = self._request.options.per_item_timeout_s
        with self._lock:
            self._under_way.add(run)
        try:
            return run, self._runtime.result(run, timeout_s=limit_s or None)
        except TimeoutError:
            self._runtime.cancel(run)
            advice = "give it more with --timeout-s"
            raise RunError(f"{document.name}: took longer than {limit_s:g} s; {advice}", category="timeout") from None
        except RunCancelled as error:
            raise RunError(f"{document.name}: {error}", category="transient") from None
        finally:
            with self._lock:
                self._under_way.discard(run)

    def _submitted(self, argument: Json, key: str) -> str:
        """The run of a key. One of before that is being cancelled is waited for: the next one is another."""
        run = self._runtime.submit("flow", argument, key=key)
        if not self._runs.cancel_requested(run):
            return run
        try:
            self._runtime.result(run, timeout_s=CANCELLED_S)
        except TimeoutError:
            raise RunError(f"run {run} of before is still being cancelled; try again", category="transient") from None
        except (RunCancelled, RunError):
            pass  # as it should
        return self._runtime.submit("flow", argument, key=key)

    def _written(self, document: PlannedDocument, result: Json) -> tuple[OutputFile, ...]:
        """Write the files of a result; one without files is written as JSON."""
        output = flow_output(self._store, result)
        place = Path(document.place)
        contents = {
            place.with_name(file_name(entry["name"], place.name)): self._store.load(Digest(entry["digest"]))
            for entry in files_in(output)
        }
        if not contents:
            contents[place.with_name(f"{place.name}.json")] = json.dumps(output, ensure_ascii=False, indent=2).encode()
        write_files(contents)
        return tuple(OutputFile(str(path), len(data), digest_bytes(data)) for path, data in contents.items())

    def _check_unchanged(self, document: PlannedDocument) -> None:
        try:
            now: Seen | None = Seen.of(os.stat(document.path))  # noqa: PTH116
        except OSError:
            now = None
        if now != document.seen:
            happened = "is gone" if now is None else "has changed"
            raise InputError(f"{happened} since the run began; run it again", document=document.name)

    def _record(self, document: PlannedDocument, files: tuple[OutputFile, ...], failed_pages: int) -> None:
        """Remember what was written where, and that the document can be read after all."""
        settings = {**self._asked.settings, "failed_pages": failed_pages}
        output = Output(document.place, document.key, document.document, str(document.path), settings, files)
        self._outputs.record([output])
        if self._request.force:
            self._quarantine.release([document.key])


class _Planned:
    """What the plan knows: documents that are done, in quarantine, or cannot be read."""

    unsaved = False

    def __init__(self, documents: Sequence[PlannedDocument]) -> None:
        self._documents = documents

    def name(self, task: Task) -> None:
        document = self._documents[task.number]
        if document.state == "error":
            raise InputError(document.reason, document=document.name)
        task.key, task.input_hash = document.key, document.document

    def done(self, tasks: Sequence[Task]) -> dict[int, ItemOutcome]:
        reasons = {"done": "done before", "quarantined": "in quarantine: {0.reason}"}
        found = [(task.number, self._documents[task.number]) for task in tasks]
        return {
            number: ItemOutcome("skipped", _told(document), reasons[document.state].format(document), attempts=0)
            for number, document in found
            if document.state in reasons
        }

    def remember(self, task: Task, outcome: ItemOutcome) -> None:
        pass  # whoever wrote the files has

    def flush(self) -> None:
        pass


class _Told:
    """Stores the events of a batch, some at a time, and hands them on. Used by the thread that drives."""

    def __init__(self, runs: Runs, run: str, on_event: Sink | None) -> None:
        self._runs, self._run, self._on_event = runs, run, on_event
        # A run that is gone on with tells things again that it told before.
        before = runs.status(run).last_event
        self._again = f"@{before}" if before else ""
        self._waiting: list[Event] = []
        self._flushed = time.monotonic()

    def __call__(self, event: Event) -> None:
        self._waiting.append(replace(event, id=f"{event.id}{self._again}"))
        if event.kind != "hit" or len(self._waiting) >= EVENTS_AT_ONCE:
            self.flush()
        if self._on_event is not None:
            self._on_event(event)

    def flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._runs.append(self._run, waiting)


@contextmanager
def _driving(run: str, store: ArtifactStore, stop: Stop) -> Iterator[Flag]:
    """Hold the claim of the run, so that everybody sees that somebody works on it; watch whether it is cancelled.

    A run that ends without `finish` is left as it is: without a claim it is `interrupted`.
    """
    runs, claims = Runs(store.database), Claims(store.database)
    claim = claims.claim(claim_of(run))
    if claim is None:
        claims.close()
        raise UsageError(f"another process works on run {run}; `quire status {run}` shows how far it is")
    cancelled, ended = Flag(), Flag()

    def watch() -> None:
        while not ended.wait(LOOK_EVERY_S):
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
    finally:
        ended.set()
        if watcher.ident is not None:
            watcher.join()
        claims.release(claim)
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


def _item(document: PlannedDocument) -> WorkItem:
    size = document.seen.size if document.seen else 0
    return WorkItem(document.name, {"document": document.path}, cost_hint=size, metadata={PLANNED: document})


def _document(item: WorkItem) -> PlannedDocument:
    document: PlannedDocument = item.metadata[PLANNED]  # stays in this process
    return document


def _told(document: PlannedDocument) -> dict[str, Json]:
    """What the manifest says of a document whatever became of it."""
    return {"input_hash": document.document, "output_key": document.key, "output_path": document.output_path}


def _facts(events: Iterable[Event], *, earlier: bool) -> dict[str, Json]:
    """What the run of a document tells for the manifest: its ledger, its engines, and how often they were asked.

    Those of an `earlier` run are not asked again: all of that is reused.
    """
    ledger: dict[str, int] = {}
    status = "complete"
    attempts = reused = 0
    engines: set[str] = set()
    for event in events:
        payload = event.payload
        if event.stage == "read" and event.kind == "finished":
            status = str(payload.get("status", status))
            ledger = {name: count for name in LEDGER if isinstance(count := payload.get(name), int)}
        elif event.kind == "attempt" and payload.get("engine") != GATE:
            attempts += 1
            reused += earlier or payload.get("outcome") in ("hit", "similar")
            engines.add(str(payload.get("engine")))
    calls = {"made": attempts - reused, "reused": reused}
    return {"status": status, "ledger": ledger, "calls": calls, "engines": sorted(engines)}
