"""Third-party functions may be `async`: the one place that runs such a function to completion."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar, cast, overload

T = TypeVar("T")

GLANCE_S = 0.5
"""The longest wait, in seconds: a signal that arrives just before it blocks does not interrupt it."""


@overload
def settled(value: Awaitable[T]) -> T: ...


@overload
def settled(value: T) -> T: ...


def settled(value: T | Awaitable[T]) -> T:
    """The result of a function; a coroutine is run to completion, in a new event loop.

    Called in worker processes and in any thread. In a thread whose event loop is running, such as that of a notebook
    cell, another thread runs the coroutine.
    """
    if not hasattr(type(value), "__await__"):
        return cast(T, value)
    import asyncio  # lazy: slow to import, and most stages are plain functions

    async def end() -> T:
        return await cast("Awaitable[T]", value)

    return asyncio.run(end()) if asyncio._get_running_loop() is None else _run_in_thread(end())


def _run_in_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine in a separate thread and wait. An interrupt of the wait cancels it, and it ends first."""
    import asyncio
    from concurrent.futures import Future, wait
    from contextlib import suppress
    from contextvars import copy_context
    from threading import Event, Thread

    interrupted = Event()
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []
    answer: Future[T] = Future()

    async def run() -> T:
        task = asyncio.ensure_future(coroutine)
        begun.append((asyncio.get_running_loop(), task))
        if interrupted.is_set():
            task.cancel()
        return await task

    def work() -> None:
        try:
            answer.set_result(asyncio.run(run()))
        except BaseException as error:
            answer.set_exception(error)

    thread = Thread(target=copy_context().run, args=(work,), name="quire-await", daemon=True)
    try:
        thread.start()
        while not answer.done():
            wait([answer], timeout=GLANCE_S)
        return answer.result()
    except BaseException:
        interrupted.set()
        for loop, task in begun:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(task.cancel)
        if thread.is_alive():
            thread.join()
        raise
