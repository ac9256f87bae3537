"""Progress of a batch: a bar on a terminal, periodic lines elsewhere, and a summary at the end."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quire.batch.manifest import item_name
from quire.cli import display_numbers
from quire.cli.bar import Bar
from quire.cli.batch_counts import BatchCounts, without_name
from quire.cli.display_numbers import left_out_files, spell
from quire.core.errors import printable
from quire.core.events import Event

if TYPE_CHECKING:
    from quire.batch.stop_requests import Stop

MOST_SHOWN = 20
"""Failures that are printed as they happen; `quire status` lists all of them."""
NAMED = 2
"""Documents in progress that are named."""
MOST_ALIKE = 3
"""Documents that are named per reason."""


class BatchProgress(Bar):
    """An event subscriber that draws on standard error. Runs in the thread that drives the batch."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__(quiet=quiet)
        self.batch = BatchCounts()
        self._quiet = quiet
        self._failures: Counter[str] = Counter()

    def __call__(self, event: Event) -> None:
        self.batch.add(event, time.monotonic())
        name = item_name(event)
        if name is not None and event.kind == "failed":
            self._say_failure(name)
        elif name is not None and event.kind == "finished" and name in self.batch.kept:
            self.say(f"{name}: {', '.join(self.batch.kept[name])} was changed by hand and is kept")
        if self._drawn:
            self._draw()
        elif event.kind == "progress" and event.document is None and not self._quiet:
            self.say(" ".join(progress_line(self.batch, time.monotonic())))

    def signalled(self, stop: Stop) -> None:
        """Print what a signal does. Called by the signal handler, so it takes no lock that other code may hold.

        Before the first document there is nothing to finish: then it interrupts immediately.
        """
        if self.batch.planned is None:
            raise KeyboardInterrupt
        if self.batch.ended:
            return
        if stop.at_once:
            message = "stopping now; finished work is kept"
        else:
            under_way = spell(len(self.batch.running), "document")
            message = f"starting no new work; finishing {under_way} in progress; press again to stop now"
        over_the_bar = "\r" if self._drawn else ""
        os.write(sys.stderr.fileno(), f"{over_the_bar}quire: {message}\n".encode())

    def _say_failure(self, document: str) -> None:
        """Print why a document failed, unless the same reason was shown often enough."""
        failure = self.batch.failures[document]
        reason = without_name(failure.reason, document)
        self._failures[reason] += 1
        shown = sum(min(count, MOST_ALIKE) for count in self._failures.values())
        if self._failures[reason] <= MOST_ALIKE and shown <= MOST_SHOWN:
            self.say(failure.line(document))
        elif self._failures[reason] == MOST_ALIKE + 1 or shown == MOST_SHOWN + 1:
            alike = (
                "more documents that fail for this reason"
                if self._failures[reason] > MOST_ALIKE
                else "further failures"
            )
            self.say(f"{alike} are not shown here; `quire status` lists all of them")

    def _draw(self) -> None:
        batch = self.batch
        if self._bar is None:
            if not batch.planned:
                return
            from rich.progress import BarColumn, MofNCompleteColumn

            self._start(BarColumn(bar_width=24), MofNCompleteColumn(), "{task.description}")
        _, *rest = progress_line(batch, time.monotonic())
        description = " ".join([f"documents{',' if rest else ''}", *rest, *under_way(batch)])
        self._update(batch.done, batch.planned, description)


def progress_line(batch: BatchCounts, now: float) -> list[str]:
    """The parts of a line: done, failed, pages, rate, time left, how long a document takes."""
    planned = "" if batch.planned is None else f"/{batch.planned}"
    parts = [f"{batch.done}{planned} documents"]
    counts = batch.counts
    parts += [f"{counts[name]} {name}" for name in ("failed", "partial") if counts[name]]
    if batch.pages:
        parts.append(spell(batch.pages["pages"], "page"))
    if batch.worked:
        parts.append(display_numbers.rate(batch.rate(now), "documents"))
        left = batch.left_s(now)
        parts += [f"{display_numbers.duration(left)} left"] if left is not None else []
        parts.append(took(batch))
    return [f"{part}," for part in parts[:-1]] + parts[-1:]


def under_way(batch: BatchCounts) -> list[str]:
    """The documents in progress, the first begun first: `· a.pdf, b.pdf and 3 more`."""
    names = list(batch.running)
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [f"· {', '.join(printable(name) for name in names[:NAMED])}{more}"] if names else []


def took(batch: BatchCounts) -> str:
    """The time that a document takes: median and 95th percentile."""
    median, slow = (display_numbers.duration(batch.percentile_s(part)) for part in (50, 95))
    return f"p50 {median}, p95 {slow}"


def counted(batch: BatchCounts) -> str:
    """The documents by outcome: `97 complete, 2 failed, 1 not done`."""
    by_status = batch.counts
    edited = sum(batch.statuses[document] == "skipped" for document in batch.kept)
    found = by_status["skipped"] - len(batch.quarantined) - edited
    named = {"complete": "ok", "partial": "partial", "failed": "failed"}
    counts = {word: by_status[name] for word, name in named.items()}
    counts |= {"done before": found, "changed by hand": edited, "in quarantine": len(batch.quarantined)}
    parts = [f"{count} {word}" for word, count in counts.items() if count]
    undone = (batch.planned or 0) - batch.done
    return ", ".join([*parts, *([f"{undone} not done"] if undone > 0 else [])]) or "none"


def summary(batch: BatchCounts, seconds: float, advice: Sequence[str]) -> Iterator[str]:
    """The lines at the end: what became of the documents, and what to do next."""
    yield f"documents  {counted(batch)}"
    yield from left_out_lines(batch)
    named = {"left_out": "with text left out"}
    pages = [f"{count} {named.get(name, name)}" for name, count in batch.pages.items() if count and name != "pages"]
    yield f"pages      {batch.pages['pages']}{': ' if pages else ''}{', '.join(pages)}"
    yield f"engines    {spell(batch.calls['made'], 'call')} made, {spell(batch.calls['reused'], 'answer')} reused"
    speed = f"; a document took {took(batch)}" if batch.worked else ""
    yield f"time       {display_numbers.duration(seconds)}{speed}"
    yield from next_lines(advice or ["nothing: all is done"])


def left_out_lines(batch: BatchCounts) -> Iterator[str]:
    """The files of the folders that were not read: their number by type, and some of their names."""
    if batch.left_out:
        yield f"left out   {left_out_files(batch.left_out)}"


def next_lines(advice: Sequence[str]) -> Iterator[str]:
    """The advice on what to do next, a line for each part."""
    return (f"{'' if number else 'next':<11}{line}" for number, line in enumerate(advice))
