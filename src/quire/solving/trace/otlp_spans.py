"""A trace as OpenTelemetry spans in OTLP/JSON, and back to the same trace, byte for byte.

The spans hold prompts, answers and what documents say: an export is asked for, so that contents are captured. What is
needed to rebuild the trace is in the attributes `quire.*`; ids are digests, so that two exports are equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.keys import digest_of
from quire.solving.trace import otlp_names as names
from quire.solving.trace.trace_file import MOST_BYTES, Trace, TracedAttempt, trace_json, trace_of
from quire.solving.trace.trace_process import Interval, Phase, fallback_path, phase_intervals

HEAD, ATTEMPT, POSITION, EVENT = "quire.trace", "quire.attempt", "quire.position", "quire.event"
SCOPE = "quire"
_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_PHASES = {"read": "read", "workspace": "workspace", "solve": "solve", "review": "review", "wait": "review.wait"}


def encode_spans(trace: Trace) -> bytes:
    """The file of a trace as spans: equal traces are equal bytes."""
    resource = {"attributes": _attributes({"service.name": "quire"})}
    scope = {"scope": {"name": SCOPE}, "spans": list(_Spans(trace).all())}
    text = json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}, ensure_ascii=False, indent=1)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def is_spans(data: bytes) -> bool:
    """Whether a file has spans, and is no trace itself."""
    return b'"resourceSpans"' in data[:4096]


def trace_from_spans(data: bytes, place: str = "the file") -> Trace:
    """The trace whose spans these are, in any order and in any number of resources.

    Raises UsageError for spans that are not of exactly one run of Quire, or do not have its contents any more.
    """
    if len(data) > MOST_BYTES:
        raise UsageError(f"{place} has {len(data)} bytes; a trace has at most {MOST_BYTES}")
    try:
        spans = [
            (span, _plain(span.get("attributes", ())))
            for resource in json.loads(data)["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        ]
        roots = [(span, given) for span, given in spans if HEAD in given]
        if len(roots) != 1:
            raise UsageError(f"{place} has the spans of {len(roots)} runs of Quire; a trace is made of one")
        root, head = roots[0]
        attempts = sorted((given[POSITION], given[ATTEMPT]) for _, given in spans if ATTEMPT in given)
        events = sorted((given[POSITION], given[EVENT]) for given in map(_event_attributes, root.get("events", ())))
        whole = json.loads(head[HEAD])
        if (len(attempts), len(events)) != (whole.pop("attempts"), whole.pop("events")):
            raise UsageError(f"{place} does not have all spans and events of the run: were some of them sampled out?")
        return trace_of(
            {
                **whole,
                "attempts": [json.loads(one) for _, one in attempts],
                "events": [json.loads(one) for _, one in events],
            },
            place,
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{place} has no spans of a run of Quire: {type(error).__name__}: {error}") from error


class _Spans:
    """Makes the spans of a trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._times = [one.at for one in trace.events]
        self._times += [at for one in trace.attempts for at in one.times]
        self._began, self._ended = min(self._times, default=0.0), max(self._times, default=0.0)
        self._tree = trace_json(trace)
        self._root = self._id("run")
        self._phases = {name: listed for name, listed in phase_intervals(trace.events).items() if listed}

    def all(self) -> Iterator[dict[str, Json]]:
        trace = self._trace
        yield self._run()
        for phase, intervals in self._phases.items():
            span = min(began for began, _ in intervals), max(ended for _, ended in intervals)
            yield self._span(_PHASES.get(phase, phase), f"phase {phase}", span, self._root, {})
        for number, step in enumerate(fallback_path(trace)):
            given = {"quire.engine": step.engine, "quire.outcome": step.outcome, "quire.page": step.page}
            if step.document is not None:
                given["quire.document"] = step.document
            span = step.at - step.ms / 1000, step.at
            failed = step.reason if step.outcome not in ("ok", "hit", "similar", "weak") else ""
            parent = self._phase("read")
            yield self._span("ocr.page", f"engine {number}", span, parent, given, failed, kind=_CLIENT)
        for number, one in enumerate(trace.attempts):
            yield from self._attempt(number, one)
        for review in trace.reviews:
            given = {"quire.review": review.id, "quire.decisions": json.dumps(list(review.decisions))}
            yield self._span("review", f"review {review.id}", (self._ended, self._ended), self._root, given)
        if trace.fixture is not None:
            given = {"quire.fixture": trace.fixture.name}
            yield self._span("eval", "eval", (self._ended, self._ended), self._root, given)

    def _run(self) -> dict[str, Json]:
        trace = self._trace
        head = {**self._tree, "attempts": len(trace.attempts), "events": len(trace.events)}
        given = {"quire.run": trace.run, "quire.execution": trace.key, "quire.status": trace.status}
        made = self._span("run", "run", (self._began, self._ended), "", {**given, HEAD: json.dumps(head, default=str)})
        events = [
            {
                "timeUnixNano": _nanoseconds(event.at),
                "name": f"{event.stage} {event.kind}",
                "attributes": _attributes({POSITION: number, EVENT: json.dumps(tree, default=str)}),
            }
            for number, (event, tree) in enumerate(zip(trace.events, self._tree["events"], strict=True))
        ]
        return {**made, "events": events}

    def _attempt(self, number: int, one: TracedAttempt) -> Iterator[dict[str, Json]]:
        attempt, usage = one.attempt, one.attempt.usage
        path = f"attempt {number}"
        given = {
            names.OPERATION: names.INVOKE_AGENT,
            names.AGENT: attempt.runner,
            names.INPUT_TOKENS: usage.input_tokens,
            names.OUTPUT_TOKENS: usage.output_tokens,
            names.INPUT_MESSAGES: json.dumps(names.message("user", one.prompt)),
            "quire.role": attempt.role,
            "quire.round": attempt.round,
            "quire.outcome": attempt.outcome,
            "quire.workspace": attempt.workspace,
            POSITION: number,
            ATTEMPT: json.dumps(self._tree["attempts"][number], default=str),
        }
        span = (min(one.times), max(one.times)) if one.times else (self._began, self._began)
        parent = self._phase("solve" if attempt.role == "solver" else "review")
        yield self._span("agent.run", path, span, parent, given, "" if attempt.succeeded else attempt.reason)
        for at, entry in enumerate(one.output.timeline):
            time = one.times[at] if at < len(one.times) else span[1]
            before = one.times[at - 1] if 0 < at < len(one.times) else time
            yield from self._entry(f"{path} entry {at}", entry.kind, entry.payload, (before, time), self._id(path))

    def _entry(
        self, path: str, kind: str, payload: Mapping[str, Any], span: Interval, parent: str
    ) -> Iterator[dict[str, Json]]:
        if kind == "model":
            given: dict[str, Json] = {names.OPERATION: names.CHAT}
            known = (names.MODEL, "model"), (names.INPUT_TOKENS, "input_tokens"), (names.OUTPUT_TOKENS, "output_tokens")
            given |= {name: payload[key] for name, key in known if payload.get(key) is not None}
            said = names.message("assistant", str(payload.get("text", "")))
            yield self._span(
                "chat", path, span, parent, {**given, names.OUTPUT_MESSAGES: json.dumps(said)}, kind=_CLIENT
            )
        elif kind == "tool" and "arguments" in payload:
            given = {
                names.OPERATION: names.EXECUTE_TOOL,
                names.TOOL: str(payload.get("name", "")),
                names.TOOL_ARGUMENTS: json.dumps(payload["arguments"], default=str),
            }
            if "answer" in payload:
                given[names.TOOL_RESULT] = json.dumps(payload["answer"], default=str)
            yield self._span("execute_tool", path, span, parent, given, "refused" if payload.get("error") else "")

    def _span(
        self,
        name: str,
        path: str,
        span: Interval,
        parent: str,
        given: Mapping[str, Json],
        failed: str = "",
        *,
        kind: int = _INTERNAL,
    ) -> dict[str, Json]:
        return {
            "traceId": digest_of(["trace", self._trace.key, self._trace.run])[:32],
            "spanId": self._id(path),
            "parentSpanId": parent,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": _nanoseconds(span[0]),
            "endTimeUnixNano": _nanoseconds(span[1]),
            "attributes": _attributes({**given, names.ERROR: failed} if failed else given),
            "status": {"code": _ERROR, "message": failed} if failed else {},
        }

    def _phase(self, phase: Phase) -> str:
        return self._id(f"phase {phase}") if phase in self._phases else self._root

    def _id(self, path: str) -> str:
        return digest_of(["span", self._trace.key, self._trace.run, path])[:16]


def _nanoseconds(at: float) -> str:
    return str(round(at * 1_000_000) * 1000)


def _attributes(given: Mapping[str, Json]) -> list[dict[str, Json]]:
    return [{"key": name, "value": _typed(value)} for name, value in given.items() if value is not None]


def _typed(value: Json) -> dict[str, Json]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}


def _plain(attributes: Any) -> dict[str, Any]:
    return {one["key"]: _value(one["value"]) for one in attributes}


def _value(value: Mapping[str, Any]) -> Any:
    ((kind, inner),) = value.items()
    return int(inner) if kind == "intValue" else inner


def _event_attributes(event: Mapping[str, Any]) -> dict[str, Any]:
    return _plain(event["attributes"])
