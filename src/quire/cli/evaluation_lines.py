"""The report of an evaluation in a few lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from quire.core.context import Json
from quire.solving.evaluation.process_report import process_line


def evaluation_lines(report: Mapping[str, Json], folder: Path) -> Iterator[str]:
    """The scores of each family and of all, how the answers came about, and what differs from a baseline."""
    named = {**report["families"], "all": report["overall"]} if len(report["families"]) > 1 else {"": report["overall"]}
    yield f"{'':20}  {'value':>6}  {'page':>6}  {'box':>6}  right  wrong  missing  invented"
    for name, one in named.items():
        rates = ("–" if one[score]["f1"] is None else f"{one[score]['f1']:.4f}" for score in ("value", "page", "box"))
        counts = Counter(one["outcomes"])
        right, wrong = counts["right"] + counts["absent"], counts["wrong"]
        numbers = f"{right:>5}  {wrong:>5}  {counts['missing']:>7}  {counts['invented']:>8}"
        yield f"{name[:20]:20}  {'  '.join(f'{rate:>6}' for rate in rates)}  {numbers}"
    if "process" in report["overall"]:
        yield from _process(report)
    if "baseline" in report:
        changed = report["baseline"]["changed"]
        better = sum(one["after"] in ("right", "absent") for one in changed)
        yield f"{better} values better, {len(changed) - better} not better than in the baseline"
        if "process" in report["baseline"]:
            yield f"against the baseline: {process_line(report['baseline'])}"
    yield f"{folder / 'report.html'}"


def _process(report: Mapping[str, Json]) -> Iterator[str]:
    total = report["overall"]["process"]
    fallbacks = total["runner_fallbacks"] + total["engine_fallbacks"]
    tokens = total["input_tokens"] + total["output_tokens"]
    cost = "" if total["cost"] is None else f", {total['cost']:g} US dollars"
    yield (
        f"{total['runs']} runs: {total['attempts']} attempts, {fallbacks} fallbacks, {total['tool_calls']} tool calls, "
        f"{tokens} tokens{cost}, {total['seconds']:g} s"
    )
    for one in (*report["fixtures"], *report["failures"], *report.get("runs", ())):
        for fault in one.get("process", {}).get("altered", ()):
            yield f"{one.get('name', one.get('fixture'))}: changed after the run: {fault}"
