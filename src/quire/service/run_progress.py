"""The progress of runs, from their events. Events are read once: each look continues after the last one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock

from quire.core.context import Json, Runtime
from quire.core.events import Event
from quire.reading.messages import TaskDocument

MOST_EVENTS = 100_000
"""Events of all runs whose traces are kept; the runs that were looked at least recently are forgotten first."""


@dataclass(slots=True)
class PageTally:
    """The pages of one document so far."""

    total: int = 0
    done: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    counts: tuple[int, int] | None = None
    """Pages done and failed, once all of them are."""
    trace: dict[int, list[dict[str, Json]]] = field(default_factory=dict)
    """The trace of each page: what each stage did."""

    def add(self, event: Event) -> None:
        payload = event.payload
        if event.stage == "read" and event.kind == "started":
            self.total, self.counts = _number(payload.get("pages")), None
        elif event.stage == "read" and event.kind == "finished":
            failed = _number(payload.get("failed"))
            self.counts = _number(payload.get("pages")) - failed, failed
        if event.page is None:
            return
        if event.stage == "page-blocks" and event.kind in ("finished", "hit"):
            self.done.add(event.page)
            self.failed.discard(event.page)
        elif event.kind == "failed" and event.page not in self.done:
            self.failed.add(event.page)
        row = {"stage": event.stage, "kind": event.kind, "ms": payload.get("ms"), "hit": event.kind == "hit"}
        self.trace.setdefault(event.page, []).append(row)

    @property
    def done_and_failed(self) -> tuple[int, int]:
        return self.counts or (len(self.done), len(self.failed))


@dataclass(slots=True)
class RunTally:
    """The progress of a run, from its events so far. `ended` are its documents that have ended, by number; a single
    document is not listed. `solving` are the phases and attempts of a solve."""

    sequence: int = 0
    total: int = 0
    """Documents, once they are counted."""
    documents: dict[str, PageTally] = field(default_factory=dict)
    ended: dict[int, TaskDocument] = field(default_factory=dict)
    solving: list[Event] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def add(self, events: Iterable[Event]) -> None:
        for event in events:
            self.sequence = event.sequence
            if event.document is not None:
                self.documents.setdefault(event.document, PageTally()).add(event)
            elif event.stage == "task" and event.kind == "started":
                self.total = _number(event.payload["documents"])
            elif event.stage == "task" and event.kind == "progress":
                self.ended[_number(event.payload["number"])] = event.payload["document"]  # type: ignore[assignment]
            elif event.stage == "solve" and event.kind != "progress" and "phase" in event.payload:
                self.solving.append(event)

    @property
    def pages(self) -> tuple[int, int]:
        """Pages in total, and those that are done or failed."""
        tallies = list(self.documents.values())
        return sum(one.total for one in tallies), sum(sum(one.done_and_failed) for one in tallies)


class RunTallies:
    """The tallies of runs. Thread-safe; `of` blocks while it reads events."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tallies: OrderedDict[str, RunTally] = OrderedDict()
        self._lock = Lock()

    def of(self, run: str, last: int) -> RunTally:
        """The tally of a run whose last event has that sequence number."""
        with self._lock:
            tally = self._tallies.setdefault(run, RunTally())
            self._tallies.move_to_end(run)
        with tally.lock:
            if tally.sequence < last:
                tally.add(self._runtime.events(run, after=tally.sequence))
        self._trim()
        return tally

    def _trim(self) -> None:
        with self._lock:
            total = sum(tally.sequence for tally in self._tallies.values())
            while total > MOST_EVENTS and len(self._tallies) > 1:
                total -= self._tallies.popitem(last=False)[1].sequence


def _number(value: object) -> int:
    return int(str(value or 0))
