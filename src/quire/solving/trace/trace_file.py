"""A trace: the task, every attempt with what went in and came out, the findings, the answer and the events of a run.

It is one JSON file that can be carried away. Everything that a report says about a run is in it, so that the report
is made again, byte for byte, without documents, engines, models or runners.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.events import Event
from quire.core.keys import Digest, digest_bytes
from quire.core.runner import RunnerOutput, RunnerUsage, TimelineEntry
from quire.evidence.extract.extraction_json import encode_extraction, extraction_json, extraction_of
from quire.evidence.extract.values import Extraction
from quire.solving.attempts import RunnerAttempt, encode_output
from quire.solving.findings import Finding
from quire.solving.workspace.tree_manifest import WorkspaceFile, WorkspaceManifest

SCHEMA = "quire-trace/1"
SUFFIX = ".trace.json"
MOST_BYTES = 512 * 1024 * 1024
MOST_EVENTS = 1_000_000
_LISTS = ("attempts", "findings", "events")
"""Members whose items have a line of their own, so that a trace can be looked at and searched line by line."""


@dataclass(frozen=True, slots=True)
class TracedDocument:
    """A document of a run: its short name in citations ("" for the only one), and the sha256 of its bytes."""

    short: str
    name: str
    id: str
    pages: int


@dataclass(frozen=True, slots=True)
class TracedAttempt:
    """An attempt of a runner with the prompt and what came of it: no files where it failed.

    `times` are those of the entries of the output's timeline, in seconds of the wall clock, as far as they are known:
    an attempt that was found in the store has none.
    """

    attempt: RunnerAttempt
    prompt: str
    output: RunnerOutput
    times: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class TracedReview:
    """A review of a run by people: its id, and what they decided."""

    id: str
    decisions: tuple[Mapping[str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class TracedFixture:
    """The fixture that a run was made for: its name, and its JSON. Its documents are those of the trace."""

    name: str
    content: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Trace:
    """One run of a task. `findings` has a list for each round; `answer` is None where there is none.

    `workspace` and `answer_digest` are what the run said: `faults` compares them with what is in the trace.
    """

    run: str
    key: str
    """The execution id."""
    task: str
    schema: Mapping[str, Json] | Sequence[str]
    documents: tuple[TracedDocument, ...]
    workspace: Digest
    files: tuple[WorkspaceFile, ...]
    attempts: tuple[TracedAttempt, ...]
    findings: tuple[tuple[Finding, ...], ...]
    answer: Extraction | None
    answer_digest: Digest | None
    status: str
    events: tuple[Event, ...]
    notes: str = ""
    reviews: tuple[TracedReview, ...] = ()
    fixture: TracedFixture | None = field(default=None)

    @property
    def faults(self) -> list[str]:
        """What is not as the run has recorded it: a changed answer, prompt, output or workspace."""
        return list(_faults(self))


def digest_of_answer(answer: Extraction | None) -> Digest | None:
    """The digest of an answer, as it is in a trace and in a report."""
    return None if answer is None else digest_bytes(encode_extraction(answer))


def encode_trace(trace: Trace) -> bytes:
    """The file of a trace: equal traces are equal bytes. Raises UsageError for one that is too large."""
    if len(trace.events) > MOST_EVENTS:
        raise UsageError(f"the trace of {trace.run} has {len(trace.events)} events; at most {MOST_EVENTS} are kept")
    data = _file(trace_json(trace)).encode(
        "utf-8", "backslashreplace"
    )  # lone surrogates of broken fonts, as JSON has them
    if len(data) > MOST_BYTES:
        raise UsageError(f"the trace of {trace.run} has {len(data)} bytes; at most {MOST_BYTES} are kept")
    return data


def decode_trace(data: bytes, place: str = "the file") -> Trace:
    """The trace that `encode_trace` wrote. Raises UsageError for anything else, naming the place."""
    if len(data) > MOST_BYTES:
        raise UsageError(f"{place} has {len(data)} bytes; a trace has at most {MOST_BYTES}")
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place} is not a trace: it is no JSON ({error})") from error
    return trace_of(tree, place)


def trace_of(tree: Json, place: str) -> Trace:
    """The trace that `trace_json` described. Raises UsageError for anything else."""
    if not isinstance(tree, dict) or not str(tree.get("schema_version", "")).startswith("quire-trace/"):
        raise UsageError(f"{place} is not a trace of `quire solve` or `quire eval`")
    if tree["schema_version"] != SCHEMA:
        raise UsageError(f"{place} has the schema {tree['schema_version']!r}; this version of Quire reads {SCHEMA}")
    try:
        return _trace(tree)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{place} is not a whole trace: {type(error).__name__}: {error}") from error


def load_trace(path: Path) -> Trace:
    """The trace of a file. Raises UsageError where there is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"the trace {path} cannot be read: {error.strerror}") from error
    return decode_trace(data, str(path))


def trace_json(trace: Trace) -> dict[str, Json]:
    """The members of a trace, as they are in its file."""
    return {
        "schema_version": SCHEMA,
        **{name: getattr(trace, name) for name in ("run", "key", "status", "task", "schema")},
        "documents": [asdict(one) for one in trace.documents],
        "workspace": {"digest": trace.workspace, "files": [asdict(one) for one in trace.files]},
        "answer": None if trace.answer is None else extraction_json(trace.answer),
        "answer_digest": trace.answer_digest,
        "notes": trace.notes,
        "reviews": [{"id": one.id, "decisions": list(one.decisions)} for one in trace.reviews],
        "fixture": None if trace.fixture is None else asdict(trace.fixture),
        "attempts": [_attempt_json(one) for one in trace.attempts],
        "findings": [[one.to_json() for one in of_round] for of_round in trace.findings],
        "events": [event_json(one) for one in trace.events],
    }


def _trace(tree: Mapping[str, Any]) -> Trace:
    fixture, answer = tree["fixture"], tree["answer"]
    return Trace(
        **{name: tree[name] for name in ("run", "key", "status", "task", "schema", "answer_digest", "notes")},
        documents=tuple(TracedDocument(**one) for one in tree["documents"]),
        workspace=tree["workspace"]["digest"],
        files=tuple(WorkspaceFile(**one) for one in tree["workspace"]["files"]),
        answer=None if answer is None else extraction_of(answer),
        reviews=tuple(TracedReview(one["id"], tuple(one["decisions"])) for one in tree["reviews"]),
        fixture=None if fixture is None else TracedFixture(**fixture),
        attempts=tuple(_attempt(one) for one in tree["attempts"]),
        findings=tuple(tuple(Finding.from_json(one) for one in of_round) for of_round in tree["findings"]),
        events=tuple(Event(**one) for one in tree["events"][:MOST_EVENTS]),
    )


def event_json(event: Event) -> dict[str, Json]:
    """An event by the names of its fields."""
    named = {one.name: getattr(event, one.name) for one in fields(event)}
    return {**named, "payload": dict(event.payload)}


def _attempt_json(one: TracedAttempt) -> dict[str, Json]:
    output = one.output
    return {
        "attempt": one.attempt.to_json(),
        "prompt": one.prompt,
        "output": {
            "files": {name: _content_json(data) for name, data in sorted(output.files.items())},
            "usage": asdict(output.usage),
            "timeline": [[entry.kind, dict(entry.payload)] for entry in output.timeline],
            "refused": dict(output.refused),
        },
        "times": list(one.times),
    }


def _attempt(tree: Mapping[str, Any]) -> TracedAttempt:
    output = tree["output"]
    return TracedAttempt(
        RunnerAttempt.from_json(tree["attempt"]),
        tree["prompt"],
        RunnerOutput(
            {name: _content(one) for name, one in output["files"].items()},
            RunnerUsage(**output["usage"]),
            tuple(TimelineEntry(kind, payload) for kind, payload in output["timeline"]),
            output["refused"],
        ),
        tuple(tree["times"]),
    )


def _content_json(data: bytes) -> Json:
    """A file as text, so that people can read it; in base64 where it is none."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}


def _content(tree: Json) -> bytes:
    return tree.encode() if isinstance(tree, str) else b64decode(tree["base64"], validate=True)


def _file(tree: Mapping[str, Json]) -> str:
    members = (f"{_text(name)}: {_lines(value) if name in _LISTS else _text(value)}" for name, value in tree.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def _lines(items: Iterable[Json]) -> str:
    listed = ",\n".join(map(_text, items))
    return f"[\n{listed}\n]" if listed else "[]"


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _faults(trace: Trace) -> Iterator[str]:
    if digest_of_answer(trace.answer) != trace.answer_digest:
        yield "the answer is not the one of the run: it was changed afterwards"
    if WorkspaceManifest.of(trace.files).digest != trace.workspace:
        yield "the files of the workspace do not have the digest of the workspace"
    for one in trace.attempts:
        of = f"attempt {one.attempt.number} of the {one.attempt.role} {one.attempt.runner} in round {one.attempt.round}"
        if one.attempt.prompt and digest_bytes(one.prompt.encode("utf-8", "replace")) != one.attempt.prompt:
            yield f"the prompt of {of} is not the one of the run"
        if one.attempt.output is not None and digest_bytes(encode_output(one.output)) != one.attempt.output:
            yield f"the output of {of} is not the one of the run"
        if one.attempt.workspace != trace.workspace:
            yield f"{of} had another workspace"
