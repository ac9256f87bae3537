"""The workflow `task`: the documents of one request, from their sources to the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from quire.core.context import Context, Json, Retry, Workflow
from quire.core.errors import Category, RunError
from quire.core.events import Event, EventKind
from quire.core.keys import Digest
from quire.core.names import safe_name
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.workflows import sink_of
from quire.durable.solves.solve_request import SolveRequest
from quire.durable.solves.solve_run import SolveRun
from quire.durable.steps.step_events import step_sink
from quire.durable.tasks import progress
from quire.durable.tasks.secrets import unsealed
from quire.durable.tasks.task_steps import READS, TaskSteps
from quire.net.urls import url_name
from quire.reading.messages import (
    DocumentReference,
    OpenedReview,
    ShortDocument,
    SolveResult,
    TaskArgument,
    TaskDocument,
    TaskEnrichment,
    TaskOutput,
    TaskPhase,
    TaskResult,
    TaskSource,
)
from quire.system.stage_versions import workflow_version

TASKS, CALLS = "tasks", "calls"
"""The pools: for tasks that wait in a queue, and for those that a caller waits for."""
AT_ONCE = 16
"""Documents of a task that are in progress at a time."""
SHORT_BYTES = 4 << 20
"""A larger file is not expected to be short."""
PATIENT = Retry(attempts=3, backoff_s=0.5)
PUSHING = Retry(attempts=3, backoff_s=1.0, max_backoff_s=2.0)
"""For callbacks: two retries, after 1 and 2 seconds."""


@dataclass(slots=True)
class _Item:
    """A document in progress."""

    number: int
    source: TaskSource
    document: TaskDocument
    signal: str = ""

    @property
    def goes_on(self) -> bool:
        return self.document["status"] in ("success", "partial_success")


class Tasks:
    """Tasks over one store."""

    def __init__(self, steps: TaskSteps) -> None:
        self._steps = steps

    def workflow(self) -> Workflow:
        code = workflow_version()
        return Workflow("task", self.task, code, pool=TASKS, keeps_slot=True, pool_of=_pool, tenant_of=_tenant)

    async def task(self, ctx: Context, argument: TaskArgument) -> TaskResult:
        """Fetch and read the sources, make the outputs, deliver them. A document that fails does not fail the task."""
        return await _TaskRun(self._steps, ctx, argument).play()


class _TaskRun:
    """One run of the workflow, deterministic between the calls of its context."""

    def __init__(self, steps: TaskSteps, ctx: Context, argument: TaskArgument) -> None:
        self._steps, self._ctx, self._argument = steps, ctx, unsealed(argument)
        self._deadline = 0.0
        self._ended: list[TaskDocument] = []

    async def play(self) -> TaskResult:
        ctx, argument = self._ctx, self._argument
        sources: Sequence[TaskSource] = argument["sources"]
        if any("bucket" in source for source in sources):
            sources = await ctx.run("list", self._steps.listed, argument, retry=PATIENT)
        self._emit("started", "task", {"documents": len(sources)})
        await self._call_back(progress.number_of_documents(len(sources)))
        size = 1 if argument["abort_on_error"] else AT_ONCE
        for begin in range(0, len(sources), size):
            items = [
                _Item(number, source, {"name": _name(source), "uri": _uri(source), "status": "success", "faults": []})
                for number, source in enumerate(sources[begin : begin + size], start=begin + 1)
            ]
            await self._documents(items)
            for item in items:
                self._ended.append(item.document)
                if len(sources) > 1:  # the end of the run tells about a single one
                    ended = {"number": item.number, "document": item.document}
                    self._emit("progress", "task", ended, f"/{item.number}")
                await self._call_back(progress.completed(item.document, len(self._ended), len(sources)))
            if argument["abort_on_error"] and not all(item.goes_on for item in items):
                self._ended += [_left_out(source) for source in sources[begin + size :]]
                break
        result: TaskResult = {"documents": self._ended, "counts": progress.counted(self._ended)}
        if argument["type"] == "solve":
            solved = await self._solved()
            return {**result, "solve": solved}
        if len(self._ended) > 1 or argument["target"]["kind"] != "inbody":
            result = await ctx.run("answer", self._steps.answer, argument, self._ended, retry=PATIENT)
        await self._call_back(progress.processed(self._ended))
        await self._call_back(progress.task_completed())
        return result

    async def _solved(self) -> SolveResult:
        """Solve the task over all documents. One that cannot be read is missing from its evidence, so that nothing is
        solved without it."""
        failed = [one for one in self._ended if "reference" not in one]
        if failed:
            fault = failed[0]["faults"][0]
            raise RunError(f"{failed[0]['name']}: {fault['message']}", category=fault["category"])
        request = SolveRequest.from_json(self._argument["solve"])
        references = [one["reference"] for one in self._ended]
        return await SolveRun(self._steps.solving, self._ctx, request, references).play()

    async def _documents(self, items: Sequence[_Item]) -> None:
        argument = self._argument
        await self._phase("source", items, self._fetch, self._fetched)
        if argument["type"] not in READS:
            self._skip(items)
        await self._phase("read", items, self._read_short, self._was_short)
        if argument["timeout_s"] and any(item.goes_on and "reference" not in item.document for item in items):
            self._deadline = (await self._ctx.now()).timestamp() + argument["timeout_s"]
        await self._phase("read", items, self._read, self._was_read)
        await self._queue_for_index(items)
        if argument["type"] == "extract":
            await self._phase("output", items, self._extract, self._extracted)
            if argument.get("review"):
                await self._phase("output", items, self._open_review, self._opened_review)
                await self._phase("output", items, self._review, lambda *_: None)
        elif argument["type"] not in READS:
            if "enrich" in argument:
                await self._phase("enrich", items, self._enrich, self._enriched)
            await self._phase("output", items, self._output, self._made)

    async def _phase(
        self,
        phase: TaskPhase,
        items: Sequence[_Item],
        start: Callable[[_Item], Awaitable[Json] | None],
        end: Callable[[_Item, Json], None],
    ) -> None:
        """Start something for every document that has not failed, then await all of it."""
        started = [(item, start(item)) for item in items if item.goes_on]
        for item, awaited in started:
            if awaited is None:
                continue
            try:
                end(item, await awaited)
            except RunError as error:
                item.document["status"] = "failure"
                item.document["faults"].append(
                    {"message": str(error), "category": error.category, "page": None, "phase": phase}
                )

    def _fetch(self, item: _Item) -> Awaitable[Json] | None:
        if "stored" in item.source:
            return None
        return self._ctx.run(f"fetch {item.number}", self._steps.fetched, self._argument, item.source, retry=PATIENT)

    def _fetched(self, item: _Item, source: TaskSource) -> None:
        item.source = source
        item.document["name"] = source["stored"]["name"]

    def _skip(self, items: Sequence[_Item]) -> None:
        """Leave out documents in formats that the request does not allow, or that are not read here."""
        allowed = self._argument["from_formats"]
        for item in items:
            format = item.source.get("format")
            if item.goes_on and format is not None and (not format or (allowed and format not in allowed)):
                message = f"File format not allowed: {item.document['name']}"
                item.document["status"] = "skipped"
                item.document["faults"].append(
                    {"message": message, "category": "usage", "page": None, "phase": "source"}
                )

    def _request(self, item: _Item) -> ReadRequest:
        argument = self._argument
        options = {**argument["read"], "scope": argument["tenant"], "max_pages": argument["limits"]["max_pages"]}
        return ReadRequest.with_options(SourceRef.from_json(item.source["stored"]), options)

    def _read_short(self, item: _Item) -> Awaitable[Json] | None:
        """Most documents are short, and cost less than the journal of a workflow for each of their pages."""
        request = self._request(item)
        if request.ocr == "always" or item.source.get("size", 0) > SHORT_BYTES:
            return None
        arguments = self._argument, request, item.document, self._ctx.run_id, sink_of(self._ctx, request)
        return self._ctx.run(f"short {item.number}", self._steps.short, *arguments, retry=PATIENT)

    def _was_short(self, item: _Item, made: ShortDocument | None) -> None:
        if made is not None:
            self._was_read(item, made["reference"])
            if "output" in made:
                item.document["output"] = made["output"]

    def _read(self, item: _Item) -> Awaitable[Json] | None:
        if "reference" in item.document:
            return None
        request = self._request(item)
        key = f"document/{request.key()}"
        if self._deadline:  # what is read by then is a result of this run alone
            request, key = replace(request, deadline=self._deadline), f"{key}/{self._ctx.run_id}/{item.number}"
        return self._ctx.call("document", key, request.to_json())

    def _was_read(self, item: _Item, reference: DocumentReference) -> None:
        item.document["reference"] = reference
        if reference["status"] == "partial":
            item.document["status"] = "partial_success"
        for page, reason, *category in reference["failed"]:
            error_class: Category = category[0] if category else "runtime"
            item.document["faults"].append({"message": reason, "category": error_class, "page": page, "phase": "read"})

    async def _queue_for_index(self, items: Sequence[_Item]) -> None:
        """Queue what was read for the search index. Nothing waits until it is there, and nothing fails without it."""
        target = self._argument.get("index")
        if target is None:
            return
        for item in items:
            if "reference" in item.document:
                name, arguments = f"index {item.number}", (target, item.document, self._ctx.run_id, item.number)
                try:
                    await self._ctx.run(name, self._steps.queue_for_index, *arguments, retry=PATIENT)
                except RunError as error:
                    self._emit("failed", name, {"reason": str(error)[:300]})

    def _enrich(self, item: _Item) -> Awaitable[Json]:
        return self._ctx.run(
            f"enrich {item.number}", self._steps.enriched, self._argument, item.document, retry=PATIENT
        )

    def _enriched(self, item: _Item, made: TaskEnrichment) -> None:
        """As in docling, a document from which something was left out is not wholly a success."""
        if "enrichment" in made:
            item.document["enrichment"] = made["enrichment"]
        if made["faults"]:
            item.document["faults"] += made["faults"]
            item.document["status"] = "partial_success"

    def _output(self, item: _Item) -> Awaitable[Json] | None:
        if "output" in item.document:
            return None
        return self._ctx.run(
            f"output {item.number}", self._steps.output, self._argument, item.document, item.number, retry=PATIENT
        )

    def _made(self, item: _Item, output: TaskOutput) -> None:
        item.document["output"] = output

    def _extract(self, item: _Item) -> Awaitable[Json]:
        arguments = self._argument, item.document, step_sink(self._ctx, f"extract/{item.number}")
        return self._ctx.run(f"extract {item.number}", self._steps.extracted, *arguments, retry=PATIENT)

    def _extracted(self, item: _Item, extraction: Digest) -> None:
        item.document["extraction"] = extraction

    def _open_review(self, item: _Item) -> Awaitable[Json]:
        arguments = self._argument, item.document, self._ctx.run_id, item.number
        return self._ctx.run(f"review {item.number}", self._steps.opened_review, *arguments, retry=PATIENT)

    def _opened_review(self, item: _Item, opened: OpenedReview) -> None:
        item.document["review"], item.signal = opened["review"], opened["signal"]

    def _review(self, item: _Item) -> Awaitable[Json] | None:
        """Wait for the people who review it."""
        return self._ctx.signal(item.signal) if item.signal else None

    async def _call_back(self, what: Json) -> None:
        """A receiver that cannot be reached does not fail the task: an event records it."""
        argument = self._argument
        for number, callback in enumerate(argument["callbacks"], start=1):
            name = f"callback {number} {what['kind']} {len(self._ended)}"
            try:
                await self._ctx.run(name, self._steps.call_back, argument, callback, what, self._ctx.key, retry=PUSHING)
            except RunError as error:
                self._emit("failed", name, {"reason": str(error)[:300]})

    def _emit(self, kind: EventKind, stage: str, payload: Json, mark: str = "") -> None:
        run = self._ctx.run_id
        self._ctx.emit(Event(f"{run}/{stage}/{kind}{mark}", run, 0, kind, stage, payload=payload))


def _pool(argument: TaskArgument) -> str:
    """Calls have slots of their own: a caller that waits does not wait for the queue."""
    return CALLS if argument.get("urgent") else TASKS


def _tenant(argument: TaskArgument) -> str:
    return argument["tenant"]


def _name(source: TaskSource) -> str:
    if "stored" in source:
        return source["stored"]["name"]
    return url_name(source["url"]) if "url" in source else safe_name(_uri(source))


def _uri(source: TaskSource) -> str:
    return source.get("uri") or (source["stored"]["name"] if "stored" in source else "")


def _left_out(source: TaskSource) -> TaskDocument:
    message = "not begun: an earlier document failed, and the request says abort_on_error"
    fault = {"message": message, "category": "usage", "page": None, "phase": "source"}
    return {"name": _name(source), "uri": _uri(source), "status": "skipped", "faults": [fault]}  # type: ignore[list-item]
