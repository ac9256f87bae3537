"""Between the threads that work and the event loop of whoever asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Semaphore, Thread
from typing import TypeVar

from quire.events import Event
from quire.pipeline.run import GLANCE_S, PipelineRun

T = TypeVar("T")

UNREAD = 1000
"""How many events may wait for somebody to take them before the work waits as well."""


async def in_thread(work: Callable[[], T]) -> T:
    """What `work` returns, done in a thread that does not hold up the end of the program."""
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
        with suppress(RuntimeError):  # the loop is gone, and with it whoever asked
            loop.call_soon_threadsafe(settle, worked)

    Thread(target=target, name="quire-pipeline", daemon=True).start()
    return await done


class Feed:
    """Events on their way to an event loop. `tell` is called in the threads that work, the rest in the loop."""

    def __init__(self) -> None:
        self._room = Semaphore(UNREAD)

    def open(self, run: PipelineRun) -> None:
        self._run = run
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Queue[Event | None] = asyncio.Queue()

    def tell(self, event: Event) -> None:
        while not self._room.acquire(timeout=GLANCE_S):
            if self._run.cancelled:  # nobody may be reading any more
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
