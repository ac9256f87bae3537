"""How a run came to its answer, from its trace: phases, engines that were tried, attempts, tool calls, the timeline."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

from quire.core.context import Json
from quire.core.events import Event
from quire.core.runner import Role, RunnerUsage, TimelineKind
from quire.core.types import shortened
from quire.solving.findings import Finding
from quire.solving.trace.trace_file import Trace, TracedAttempt

Phase = Literal["read", "workspace", "solve", "review", "wait", "finish"]
PHASES: tuple[Phase, ...] = get_args(Phase)
"""`solve` is the runners with the role of solver, `review` the checks and the reviewers, `wait` is for people."""
LONGEST_TEXT = 2000
_READ = frozenset(
    {"read", "bundle", "native-text", "recognize", "recognised-text", "page-blocks", "document", "print", "render"}
)
_ENDS = ("finished", "failed", "hit")
_GATE = "blank-gate"
_ROLES: Mapping[Role, Phase] = {"solver": "solve", "reviewer": "review"}

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PhaseTotals:
    """The seconds of a phase by the clock on the wall, and its US dollars where they are known."""

    seconds: float = 0.0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class EngineStep:
    """One attempt of an OCR engine at a page; `document` is the sha256 of its bytes."""

    document: str | None
    page: int | None
    engine: str
    outcome: str
    reason: str
    at: float
    ms: float


@dataclass(frozen=True, slots=True)
class TracedToolCall:
    """A call of a tool by a runner: `answer` is what came back, shortened; `error`: the tool refused it."""

    role: Role
    round: int
    runner: str
    attempt: int
    name: str
    arguments: Json
    answer: str
    error: bool
    at: float | None


@dataclass(frozen=True, slots=True)
class TimelineLine:
    """One entry of the timeline of all attempts, as text. `at` is None where the time is not known."""

    role: Role
    round: int
    runner: str
    attempt: int
    kind: TimelineKind
    text: str
    at: float | None


def phases(trace: Trace) -> dict[Phase, PhaseTotals]:
    """Seconds and cost by phase. Attempts that were found in the store cost nothing."""
    intervals = phase_intervals(trace.events)
    costs: dict[Phase, list[float]] = {phase: [] for phase in PHASES}
    for one in trace.attempts:
        if one.attempt.outcome != "hit" and is_cost(one.attempt.usage.cost):
            costs[_ROLES[one.attempt.role]].append(one.attempt.usage.cost or 0.0)
    costs["read"] += [float(cost) for one in trace.events if one.stage in _READ and is_cost(cost := _paid(one))]
    return {
        phase: PhaseTotals(round(_seconds(intervals[phase]), 3), round(sum(costs[phase]), 6) if costs[phase] else None)
        for phase in PHASES
    }


def is_cost(cost: object) -> bool:
    """Whether a cost is known: a number, and none that a broken program has printed."""
    return isinstance(cost, (int, float)) and not isinstance(cost, bool) and math.isfinite(cost) and cost >= 0


def _paid(event: Event) -> Any:
    return event.payload.get("cost")


def phase_intervals(events: Sequence[Event]) -> dict[Phase, list[Interval]]:
    """When each phase ran, from the events of a run."""
    spans = _spans(events)
    found: dict[Phase, list[Interval]] = {phase: [] for phase in PHASES}
    found["read"] = [span for event, span in spans if event.stage in _READ]
    solving = [
        (str(event.payload.get("phase", "")).split(" "), span) for event, span in spans if event.stage == "solve"
    ]
    rounds: dict[str, list[Interval]] = {}
    for name, span in solving:
        if name[0] == "solver":
            rounds.setdefault(name[1], []).append(span)
    for began, ended in ((min(listed)[0], max(end for _, end in listed)) for listed in rounds.values()):
        found["solve"].append((began, ended))  # with the pauses between attempts
    found["review"] = [span for name, span in solving if name[0] == "reviewer"]
    for name, (began, ended) in solving:
        if name[0] == "round":  # the checks run after the solver, and before the round is over
            found["review"].append((max((end for _, end in rounds.get(name[1], ())), default=began), ended))
    found["workspace"] = [span for name, span in solving if name == ["workspace"]]
    found["wait"] = [span for name, span in solving if name == ["review"]]
    found["finish"] = [span for name, span in solving if name == ["finish"]]
    return found


def _spans(events: Iterable[Event]) -> list[tuple[Event, Interval]]:
    """What began and ended, by the event that began it. What has no beginning lasted as long as it says itself."""
    begun: dict[tuple[object, ...], Event] = {}
    found: list[tuple[Event, Interval]] = []
    for event in events:
        key = (event.stage, event.document, event.page, event.payload.get("phase"))
        if event.kind == "started":
            begun[key] = event
        elif event.kind in _ENDS or (event.stage == "solve" and event.kind == "attempt"):
            first = begun.pop(key, None)
            ms = event.payload.get("ms")
            lasted = float(ms) / 1000 if isinstance(ms, (int, float)) and math.isfinite(ms) else 0.0
            found.append((first or event, (first.at if first else event.at - lasted, event.at)))
    return found


def _seconds(intervals: Iterable[Interval]) -> float:
    """The length of the union: pages that are read side by side take their time once."""
    ordered = sorted(intervals)
    if not ordered:
        return 0.0
    merged = [ordered[0]]
    for began, ended in ordered[1:]:
        last = merged[-1]
        if began > last[1]:
            merged.append((began, ended))
        else:
            merged[-1] = (last[0], max(last[1], ended))
    return sum(ended - began for began, ended in merged)


def fallback_path(trace: Trace) -> list[EngineStep]:
    """The engines that were asked for each page, in order."""
    return [
        EngineStep(
            one.document,
            one.page,
            str(one.payload.get("engine", "")),
            str(one.payload.get("outcome", "")),
            str(one.payload.get("reason") or ""),
            one.at,
            float(ms) if isinstance(ms := one.payload.get("ms"), (int, float)) and math.isfinite(ms) else 0.0,
        )
        for one in trace.events
        if one.stage == "recognize" and one.kind == "attempt" and one.payload.get("engine") != _GATE
    ]


def engine_fallbacks(steps: Sequence[EngineStep]) -> int:
    """How often a page was given to another engine than the one before."""
    pages: dict[tuple[str | None, int | None], list[str]] = {}
    for one in steps:
        pages.setdefault((one.document, one.page), []).append(one.engine)
    return sum(one != other for engines in pages.values() for one, other in pairwise(engines))


def runner_fallbacks(trace: Trace) -> int:
    """How often a task was given to another runner because the one before it failed."""
    steps: dict[tuple[Role, int], list[str]] = {}
    for one in trace.attempts:
        steps.setdefault((one.attempt.role, one.attempt.round), []).append(one.attempt.runner)
    return sum(one != other for runners in steps.values() for one, other in pairwise(runners))


def tool_calls(trace: Trace) -> list[TracedToolCall]:
    """The calls of tools by all runners, each with its answer."""
    return [call for one in trace.attempts for call in _calls(one)]


def _calls(traced: TracedAttempt) -> Iterator[TracedToolCall]:
    """A tool tells its answer in the entry of the call; programs print it later, as an entry without arguments."""
    entries = [(entry, at) for entry, at in _timed(traced) if entry.kind == "tool"]
    answers = [entry.payload for entry, _ in entries if "arguments" not in entry.payload]
    for entry, at in entries:
        payload = entry.payload
        if "arguments" not in payload:
            continue
        name = str(payload.get("name", ""))
        if "answer" not in payload:
            later = next((one for one in answers if one.get("name") == name), None)
            if later is not None:
                answers.remove(later)
                payload = {**payload, "answer": later.get("result"), "error": later.get("error")}
        answer = "" if payload.get("answer") is None else _text(payload["answer"])
        attempt = traced.attempt
        place = attempt.role, attempt.round, attempt.runner, attempt.number
        yield TracedToolCall(*place, name, payload["arguments"], answer, bool(payload.get("error")), at)


def timeline(trace: Trace) -> list[TimelineLine]:
    """What all attempts said and did, in order: models, tools, standard output and error, notes."""
    return [
        TimelineLine(
            one.attempt.role,
            one.attempt.round,
            one.attempt.runner,
            one.attempt.number,
            entry.kind,
            _said(entry.payload),
            at,
        )
        for one in trace.attempts
        for entry, at in _timed(one)
    ]


def _timed(traced: TracedAttempt) -> Iterator[tuple[Any, float | None]]:
    for number, entry in enumerate(traced.output.timeline):
        yield entry, traced.times[number] if number < len(traced.times) else None


def _said(payload: Mapping[str, Any]) -> str:
    text = payload.get("text")
    if isinstance(text, str) and text:
        return shortened(text, LONGEST_TEXT)
    return _text({name: value for name, value in payload.items() if name != "text"})


def _text(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return shortened(text, LONGEST_TEXT)


def records_used(trace: Trace) -> list[str]:
    """The records of the catalog that the answer cites, with the document before them where there are several."""
    if trace.answer is None:
        return []
    cited = trace.answer.evidence.values()
    return list(dict.fromkeys(f"{one.document}/{id}" if one.document else id for one in cited for id in one.records))


def crops_referenced(trace: Trace) -> list[str]:
    """The pictures of the places that the answer cites."""
    if trace.answer is None:
        return []
    return list(dict.fromkeys(one.crop for one in trace.answer.evidence.values() if one.crop))


def usage(trace: Trace) -> RunnerUsage:
    """What all attempts have used; those found in the store used nothing now."""
    made = [one.attempt.usage for one in trace.attempts if one.attempt.outcome != "hit"]
    costs = [one.cost or 0.0 for one in made if is_cost(one.cost)]
    counts = {
        name: sum(getattr(one, name) for one in made)
        for name in ("turns", "input_tokens", "output_tokens", "tool_calls")
    }
    return RunnerUsage(**counts, cost=round(sum(costs), 6) if costs else None)


def open_findings(trace: Trace) -> list[Finding]:
    """What is open after the last round."""
    return [one for one in trace.findings[-1] if one.open] if trace.findings else []


def settled_findings(trace: Trace) -> list[Finding]:
    """What was open in a round, and is not any more after the last one."""
    still = {(one.path, one.kind) for one in open_findings(trace)}
    raised = {(one.path, one.kind): one for of_round in trace.findings for one in of_round if one.open}
    return [one for place, one in raised.items() if place not in still]
