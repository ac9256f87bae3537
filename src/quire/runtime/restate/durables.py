"""The awaitables of a workflow on Restate: steps with their attempts, calls, timers and signals.

A workflow is not an asyncio task: `replay` drives it and waits for what it yields. So no internal exception of the SDK
passes through a workflow, and an await that is not in the journal is noticed (`runtime.guarding`).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from quire.core.context import Json, Retry
from quire.core.errors import RETRYABLE, RunCancelled
from quire.runtime.restate.messages import RunFailure
from quire.runtime.workflow_guards import begun, go_on

if TYPE_CHECKING:
    from restate import RestateDurableFuture

Attempting = Callable[[int], "RestateDurableFuture[bytes]"]
"""Starts the attempt of that number, from 1."""
Pausing = Callable[[Retry, int], "RestateDurableFuture[None]"]
"""A timer for the pause after the attempt of that number."""
MAX_GENERATIONS = 100
"""How many failures of other runs under one key a caller skips before it gives up."""


@dataclass(slots=True)
class Waits:
    """A wait of a workflow: for one of these operations, or for all."""

    durables: Sequence[Durable]
    every: bool


class Durable:
    """A pending operation. `future` belongs to the SDK; once it resolves, `advance` decides whether more is needed."""

    simple = True
    """Whether it is done when its first future resolves."""

    def __init__(self, future: RestateDurableFuture[Any]) -> None:
        self.future = future
        self.done = False
        self._value: Json = None
        self._error: Exception | None = None

    def __await__(self) -> Generator[Waits, None, Json]:
        while not self.done:
            yield Waits([self], every=True)
        if self._error is not None:
            raise self._error
        return self._value

    def advance(self, value: Any) -> None:
        """Its future resolved to this value."""
        self.give(value)

    def fail(self, failure: RunFailure) -> None:
        """Its future failed."""
        self.give(error=RunCancelled(failure.message) if failure.cancelled else failure.error())

    def give(self, value: Json = None, *, error: Exception | None = None) -> None:
        self.done, self._value, self._error = True, value, error


class SettledError(Durable):
    """An operation that failed at once."""

    def __init__(self, error: Exception) -> None:
        self.give(error=error)


class Converted(Durable):
    """A future whose value is converted."""

    def __init__(self, future: RestateDurableFuture[Any], convert: Callable[[Any], Json]) -> None:
        super().__init__(future)
        self._convert = convert

    def advance(self, value: Any) -> None:
        self.give(self._convert(value))


class DurableStep(Durable):
    """A step with its attempts. Each attempt is a journal entry, so that a failure is recorded like a result: a retry
    does not disturb concurrent steps, and attempts are counted across a crash."""

    def __init__(self, attempt: Attempting, retry: Retry, pause: Pausing) -> None:
        super().__init__(attempt(1))
        self.simple = retry.attempts == 1
        self._attempt, self._retry, self._pause = attempt, retry, pause
        self._number, self._pausing = 1, False

    def advance(self, value: Any) -> None:
        if self._pausing:
            self._pausing = False
            self._number += 1
            self.future = self._attempt(self._number)
            return
        reply = json.loads(value)
        if "error" not in reply:
            self.give(reply["value"])
            return
        failure = RunFailure.decode(reply["error"], 0)
        if self._number >= self._retry.attempts or not RETRYABLE[failure.category]:
            self.give(error=failure.error())
            return
        self._pausing = True
        self.future = self._pause(self._retry, self._number)


class Call(Durable):
    """A call of another workflow. One that failed for another run, or was cancelled together with another run, is
    retried under the next generation of its key; a failure for this run is final."""

    def __init__(self, call: Attempting, run: str) -> None:
        super().__init__(call(1))
        self._call, self._run, self._generation = call, run, 1

    def advance(self, value: Any) -> None:
        self.give(json.loads(value))

    def fail(self, failure: RunFailure) -> None:
        own = failure.run == self._run and not failure.cancelled
        if own or self._generation >= MAX_GENERATIONS:
            super().fail(failure)
        else:
            self._generation += 1
            self.future = self._call(self._generation)


class Signal(Durable):
    """A value from outside: it exists already when the request for it is recorded, or it comes later."""

    simple = False

    def __init__(self, wish: RestateDurableFuture[bytes], answer: RestateDurableFuture[Any]) -> None:
        super().__init__(wish)
        self._answer: RestateDurableFuture[Any] | None = answer

    def advance(self, value: Any) -> None:
        reply = json.loads(value)
        if self._answer is None or reply is not None:
            self.give(reply["value"])
        else:
            self.future, self._answer = self._answer, None


@dataclass(slots=True)
class _Strand:
    """One of the gathered awaitables."""

    play: Generator[Any, None, Json]
    workflow: str
    waits: Waits | None = None
    value: Json = None
    error: Exception | None = None

    def go_on(self) -> None:
        try:
            self.waits = go_on(self.play, Waits, self.workflow)
        except StopIteration as end:
            self.waits, self.value = None, end.value
        except RunCancelled:
            raise
        except Exception as error:
            self.waits, self.error = None, error

    @property
    def ready(self) -> bool:
        waits = self.waits
        return waits is not None and (all if waits.every else any)(one.done for one in waits.durables)


@dataclass(slots=True)
class All:
    """All gathered awaitables, including coroutines that await several things one after the other."""

    awaited: Sequence[Awaitable[Json]]
    workflow: str
    _strands: list[_Strand] = field(default_factory=list)

    def __await__(self) -> Generator[Waits, None, list[Json]]:
        self._strands = [_Strand(begun(one), self.workflow) for one in self.awaited]
        try:
            for strand in self._strands:
                strand.go_on()
            while waiting := [strand for strand in self._strands if strand.waits is not None]:
                yield self._wait_for(waiting)
                for strand in waiting:
                    if strand.ready:
                        strand.go_on()
        finally:
            for strand in self._strands:
                strand.play.close()
        for strand in self._strands:
            if strand.error is not None:
                raise strand.error
        return [strand.value for strand in self._strands]

    def _wait_for(self, waiting: Sequence[_Strand]) -> Waits:
        durables = [one for strand in waiting if strand.waits for one in strand.waits.durables if not one.done]
        # Waiting for any of them costs quadratic time, so it is done only where one completion can resume a strand.
        alone = all(isinstance(one, Durable) for one in self.awaited) and all(one.simple for one in durables)
        return Waits(durables, every=alone)
