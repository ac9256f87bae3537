"""Connects worker threads with the event loop of the caller."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Semaphore, Thread
from typing import TypeVar

from quire.core.events import Event
from quire.pipelines.run import GLANCE_S, PipelineRun

T = TypeVar("T")

UNREAD = 1000
"""Unread events that may be queued before the work blocks (back-pressure)."""


async def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a daemon thread, which does not delay the exit of the program, and return its result."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(worked: Future[T]) -> None:
        if not done.cancelled():
            if error := worked.exception():
                done.set_exception(error)
            else:
                done.set_result(worked.result())

    def target() -> None:
        worked: Future[T] = Future()
        try:
            worked.set_result(work())
        except BaseException as error:
            worked.set_exception(error)
        with suppress(RuntimeError):  # the loop is closed, and with it the caller is gone
            loop.call_soon_threadsafe(settle, worked)

    Thread(target=target, name="quire-pipeline", daemon=True).start()
    return await done


class Feed:
    """A queue of events into an event loop. `tell` is called in worker threads, the rest in the loop."""

    def __init__(self) -> None:
        self._room = Semaphore(UNREAD)

    def open(self, run: PipelineRun) -> None:
        self._run = run
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Queue[Event | None] = asyncio.Queue()

    def tell(self, event: Event) -> None:
        while not self._room.acquire(timeout=GLANCE_S):
            if self._run.cancelled:  # there may be no reader any more
                return
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, event)

    def end(self) -> None:
        self._waiting.put_nowait(None)

    async def next(self) -> Event | None:
        """The next event, None after the last."""
        event = await self._waiting.get()
        self._room.release()
        return event
