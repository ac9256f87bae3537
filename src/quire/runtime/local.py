"""The runtime of one machine: a journal in the store's database, and a scheduler in every process that opens it.

`inline` is the same scheduler over an in-memory journal.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from types import TracebackType
from typing import Unpack

from quire.core.context import Json, RunFilter, RunStatus, Workflow
from quire.core.errors import QuireError, UsageError
from quire.core.events import Event
from quire.database.database import Database
from quire.database.journal import Invocation, Journal
from quire.database.leases import LEASE_S, Claims
from quire.database.runs import ENDED, Runs, claim_of
from quire.database.sqlite import SqliteDatabase
from quire.runtime.scheduler import POLL_S, Scheduler


class LocalRuntime:
    """Runs workflows on this machine. Processes with the same database share the work and the results.

    The scheduler starts with the first `submit`, `result` or `serve`; querying runs needs none. `pools` limits how many
    invocations of a pool this process runs concurrently, half as many more for tenants and runs that have none running;
    0 leaves a pool to other processes.
    """

    def __init__(
        self,
        database: Database,
        workflows: Sequence[Workflow],
        *,
        pools: Mapping[str, int] | None = None,
        lease_s: float = LEASE_S,
        replay_always: bool = False,
    ) -> None:
        self._database = database
        self._workflows = {workflow.name: workflow for workflow in workflows}
        self._pools = dict(pools or {})
        self._claims = Claims(database, lease_s=lease_s)
        self._replay_always = replay_always
        self._scheduler: Scheduler | None = None
        self._opening = Lock()
        self._runs = Runs(database)

    @property
    def sees_files(self) -> bool:
        return self._database.one_machine

    def check(self) -> None:
        """Nothing to check: this process does the work itself."""

    def knows(self, flow: str) -> bool:
        """Whether a workflow of that name exists."""
        return flow in self._workflows

    @property
    def trouble(self) -> QuireError | None:
        """Why the scheduler cannot work at the moment."""
        return self._scheduler.trouble if self._scheduler is not None else None

    def submit(self, flow: str, inputs: Json, *, key: str | None = None) -> str:
        workflow = self._workflows.get(flow)
        if workflow is None:
            known = ", ".join(self._workflows)
            raise UsageError(f"no workflow is called {flow!r}; choose from {known}")
        scheduler = self.serve()
        with self._database.transaction(lasting=True):
            run, new = self._begin(flow, inputs, key)
            if not new:
                self._runs.proceed(run)
            if new or self._runs.status(run).state not in ENDED:
                pool = workflow.pool_of(inputs) if workflow.pool_of is not None else workflow.pool
                root = Invocation(claim_of(run), run, flow, workflow.version, pool, inputs)
                scheduler.start(root)
        scheduler.wake()
        return run

    def status(self, run: str) -> RunStatus:
        return self._runs.status(run)

    def events(self, run: str, *, after: int = 0) -> Iterator[Event]:
        return self._runs.events(run, after=after)

    def result(self, run: str, *, timeout_s: float | None = None) -> Json:
        """Wait for the end. Raises StoreError when the database cannot be written: the run continues once it can."""
        scheduler = self.serve()
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while (status := self.status(run)).state not in ENDED:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError(f"run {run} is {status.state} after {timeout_s:g} s")
            if scheduler.trouble is not None:
                raise scheduler.trouble
            with scheduler.ended:
                scheduler.ended.wait(POLL_S if left is None else min(POLL_S, left))
        return status.value()

    def wait_ended(self, runs: Sequence[str], *, timeout_s: float) -> set[str]:
        scheduler = self.serve()
        seen = scheduler.ended_runs
        ended = self._runs.ended(runs)
        if not ended:
            with scheduler.ended:
                scheduler.ended.wait_for(lambda: scheduler.ended_runs != seen, timeout_s)
            ended = self._runs.ended(runs)
        return ended

    def cancel(self, run: str) -> None:
        with self._database.transaction(lasting=True):
            self._runs.request_cancel(run)
            if claim_of(run) in Journal(self._database, self._claims).cancel(run):
                self._runs.finish(run, "cancelled", error=f"run {run} was cancelled")
        if self._scheduler is not None:
            self._scheduler.wake()

    def pause(self, run: str) -> None:
        self._runs.pause(run)
        if self._scheduler is not None:
            self._scheduler.pause(run)

    def forget(self, run: str) -> None:
        self._runs.forget(run)

    def runs(self, **chosen: Unpack[RunFilter]) -> list[RunStatus]:
        return self._runs.list(**chosen)

    def send(self, run: str, name: str, value: Json) -> None:
        self.status(run)
        Journal(self._database, self._claims).send(claim_of(run), name, value)
        if self._scheduler is not None:
            self._scheduler.wake()

    def serve(self) -> Scheduler:
        """Start working on queued invocations, until this runtime is closed."""
        with self._opening:  # several threads may submit first
            if self._scheduler is None:
                self._scheduler = Scheduler(
                    self._database,
                    self._claims,
                    tuple(self._workflows.values()),
                    self._pools,
                    replay_always=self._replay_always,
                )
            return self._scheduler

    def close(self, *, patience_s: float = 0.0) -> None:
        """Stop, after waiting up to `patience_s` for the running steps; other processes do the rest.

        The database stays open: its owner closes it.
        """
        if self._scheduler is not None:
            if patience_s:
                self._scheduler.drain(patience_s)
            for workflow in self._workflows.values():
                if workflow.close is not None:
                    workflow.close()
            self._scheduler.close()
            self._scheduler = None
        self._claims.close()

    def hurry(self) -> None:
        """Make a waiting `close` return. Safe to call from any thread and from a signal handler."""
        if self._scheduler is not None:
            self._scheduler.hurried = True

    def __enter__(self) -> LocalRuntime:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, flow: str, inputs: Json, key: str | None) -> tuple[str, bool]:
        try:
            return self._runs.begin(flow, inputs, key=key)
        except (TypeError, ValueError) as error:
            raise UsageError(f"the inputs of {flow} cannot be serialised as JSON: {error}") from error


def inline(
    workflows: Sequence[Workflow], *, pools: Mapping[str, int] | None = None, replay_always: bool = False
) -> LocalRuntime:
    """An in-memory runtime: nothing outlives the process. For single reads and for tests."""
    return LocalRuntime(SqliteDatabase(None), workflows, pools=pools, replay_always=replay_always)
