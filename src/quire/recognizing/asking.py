"""Asking an engine: where it runs, how many questions it takes at a time, and what it means to be too slow."""

from __future__ import annotations

import pickle
from threading import BoundedSemaphore, Lock

from quire.engine import Engine
from quire.errors import EngineError


class TooSlow(EngineError):
    """No answer in time."""


def in_worker(engine: Engine) -> bool:
    """Engines that wait for the network run here, and so do those that only this process knows.

    A class of the user's own script is not there in a worker, and a lambda cannot be sent to one.
    """
    if engine.policy == "io":
        return False
    try:
        return b"__main__" not in pickle.dumps(engine)
    except Exception:  # of foreign code: pickle itself says nothing about what may go wrong
        return False


_lock = Lock()
_limits: dict[tuple[str, int], BoundedSemaphore] = {}


def limit_of(engine: Engine) -> BoundedSemaphore:
    """At most as many questions at a time as the engine allows, over all reads of this process."""
    alone = engine.policy != "io" and not in_worker(engine)  # one object, which need not bear two threads
    most = 1 if alone else max(1, engine.max_concurrency)
    with _lock:
        return _limits.setdefault((engine.name, most), BoundedSemaphore(most))
