"""Metrics of a store, counted from events: numbers that only grow, under the names that Prometheus has for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from quire.core.events import Event

STAGES = frozenset({"native-text", "recognize", "recognised-text", "page-blocks", "document", "render", "read"})
"""The stages of a read. Stages of users have any number of names, and are not counted."""
SOLVE = "solve"
OUTCOMES = ("ok", "empty", "failed", "skipped")


def metrics_of(events: Iterable[Event]) -> dict[str, float]:
    """The increments of some events, by the name of the metric with its labels."""
    found: Counter[str] = Counter()
    for event in events:
        for name, amount in _added(event):
            found[name] += amount  # type: ignore[assignment]  # a Counter adds any number
    return dict(found)


def ended_run(flow: str, state: str, seconds: float) -> dict[str, float]:
    """The increments of the end of a run."""
    return {
        sample("quire_runs_total", flow=flow, state=state): 1.0,
        sample("quire_run_seconds_sum", flow=flow): max(seconds, 0.0),
        sample("quire_run_seconds_count", flow=flow): 1.0,
    }


def sample(name: str, **labels: str) -> str:
    """The name of a figure with its labels, as Prometheus writes them."""
    pairs = ",".join(f'{label}="{_escaped(value)}"' for label, value in labels.items())
    return f"{name}{{{pairs}}}" if pairs else name


def _added(event: Event) -> Iterator[tuple[str, float]]:
    stage, kind, payload = event.stage, event.kind, event.payload
    if stage == SOLVE:
        yield from _of_solve(event)
        return
    if stage not in STAGES or event.document is None or "attempts" in payload:  # the last: an item of a batch
        return
    if kind == "attempt":
        engine = str(payload.get("engine", ""))
        yield sample("quire_ocr_attempts_total", engine=engine, outcome=str(payload.get("outcome", ""))), 1.0
        yield sample("quire_ocr_seconds_sum", engine=engine), _number(payload.get("ms")) / 1000
        yield sample("quire_ocr_seconds_count", engine=engine), 1.0
    elif kind == "hit":
        yield sample("quire_cache_hits_total", stage=stage), 1.0
    elif kind == "failed":
        yield sample("quire_stage_failures_total", stage=stage), 1.0
    elif kind == "started" and stage == "read":
        yield "quire_input_bytes_total", _number(payload.get("input_bytes"))
    elif kind == "finished":
        yield sample("quire_stage_seconds_sum", stage=stage), _number(payload.get("ms")) / 1000
        yield sample("quire_stage_seconds_count", stage=stage), 1.0
        if stage == "read":
            yield sample("quire_documents_total", status=str(payload.get("status", ""))), 1.0
            for outcome in OUTCOMES:
                yield sample("quire_pages_total", outcome=outcome), _number(payload.get(outcome))
        elif stage != "render":  # its bytes are pixels
            yield sample("quire_artifact_bytes_total", stage=stage), _number(payload.get("bytes"))


def _of_solve(event: Event) -> Iterator[tuple[str, float]]:
    """Attempts of runners, and what the values of an answer are supported by."""
    payload = event.payload
    if event.kind == "attempt" and "runner" in payload:
        runner = str(payload["runner"]).partition(":")[0]  # what follows is a model, a command or a path
        labels = {"role": str(payload.get("role", "")), "runner": runner}
        yield sample("quire_runner_attempts_total", **labels, outcome=str(payload.get("outcome", ""))), 1.0
        usage = payload.get("usage")
        if isinstance(usage, dict):
            for kind in ("input", "output"):
                tokens = _number(usage.get(f"{kind}_tokens"))
                yield sample("quire_runner_tokens_total", **labels, kind=kind), tokens
            yield sample("quire_runner_cost_dollars_total", **labels), _number(usage.get("cost"))
    coverage = payload.get("coverage")
    if event.kind == "finished" and isinstance(coverage, dict):
        found, returned = _number(coverage.get("found")), _number(coverage.get("returned"))
        yield sample("quire_evidence_leaves_total", status="supported"), found
        yield sample("quire_evidence_leaves_total", status="unsupported"), returned - found
        yield sample("quire_evidence_leaves_total", status="not_found"), _number(coverage.get("not_found"))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
