"""The supervisor of threads and tasks that live as long as their owner: each goes on after an error.

The error is logged, the restart counted, and the work called again after a back-off that doubles up to a bound.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable
from threading import Event, Lock, Thread

FIRST_S = 0.5
"""The first back-off; each further one is twice as long."""
LONGEST_S = 30.0
HEALTHY_S = 60.0
"""After work that ran for this long without an error, the back-off begins anew."""

_lock = Lock()
_restarts: Counter[str] = Counter()


def restarts() -> dict[str, int]:
    """Restarts after an error of each thread and task of this process, by name."""
    with _lock:
        return dict(_restarts)


class SupervisedThread(Thread):
    """A daemon thread that calls `work(stopped)`, and calls it again after an error, until it returns.

    `work` begins by looking at what is left to do. `stop` sets `stopped`, on which `work` may wait; a back-off ends.
    """

    def __init__(self, name: str, work: Callable[[Event], None], *, longest_s: float = LONGEST_S) -> None:
        super().__init__(name=name, daemon=True)
        self.stopped = Event()
        self._work, self._backoff = work, _Backoff(name, longest_s, self.stopped.is_set)

    def stop(self) -> None:
        self.stopped.set()

    def run(self) -> None:
        while not self.stopped.wait(self._backoff.wait_s):
            with self._backoff:
                self._work(self.stopped)
                return


async def supervised(name: str, work: Callable[[], Awaitable[None]], *, longest_s: float = LONGEST_S) -> None:
    """Await `work()` in the caller's task, and call it again after an error, until it returns."""
    import asyncio  # not for programs that only have threads

    backoff = _Backoff(name, longest_s)
    while True:
        with backoff:
            await work()
            return
        await asyncio.sleep(backoff.wait_s)


class _Backoff:
    """Surrounds work: logs and counts its error, and knows how long to wait after it."""

    def __init__(self, name: str, longest_s: float, over: Callable[[], bool] = lambda: False) -> None:
        """An error when it is `over` does not count: the owner has closed what the work uses."""
        self.wait_s = 0.0
        self._name, self._longest_s, self._over = name, longest_s, over
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        if not isinstance(error, Exception):
            return False
        if self._over():
            return True
        import logging  # only when something goes wrong

        from quire.core.errors import QuireError

        anew = not self.wait_s or time.monotonic() - self._began >= HEALTHY_S
        self.wait_s = min(FIRST_S if anew else 2 * self.wait_s, self._longest_s)
        with _lock:
            _restarts[self._name] += 1
        text = "%s failed, and starts again in %g s: %s"
        trace = None if isinstance(error, QuireError) else error  # one that says what happened and what to do
        logging.getLogger("quire").warning(text, self._name, self.wait_s, error, exc_info=trace)
        return True
