"""How answers came about, in the HTML report: totals, differences to a baseline, and what happened in each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from quire.core.types import shortened
from quire.solving.evaluation.page_parts import table
from quire.solving.evaluation.process_report import process_line

_TOTALS = (
    "attempts",
    "runner_fallbacks",
    "engine_attempts",
    "engine_fallbacks",
    "tool_calls",
    "input_tokens",
    "output_tokens",
    "cost",
    "seconds",
)


def process_summary(report: Mapping[str, Any]) -> Iterator[str]:
    """Attempts, fallbacks, tool calls, tokens, cost and time of each family and of all; nothing without traces."""
    if "process" not in report["overall"]:
        return
    named = [(name or "(no family)", one) for name, one in report["families"].items() if "process" in one]
    rows = [*(named if len(named) > 1 else ()), ("all", report["overall"])]
    yield "<h2>How the answers came about</h2>"
    heads = ("", "runs", *(name.replace("_", " ") for name in _TOTALS))
    counted = [[name, *(_number(one["process"][key]) for key in ("runs", *_TOTALS))] for name, one in rows]
    yield table(heads, counted, numbers=True)
    yield _phases(report["overall"]["process"]["phases"])
    if report["overall"]["process"]["altered"]:
        yield "<p class=wrong>Traces were changed after their runs: see the fixtures.</p>"


def process_baseline(baseline: Mapping[str, Any]) -> Iterator[str]:
    """The totals before and now, and what is to be noted of them."""
    if "process" in baseline:
        yield f"<p>{escape(process_line(baseline))}</p>"
        rows = [(name.replace("_", " "), *_both(one)) for name, one in baseline["process"].items()]
        yield table(("", "before", "now"), rows, numbers=True)


def process_part(one: Mapping[str, Any]) -> Iterator[str]:
    """What happened in the run of one fixture."""
    process = one["process"]
    yield (
        f"<p class=dim>execution <code>{escape(one['execution'])}</code> · workspace "
        f"<code>{escape(process['workspace'])}</code> · {escape(process['status'])} · "
        f"{process['counts']['rounds']} rounds</p>"
    )
    yield from (f"<p class=wrong>Changed after the run: {escape(fault)}</p>" for fault in process["altered"])
    yield _phases(process["phases"])
    yield table(
        ("role", "round", "runner", "attempt", "outcome", "tokens", "cost", "reason"),
        [
            (
                *(str(made[name]) for name in ("role", "round")),
                f"{made['runner']} {made['version']}",
                *(str(made[name]) for name in ("number", "outcome")),
                f"{made['input_tokens']} + {made['output_tokens']}",
                _number(made["cost"]),
                made["reason"],
            )
            for made in process["attempts"]
        ],
    )
    for state, findings in process["findings"].items():
        if findings:
            rows = [(found["path"], found["kind"], found["reason"], found["by"]) for found in findings]
            yield _folded(f"{len(rows)} findings {state}", table(("value", "kind", "reason", "by"), rows))
    if process["records"]:
        named = ", ".join((*process["records"], *process["crops"]))
        counted = f"{len(process['records'])} source chunks, {len(process['crops'])} page crops"
        yield _folded(counted, f"<p><code>{escape(named)}</code></p>")
    yield from _lists(process)


def _lists(process: Mapping[str, Any]) -> Iterator[str]:
    for title, name, heads in (
        ("engine attempts", "engines", ("page", "engine", "outcome", "ms", "reason")),
        ("tool calls", "tool_calls", ("at", "runner", "name", "arguments", "answer", "error")),
        ("entries of the timeline", "timeline", ("at", "runner", "kind", "text")),
    ):
        items, left_out = process[name]["items"], process[name]["left_out"]
        if items:
            rows = [[_text(item[head]) for head in heads] for item in items]
            more = f"<p class=dim>{left_out} between them are in the trace alone.</p>" if left_out else ""
            yield _folded(f"{len(items) + left_out} {title}", table(heads, rows) + more)


def _phases(phases: Mapping[str, Any]) -> str:
    rows = [(name, f"{one['seconds']:g}", _number(one["cost"])) for name, one in phases.items() if any(one.values())]
    return table(("phase", "seconds", "cost"), rows, numbers=True) if rows else ""


def _folded(title: str, inner: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inner}</details>"


def _both(one: Mapping[str, Any]) -> Sequence[str]:
    return _number(one["before"]), _number(one["after"])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _text(value: object) -> str:
    return "" if value in (None, False) else shortened(str(value), 500)
