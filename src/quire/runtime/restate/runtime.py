"""The Restate runtime for callers: submit runs and query them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Unpack

from quire.core.context import Json, RunFilter, RunStatus, Workflow
from quire.core.errors import UsageError
from quire.core.events import Event
from quire.database.database import Database
from quire.database.runs import ENDED
from quire.net.restate_server import RestateServer, ServerInvocation, Unreachable
from quire.runtime.restate.context import handler_of, service_of
from quire.runtime.restate.messages import Request, RunFailure
from quire.runtime.restate.run_tables import RunTables

ATTACH_S = 5.0
"""How long one request waits for a result, before the state is checked again."""
GONE_S = 120.0
"""How long the server may be unreachable while a caller waits for a result: it may be restarting."""
PAUSE_S = 0.25
ENDED_S = 0.05
"""How often the database is queried for runs that have ended."""


class RestateRuntime:
    """Submits runs to a Restate server and queries them; workers elsewhere do the work. Thread-safe.

    The state of runs and their events are in the database that workers and callers share; where it disagrees with the
    server, the server wins.
    """

    sees_files = False

    def __init__(self, server: RestateServer, database: Database, workflows: Sequence[Workflow]) -> None:
        self._server = server
        self._tables = RunTables(database)
        self._runs = self._tables.runs
        self._workflows = {workflow.name: workflow for workflow in workflows}

    def check(self) -> None:
        self._server.check()

    def submit(self, flow: str, inputs: Json, *, key: str | None = None) -> str:
        if flow not in self._workflows:
            raise UsageError(f"no workflow is called {flow}; choose from {', '.join(sorted(self._workflows))}")
        try:
            Request("", "", inputs).encode()
        except (TypeError, ValueError) as error:
            raise UsageError(f"the inputs of {flow} cannot be serialised as JSON: {error}") from error
        run, new = self._runs.begin(flow, inputs, key=key)
        reference = None if new else self._runs.reference(run)
        if reference is None:
            self._hand_over(run)
        elif self.status(run).state in ("failed", "cancelled"):  # only the server knew that
            return self.submit(flow, inputs, key=key)
        elif (found := self._server.invocation(reference)) is not None and found.status == "paused":
            self._server.resume(reference)
        return run

    def status(self, run: str) -> RunStatus:
        status = self._runs.status(run)
        reference = self._runs.reference(run)
        if status.state in ENDED or reference is None:
            return status
        found = self._server.invocation(reference)
        if found is None:
            return self._after(run, status)
        if found.status == "completed":
            self._note_end(run, found)
            return self._after(run, status)
        if found.status in ("pending", "scheduled", "ready"):
            return status  # recorded by the worker that started it; it may only wait to be resumed
        if found.status == "paused":
            return replace(status, state="interrupted", error=found.last_failure)
        return replace(status, state="running")

    def events(self, run: str, *, after: int = 0) -> Iterator[Event]:
        return self._runs.events(run, after=after)

    def result(self, run: str, *, timeout_s: float | None = None) -> Json:
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            status = self._runs.status(run)
            if status.state == "failed":
                self._kill(run)
            if status.state in ENDED:
                return status.value()
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError(f"run {run} has not ended in {timeout_s} s; it continues")
            self._wait(run, ATTACH_S if left is None else min(ATTACH_S, left))

    def wait_ended(self, runs: Sequence[str], *, timeout_s: float) -> set[str]:
        """As the workers have recorded it. One that the server ended by itself is found by `status`."""
        ended = self._runs.ended(runs)
        if not ended:
            time.sleep(min(timeout_s, ENDED_S))
            ended = self._runs.ended(runs)
        return ended

    def runs(self, **chosen: Unpack[RunFilter]) -> list[RunStatus]:
        """As recorded in the database; `status` also asks the server."""
        return self._runs.list(**chosen)

    def pause(self, run: str) -> None:
        raise UsageError(f"run {run} is on Restate, where runs cannot be paused; cancel it and submit it again later")

    def cancel(self, run: str) -> None:
        status = self._runs.status(run)
        if status.state in ENDED:
            return
        self._runs.request_cancel(run)
        reference = self._runs.reference(run)
        if reference is None:  # never sent to the server; a worker that gets it all the same checks here first
            self._runs.finish(run, "cancelled", error=f"run {run} was cancelled")
        else:
            self._server.cancel(reference)

    def forget(self, run: str) -> None:
        if self.status(run).state not in ENDED:
            raise UsageError(f"run {run} has not ended; cancel it before you forget it")
        reference = self._runs.reference(run)
        if reference is not None:
            for invocation in (reference, *self._server.children(reference)):
                self._server.purge(invocation)
        self._tables.forget(run)

    def send(self, run: str, name: str, value: Json) -> None:
        self._runs.status(run)
        awakeables, answer = self._tables.signals.answer(run, name, value)
        for awakeable in awakeables:
            self._server.resolve(awakeable, {"value": answer})

    def close(self) -> None:
        """Nothing to close: runs continue on the workers."""

    def _hand_over(self, run: str) -> str:
        """Start a run on the server, or find the started one: the run's id is the idempotency key."""
        status = self._runs.status(run)
        workflow = self._workflows[status.flow]
        request = Request(status.key, run, status.inputs, root=True)
        reference = self._server.send(service_of(workflow.pool), handler_of(workflow.name), request.encode(), key=run)
        self._runs.refer(run, reference)
        return reference

    def _wait(self, run: str, timeout_s: float) -> None:
        """Wait for the end of a run, up to a timeout. Retries while the server is unreachable for a while."""
        reference = self._runs.reference(run) or self._hand_over(run)
        gone = time.monotonic() + GONE_S
        while True:
            try:
                answer = self._server.attach(reference, timeout_s)
                if answer is not None:
                    self.status(run)
                return
            except Unreachable:
                if time.monotonic() > gone:
                    raise
                time.sleep(PAUSE_S)

    def _note_end(self, run: str, found: ServerInvocation) -> None:
        """Record the end, which usually a worker does, for a run that was cancelled before it started, or killed."""
        if found.result == "success":
            return  # the worker is about to record it
        failure = RunFailure.decode(*_parse_failure(found.failure or ""))
        self._tables.ended(run, failure)

    def _kill(self, run: str) -> None:
        """Kill what the server still retries of a run that a worker found to be impossible."""
        reference = self._runs.reference(run)
        found = self._server.invocation(reference) if reference else None
        if reference and found is not None and found.status != "completed":
            self._server.kill(reference)

    def _after(self, run: str, before: RunStatus) -> RunStatus:
        """The status once the server no longer knows the run."""
        status = self._runs.status(run)
        return status if status.state in ENDED else replace(before, state="interrupted")


def _parse_failure(failure: str) -> tuple[str, int]:
    """Message and code from the server's text: `[409] cancelled`."""
    code, bracket, message = failure.removeprefix("[").partition("] ")
    first = code.split(" ")[0]
    return (message, int(first)) if bracket and first.isdigit() else (failure, 500)
