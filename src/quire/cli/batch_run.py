"""A batch on the command line: progress, signals, the summary and the exit code."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from quire.cli.batch_counts import BatchCounts
from quire.cli.batch_progress import BatchProgress, summary
from quire.cli.command_errors import print_json
from quire.cli.display_numbers import spell
from quire.cli.stores import opened
from quire.core.config import Settings
from quire.core.errors import EXIT_CODES, EXIT_COMPLETE, EXIT_INTERRUPTED, EXIT_PARTIAL
from quire.core.events import Event, Sink

if TYPE_CHECKING:
    from quire.batch import StageOutcome
    from quire.durable.folders.batch_request import BatchRequest


@dataclass(frozen=True, slots=True)
class Showing:
    """The amount and the form of a command's output."""

    quiet: bool = False
    as_json: bool = False


def drive(request: BatchRequest, settings: Settings, place: str, showing: Showing) -> int:
    """Run a batch to its end and return the exit code. An interrupted run with the same request is resumed.

    Signals are handled until everything is closed, so that none of them interrupts the clean-up.
    """
    from quire.batch import Stop, stop_on_signals
    from quire.durable.folders.batch_workflow import run_batch, unfinished_run

    _check_workers(request)
    begun, stop = time.monotonic(), Stop()
    with ExitStack() as stack:
        progress = BatchProgress(quiet=showing.quiet)
        stack.enter_context(stop_on_signals(stop, progress.signalled))
        here = stack.enter_context(opened(replace(settings, workers=request.options.workers), place))
        stop.listen(here.store.database.hurry)
        emit = stack.enter_context(_event_sink(progress, settings.manifest))
        unfinished = unfinished_run(here.runtime, request)
        run, outcome = run_batch(request, here.runtime, run=unfinished, on_event=emit, stop=stop)
    batch = progress.batch
    code = exit_code(outcome, batch)
    if showing.as_json:
        print_json(_report(run, outcome, batch, code))
    elif not showing.quiet:
        parts = list(advice(batch, remaining=outcome.remaining, where=where_of(settings)))
        print("\n".join(summary(batch, time.monotonic() - begun, parts)))
    if stop.requested:
        _leave(code)
    return code


@contextmanager
def _event_sink(progress: BatchProgress, manifest: str | None) -> Iterator[Sink]:
    """A sink that passes events to the progress display, and to a manifest if requested."""
    with ExitStack() as stack:
        sinks: list[Sink] = [stack.enter_context(progress)]
        if manifest:
            from quire.batch import ManifestWriter

            sinks.append(stack.enter_context(ManifestWriter(manifest)))

        def emit(event: Event) -> None:
            for sink in sinks:
                sink(event)

        yield emit


def _leave(code: int) -> None:
    """Exit without waiting for threads that are stuck in a call; store and manifest are closed already.

    Workers notice that their parent process is gone.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def exit_code(outcome: StageOutcome, batch: BatchCounts) -> int:
    """Complete, partial, interrupted, or the code of the first error when nothing worked."""
    if outcome.cancelled and outcome.remaining and not _budget_spent(outcome):
        return EXIT_INTERRUPTED
    if not outcome.failed and not outcome.remaining and not batch.counts["partial"] and not batch.quarantined:
        return EXIT_COMPLETE
    if outcome.succeeded or outcome.skipped > len(batch.quarantined) or not outcome.errors:
        return EXIT_PARTIAL
    first = outcome.errors[0]
    return EXIT_CODES[first.category] if first.exit_code is None else first.exit_code


def _budget_spent(outcome: StageOutcome) -> bool:
    return "error budget" in outcome.cancelled_reason


def advice(batch: BatchCounts, *, remaining: int, where: str) -> Iterator[str]:
    """The next commands for unfinished documents: one part for each kind of reason."""
    failures = [*batch.failures.values(), *batch.quarantined.values()]
    count = Counter(failure.remedy for failure in failures)
    if remaining:
        yield f"`quire run{where}` continues with {spell(remaining, 'document')}"
    if count["again"]:
        yield f"`quire run{where}` retries {spell(count['again'], 'failed document')}"
    if batch.pages["failed"] or batch.lost:
        yield f"`quire run{where}` retries failed {'pages' if batch.pages['failed'] else 'parts of documents'}"
    if batch.pages["skipped"]:
        yield f"leave out --ocr never to run OCR on {spell(batch.pages['skipped'], 'page')} without text"
    if count["access"]:
        yield f"check the path and permissions of {spell(count['access'], 'document')}, and run it again"
    if count["set-up"]:
        yield f"install or configure what {spell(count['set-up'], 'document')} needs, and run it again"
    if count["password"]:
        yield f"set the password (QUIRE_PASSWORD) of {spell(count['password'], 'encrypted document')}, and run it again"
    if count["options"]:
        few = spell(count["options"], "document")
        yield f"change the options: they do not fit {few}, and running again will not help"
    if lost := count["none"]:
        left = f"{spell(lost, 'document')} cannot be read and {'is' if lost == 1 else 'are'} not retried"
        yield f"{left}: `quire quarantine list{where}` says why, `quire run{where} --retry` retries anyway"
    if batch.kept:
        files = sum(map(len, batch.kept.values()))
        them = "was changed by hand and is kept" if files == 1 else "were changed by hand and are kept"
        yield f"{spell(files, 'file')} {them}: `quire run{where} --overwrite` replaces {'it' if files == 1 else 'them'}"


def where_of(settings: Settings) -> str:
    """The options by which other commands find this run."""
    output = f" -o {quote(settings.output)}" if settings.output else ""
    return f"{output} --store {quote(settings.store)}" if settings.store else output


def _report(run: str, outcome: StageOutcome, batch: BatchCounts, code: int) -> dict[str, object]:
    """The JSON of `--json`."""
    report = asdict(outcome)
    errors = report.pop("errors")
    counted = {"documents": dict(batch.counts), "pages": dict(batch.pages), "calls": dict(batch.calls)}
    return {"run": run, "exit_code": code, **counted, **report, "left_out": batch.left_out, "errors": errors}


def _check_workers(request: BatchRequest) -> None:
    """Print a notice when fewer workers run than requested. Raises ConfigurationError when not even those can run."""
    from quire.system.budget import check_descriptors, worker_count

    count = worker_count(request.options.workers)
    if request.options.workers and count.notice:
        print(f"quire: {count.notice}", file=sys.stderr)
    check_descriptors(count.workers)
