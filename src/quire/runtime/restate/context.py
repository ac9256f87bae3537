"""The context of a workflow on Restate."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any, TypeVar

from quire.core.context import ONCE, Json, Retry, Stopping, Workflow
from quire.core.errors import RunCancelled, RunError, StoreError
from quire.core.events import Event
from quire.runtime.restate import durables
from quire.runtime.restate.messages import Request, RunFailure
from quire.runtime.restate.run_tables import RunTables
from quire.runtime.workflow_guards import check_owner, encode_result, in_step

if TYPE_CHECKING:
    from restate import Context as Sdk
    from restate import RestateDurableFuture, RunOptions

T = TypeVar("T")
TELL_EVERY_S = 0.5
"""How long the events of a step are buffered, so that they are stored in one batch."""


class JournalMismatch(BaseException):
    """A replay differs from the journal. Not an Exception, so that workflows do not catch it."""


def service_of(pool: str) -> str:
    return f"quire-{pool}"


def handler_of(workflow: str) -> str:
    """Handler names consist of letters, digits and underscores."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in workflow)


def call_key(workflow: Workflow, key: str, generation: int) -> str:
    """The idempotency key of a call: equal calls share one invocation."""
    return f"{workflow.name}/{workflow.version}/{key}/{generation}"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The surroundings that all workflows of a worker share."""

    workflows: Mapping[str, Workflow]
    tables: RunTables
    in_thread: Callable[[str, str, Callable[[], bytes]], Coroutine[Any, Any, bytes]]
    """Runs a function in a thread of a pool, when it is the turn of a run."""
    scopes: frozenset[str] = frozenset()
    """Pools whose concurrency the server limits."""


class RestateContext:
    """One invocation, in the loop of a worker. Steps run in threads of the worker's pool."""

    def __init__(self, sdk: Sdk, around: Surroundings, request: Request, workflow: Workflow) -> None:
        self._sdk, self._around, self._request = sdk, around, request
        self._workflow, self._pool = workflow.name, workflow.pool
        self._task = asyncio.current_task()
        self._emitted: list[Event] = []
        self._lock = Lock()
        self._stored = time.monotonic()
        self.calls: list[durables.Call] = []
        self._thread = get_ident()
        self.cancelled = False
        self.closed = False

    @property
    def key(self) -> str:
        return self._request.key

    @property
    def run_id(self) -> str:
        return self._request.run

    @property
    def stopping(self) -> Stopping:
        return "now" if self.cancelled else ""

    def run(self, name: str, step: Callable[..., Json], *args: object, retry: Retry = ONCE) -> Awaitable[Json]:
        self._check("run")

        def once() -> bytes:
            """In a thread: the result or the failure; both are recorded, after the events emitted meanwhile."""
            try:
                outcome = b'{"value":' + encode_result(name, in_step(name, lambda: step(*args))) + b"}"
            except Exception as error:
                outcome = json.dumps({"error": RunFailure.of(error, self.run_id).encode()}).encode()
                if isinstance(error, StoreError):
                    self._around.tables.wait_until_there()  # otherwise the next attempt would come too early
            self._store_events()
            return outcome

        async def attempt() -> bytes:
            return await self._around.in_thread(self._pool, self.run_id, once)

        def begin(number: int) -> RestateDurableFuture[bytes]:
            named = name if number == 1 else f"{name}, attempt {number}"
            return self._asked(lambda: self._sdk.run_typed(named, attempt, _recorded()))

        return durables.DurableStep(begin, retry, self._pause)

    def call(self, workflow: str, key: str, argument: Json) -> Awaitable[Json]:
        self._check("call")
        known = self._around.workflows.get(workflow)
        if known is None:
            names = ", ".join(sorted(self._around.workflows))
            return durables.SettledError(
                RunError(f"no workflow is called {workflow}; choose from {names}", category="config")
            )
        try:
            data = Request(key, self.run_id, argument).encode()
        except (TypeError, ValueError) as error:
            return durables.SettledError(RunError(f"the argument of {workflow} cannot be serialised as JSON: {error}"))

        def call(generation: int) -> RestateDurableFuture[bytes]:
            return self._asked(
                lambda: self._sdk.generic_call(
                    service_of(known.pool),
                    handler_of(known.name),
                    data,
                    idempotency_key=call_key(known, key, generation),
                    scope=known.pool if known.pool in self._around.scopes else None,
                )
            )

        called = durables.Call(call, self.run_id)
        self.calls.append(called)
        return called

    def sleep(self, seconds: float) -> Awaitable[None]:
        self._check("sleep")
        return durables.Durable(self._asked(lambda: self._sdk.sleep(timedelta(seconds=max(0.0, seconds)))))

    def signal(self, name: str) -> Awaitable[Json]:
        self._check("signal")
        awakeable, answer = self._asked(lambda: self._sdk.awakeable(_bytes()))

        async def note() -> bytes:
            want = self._around.tables.signals.want
            return await self._around.in_thread(
                self._pool, self.run_id, lambda: json.dumps(want(self.run_id, name, awakeable)).encode()
            )

        return durables.Signal(self._asked(lambda: self._sdk.run_typed(f"want {name}", note, _recorded())), answer)

    def now(self) -> Awaitable[datetime]:
        self._check("now")
        return durables.Converted(self._asked(self._sdk.time), lambda seconds: datetime.fromtimestamp(seconds, UTC))

    def emit(self, event: Event) -> None:
        """Steps emit from their threads; events of a long step are stored while it runs."""
        with self._lock:
            self._emitted.append(replace(event, run=self.run_id))
        if get_ident() != self._thread and time.monotonic() > self._stored + TELL_EVERY_S:
            self._store_events()

    def take_events(self) -> list[Event]:
        """Take the events that are not stored yet."""
        with self._lock:
            events, self._emitted = self._emitted, []
            self._stored = time.monotonic()
        return events

    def _store_events(self) -> None:
        if events := self.take_events():
            self._around.tables.tell(self.run_id, events)

    async def gather(self, *awaited: Awaitable[Json]) -> list[Json]:
        check_owner(self._task, self._workflow, "gather")
        return await durables.All(awaited, self._workflow)

    def _pause(self, retry: Retry, number: int) -> RestateDurableFuture[None]:
        seconds = retry.pause_s(number, self._sdk.random().random())  # the same on replay
        return self._asked(lambda: self._sdk.sleep(timedelta(seconds=seconds)))

    def _check(self, method: str) -> None:
        check_owner(self._task, self._workflow, method)
        if self.cancelled or self.closed:
            raise RunCancelled(f"run {self.run_id} was cancelled" if self.cancelled else "the workflow has ended")

    def _asked(self, ask: Callable[[], T]) -> T:
        """Call the SDK. It refuses a call that differs from the journal at this position, and is then unusable."""
        from restate.vm import VMException  # type: ignore[attr-defined]  # no public name exists

        try:
            return ask()
        except VMException as error:
            raise JournalMismatch from error


@cache
def _bytes() -> Any:
    from restate.serde import BytesSerde

    return BytesSerde()


@cache
def _recorded() -> RunOptions[bytes]:
    """Raw bytes. An attempt that dies with its worker is retried; other failures are part of the recorded result."""
    from restate import RunOptions

    return RunOptions(serde=_bytes())
