"""Slots: the concurrency limit of an engine, in this process and over all processes that share a store.

A slot is released when the request has really ended. A request in a thread that was abandoned, because it timed out or
was cancelled, keeps its slot until the thread returns. When all slots belong to such requests, and all of them are past
their deadline, the next request is refused.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from threading import Condition

from quire.core.context import Claim, Store
from quire.core.engine import Costly
from quire.core.errors import EngineError
from quire.core.keys import ArtifactKey

POLL_S = 0.05
"""How often a wait checks whether it is cancelled."""
MANY = 32
"""Above this, only the processors of the machine limit the requests, not a server: no slot is claimed in the store."""

Check = Callable[[], None]
"""Raises when the run is cancelled."""


class TooSlow(EngineError):
    """No answer in time."""


_changed = Condition()
_taken: Counter[str] = Counter()
_left: dict[str, set[Slot]] = {}
"""The slots of abandoned requests."""


class Slot:
    """One slot of a concurrency limit. Any thread may release it, once."""

    def __init__(self, limit: str) -> None:
        self._limit = limit
        self._over = False
        self.due = 0.0
        """The deadline of an abandoned request, on the clock of `time.monotonic`."""
        self._claimed: tuple[Store, Claim] | None = None

    def claim(self, store: Store, places: int, check: Check) -> None:
        """Claim the slot in the store as well; waits while other processes hold all of them."""
        keys = [ArtifactKey(f"place/{self._limit}/{number}") for number in range(places)]
        while True:
            for key in keys:
                if (claim := store.claim(key)) is not None:
                    self._claimed = store, claim
                    return
            check()
            time.sleep(POLL_S)

    def leave(self, due: float) -> None:
        """Abandon a request that may still be running."""
        with _changed:
            if not self._over:
                self.due = due
                _left.setdefault(self._limit, set()).add(self)
                _changed.notify_all()

    def release(self) -> None:
        """Release the slot: the request has ended."""
        with _changed:
            if self._over:
                return
            self._over = True
            _taken[self._limit] -= 1
            _left.get(self._limit, set()).discard(self)
            _changed.notify_all()
        if self._claimed is not None:
            store, claim = self._claimed
            with suppress(Exception):  # a late one may find its store closed, which released everything
                store.release(claim)


def take_place(who: Costly, store: Store, check: Check, *, alone: bool = False) -> Slot:
    """Wait for a slot. `alone`: one request at a time, regardless of `max_concurrency`.

    Raises TooSlow when no slot will become free: all of them belong to requests past their deadline.
    """
    most = 1 if alone else max(1, who.max_concurrency)
    limit = str(getattr(who, "limit_name", "") or who.name)
    with _changed:
        while _taken[limit] >= most:
            if sum(place.due <= time.monotonic() for place in _left.get(limit, ())) >= most:
                raise TooSlow(who.name, "has not returned from an earlier request")
            check()
            _changed.wait(POLL_S)
        _taken[limit] += 1
    place = Slot(limit)
    try:
        if store.lasting and who.max_concurrency <= MANY:
            place.claim(store, most, check)
    except BaseException:
        place.release()
        raise
    return place


def _forget_in_child() -> None:
    """A forked process has none of the threads that hold slots here."""
    global _changed
    _changed = Condition()
    _taken.clear()
    _left.clear()


os.register_at_fork(after_in_child=_forget_in_child)
