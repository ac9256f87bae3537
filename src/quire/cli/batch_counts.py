"""The counts of a batch, counted from its events: live while it runs, or later from the stored events."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal, NamedTuple

from quire.batch.durations import Durations
from quire.batch.manifest import LEFT_OUT, item_name
from quire.core.errors import PERMANENT, PasswordError, printable
from quire.core.events import Event

AGAIN = "run it again"
"""The end of reasons that are not the fault of the document, such as a file that changed while it was read."""
RECENT = 200
"""The number of latest documents that the rate is computed from."""

Remedy = Literal["again", "password", "options", "set-up", "access", "none"]
"""The remedy for a failure: running again, a password, other options, a missing installation or setting, access to the
file; none for a document that cannot be read."""


class FailedDocument(NamedTuple):
    """The failure of a document: its reason and its path."""

    reason: str
    category: str = ""
    path: str = ""
    key: str = ""
    """The key of the work in quarantine; empty for a missing file."""
    exit_code: int = 0

    @property
    def remedy(self) -> Remedy:
        """The remedy of the failure."""
        if self.exit_code == PasswordError.exit_code:
            return "password"
        if self.category == "usage":
            return "options"
        if self.category == "config":
            return "set-up"
        if self.category == "input" and not self.key:
            return "access"
        if self.category in PERMANENT and not self.reason.endswith(AGAIN):
            return "none"
        return "again"

    def line(self, document: str) -> str:
        """The document and the reason, without its name twice."""
        hint = " (set QUIRE_PASSWORD)" if self.remedy == "password" else ""
        return f"{document}: {without_name(self.reason, document)}{hint}"


def without_name(reason: str, document: str) -> str:
    """A reason without the name of its document, which is printed beside it."""
    names = (f"{printable(name)}: " for name in (document, PurePath(document).name))
    return reason.replace(next((name for name in names if name in reason), ""), "", 1)


def counts_of(events: Iterable[Event]) -> BatchCounts:
    """The counts of stored events, which carry the time at which they were stored."""
    batch = BatchCounts()
    for event in events:
        batch.add(event, event.at)
    return batch


@dataclass(slots=True)
class BatchCounts:
    """The outcomes of the documents of a batch. One that is resumed after an interruption keeps its earlier counts."""

    planned: int | None = None
    begun: float = 0.0
    last: float = 0.0
    statuses: dict[str, str] = field(default_factory=dict)
    """By document."""
    counts: Counter[str] = field(default_factory=Counter)
    """Documents by status."""
    pages: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    """Pages lost in steps of the flow."""
    running: dict[str, float] = field(default_factory=dict)
    failures: dict[str, FailedDocument] = field(default_factory=dict)
    """By document, in the order in which they failed."""
    quarantined: dict[str, FailedDocument] = field(default_factory=dict)
    """Documents that were not tried, and why they failed before; they count as skipped."""
    kept: dict[str, list[str]] = field(default_factory=dict)
    """Documents with output files that were changed by hand and kept, and the names of those."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Files that are not documents, and the kind of each."""
    ended: bool = False
    stopped: str = ""
    """The reason why the batch ended early."""
    _durations: Durations = field(default_factory=Durations)
    _recent: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    def add(self, event: Event, at: float) -> None:
        """Count an event. `at` is its time in seconds, on one clock for all events."""
        self.last = at
        name = item_name(event)
        if name is None and event.kind == "started":
            self._begin(event.payload.get("planned"), at)
        elif name is None and event.kind in ("finished", "failed"):
            self.ended, self.stopped = True, str(event.payload.get("reason", ""))
        elif name is not None and event.kind == "started":
            self.running[name] = at
        elif name is not None and event.kind in ("finished", "failed", "hit"):
            self._count(name, {"output_key": event.key, **event.payload}, at)

    def _begin(self, planned: object, at: float) -> None:
        """The batch starts, or resumes: rate and time left are computed from here on."""
        self.planned, self.begun = planned if isinstance(planned, int) else None, at
        self.ended, self.stopped = False, ""
        self.running.clear()
        self._recent.clear()

    @property
    def done(self) -> int:
        return len(self.statuses)

    @property
    def worked(self) -> int:
        """Documents that were processed, not skipped."""
        return self.done - self.counts["skipped"]

    def rate(self, now: float) -> float:
        """Documents per second over the most recent ones."""
        if not self._recent:
            return 0.0
        began = self._recent[0] if len(self._recent) == RECENT else self.begun
        return len(self._recent) / max(now - began, 1e-3)

    def left_s(self, now: float) -> float | None:
        """Seconds until the end at that rate; None while unknown."""
        rate = self.rate(now)
        if self.planned is None or not rate:
            return None
        return max(0, self.planned - self.done) / rate

    def percentile_s(self, percent: float) -> float:
        """The percentile of the durations, in seconds."""
        return self._durations.percentile(percent) / 1000

    def _count(self, document: str, payload: Mapping[str, object], at: float) -> None:
        self.running.pop(document, None)
        status = str(payload.get("status", "failed"))
        if status == LEFT_OUT:
            self.left_out[document] = str(payload.get("kind", ""))
            return
        if status == "skipped" and document in self.statuses:
            return  # this run finished it, or failed, before it was interrupted
        if before := self.statuses.get(document):
            self.counts -= Counter([before])
        self.statuses[document] = status
        self.counts[status] += 1
        self.failures.pop(document, None)
        named = {"reason": "reason", "category": "category", "path": "input_path", "key": "output_key"}
        code = payload.get("exit_code")
        failure = FailedDocument(
            **{name: str(payload.get(given) or "") for name, given in named.items()},
            exit_code=code if isinstance(code, int) else 0,
        )
        if status == "failed":
            self.failures[document] = failure
        if isinstance(kept := payload.get("kept"), list):
            self.kept[document] = [str(name) for name in kept]
        if status == "skipped":
            if failure.reason.startswith("in quarantine"):
                self.quarantined[document] = failure
            return
        if isinstance(lost := payload.get("lost"), dict):
            self.lost += sum(lost.values())
        self._recent.append(at)
        duration = payload.get("duration_s")
        if isinstance(duration, (int, float)):
            self._durations.add(duration * 1000)
        for counter, name in ((self.pages, "ledger"), (self.calls, "calls")):
            given = payload.get(name)
            if isinstance(given, dict):
                counter.update({key: count for key, count in given.items() if isinstance(count, int)})
