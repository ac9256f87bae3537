"""Places: how many questions something takes at a time, in this process and over all processes that share a store.

A place is given back when the question is really over. A question in a thread that was left behind, because it timed
out or was cancelled, keeps its place until the thread returns. When all places belong to such questions, and all of
them are past their time, the next question is refused.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from threading import Condition
from typing import Protocol

from quire.context import Claim, Store
from quire.engine import Policy
from quire.errors import EngineError
from quire.keys import ArtifactKey

POLL_S = 0.05
"""How often a wait looks whether it is cancelled."""
MANY = 32
"""A limit above this is no limit of a server: the processors of the machine are, and no place is claimed."""

Check = Callable[[], None]
"""Raises when the answer is not wanted any more."""


class Costly(Protocol):
    """What can be asked: an engine, an embedder, a language model.

    It may have a `limit_name`: those with the same one share their places, as two models of one server do. Without
    one the places are those of its name.
    """

    @property
    def name(self) -> str: ...

    @property
    def policy(self) -> Policy: ...

    @property
    def timeout_s(self) -> float: ...

    @property
    def max_concurrency(self) -> int: ...


class TooSlow(EngineError):
    """No answer in time."""


_changed = Condition()
_taken: Counter[str] = Counter()
_left: dict[str, set[Slot]] = {}
"""The places of questions that were left behind."""


class Slot:
    """One of the questions that are answered at a time. Any thread may give it back, once."""

    def __init__(self, limit: str) -> None:
        self._limit = limit
        self._over = False
        self.due = 0.0
        """When a question that was left behind should be over, on the clock of `time.monotonic`."""
        self._claimed: tuple[Store, Claim] | None = None

    def claim(self, store: Store, places: int, check: Check) -> None:
        """Take the place in the store as well; waits while other processes have them all."""
        keys = [ArtifactKey(f"place/{self._limit}/{number}") for number in range(places)]
        while True:
            for key in keys:
                if (claim := store.claim(key)) is not None:
                    self._claimed = store, claim
                    return
            check()
            time.sleep(POLL_S)

    def leave(self, due: float) -> None:
        """Nobody waits for the answer any more, and the question may still be under way."""
        with _changed:
            if not self._over:
                self.due = due
                _left.setdefault(self._limit, set()).add(self)
                _changed.notify_all()

    def release(self) -> None:
        """The question is over."""
        with _changed:
            if self._over:
                return
            self._over = True
            _taken[self._limit] -= 1
            _left.get(self._limit, set()).discard(self)
            _changed.notify_all()
        if self._claimed is not None:
            store, claim = self._claimed
            with suppress(Exception):  # a late one may find its store closed, which gave everything back
                store.release(claim)


def take_place(who: Costly, store: Store, check: Check, *, alone: bool = False) -> Slot:
    """Wait for a place. `alone`: one question at a time, whatever `max_concurrency` says.

    Raises TooSlow when no place will come free: all of them belong to questions past their time.
    """
    most = 1 if alone else max(1, who.max_concurrency)
    limit = str(getattr(who, "limit_name", "") or who.name)
    with _changed:
        while _taken[limit] >= most:
            if sum(place.due <= time.monotonic() for place in _left.get(limit, ())) >= most:
                raise TooSlow(who.name, "has not come back from an earlier question")
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
    """A forked process has none of the threads that hold places here."""
    global _changed
    _changed = Condition()
    _taken.clear()
    _left.clear()


os.register_at_fork(after_in_child=_forget_in_child)
