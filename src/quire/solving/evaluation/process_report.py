"""How answers came about, as a part of a report: attempts, fallbacks, tool calls, time and cost by phase.

A pure function of traces. Times count from the first event of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from quire.core.context import Json
from quire.solving.trace import trace_process
from quire.solving.trace.trace_file import Trace

T = TypeVar("T")
MOST_LINES = 400
"""Entries of a timeline, tool calls and engine attempts in a report: the first and the last; the trace has them all."""
COUNTED = (
    "attempts",
    "failed_attempts",
    "runner_fallbacks",
    "engine_attempts",
    "engine_fallbacks",
    "tool_calls",
    "tool_errors",
    "rounds",
    "open_findings",
)
USED = ("turns", "input_tokens", "output_tokens", "cost")
NOTED = 1.1
"""Seconds, tokens and cost are said to be others from this ratio on: they vary from run to run."""


def process_json(trace: Trace) -> dict[str, Json]:
    """The process of one run. `altered` is what is not as the run has recorded it."""
    began = min((one.at for one in trace.events), default=0.0)
    engines, calls = trace_process.fallback_path(trace), trace_process.tool_calls(trace)
    opened, settled = trace_process.open_findings(trace), trace_process.settled_findings(trace)
    failed = sum(not one.attempt.succeeded for one in trace.attempts)
    counts = (
        len(trace.attempts),
        failed,
        trace_process.runner_fallbacks(trace),
        len(engines),
        trace_process.engine_fallbacks(engines),
        len(calls),
        sum(one.error for one in calls),
        len(trace.findings),
        len(opened),
    )
    used = asdict(trace_process.usage(trace))
    return {
        "run": trace.run,
        "status": trace.status,
        "workspace": trace.workspace,
        "altered": trace.faults,
        "counts": dict(zip(COUNTED, counts, strict=True)),
        "usage": {name: used[name] for name in USED},
        "phases": {name: asdict(one) for name, one in trace_process.phases(trace).items()},
        "documents": [asdict(one) for one in trace.documents],
        "attempts": [_attempt(one.attempt) for one in trace.attempts],
        "engines": _bounded([{**asdict(one), "at": _since(one.at, began)} for one in engines]),
        "tool_calls": _bounded([{**asdict(one), "at": _since(one.at, began)} for one in calls]),
        "timeline": _bounded([{**asdict(one), "at": _since(one.at, began)} for one in trace_process.timeline(trace)]),
        "records": trace_process.records_used(trace),
        "crops": trace_process.crops_referenced(trace),
        "findings": {"open": [one.to_json() for one in opened], "settled": [one.to_json() for one in settled]},
        "reviews": [{"id": one.id, "decisions": list(one.decisions)} for one in trace.reviews],
    }


def process_totals(processes: Sequence[Mapping[str, Any]]) -> dict[str, Json]:
    """The sums over several runs; a cost is None where that of none is known."""
    phases = {
        name: {
            "seconds": round(sum(one["phases"][name]["seconds"] for one in processes), 3),
            "cost": _sum(one["phases"][name]["cost"] for one in processes),
        }
        for name in trace_process.PHASES
    }
    return {
        "runs": len(processes),
        **{name: sum(one["counts"][name] for one in processes) for name in COUNTED},
        **{name: sum(one["usage"][name] for one in processes) for name in USED if name != "cost"},
        "cost": _sum(one["usage"]["cost"] for one in processes),
        "seconds": round(sum(one["seconds"] for one in phases.values()), 3),
        "phases": phases,
        "altered": sum(bool(one["altered"]) for one in processes),
    }


def process_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Json]:
    """The totals of two reports side by side."""
    names = (*COUNTED, *USED, "seconds")
    flat = {name: {"before": before.get(name), "after": after[name]} for name in names}
    seconds = {
        f"seconds of {name}": {"before": before["phases"].get(name, {}).get("seconds"), "after": one["seconds"]}
        for name, one in after["phases"].items()
    }
    return {**flat, **seconds}


def process_line(baseline: Mapping[str, Any]) -> str:
    """What differs from a baseline besides the values, in one line: the same accuracy may have cost twice as much."""
    score = baseline["scores"]["value"]
    first = "the same value F1" if score["before"] == score["after"] else "another value F1"
    listed = list(_noted(baseline["process"]))
    return f"{first}, {', '.join(listed)}" if listed else f"{first}, and as many attempts, fallbacks and tool calls"


def _noted(process: Mapping[str, Any]) -> Iterator[str]:
    for name in (*COUNTED, *USED, "seconds"):
        before, after = process[name]["before"], process[name]["after"]
        if before == after or before is None or after is None:
            continue
        ratio = after / before if before else None
        if (name in USED or name == "seconds") and ratio is not None and 1 / NOTED < ratio < NOTED:
            continue
        words = name.replace("_", " ")
        many = {2.0: "twice", 3.0: "three times", 0.5: "half"}.get(round(ratio, 2) if ratio else 0)
        yield f"{many} the {words} ({after:g}, before {before:g})" if many else f"{words} {after:g} (before {before:g})"


def _attempt(one: Any) -> dict[str, Json]:
    named = ("role", "round", "runner", "version", "number", "outcome", "reason", "prompt", "output")
    used = asdict(one.usage)
    cost = used["cost"] if trace_process.is_cost(used["cost"]) else None
    return {**{name: getattr(one, name) for name in named}, **used, "cost": cost, "refused": dict(one.refused)}


def _bounded(items: list[dict[str, Json]]) -> dict[str, Json]:
    left_out = max(0, len(items) - MOST_LINES)
    kept = items if not left_out else items[: MOST_LINES // 2] + items[-(MOST_LINES // 2) :]
    return {"items": kept, "left_out": left_out}


def _since(at: float | None, began: float) -> float | None:
    return None if at is None else round(at - began, 3)


def _sum(costs: Iterator[float | None]) -> float | None:
    known = [one for one in costs if one is not None]
    return round(sum(known), 6) if known else None
