"""The workflows of Quire as services of a Restate endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from quire.core.context import Workflow
from quire.core.errors import ConfigurationError, UsageError, install_advice
from quire.core.events import Event
from quire.runtime.restate.context import JournalMismatch, RestateContext, Surroundings, handler_of, service_of
from quire.runtime.restate.messages import CANCELLED, FAILED, Request, RunFailure
from quire.runtime.restate.pool_slots import PoolSlots
from quire.runtime.restate.replay import play
from quire.runtime.restate.run_tables import RunTables

if TYPE_CHECKING:
    from restate import Context as Sdk
    from restate import Service

REST_S = 0.1
LEAVE_TRIES = 4
App = Callable[[Any, Any, Any], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """Options of the services for the Restate server."""

    waiting_s: float = 60.0
    """Inactivity timeout of the pool `documents`, whose workflows wait for others: after this long the server asks one
    to suspend until it can continue."""
    working_s: float = 600.0
    """Inactivity timeout of the other pools, which work. A workflow that waits for a step cannot suspend, and learns
    of a cancel only when the step has ended."""
    abort_timeout_s: float = 3600.0
    """Abort timeout: a step that takes longer after that is aborted and retried. More than the slowest engine needs."""
    retention_s: float = 24 * 3600.0
    """How long results are kept for callers with the same key. Later ones find the artifacts in the store."""
    retry_interval_s: float = 0.1
    max_retry_interval_s: float = 20.0
    max_attempts: int = 500
    """Attempts without progress, such as while no worker answers, before the server pauses an invocation."""


class Endpoint:
    """Serves the workflows of some pools. Belongs to one event loop; steps run in its threads."""

    def __init__(
        self,
        workflows: Sequence[Workflow],
        tables: RunTables,
        *,
        slots: Mapping[str, int],
        options: ServiceOptions | None = None,
        scopes: frozenset[str] = frozenset(),
    ) -> None:
        """`slots` says which pools are served, and how many steps of each run concurrently."""
        self._workflows = {workflow.name: workflow for workflow in workflows}
        self._tables = tables
        self._options = options or ServiceOptions()
        self._threads = {pool: ThreadPoolExecutor(many, f"quire-{pool}") for pool, many in slots.items()}
        self._slots = {pool: PoolSlots(many) for pool, many in slots.items()}
        self._keeping = ThreadPoolExecutor(4, "quire-run-tables")
        self._around = Surroundings(self._workflows, tables, self._in_thread, scopes)
        self._steps = 0
        self._requests: set[asyncio.Task[Any]] = set()
        self._draining = asyncio.Event()
        self._leaving = False
        self._idle = asyncio.Event()
        self._app = self._services()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """An ASGI application. While it drains it refuses new work, and its health check fails."""
        if scope["type"] == "lifespan":
            return  # Hypercorn continues without
        if self._draining.is_set():
            await send({"type": "http.response.start", "status": 503, "headers": []})
            await send({"type": "http.response.body", "body": b"this worker is shutting down"})
            return
        request = asyncio.current_task()
        assert request is not None
        self._requests.add(request)
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            if not self._leaving:
                raise
            request.uncancel()
            with suppress(Exception):  # the stream ends, and the server retries on another worker
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._requests.discard(request)

    async def drain(self, timeout_s: float) -> bool:
        """Accept nothing new, start no step, and wait for the running ones; whether they all ended in time. Invocations
        that still wait for others are left to another worker."""
        self._draining.set()
        self._look()
        try:
            await asyncio.wait_for(self._idle.wait(), timeout_s)
        except TimeoutError:
            return False
        await self._rest()  # results of the last steps are sent, and finished invocations end
        return True

    async def leave(self) -> None:
        """Cancel the remaining invocations."""
        self._draining.set()
        self._leaving = True
        for _ in range(LEAVE_TRIES):  # the SDK catches the first: it sends what it has, and waits again
            for request in self._requests:
                request.cancel()
            await self._rest()

    async def _rest(self) -> None:
        """Give requests a moment to end."""
        if self._requests:
            await asyncio.wait(self._requests, timeout=REST_S)

    def close(self) -> None:
        for threads in (*self._threads.values(), self._keeping):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _in_thread(self, pool: str, run: str, work: Callable[[], bytes]) -> bytes:
        async with self._slots[pool].slot(run):
            if self._draining.is_set():
                await asyncio.Event().wait()  # until the connection ends: another worker runs it
            self._steps += 1
            try:
                return await asyncio.get_running_loop().run_in_executor(self._threads[pool], work)
            finally:
                self._steps -= 1
                self._look()

    def _look(self) -> None:
        if self._draining.is_set() and not self._steps:
            self._idle.set()

    async def _keep(self, change: Callable[..., Any], *args: Any) -> Any:
        """A database operation, in a thread. Retried while the database does not answer: running work is not lost."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._keeping, lambda: self._tables.patiently(lambda: change(*args)))

    def _services(self) -> App:
        try:
            import restate
        except ImportError as error:
            raise ConfigurationError(f"workers need the Restate SDK: {install_advice('restate')}") from error
        app: App = restate.app([self._service(pool) for pool in self._threads], "bidi")
        return app

    def _service(self, pool: str) -> Service:
        from restate import InvocationRetryPolicy, Service
        from restate.serde import BytesSerde

        options = self._options
        service = Service(
            service_of(pool),
            inactivity_timeout=timedelta(seconds=options.waiting_s if pool == "documents" else options.working_s),
            abort_timeout=timedelta(seconds=options.abort_timeout_s),
            idempotency_retention=timedelta(seconds=options.retention_s),
            journal_retention=timedelta(seconds=options.retention_s),
            invocation_retry_policy=InvocationRetryPolicy(
                initial_interval=timedelta(seconds=options.retry_interval_s),
                exponentiation_factor=2.0,
                max_interval=timedelta(seconds=options.max_retry_interval_s),
                max_attempts=options.max_attempts,
                on_max_attempts="pause",
            ),
        )
        for workflow in self._workflows.values():
            if workflow.pool == pool:
                service.handler(handler_of(workflow.name), input_serde=BytesSerde(), output_serde=BytesSerde())(
                    self._handler(workflow)
                )
        return service

    def _handler(self, workflow: Workflow) -> Callable[[Sdk, bytes], Awaitable[bytes]]:
        async def handle(sdk: Sdk, data: bytes) -> bytes:
            return await self._handle(workflow, sdk, Request.decode(data))

        handle.__annotations__ = {}  # the SDK would evaluate them, and type-only imports do not exist

        return handle

    async def _handle(self, workflow: Workflow, sdk: Sdk, request: Request) -> bytes:
        """Run a workflow and record its end for the server and, when it is the root of a run, in the database."""
        from restate import TerminalError

        outcome = await self._obstacle(request) if request.root and not _replaying() else None
        if outcome is None:
            context = RestateContext(sdk, self._around, request, workflow)
            try:
                outcome = await play(workflow, context, request.argument, partial(self._store_events, request.run))
            except JournalMismatch as error:
                await self._keep(self._lost, workflow, request.run)
                raise error.__cause__ or error from None
        if request.root:
            await self._keep(self._tables.ended, request.run, outcome)
        if isinstance(outcome, RunFailure):
            raise TerminalError(outcome.encode(), CANCELLED if outcome.cancelled else FAILED)
        return outcome

    async def _obstacle(self, request: Request) -> bytes | RunFailure | None:
        """Record that a run starts; returns the reason if it must not."""
        try:
            if await self._keep(self._tables.started, request.run):
                return None
        except UsageError:
            return RunFailure(
                f"a worker got run {request.run}, which is not in its database; "
                "start workers with the same --store and --facts as the submitter",
                "config",
                request.run,
            )
        return RunFailure(f"run {request.run} was cancelled", run=request.run, cancelled=True)

    async def _store_events(self, run: str, events: Sequence[Event]) -> None:
        await self._keep(self._tables.runs.append, run, events)

    def _lost(self, workflow: Workflow, run: str) -> None:
        """Fail a run whose code has changed since it started, or is not deterministic: it cannot continue."""
        self._tables.runs.finish(
            run,
            "failed",
            error=f"the replay of the workflow {workflow.name} differs from its journal: its code has "
            "changed since it started, or is not deterministic; submit it again, what is done is in the store",
        )


def _replaying() -> bool:
    """Whether the journal holds entries beyond the current position: stopping now would differ from the first run."""
    from restate.server_context import restate_context_is_replaying

    return restate_context_is_replaying.get()
