"""Turns: the numbers that order waiting invocations, so that tenants and their runs share each pool.

Invocations are claimed in the order of their numbers. The first invocation of a tenant or run that has none waiting
gets the number of the one that is next, and each further one a number that is a turn later: a long document is
interleaved with those that come after it (start-time fair queueing).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

TURN = 1_000_000_000
"""Between two turns; numbers begin with the nanoseconds of the clock."""
NEW = TURN // 4
"""Between the first turns of two runs: a stream of short documents does not hold up a long one, and hardly waits for
it."""
REMEMBERED = 1000
"""Tenants of a pool that may be remembered after their last turn."""


class Turns:
    """The latest turns of tenants and runs, in this process. Thread-safe.

    `head` returns the number of the invocation of a pool that is claimed next; None when none is waiting.
    """

    def __init__(self, head: Callable[[str], int | None]) -> None:
        self._head = head
        self._lock = Lock()
        self._tenants: dict[str, dict[str, int]] = {}
        """The turn of the latest run, by pool and tenant."""
        self._runs: dict[str, dict[tuple[str, str], int]] = {}
        """The turn of the latest invocation of each run that has one waiting, by pool, and tenant and run."""
        self._newest: dict[str, int] = {}
        """The first turn of the newest run, by pool."""

    def of_run(self, pool: str, tenant: str) -> int:
        """The number of a new run of a tenant."""
        head = self._next(pool)
        with self._lock:
            turns = self._tenants.setdefault(pool, {})
            if len(turns) > REMEMBERED:
                turns = self._tenants[pool] = {name: turn for name, turn in turns.items() if turn > head}
            turns[tenant] = turn = max(head, turns.get(tenant, 0) + TURN)
            return turn

    def of_part(self, pool: str, tenant: str, run: str) -> int:
        """The number of an invocation that a run has called. Where several tenants wait, the runs of one share its
        turns."""
        head, own = self._next(pool), (tenant, run)
        with self._lock:
            runs = {one: turn for one, turn in self._runs.get(pool, {}).items() if turn >= head}
            before = runs.pop(own, None)
            shared = sum(name == tenant for name, _ in runs)
            apart = TURN * (1 + shared if shared < len(runs) else 1)
            if before is None:
                turn = self._newest[pool] = max(head, self._newest.get(pool, 0) + NEW)
            else:
                turn = before + apart
            self._runs[pool] = runs | {own: turn}
            return turn

    def _next(self, pool: str) -> int:
        head = self._head(pool)
        return time.time_ns() if head is None else head
