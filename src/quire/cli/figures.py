"""The figures of a batch, counted from its events: while it runs, or later from those that were stored."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

from quire.batch.durations import Durations
from quire.batch.manifest import item_name
from quire.errors import PERMANENT, printable
from quire.events import Event

RECENT = 200
"""The documents that the rate is taken from."""


class Failure(NamedTuple):
    """Why a document failed, and where it lies."""

    reason: str
    category: str = ""
    path: str = ""
    key: str = ""
    """What quarantine would know it by; a file that is not there has none."""

    @property
    def permanent(self) -> bool:
        """Whether it fails every time, so that it is left alone from now on."""
        return self.category in PERMANENT and bool(self.key)

    @property
    def wrong(self) -> bool:
        """Whether the call does not fit the document, such as a page that it does not have."""
        return self.category == "usage"

    def told(self, document: str) -> str:
        """The document and the reason, without its name twice."""
        hint = " (set QUIRE_PASSWORD)" if self.category == "input" and "password" in self.reason else ""
        return f"{document}: {without_name(self.reason, document)}{hint}"


def without_name(reason: str, document: str) -> str:
    """A reason less the name of the document that it is about, which stands beside it."""
    names = (f"{printable(name)}: " for name in (document, PurePath(document).name))
    return reason.replace(next((name for name in names if name in reason), ""), "", 1)


class Reader:
    """Counts events. A batch that is driven again is counted from its new beginning: what was done is found then."""

    def __init__(self) -> None:
        self.figures = Figures()

    def add(self, event: Event, at: float) -> None:
        """`at` is when it happened, in seconds of a clock that is the same for all events."""
        if event.document is None and event.kind == "started":
            planned = event.payload.get("planned")
            self.figures = Figures(planned if isinstance(planned, int) else None, begun=at)
        self.figures.add(event, at)


def figures_of(events: Iterable[Event]) -> Figures:
    """The figures of stored events, which know when they were stored."""
    reader = Reader()
    for event in events:
        reader.add(event, event.at)
    return reader.figures


@dataclass(slots=True)
class Figures:
    """What a batch has done since it was driven last."""

    planned: int | None = None
    begun: float = 0.0
    last: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    running: dict[str, float] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    """By document, in the order in which they failed."""
    quarantined: dict[str, str] = field(default_factory=dict)
    """Documents that were left alone, with their paths; they count as skipped."""
    ended: bool = False
    stopped: str = ""
    """Why it ended early."""
    _durations: Durations = field(default_factory=Durations)
    _recent: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    def add(self, event: Event, at: float) -> None:
        self.last = at
        name = item_name(event)
        if name is None:
            if event.kind in ("finished", "failed"):
                self.ended, self.stopped = True, str(event.payload.get("reason", ""))
        elif event.kind == "started":
            self.running[name] = at
        elif event.kind in ("finished", "failed", "hit"):
            self._count(name, {"output_key": event.key, **event.payload}, at)

    @property
    def done(self) -> int:
        return sum(self.counts.values())

    @property
    def worked(self) -> int:
        """Documents that were not found done."""
        return self.done - self.counts["skipped"]

    def rate(self, now: float) -> float:
        """Documents per second, lately."""
        if not self._recent:
            return 0.0
        began = self._recent[0] if len(self._recent) == RECENT else self.begun
        return len(self._recent) / max(now - began, 1e-3)

    def left_s(self, now: float) -> float | None:
        """Seconds until the end at that rate; None while nobody can tell."""
        rate = self.rate(now)
        if self.planned is None or not rate:
            return None
        return max(0, self.planned - self.done) / rate

    def percentile_s(self, percent: float) -> float:
        """The seconds that so many percent of the documents did not pass."""
        return self._durations.percentile(percent) / 1000

    def _count(self, document: str, payload: Mapping[str, object], at: float) -> None:
        self.running.pop(document, None)
        status = str(payload.get("status", "failed"))
        self.counts[status] += 1
        if status == "failed":
            told = (str(payload.get(name) or "") for name in ("reason", "category", "input_path", "output_key"))
            self.failures[document] = Failure(*told)
        if status == "skipped":
            if str(payload.get("reason", "")).startswith("in quarantine"):
                self.quarantined[document] = str(payload.get("input_path") or "")
            return
        self._recent.append(at)
        duration = payload.get("duration_s")
        if isinstance(duration, (int, float)):
            self._durations.add(duration * 1000)
        for counter, name in ((self.pages, "ledger"), (self.calls, "calls")):
            given = payload.get(name)
            if isinstance(given, dict):
                counter.update({key: count for key, count in given.items() if isinstance(count, int)})
