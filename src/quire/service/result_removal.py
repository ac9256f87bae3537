"""Removes results some time after they were fetched, many at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import islice
from threading import Condition, Event

from quire.system.supervisor import SupervisedThread

LEAST_S = 1.0
"""The shortest pause between two removals."""
AT_ONCE = 100


class FetchedResults:
    """The runs whose results were fetched, in the order in which they are removed. Thread-safe.

    `remove` gets some runs at a time, in a thread that starts with the first one; it is called again with those for
    which it raised, after the others.
    """

    def __init__(self, delay_s: float, remove: Callable[[Sequence[str]], object]) -> None:
        self._delay_s, self._remove = delay_s, remove
        self._changed = Condition()
        self._due: dict[str, float] = {}
        self._thread: SupervisedThread | None = None

    def add(self, run: str) -> None:
        with self._changed:
            self._due.setdefault(run, time.monotonic() + self._delay_s)
            if self._thread is None:
                self._thread = SupervisedThread("quire-results", self._sweep)
                self._thread.start()
            self._changed.notify_all()

    def close(self) -> None:
        """Stop removing: results that are not removed yet stay."""
        if self._thread is not None:
            self._thread.stop()
            with self._changed:
                self._changed.notify_all()
            self._thread.join()

    def _sweep(self, stopped: Event) -> None:
        """In the thread."""
        while due := self._next(stopped):
            try:
                self._remove(due)
            except Exception:
                with self._changed:
                    self._due |= dict.fromkeys(due, time.monotonic() + self._delay_s)
                raise

    def _next(self, stopped: Event) -> list[str]:
        """Take the runs to remove, once there are some; none when it is closed."""
        with self._changed:
            while not stopped.is_set():
                now = time.monotonic()
                due = list(islice((run for run, at in self._due.items() if at <= now), AT_ONCE))
                if due:
                    for run in due:
                        del self._due[run]
                    return due
                first = next(iter(self._due.values()), None)
                self._changed.wait(None if first is None else max(first - now, LEAST_S))
            return []
