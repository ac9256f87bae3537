"""The trace of a solve: everything about a run that can be carried away."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from quire.core.context import Runtime, Store
from quire.core.events import Event
from quire.core.runner import RunnerOutput
from quire.database.reviews import ReviewTables
from quire.durable.solves.solve_request import SolveRequest
from quire.evidence.extract.extraction_json import decode_extraction
from quire.reading.messages import DocumentReference, TaskDocument, TaskResult
from quire.solving.attempts import RunnerAttempt, decode_output
from quire.solving.findings import decode_findings
from quire.solving.joined_catalog import short_names
from quire.solving.trace.trace_file import Trace, TracedAttempt, TracedDocument, TracedReview
from quire.solving.workspace.tree_manifest import WorkspaceManifest
from quire.store.artifacts import ArtifactStore
from quire.store.scoped import scoped

STAGE = "solve"
"""Of the events about a solve."""


def solve_trace(runtime: Runtime, store: ArtifactStore, run: str) -> Trace:
    """The trace of a run that has finished. Raises RunError unless it has."""
    status = runtime.status(run)
    result: TaskResult = status.value()
    solved, events = result["solve"], list(runtime.events(run))
    part = scoped(store, status.inputs["tenant"])
    request = SolveRequest.from_json(status.inputs["solve"])
    manifest = WorkspaceManifest.from_bytes(part.load(solved["manifest"]), "the manifest of the solve")
    attempts, times = [RunnerAttempt.from_json(one) for one in solved["attempts"]], _times(events)
    return Trace(
        run=run,
        key=status.key,
        task=request.task,
        schema=dict(request.schema),
        documents=_documents(part, result),
        workspace=manifest.digest,
        files=tuple(manifest.files),
        attempts=tuple(_attempt(part, one, times[_place(one)]) for one in attempts),
        findings=tuple(tuple(decode_findings(part.load(one))) for one in solved["rounds"]),
        answer=decode_extraction(part.load(solved["answer"])),
        answer_digest=solved["answer"],
        status=solved["status"],
        events=tuple(events),
        notes=part.load(solved["files"]["notes.md"]).decode("utf-8", "replace"),
        reviews=_reviews(store, solved["reviews"]),
    )


def _documents(store: Store, result: TaskResult) -> tuple[TracedDocument, ...]:
    listed = result["documents"]
    documents: list[TaskDocument] = json.loads(store.load(listed)) if isinstance(listed, str) else [*listed]
    read: list[DocumentReference] = [one["reference"] for one in documents]
    return tuple(
        TracedDocument(short, one["source"]["name"], one["source"]["id"], one["ledger"]["pages"])
        for short, one in zip(short_names(len(read)), read, strict=True)
    )


def _attempt(store: Store, attempt: RunnerAttempt, times: dict[int, float]) -> TracedAttempt:
    prompt = store.load(attempt.prompt).decode() if attempt.prompt else ""
    output = RunnerOutput({}) if attempt.output is None else decode_output(store.load(attempt.output))
    known = tuple(times[number] for number in sorted(times)) if attempt.outcome != "hit" else ()
    return TracedAttempt(attempt, prompt, output, known)


def _place(one: RunnerAttempt) -> tuple[str, int, str, int]:
    return one.role, one.round, one.runner, one.number


def _times(events: Sequence[Event]) -> defaultdict[tuple[str, int, str, int], dict[int, float]]:
    """When the entries of the timeline of each attempt happened. After a crash some were emitted again: the first."""
    found: defaultdict[tuple[str, int, str, int], dict[int, float]] = defaultdict(dict)
    for event in events:
        payload = event.payload
        if event.stage == STAGE and event.kind == "progress" and "entry" in payload:
            place = tuple(payload[name] for name in ("role", "round", "runner", "attempt"))
            found[cast("tuple[str, int, str, int]", place)].setdefault(cast(int, payload["entry"]), event.at)
    return found


def _reviews(store: ArtifactStore, reviews: Sequence[str]) -> tuple[TracedReview, ...]:
    tables = ReviewTables(store.database)
    return tuple(
        TracedReview(id, tuple({"path": one.path, **one.decision} for one in tables.items(id) if one.decision))
        for id in reviews
    )
