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

from quire.context import ONCE, Json, Retry, Stopping, Workflow
from quire.errors import RunCancelled, RunError, StoreError
from quire.events import Event
from quire.runtime.guarding import check_owner, in_step
from quire.runtime.restate import durables
from quire.runtime.restate.messages import Request, RunFailure, encode_result
from quire.runtime.restate.records import RunRecords

if TYPE_CHECKING:
    from restate import Context as Sdk
    from restate import RestateDurableFuture, RunOptions

T = TypeVar("T")
TELL_EVERY_S = 0.5
"""How long what a step tells is kept back, so that it is stored together."""


class JournalMismatch(BaseException):
    """The journal holds something else than the workflow asks for. Not for workflows to catch."""


def service_of(pool: str) -> str:
    return f"quire-{pool}"


def handler_of(workflow: str) -> str:
    """Names of handlers are letters, digits and underscores."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in workflow)


def call_key(workflow: Workflow, key: str, generation: int) -> str:
    """The idempotency key of a call: whoever asks for the same gets the same invocation."""
    return f"{workflow.name}/{workflow.version}/{key}/{generation}"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is the same for all workflows of a worker."""

    workflows: Mapping[str, Workflow]
    records: RunRecords
    in_thread: Callable[[str, Callable[[], bytes]], Coroutine[Any, Any, bytes]]
    """Runs something in a thread of a pool."""
    scopes: frozenset[str] = frozenset()
    """Pools whose calls the server limits."""


class RestateContext:
    """One invocation, in the loop of a worker. Steps run in threads of the worker's pool."""

    def __init__(self, sdk: Sdk, around: Surroundings, request: Request, workflow: Workflow) -> None:
        self._sdk, self._around, self._request = sdk, around, request
        self._workflow, self._pool = workflow.name, workflow.pool
        self._task = asyncio.current_task()
        self._told: list[Event] = []
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
            """In a thread: the result or the failure, both are recorded, after what was told on the way."""
            try:
                outcome = b'{"value":' + encode_result(name, in_step(name, lambda: step(*args))) + b"}"
            except Exception as error:
                outcome = json.dumps({"error": RunFailure.of(error, self.run_id).encode()}).encode()
                if isinstance(error, StoreError):
                    self._around.records.wait_until_there()  # else the next attempt would come too early
            self._store_told()
            return outcome

        async def attempt() -> bytes:
            return await self._around.in_thread(self._pool, once)

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
                RunError(f"there is no workflow {workflow}; there are {names}", category="config")
            )
        try:
            data = Request(key, self.run_id, argument).encode()
        except (TypeError, ValueError) as error:
            return durables.SettledError(RunError(f"what {workflow} is called with is no JSON: {error}"))

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
            want = self._around.records.signals.want
            return await self._around.in_thread(
                self._pool, lambda: json.dumps(want(self.run_id, name, awakeable)).encode()
            )

        return durables.Signal(self._asked(lambda: self._sdk.run_typed(f"want {name}", note, _recorded())), answer)

    def now(self) -> Awaitable[datetime]:
        self._check("now")
        return durables.Converted(self._asked(self._sdk.time), lambda seconds: datetime.fromtimestamp(seconds, UTC))

    def emit(self, event: Event) -> None:
        """Steps tell from their threads; what takes long is heard of meanwhile."""
        with self._lock:
            self._told.append(replace(event, run=self.run_id))
        if get_ident() != self._thread and time.monotonic() > self._stored + TELL_EVERY_S:
            self._store_told()

    def take_told(self) -> list[Event]:
        """What is not stored yet."""
        with self._lock:
            told, self._told = self._told, []
            self._stored = time.monotonic()
        return told

    def _store_told(self) -> None:
        if told := self.take_told():
            self._around.records.tell(self.run_id, told)

    async def gather(self, *awaited: Awaitable[Json]) -> list[Json]:
        check_owner(self._task, self._workflow, "gather")
        return await durables.All(awaited, self._workflow)

    def _pause(self, retry: Retry, number: int) -> RestateDurableFuture[None]:
        seconds = retry.pause_s(number, self._sdk.random().random())  # the same on replay
        return self._asked(lambda: self._sdk.sleep(timedelta(seconds=seconds)))

    def _check(self, method: str) -> None:
        check_owner(self._task, self._workflow, method)
        if self.cancelled or self.closed:
            raise RunCancelled(f"run {self.run_id} was cancelled" if self.cancelled else "the workflow has left")

    def _asked(self, ask: Callable[[], T]) -> T:
        """What the SDK gives. It refuses what is not in the journal at this place, and is of no use after that."""
        from restate.vm import VMException  # type: ignore[attr-defined]  # nothing public says this

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
    """Bytes as they are. An attempt that its worker does not survive is begun again; others fail by their result."""
    from restate import RunOptions

    return RunOptions(serde=_bytes())
