"""The work of a batch on each document: submit a run of the flow, wait, write the files, record them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Condition, Lock

from quire.batch import ItemOutcome, StageContext, StageError, WorkItem
from quire.batch.schedule import Task
from quire.core.context import Json, Runtime
from quire.core.errors import PERMANENT, InputError, RunCancelled, RunError, StoreError
from quire.core.events import Event
from quire.core.hashing import FileState, hash_file
from quire.core.keys import digest_bytes
from quire.database.outputs import Output, OutputFile, Outputs
from quire.database.paths import path_text
from quire.database.quarantine import Quarantine, Quarantined
from quire.database.runs import Runs
from quire.durable.flows.workflow import flow_output
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.folders.document_work import FlowSettings
from quire.durable.folders.plan import PlannedDocument, areas_digest
from quire.durable.indexing.index_queue import FLOW as INDEX
from quire.durable.inline.flow_call import named_files
from quire.durable.reads.read_request import SourceRef
from quire.durable.reads.sources import keep_source
from quire.reading.messages import DocumentFacts, FlowArgument, FlowOutcome, IndexArgument, IndexCounts
from quire.reading.page_recognition import GATE
from quire.store.artifacts import ArtifactStore
from quire.system.atomic_files import write_files

CANCELLED_S = 60.0
"""Timeout for a cancelled run to end."""
SUBMITTED_S = 5.0
"""The seconds that cancelling waits for runs that are being submitted."""
STAGE = "document"
"""The stage in the events of the documents."""
PLANNED = "planned"
LEDGER = ("pages", "ok", "empty", "failed", "skipped", "left_out")


class Documents:
    """Processes the documents of a batch. `work` runs in many threads."""

    def __init__(
        self,
        request: BatchRequest,
        asked: FlowSettings,
        runtime: Runtime,
        store: ArtifactStore,
        run: str,
        *,
        began: float,
    ) -> None:
        """`began` is when the batch began: earlier calls of engines belong to another run."""
        self._request, self._asked, self._runtime, self._store = request, asked, runtime, store
        self._outputs, self._quarantine = Outputs(store.database), Quarantine(store.database)
        self._runs, self._run = Runs(store.database), run
        self._since, self._began = began, time.time()
        self._lock = Lock()
        self._submitted_all = Condition(self._lock)
        self._submitting = 0
        self._under_way: set[str] = set()
        self._late: set[str] = set()  # runs that were cancelled after a timeout
        self._cancelled = False
        self._uploads: dict[str, DocumentFacts] = {}

    def work(self, item: WorkItem) -> ItemOutcome:
        document = _document(item)
        _check_unchanged(document)
        key = f"{document.key}/{document.again}" if document.again else document.key
        run, earlier, result = self._result(document, key)
        if self._request.index is not None:
            return self._indexed(document, run, result, self._request.index)
        try:
            contents = self._contents(document, result)
        except StoreError:
            if not earlier:
                raise
            # Its artifacts were garbage-collected since: run it again, under another key.
            run, earlier, result = self._result(document, f"{key}/{time.time_ns()}")
            contents = self._contents(document, result)
        _check_unchanged(document)
        written = {path: OutputFile(str(path), len(data), digest_bytes(data)) for path, data in contents.items()}
        before = self._outputs.find([document.place]).get(document.place)
        kept = {} if self._request.overwrite else _changed_by_hand(written, before)
        write_files({path: data for path, data in contents.items() if path not in kept})
        files = tuple((written | kept).values())
        status, facts = _facts(self._runtime.events(run), since=self._since)
        lost = result.get("lost", {})
        self._record(document, files, before, facts["ledger"].get("failed", 0) + sum(lost.values()))
        if lost:
            facts["lost"] = lost
        if kept:
            facts["kept"] = [path.name for path in kept]
        result_facts: DocumentFacts = {**_basic_facts(document), **facts, **self._uploads.pop(document.name, {})}
        result_facts |= {"output_path": files[0].path, "document_run": run, "files": len(files)}
        return ItemOutcome("partial" if status == "partial" or lost else "ok", result_facts)

    def _indexed(
        self, document: PlannedDocument, run: str, result: FlowOutcome, target: Mapping[str, Json]
    ) -> ItemOutcome:
        """Put the chunks of a document into an index: no files are written."""
        _check_unchanged(document)
        argument: IndexArgument = {
            "target": target,
            "tenant": "",
            "background": False,
            "path": str(document.path),
            "place": str(document.place),
            "document": document.document,
            "chunks": result,
        }
        indexing, _ = self._tracked(lambda: (self._runtime.submit(INDEX, argument), False))
        counts: IndexCounts = self._awaited(document, indexing)
        self._runtime.forget(indexing)  # the record of the output is what is left of it
        status, facts = _facts(self._runtime.events(run), since=self._since)
        self._record(document, (), None, facts["ledger"].get("failed", 0))
        result_facts: DocumentFacts = {**_basic_facts(document), **facts, **self._uploads.pop(document.name, {})}
        result_facts |= {"document_run": run, "chunks": counts["chunks"]}
        return ItemOutcome("partial" if status == "partial" else "ok", result_facts)

    def after(self, item: WorkItem, outcome: ItemOutcome, context: StageContext) -> None:
        """Quarantine a document that cannot be read. Runs in the thread that drives the batch.

        A document that is gone or has changed since it was planned is not quarantined.
        """
        document, error = _document(item), outcome.error
        if outcome.status != "failed" or error is None or error.category not in PERMANENT or not document.key:
            return
        if _happened(document):
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
                exit_code=error.exit_code or 0,
            )
        )

    def cancel(self) -> None:
        """Cancel the runs of documents in progress."""
        with self._submitted_all:
            self._cancelled = True
            self._submitted_all.wait_for(lambda: not self._submitting, SUBMITTED_S)
            runs = sorted(self._under_way)
        for run in runs:
            self._runtime.cancel(run)

    def _result(self, document: PlannedDocument, key: str) -> tuple[str, bool, FlowOutcome]:
        """The run of a document, whether it is an earlier run, and its result.

        An earlier run may look for the file at its old path: if it fails because of its input, a new one is submitted.
        """
        stored = not self._runtime.sees_files
        source = SourceRef(document.document, document.path.name, str(document.path), stored, document.areas)
        if source.stored:
            self._upload(document, source)
        argument: FlowArgument = {**self._asked.argument(source.to_json()), "parent": self._run}
        run, earlier = self._submitted(argument, key)
        try:
            return run, earlier, self._awaited(document, run)
        except RunError as error:
            if not earlier or error.category != "input":
                raise
        run, earlier = self._submitted(argument, key)
        return run, earlier, self._awaited(document, run)

    def _upload(self, document: PlannedDocument, source: SourceRef) -> None:
        """Save the document to the store, for machines without access to its path."""
        began = time.perf_counter()
        size = keep_source(self._store, source)
        if size:
            ms = round((time.perf_counter() - began) * 1000, 3)
            with self._lock:
                self._uploads[document.name] = {"upload_bytes": size, "upload_ms": ms}

    def _awaited(self, document: PlannedDocument, run: str) -> Json:
        limit_s = self._request.options.per_item_timeout_s
        with self._lock:
            cancelled = self._cancelled
        try:
            if cancelled:  # while this run was submitted
                self._runtime.cancel(run)
            return self._runtime.result(run, timeout_s=limit_s or None)
        except TimeoutError:
            with self._lock:
                self._late.add(run)
            self._runtime.cancel(run)
            advice = "give it more with --timeout-s"
            raise RunError(f"{document.name}: took longer than {limit_s:g} s; {advice}", category="timeout") from None
        except RunCancelled as error:
            raise RunError(f"{document.name}: {error}", category="transient") from None
        finally:
            with self._lock:
                self._under_way.discard(run)

    def _submitted(self, argument: FlowArgument, key: str) -> tuple[str, bool]:
        """The run of a key, from now on one of those under way, and whether it is an earlier run."""
        return self._tracked(lambda: self._submit(argument, key))

    def _tracked(self, submit: Callable[[], tuple[str, bool]]) -> tuple[str, bool]:
        """Submit a run that is cancelled with the batch."""
        with self._lock:
            self._submitting += 1
        run = ""
        try:
            run, earlier = submit()
            return run, earlier
        finally:
            with self._submitted_all:
                self._submitting -= 1
                if run:
                    self._under_way.add(run)
                self._submitted_all.notify_all()

    def _submit(self, argument: FlowArgument, key: str) -> tuple[str, bool]:
        """The run of a key, and whether it is an earlier run.

        If it is an earlier run that was cancelled, or one cancelled after a timeout, wait for its end and submit a new
        one. A run that a user cancels right after it was submitted stays cancelled.
        """
        run = self._runtime.submit("flow", argument, key=key)
        earlier = self._runtime.status(run).submitted < self._began
        if not (earlier or run in self._late) or not self._runs.cancel_requested(run):
            return run, earlier
        try:
            self._runtime.result(run, timeout_s=CANCELLED_S)
        except TimeoutError:
            raise RunError(f"the earlier run {run} is still being cancelled; try again", category="transient") from None
        except (RunCancelled, RunError):
            pass  # as expected
        return self._runtime.submit("flow", argument, key=key), False

    def _contents(self, document: PlannedDocument, result: FlowOutcome) -> dict[Path, bytes]:
        """The files of a result; a result without files is written as JSON."""
        output = flow_output(self._store, result)
        place = Path(document.place)
        contents = {
            place.with_name(name): self._store.load(entry["digest"])
            for name, entry in named_files(output, place.name).items()
        }
        if not contents:
            text = json.dumps(output, ensure_ascii=False, indent=2)
            contents[place.with_name(f"{place.name}.json")] = text.encode("utf-8", "backslashreplace")
        return contents

    def _record(
        self, document: PlannedDocument, files: tuple[OutputFile, ...], before: Output | None, failed_pages: int
    ) -> None:
        """Record the files that were written, and take the document out of quarantine."""
        settings = {**self._asked.settings, "failed_pages": failed_pages, "run": self._run}
        if document.areas:
            settings["areas"] = areas_digest(document.areas)
        if before is not None:
            now = {file.path for file in files}
            earlier = {file.path: file for file in (*before.earlier, *before.files) if file.path not in now}
            settings |= {"earlier": list(earlier.values())} if earlier else {}
        output = Output(document.place, document.key, document.document, str(document.path), settings, files)
        self._outputs.record([output])
        self._quarantine.succeeded(document.key, document.document, path_text(document.path))


class Planned:
    """Outcomes that the plan knows: documents that are done, kept as they are, in quarantine, or unreadable."""

    unsaved = False

    def __init__(self, documents: Sequence[PlannedDocument]) -> None:
        self._documents = documents

    def name(self, task: Task) -> None:
        document = self._documents[task.number]
        if document.state == "error":
            raise InputError(document.reason, document=document.name)
        task.key, task.input_hash = document.key, document.document

    def done(self, tasks: Sequence[Task]) -> dict[int, ItemOutcome]:
        reasons = {"done": "done before", "edited": "{0.reason}", "quarantined": "in quarantine: {0.reason}"}
        found = [(task.number, self._documents[task.number]) for task in tasks]
        return {
            number: ItemOutcome(
                "skipped", _basic_facts(document), reasons[document.state].format(document), _held(document), attempts=0
            )
            for number, document in found
            if document.state in reasons
        }

    def remember(self, task: Task, outcome: ItemOutcome) -> None:
        pass  # `Documents.work` did

    def flush(self) -> None:
        pass


def item_of(document: PlannedDocument) -> WorkItem:
    size = document.seen.size if document.seen else 0
    return WorkItem(document.name, {"document": document.path}, cost_hint=size, metadata={PLANNED: document})


def _document(item: WorkItem) -> PlannedDocument:
    document: PlannedDocument = item.metadata[PLANNED]  # not serialised: it stays in this process
    return document


def _happened(document: PlannedDocument) -> str:
    """The change of a document since it was planned; "" if it is unchanged."""
    try:
        now = FileState.at(document.path)
    except OSError:
        return "is gone"
    return "" if document.seen is not None and now.look == document.seen.look else "has changed"


def _check_unchanged(document: PlannedDocument) -> None:
    if happened := _happened(document):
        raise InputError(f"{happened} since the run began; run it again", document=document.name)


def _basic_facts(document: PlannedDocument) -> DocumentFacts:
    """The facts of a document in any state, for the manifest."""
    facts: DocumentFacts = {
        "input_hash": document.document,
        "output_key": document.key,
        "output_path": document.output_path,
    }
    if document.state == "edited":
        facts["kept"] = list(document.edited)
    if document.state == "done":
        facts["done_in"] = document.done_in
    return facts


def _held(document: PlannedDocument) -> StageError | None:
    """The error for which a document is in quarantine."""
    held = document.held
    if held is None:
        return None
    return StageError(
        STAGE, document.name, held.category, held.reason, held.attempts, exit_code=held.exit_code, retryable=False
    )


def _changed_by_hand(written: Mapping[Path, OutputFile], before: Output | None) -> dict[Path, OutputFile]:
    """Existing files that are neither what was written before nor what would be written now, as recorded before."""
    known = {file.path: file for file in (*before.earlier, *before.files)} if before is not None else {}
    changed = {}
    for path, new in written.items():
        old = known.get(str(path), new)
        with suppress(OSError):  # does not exist; an unreadable file cannot be written either
            if hash_file(path).digest not in (old.digest, new.digest):
                changed[path] = old
    return changed


def _facts(events: Iterable[Event], *, since: float) -> tuple[str, DocumentFacts]:
    """The status of a document, and the facts of its run for the manifest: its ledger, its engines, and their calls.

    Calls before `since`, when another driver began the run, count as reused.
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
            reused += event.at < since or payload.get("outcome") in ("hit", "similar")
            engines.add(str(payload.get("engine")))
    calls = {"made": attempts - reused, "reused": reused}
    return status, {"ledger": ledger, "calls": calls, "engines": sorted(engines)}
