"""Removes results some time after they were fetched, many at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

LEAST_S = 1.0
"""How long it waits at least before it removes more."""
AT_ONCE = 100


class FetchedResults:
    """The runs whose results were fetched, in the order in which they are removed. Called in the event loop.

    `remove` gets some runs at a time; it must not block.
    """

    def __init__(self, delay_s: float, remove: Callable[[Sequence[str]], object]) -> None:
        self._delay_s, self._remove = delay_s, remove
        self._due: dict[str, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, run: str) -> None:
        self._due.setdefault(run, time.monotonic() + self._delay_s)
        if self._timer is None:
            self._wait()

    def _wait(self) -> None:
        first = next(iter(self._due.values()))
        delay_s = max(first - time.monotonic(), LEAST_S if self._delay_s else 0.0)
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._sweep)

    def _sweep(self) -> None:
        self._timer = None
        now = time.monotonic()
        due = [run for run, at in self._due.items() if at <= now]
        for run in due:
            del self._due[run]
        for begin in range(0, len(due), AT_ONCE):
            self._remove(due[begin : begin + AT_ONCE])
        if self._due:
            self._wait()
