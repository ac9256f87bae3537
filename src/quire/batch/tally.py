"""Counters of a stage: outcomes of its items, durations, and the estimated time left."""

from __future__ import annotations

import bisect
import time

from quire.batch.contracts import ItemOutcome, StageError, StageOutcome
from quire.batch.durations import Durations
from quire.batch.worker_call import Called

ERRORS_KEPT = 1000


class Tally:
    """The counts of a stage. Memory does not grow with the number of items."""

    def __init__(self, total_items: int | None) -> None:
        self._total = total_items
        self._began = time.monotonic()
        self.taken = self.scheduled = self.skipped = self.succeeded = self.failed = 0
        self.queued, self._executed = Durations(), Durations()
        self._cpu_ms = 0.0
        self._errors: list[tuple[int, StageError]] = []

    @property
    def undone(self) -> int:
        """Items that were admitted and have not ended."""
        return self.taken - self.skipped - self.succeeded - self.failed

    def ran(self, called: Called) -> None:
        self._executed.add(called.ms)
        self._cpu_ms += called.cpu_ms

    def ended(self, outcome: ItemOutcome) -> None:
        match outcome.status:
            case "skipped":
                self.skipped += 1
            case "failed":
                self.failed += 1
            case _:
                self.succeeded += 1

    def note(self, number: int, error: StageError) -> None:
        """Add an error, in the order of the plan."""
        bisect.insort(self._errors, (number, error), key=lambda kept: kept[0])
        del self._errors[ERRORS_KEPT:]

    def progress(self, running: int) -> dict[str, object]:
        """The counts so far, with the rate in items per second and the seconds left at that rate."""
        seconds = time.monotonic() - self._began
        worked = self.succeeded + self.failed
        rate = worked / seconds if seconds > 0 else 0.0
        left = None if self._total is None else max(0, self._total - worked - self.skipped)
        return {
            "planned": self._total,
            "succeeded": self.succeeded,
            "skipped": self.skipped,
            "failed": self.failed,
            "running": running,
            "rate": round(rate, 3),
            "eta_s": round(left / rate, 1) if left is not None and rate > 0 else None,
            "exec_p50_ms": self._executed.percentile(50),
            "exec_p95_ms": self._executed.percentile(95),
        }

    def outcome(self, why_stopped: str) -> StageOutcome:
        return StageOutcome(
            planned=max(self.taken, self._total or 0) if why_stopped else self.taken,
            scheduled=self.scheduled,
            skipped=self.skipped,
            succeeded=self.succeeded,
            failed=self.failed,
            cancelled=bool(why_stopped),
            cancelled_reason=why_stopped,
            wall_ms=round((time.monotonic() - self._began) * 1000, 3),
            queue_p50_ms=self.queued.percentile(50),
            queue_p95_ms=self.queued.percentile(95),
            exec_p50_ms=self._executed.percentile(50),
            exec_p95_ms=self._executed.percentile(95),
            exec_p99_ms=self._executed.percentile(99),
            cpu_time_total_ms=round(self._cpu_ms, 3),
            errors=tuple(error for _, error in self._errors),
        )
