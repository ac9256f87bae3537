"""A batch on the command line: progress, signals, the summary and the exit code."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from quire.cli.amounts import spell
from quire.cli.batch_progress import BatchProgress, summary
from quire.cli.figures import Figures
from quire.cli.opening import opened
from quire.config import Settings
from quire.errors import EXIT_CODES, EXIT_COMPLETE, EXIT_INTERRUPTED, EXIT_PARTIAL
from quire.events import Event, Sink

if TYPE_CHECKING:
    from quire.batch import StageOutcome
    from quire.durable.folders.request import BatchRequest


@dataclass(frozen=True, slots=True)
class Showing:
    """What the command prints."""

    quiet: bool = False
    as_json: bool = False


def drive(request: BatchRequest, settings: Settings, place: str, showing: Showing) -> int:
    """Run a batch to its end; the exit code. One that was interrupted and asks for the same continues.

    Signals are handled until everything is closed, so that none of them cuts it off.
    """
    from quire.batch import Stop, stop_on_signals
    from quire.durable.folders.driving import run_batch, unfinished_run

    _check_workers(request)
    begun, stop = time.monotonic(), Stop()
    with ExitStack() as stack:
        progress = BatchProgress(quiet=showing.quiet)
        stack.enter_context(stop_on_signals(stop, progress.signalled))
        here = stack.enter_context(opened(replace(settings, workers=request.options.workers), place))
        stop.listen(here.store.database.hurry)
        tell = stack.enter_context(_told_to(progress, settings.manifest))
        unfinished = unfinished_run(here.runtime, request)
        run, outcome = run_batch(request, here.runtime, run=unfinished, on_event=tell, stop=stop)
    figures = progress.figures
    code = exit_code(outcome, figures)
    if showing.as_json:
        print(json.dumps(_report(run, outcome, figures, code), ensure_ascii=False, indent=2))
    elif not showing.quiet:
        told = list(advice(figures, remaining=outcome.remaining, where=where_of(settings)))
        print("\n".join(summary(figures, time.monotonic() - begun, told)))
    if stop.requested:
        _leave(code)
    return code


@contextmanager
def _told_to(progress: BatchProgress, manifest: str | None) -> Iterator[Sink]:
    """Hands events to the progress, and to a manifest where one is asked for."""
    with ExitStack() as stack:
        sinks: list[Sink] = [stack.enter_context(progress)]
        if manifest:
            from quire.batch import ManifestWriter

            sinks.append(stack.enter_context(ManifestWriter(manifest)))

        def tell(event: Event) -> None:
            for sink in sinks:
                sink(event)

        yield tell


def _leave(code: int) -> None:
    """End the program without waiting for threads that are stuck in a call; everything that lasts is closed.

    Workers notice that their parent is gone.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def exit_code(outcome: StageOutcome, figures: Figures) -> int:
    """Complete, partial, interrupted, or the code of the first error when nothing worked."""
    if outcome.cancelled and outcome.remaining and not _budget_spent(outcome):
        return EXIT_INTERRUPTED
    if not outcome.failed and not outcome.remaining and not figures.counts["partial"] and not figures.quarantined:
        return EXIT_COMPLETE
    if outcome.succeeded or outcome.skipped > len(figures.quarantined) or not outcome.errors:
        return EXIT_PARTIAL
    first = outcome.errors[0]
    return EXIT_CODES[first.category] if first.exit_code is None else first.exit_code


def _budget_spent(outcome: StageOutcome) -> bool:
    return "error budget" in outcome.cancelled_reason


def advice(figures: Figures, *, remaining: int, where: str) -> Iterator[str]:
    """What to do next about what is not done: one part for each kind of reason."""
    failures = [*figures.failures.values(), *figures.quarantined.values()]
    count = Counter(failure.remedy for failure in failures)
    if remaining:
        yield f"`quire run{where}` goes on with {spell(remaining, 'document')}"
    if count["again"]:
        yield f"`quire run{where}` tries {spell(count['again'], 'failed document')} again"
    if figures.pages["failed"] or figures.lost:
        yield f"`quire run{where}` tries failed pages again"
    if figures.pages["skipped"]:
        yield f"leave out --ocr never to read {spell(figures.pages['skipped'], 'page')} without text"
    if count["access"]:
        yield f"check the path and the permissions of {spell(count['access'], 'document')}, and run it again"
    if count["set-up"]:
        yield f"install or set what is missing for {spell(count['set-up'], 'document')}, and run it again"
    if count["password"]:
        yield f"set the password (QUIRE_PASSWORD) of {spell(count['password'], 'encrypted document')}, and run it again"
    if count["options"]:
        few = spell(count["options"], "document")
        yield f"change the options for {few}: they do not fit, and running again will not help"
    if lost := count["none"]:
        left = f"{spell(lost, 'document')} cannot be read and {'is' if lost == 1 else 'are'} left alone"
        yield f"{left}: `quire quarantine list{where}` says why, `quire run{where} --retry` tries anyway"
    if figures.kept:
        files = sum(map(len, figures.kept.values()))
        them = "was changed by hand and is kept" if files == 1 else "were changed by hand and are kept"
        yield f"{spell(files, 'file')} {them}: `quire run{where} --overwrite` replaces {'it' if files == 1 else 'them'}"


def where_of(settings: Settings) -> str:
    """The options by which other commands find this run."""
    output = f" -o {quote(settings.output)}" if settings.output else ""
    return f"{output} --store {quote(settings.store)}" if settings.store else output


def _report(run: str, outcome: StageOutcome, figures: Figures, code: int) -> dict[str, object]:
    """What `--json` writes."""
    told = asdict(outcome)
    errors = told.pop("errors")
    counted = {"documents": dict(figures.counts), "pages": dict(figures.pages), "calls": dict(figures.calls)}
    return {"run": run, "exit_code": code, **counted, **told, "errors": errors}


def _check_workers(request: BatchRequest) -> None:
    """Say when fewer workers are used than asked for. Raises ConfigurationError when not even those can run."""
    from quire.budget import check_descriptors, worker_count

    count = worker_count(request.options.workers)
    if request.options.workers and count.notice:
        print(f"quire: {count.notice}", file=sys.stderr)
    check_descriptors(count.workers)
