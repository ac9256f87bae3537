"""Guards of a workflow, on every runtime: it awaits only what its context returns, and only it uses the context."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Generator
from contextvars import ContextVar
from typing import TypeVar, cast

from quire.core.context import MAX_RESULT, Json
from quire.core.errors import RunError, UsageError

T = TypeVar("T")
W = TypeVar("W")

_STEP: ContextVar[str] = ContextVar("quire-step", default="")
"""The step that this code is part of, also inside a nested `asyncio.run`."""


class ForeignAwait(BaseException):
    """A workflow awaits something that its context did not return. Not an Exception, so that it is not caught there."""

    def __init__(self, workflow: str, awaited: str) -> None:
        super().__init__(
            f"the workflow {workflow} awaits {awaited}, which did not come from its context and cannot be replayed; "
            "use ctx.sleep for timers, ctx.gather to wait for several calls, and a step (ctx.run) for everything else"
        )


def in_step(name: str, call: Callable[[], T]) -> T:
    """Call the function of a step, in its thread."""
    token = _STEP.set(name)
    try:
        return call()
    finally:
        _STEP.reset(token)


def check_owner(owner: asyncio.Task[object] | None, workflow: str, method: str) -> None:
    """Raises UsageError unless the caller is the code of the workflow itself: the task that replays it."""
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
    """An awaitable as a generator to drive; a coroutine is returned as it is, because it knows what it awaits."""
    return cast("Generator[object, None, Json]", awaited) if inspect.iscoroutine(awaited) else awaited.__await__()


def go_on(going: Generator[object, None, Json], waits: type[W], workflow: str, error: BaseException | None = None) -> W:
    """Resume a workflow until its next wait. Raises StopIteration at its end, whatever it raises, and ForeignAwait."""
    yielded = going.send(None) if error is None else going.throw(error)
    if isinstance(yielded, waits):
        return yielded
    awaited = _named(going)
    going.close()
    raise ForeignAwait(workflow, awaited)


class Guarded(Awaitable[Json]):
    """A workflow that an asyncio task can await: every wait is checked on its way to the event loop."""

    def __init__(self, workflow: str, function: Callable[[], Awaitable[Json]], waits: type[object]) -> None:
        self._workflow, self._function, self._waits = workflow, function, waits

    def __await__(self) -> Generator[object, None, Json]:
        going = begun(self._function())
        error: BaseException | None = None
        while True:
            try:
                yielded = go_on(going, self._waits, self._workflow, error)
            except StopIteration as end:
                return end.value
            try:
                error = None
                yield yielded
            except BaseException as thrown:  # cancelled: thrown into the workflow
                error = thrown


def _named(going: object) -> str:
    """The name of what is awaited, as far as it can be known: the innermost coroutine below the workflow."""
    found = ""
    awaited = getattr(going, "cr_await", None)
    while awaited is not None and hasattr(awaited, "cr_frame"):
        module = awaited.cr_frame.f_globals.get("__name__", "").partition(".")[0] if awaited.cr_frame else ""
        found = f"{module}.{awaited.__qualname__}".removeprefix(".")
        awaited = awaited.cr_await
    return found or "something"


def encode_result(name: str, result: Json) -> bytes:
    """A result as JSON. Raises RunError for one that is not JSON, or so large that it belongs in the store."""
    try:
        data = dumps(result)
    except (TypeError, ValueError) as error:
        raise RunError(f"{name} returns something that cannot be serialised as JSON: {error}") from error
    if len(data) > MAX_RESULT:
        raise RunError(
            f"{name} returns {len(data):,} bytes; at most {MAX_RESULT // 1024} KiB ({MAX_RESULT:,} bytes) are allowed: "
            "save it in the store and return its key"
        )
    return data


def dumps(value: Json) -> bytes:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
