"""`quire status` and `quire runs`: the progress and the outcome of runs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Annotated

from typer import Option

from quire.cli import display_numbers, options
from quire.cli.batch_counts import BatchCounts, counts_of
from quire.cli.batch_progress import counted, left_out_lines, next_lines, took
from quire.cli.batch_run import advice, where_of
from quire.cli.command_errors import print_report
from quire.cli.settings import settings_of
from quire.cli.stores import BATCH, existing_place, find_run, opened
from quire.core.context import RunStatus, Runtime
from quire.core.errors import EXIT_COMPLETE
from quire.core.events import Event

STATUS_EXAMPLES = """\b
Examples:
  quire status -o out
  quire status 4f1c --store ~/.cache/quire --json
"""
RUNS_EXAMPLES = """\b
Examples:
  quire runs -o out
  quire runs --all --json
"""
MOST_SHOWN = 20


def status(
    run: options.Run = None,
    *,
    place: options.RuntimeOptions,
    all_failures: Annotated[bool, Option("--all", help=f"Every failed document, not only {MOST_SHOWN}.")] = False,
    as_json: options.Json = False,
) -> int:
    """Show the progress of a run: documents, rate, time left, and what failed."""
    settings = settings_of(locals())
    with opened(settings, existing_place(settings)) as here:
        found = here.runtime.status(find_run(here.runtime, run).run)
        batch = counts_of(here.runtime.events(found.run))
    now, most = time.time(), None if all_failures else MOST_SHOWN
    lines = (*_lines(found, batch, now, most), *_next(found, batch, where_of(settings)))
    print_report(status_report(found, batch, now), lines, as_json=as_json)
    return EXIT_COMPLETE


def runs(
    *,
    place: options.StoreOptions,
    everything: Annotated[bool, Option("--all", help="Also list the runs of single documents.")] = False,
    limit: Annotated[int, Option(metavar="N", help="At most N runs, the latest first.", min=1)] = 20,
    as_json: options.Json = False,
) -> int:
    """List the runs recorded in a store."""
    settings = settings_of(locals())
    with opened(settings, existing_place(settings)) as here:
        listed = here.runtime.runs(flow=None if everything else BATCH, limit=limit)
        # A batch that has not finished has no result; its events say how far it came.
        lines = [] if as_json else [_run_line(run, counts_of(_events_of(here.runtime, run))) for run in listed]
    nothing = ["no runs yet; start one with `quire run PATH… -o DIR`"]
    print_report([asdict(one) for one in listed], lines or nothing, as_json=as_json)
    return EXIT_COMPLETE


def _events_of(runtime: Runtime, run: RunStatus) -> Iterable[Event]:
    return () if run.result is not None or run.flow != BATCH else runtime.events(run.run)


def status_report(run: RunStatus, batch: BatchCounts, now: float) -> dict[str, object]:
    """The JSON of `--json`."""
    under_way = run.state == "running"
    return {
        **asdict(run),
        "documents": {"planned": batch.planned, **batch.counts, "running": len(batch.running)},
        "pages": dict(batch.pages),
        "calls": dict(batch.calls),
        "rate": round(batch.rate(now if under_way else batch.last), 3),
        "eta_s": batch.left_s(now) if under_way else None,
        "p50_s": batch.percentile_s(50),
        "p95_s": batch.percentile_s(95),
        "failures": [{"document": name, **failure._asdict()} for name, failure in batch.failures.items()],
        "quarantined": list(batch.quarantined),
        "left_out": batch.left_out,
    }


def _lines(run: RunStatus, batch: BatchCounts, now: float, most: int | None) -> Iterator[str]:
    under_way = run.state == "running"
    until = run.finished or (now if under_way else batch.last)
    yield f"run        {run.run} ({run.flow}), {run.state}{f': {run.error}' if run.error else ''}"
    took_so_far = display_numbers.duration(max(0.0, until - (batch.begun or run.submitted)))
    yield f"begun      {display_numbers.moment(batch.begun or run.submitted)}, {took_so_far}"
    if batch.planned is not None:
        yield f"documents  {batch.done} of {batch.planned}: {counted(batch)}"
    yield from left_out_lines(batch)
    if batch.worked:
        left = batch.left_s(now) if under_way else None
        ending = f", {display_numbers.duration(left)} left" if left is not None else ""
        yield f"rate       {display_numbers.rate(batch.rate(until), 'documents')}{ending}; {took(batch)}"
    for name, begun in list(batch.running.items())[:MOST_SHOWN] if under_way else ():
        yield f"  in progress {name}, for {display_numbers.duration(max(0.0, now - begun))}"
    for name, failure in list(batch.failures.items())[:most]:
        yield f"  failed {failure.line(name)}"
    if most is not None and len(batch.failures) > most:
        yield f"  and {len(batch.failures) - most} more; --all shows them"


def _next(run: RunStatus, batch: BatchCounts, where: str) -> Iterator[str]:
    """The advice about a run that no process is working on."""
    if run.state in ("waiting", "running"):
        return
    remaining = (batch.planned or 0) - batch.done
    parts = list(advice(batch, remaining=remaining, where=where))
    if run.state != "finished" and not parts:
        parts = [f"`quire run{where}` resumes it"]
    yield from next_lines(parts)


def _run_line(run: RunStatus, batch: BatchCounts) -> str:
    took_in_all = display_numbers.duration(run.finished - run.submitted) if run.finished else ""
    counts = _documents(run) or (counted(batch) if batch.planned is not None else "")
    details = "; ".join(part for part in (run.error, counts) if part)
    submitted = display_numbers.moment(run.submitted)
    return f"{run.run:<16} {run.flow:<8} {run.state:<12} {submitted}  {took_in_all:<12} {details}"


def _documents(run: RunStatus) -> str:
    """The document counts in the result of a batch."""
    result = run.result if isinstance(run.result, dict) else {}
    held = result.get("quarantined", 0)
    counts = {
        "succeeded": result.get("succeeded", 0),
        "done before": result.get("skipped", 0) - held,
        "in quarantine": held,
        "failed": result.get("failed", 0),
    }
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)
