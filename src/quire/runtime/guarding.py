"""Guards of a workflow, the same on every runtime: it awaits only what its context gives, and only it uses that."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator
from contextvars import ContextVar
from typing import TypeVar, cast

from quire.context import Json
from quire.errors import UsageError

T = TypeVar("T")
W = TypeVar("W")

_STEP: ContextVar[str] = ContextVar("quire-step", default="")
"""The step that this code is a part of, also inside of an `asyncio.run` of its own."""


class ForeignAwait(BaseException):
    """A workflow awaits something that its context did not give. Not an Exception, so that it cannot hide it."""

    def __init__(self, workflow: str, awaited: str) -> None:
        super().__init__(
            f"the workflow {workflow} awaits {awaited}, which did not come from its context and cannot be replayed; "
            "use ctx.sleep for timers, ctx.gather to wait for several calls, and a step (ctx.run) for everything else"
        )


def in_step(name: str, call: Callable[[], T]) -> T:
    """Call what a step does, in its thread."""
    token = _STEP.set(name)
    try:
        return call()
    finally:
        _STEP.reset(token)


def check_owner(owner: asyncio.Task[object] | None, workflow: str, method: str) -> None:
    """Raises UsageError unless the code of the workflow itself calls: the task that plays it."""
    try:
        current = asyncio.current_task()
    except RuntimeError:  # a thread without a loop
        current = None
    if current is not None and current is owner:
        return
    step = _STEP.get()
    where = f"its step {step!r}" if step else "another task or thread"
    raise UsageError(
        f"the workflow {workflow}: {where} uses ctx.{method}, which belongs to the code of the workflow; let the step "
        f"return, and call ctx.{method} after it. A step may only use ctx.emit, ctx.key and ctx.run_id"
    )


def begun(awaited: Awaitable[Json]) -> Generator[object, None, Json]:
    """Something to await, ready to be played; a coroutine as it is, which knows what it awaits."""
    return cast("Generator[object, None, Json]", awaited) if inspect.iscoroutine(awaited) else awaited.__await__()


def go_on(going: Generator[object, None, Json], waits: type[W], workflow: str, error: BaseException | None = None) -> W:
    """Let a workflow go on to its next wait. Raises StopIteration at its end, what it raises, and ForeignAwait."""
    told = going.send(None) if error is None else going.throw(error)
    if isinstance(told, waits):
        return told
    awaited = _named(going)
    going.close()
    raise ForeignAwait(workflow, awaited)


class Guarded(Awaitable[Json]):
    """A workflow as a task of an event loop may await it: every wait is looked at on its way to the loop."""

    def __init__(self, workflow: str, function: Callable[[], Awaitable[Json]], waits: type[object]) -> None:
        self._workflow, self._function, self._waits = workflow, function, waits

    def __await__(self) -> Generator[object, None, Json]:
        going = begun(self._function())
        error: BaseException | None = None
        while True:
            try:
                told = go_on(going, self._waits, self._workflow, error)
            except StopIteration as end:
                return end.value
            try:
                error = None
                yield told
            except BaseException as thrown:  # cancelled: the workflow hears of it
                error = thrown


def _named(going: object) -> str:
    """What is awaited, as far as Python can tell: the innermost coroutine below the workflow."""
    found = ""
    awaited = getattr(going, "cr_await", None)
    while awaited is not None and hasattr(awaited, "cr_frame"):
        module = awaited.cr_frame.f_globals.get("__name__", "").partition(".")[0] if awaited.cr_frame else ""
        found = f"{module}.{awaited.__qualname__}".removeprefix(".")
        awaited = awaited.cr_await
    return found or "something"
