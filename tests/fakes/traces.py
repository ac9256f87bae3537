"""Traces of runs as a solve records them, made by hand from real extractions of generated documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import quire
from quire.core.events import Event
from quire.core.keys import Digest, digest_bytes
from quire.core.runner import RunnerOutput, RunnerUsage, TimelineEntry
from quire.evidence.extract.schema import asked_schema
from quire.evidence.extract.values import Extraction
from quire.solving.answers import ClaimedAnswer, claimed_files, verified_answer
from quire.solving.attempts import AttemptOutcome, RunnerAttempt, encode_output
from quire.solving.findings import Finding
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.trace.trace_file import Trace, TracedAttempt, TracedDocument, TracedReview, digest_of_answer
from quire.solving.workspace.tree_manifest import WorkspaceFile, WorkspaceManifest
from tests.unit.evidence.catalog.documents import invoice_catalog, invoice_pdf, record_with

TASK = "Fill in the number and the total of the invoice."
SCHEMA = {"type": "object", "properties": {"invoice_number": {"type": "string"}, "total": {"type": "number"}}}
BEGAN = 1_900_000_000.0


@cache
def invoice_events() -> tuple[Event, ...]:
    """The events of a read of the invoice, with times that do not depend on this machine."""
    events: list[Event] = []
    quire.read(quire.Document(invoice_pdf(), name="invoice.pdf"), on_event=events.append)
    return tuple(
        replace(one, run="run-1", id=f"run-1/{one.id.partition('/')[2]}", at=BEGAN + n / 100)
        for n, one in enumerate(events)
    )


def emitted(stage: str, kind: Any, at: float, *, page: int | None = None, **payload: object) -> Event:
    """An event of a run; `payload` may name its `document` like everything else."""
    name = f"run-1/{stage}/{kind}/{payload.get('phase', '')}{at:g}"
    return Event(name, "run-1", 0, kind, stage, None, page, None, payload, BEGAN + at)


SOLVED: tuple[Event, ...] = (
    emitted("recognize", "started", 0.5, page=2, needs="no text"),
    emitted("recognize", "attempt", 0.9, page=2, engine="cloud", outcome="timeout", reason="no answer in 30 s", ms=400),
    emitted("recognize", "attempt", 1.4, page=2, engine="tesseract", outcome="ok", reason="", ms=500),
    emitted("recognize", "finished", 1.5, page=2, engine="tesseract", words=80, ms=1000),
    emitted("solve", "started", 2.0, phase="workspace"),
    emitted("solve", "finished", 2.25, phase="workspace", digest="d" * 64, files=3),
    emitted("solve", "started", 3, phase="round 0", round=0),
    emitted("solve", "started", 3, phase="solver 0 first 1"),
    emitted("solve", "attempt", 5, phase="solver 0 first 1", outcome="terminal"),
    emitted("solve", "started", 5, phase="solver 0 agent 1"),
    emitted("solve", "attempt", 13, phase="solver 0 agent 1", outcome="ok"),
    emitted("solve", "finished", 14, phase="round 0", round=0, open=1),
    emitted("solve", "started", 14, phase="round 1", round=1),
    emitted("solve", "started", 14, phase="solver 1 agent 1"),
    emitted("solve", "attempt", 18, phase="solver 1 agent 1", outcome="ok"),
    emitted("solve", "finished", 18.5, phase="round 1", round=1, open=0),
    emitted("solve", "started", 18.5, phase="review"),
    emitted("solve", "finished", 78.5, phase="review"),
    emitted("solve", "started", 78.5, phase="finish"),
    emitted("solve", "finished", 79, phase="finish"),
)


@cache
def invoice_answer() -> Extraction:
    """A verified answer about the invoice, as a runner claims it."""
    return verified_answer(
        ClaimedAnswer.of(answer_claims(), "agent"),
        asked_schema(SCHEMA, ()),
        JoinedCatalog([invoice_catalog()]),
        "agent",
        "1",
    )


def answer_claims(total: float = 675.48) -> dict[str, bytes]:
    """The files in which a runner claims the values of the invoice."""
    cited = {
        "invoice_number": {"record": record_with("EC-2031/0417"), "quote": "EC-2031/0417"},
        "total": {"record": record_with("675.48"), "quote": "675.48"},
    }
    return claimed_files({"invoice_number": "EC-2031/0417", "total": total}, cited, notes="One invoice.")


FILES = tuple(
    WorkspaceFile(path, digest_bytes(path.encode()), 10 * at)
    for at, path in enumerate(("input/document.pdf", "input/sources/chunks.jsonl", "input/task.md"))
)
WORKSPACE = WorkspaceManifest.of(FILES).digest
TIMELINE = (
    TimelineEntry("model", {"model": "small-1", "input_tokens": 900, "output_tokens": 40, "text": "I read page 1."}),
    TimelineEntry("tool", {"name": "read_page", "arguments": {"page": 1}, "answer": {"text": "Total due 675.48"}}),
    TimelineEntry(
        "tool", {"name": "cite", "arguments": {"quote": "675.84"}, "answer": {"error": "not there"}, "error": True}
    ),
    TimelineEntry("stdout", {"text": "done"}),
    TimelineEntry("stderr", {"text": "a warning"}),
)


def traced(
    runner: str = "agent",
    outcome: AttemptOutcome = "ok",
    *,
    role: Any = "solver",
    round: int = 0,
    number: int = 1,
    reason: str = "",
    timeline: Sequence[TimelineEntry] = TIMELINE,
    files: dict[str, bytes] | None = None,
) -> TracedAttempt:
    """One attempt with its prompt and output; one that failed has no files."""
    usage = RunnerUsage(turns=2, input_tokens=900, output_tokens=40, tool_calls=2, cost=0.02)
    made = {} if outcome not in ("ok", "hit") else answer_claims() if files is None else files
    output = RunnerOutput(made, usage, tuple(timeline))
    prompt = f"{TASK}\n(for {runner})"
    attempt = RunnerAttempt(
        role,
        round,
        runner,
        "1",
        number,
        outcome,
        WORKSPACE,
        digest_bytes(prompt.encode("utf-8", "replace")),
        reason,
        digest_bytes(encode_output(output)),
        usage,
    )
    times = tuple(BEGAN + 3 + round * 11 + at for at in range(len(timeline)))
    return TracedAttempt(attempt, prompt, output, times)


def invoice_trace(**changes: Any) -> Trace:
    """A run over the invoice: one runner crashed, another one answered, a finding was settled in a second round."""
    answer: Extraction | None = changes.pop("answer", invoice_answer())
    made = Trace(
        run="run-1",
        key="e" * 64,
        task=TASK,
        schema=SCHEMA,
        documents=(TracedDocument("", "invoice.pdf", invoice_catalog().document, 2),),
        workspace=Digest(WORKSPACE),
        files=FILES,
        attempts=(
            traced("first", "terminal", reason="the program exited with 137", timeline=TIMELINE[-2:]),
            traced("agent"),
            traced("agent", round=1),
        ),
        findings=((Finding("total", "sum", "562.90 and 112.58 are 675.48", other=675.48, page=1),), ()),
        answer=answer,
        answer_digest=digest_of_answer(answer),
        status="complete",
        events=(*invoice_events(), *SOLVED),
        notes="One invoice.",
        reviews=(TracedReview("r1", ({"path": "total", "decision": "confirmed"},)),),
    )
    return replace(made, **changes)
