"""Functions of others may be `async`: the one place that runs such a function to its end."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar, cast, overload

T = TypeVar("T")


@overload
def settled(value: Awaitable[T]) -> T: ...


@overload
def settled(value: T) -> T: ...


def settled(value: T | Awaitable[T]) -> T:
    """What a function returned; a coroutine is run to its end, in an event loop of its own.

    Called in worker processes and in threads that have no running event loop: those of pages, steps and engines.
    """
    if not hasattr(type(value), "__await__"):
        return cast(T, value)
    import asyncio  # takes time to import, and most stages are plain functions

    async def end() -> T:
        return await cast("Awaitable[T]", value)

    return asyncio.run(end())
