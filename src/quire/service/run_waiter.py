"""Waiting for runs to end, for any number of requests, with one thread."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Event, Lock

from quire.core.context import Runtime
from quire.system.supervisor import SupervisedThread

PORTION_S = 0.1
"""The seconds that the thread waits before it looks at newly awaited runs."""
AWAY_S = 5.0
"""The longest back-off when the database is away: requests time out meanwhile, or find their run later."""


class RunWaiter:
    """Resolves futures when runs end. Called in the event loop; the thread starts with the first wait."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = Lock()
        self._awaited: dict[str, set[asyncio.Future[None]]] = {}
        self._wanted = Event()
        self._thread: SupervisedThread | None = None

    async def ended(self, run: str, timeout_s: float) -> bool:
        """Whether the run has ended, within a timeout. True for an unknown run."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        with self._lock:
            self._awaited.setdefault(run, set()).add(future)
            if self._thread is None:
                self._thread = SupervisedThread("quire-waiter", self._wait, longest_s=AWAY_S)
                self._thread.start()
        self._wanted.set()
        try:
            await asyncio.wait_for(future, timeout_s)
        except TimeoutError:
            return False
        finally:
            with self._lock:
                left = self._awaited.get(run, set())
                left.discard(future)
                if not left:
                    self._awaited.pop(run, None)
        return True

    def close(self) -> None:
        if self._thread is not None:
            self._thread.stop()
            self._wanted.set()
            self._thread.join()

    def _wait(self, stopped: Event) -> None:
        """In the thread."""
        while not stopped.is_set():
            with self._lock:
                runs = list(self._awaited)
            if not runs:
                self._wanted.wait()
                self._wanted.clear()
                continue
            for run in self._runtime.wait_ended(runs, timeout_s=PORTION_S):
                with self._lock:
                    futures = self._awaited.pop(run, set())
                for future in futures:
                    with suppress(RuntimeError):  # its loop is closed
                        future.get_loop().call_soon_threadsafe(_resolve, future)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
