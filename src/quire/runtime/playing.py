"""One workflow being played: what it asks for is taken from the journal, or done and recorded."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Generator
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from quire.context import MAX_RESULT, ONCE, Claim, Context, Json, Retry, Workflow
from quire.errors import RETRYABLE, FencedError, RunCancelled, RunError, category_of
from quire.events import Event, reason_of
from quire.runtime.journal import Ending, Invocation, Step

if TYPE_CHECKING:
    from quire.runtime.local import Engine


class Mismatch(BaseException):
    """The workflow asks for something else than it did before: its code has changed, or it is not deterministic.

    Not an Exception, so that a workflow does not catch it.
    """


class Play:
    """The life of one invocation in this process. Everything here runs in the thread of the engine's loop, but for
    the steps themselves, which run in threads of the pool.

    What was begun belongs to the invocation, not to one playing of its code: when the code is played again, it
    finds what is recorded, and waits for what is under way.
    """

    def __init__(self, engine: Engine, workflow: Workflow, invocation: Invocation, claim: Claim, key: str) -> None:
        self.engine, self.workflow, self.invocation, self.claim = engine, workflow, invocation, claim
        self.key = key
        self.steps = engine.journal.steps(invocation.key)
        self.doing: dict[int, asyncio.Task[Ending]] = {}
        self.parked = 0  # how much of what is under way needs no thread
        self.cancelled = False
        self._task: asyncio.Task[Json] | None = None
        self._again = False

    @property
    def busy(self) -> bool:
        """Whether it needs a place in its pool: it does while it is not only waiting for others."""
        return not self.doing or self.parked < len(self.doing)

    def cancel(self) -> None:
        self.cancelled = True
        if self._task is not None:
            self._task.cancel()

    async def play(self) -> Ending:
        """Play the workflow to its end, from the start as often as it takes."""
        if self.invocation.cancelled:
            return self._cancelled_ending()
        if self.invocation.version != self.workflow.version:
            self._begin_anew(f"version {self.invocation.version} of {self.workflow.name} began it")
        fresh = not self.steps
        while True:
            try:
                return await self._once()
            except Mismatch as error:
                if fresh:
                    return Ending("failed", message=f"the workflow {self.workflow.name} is not deterministic: {error}")
                self._begin_anew(str(error))
                fresh = True

    async def _once(self) -> Ending:
        while True:
            self._again = False
            context = LocalContext(self)
            self._task = asyncio.ensure_future(self._called(context))
            try:
                result = await self._task
                self._check(self.workflow.name, result)
            except asyncio.CancelledError:
                if self._again and not self.cancelled:
                    continue
                if not self.cancelled:
                    raise  # the engine closes
                return self._cancelled_ending()
            except (Mismatch, FencedError):
                raise
            except RunCancelled as error:
                return Ending("cancelled", message=reason_of(error))
            except Exception as error:
                return Ending("failed", message=reason_of(error), category=category_of(error))
            else:
                return Ending("finished", result)
            finally:
                context.closed = True

    def _cancelled_ending(self) -> Ending:
        return Ending("cancelled", message=f"run {self.invocation.run} was cancelled")

    async def _called(self, context: LocalContext) -> Json:
        return await self.workflow.function(context, self.invocation.argument)

    def stop(self) -> None:
        """Leave everything that is under way."""
        for task in self.doing.values():
            task.cancel()

    def begin(
        self, number: int, name: str, work: Callable[[Step], Awaitable[Ending]], *, parks: bool
    ) -> asyncio.Future[Ending]:
        """What step `number` gave, or something to wait for. Raises Mismatch when another one was recorded there."""
        step = self.steps.get(number)
        if step is not None and step.name != name:
            raise Mismatch(f"step {number} was {step.name!r} and is now {name!r}")
        waiter: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        if step is not None and step.ending is not None:
            waiter.set_result(step.ending)
            return waiter
        if number not in self.doing:
            self.steps[number] = step = step or Step(name)
            self.doing[number] = asyncio.ensure_future(work(step))
            self.parked += parks
            self.doing[number].add_done_callback(lambda _: self._done(number, parks))
            self.engine.wake()
        self.doing[number].add_done_callback(lambda task: self._tell(waiter, task))
        return waiter

    def _done(self, number: int, parks: bool) -> None:
        task = self.doing.pop(number)
        self.parked -= parks
        if task.cancelled() or task.exception() is not None:
            return
        self.steps[number].ending = task.result()
        if self.engine.replay_always and self._task is not None and not self._task.done():
            self._again = True
            self._task.cancel()

    def _tell(self, waiter: asyncio.Future[Ending], task: asyncio.Task[Ending]) -> None:
        if waiter.done() or task.cancelled():
            return
        if (error := task.exception()) is not None:
            waiter.set_exception(error)
        elif not self._again:
            waiter.set_result(task.result())

    async def attempts(self, step: Step, number: int, call: Callable[[], Json], retry: Retry) -> Ending:
        """Try a step until it gives something, the error is not worth another try, or the attempts are used up."""
        while True:
            async with self.engine.step():
                ending = await self._attempt(step, call)
                last = ending.state == "finished" or not RETRYABLE[ending.category] or step.attempts >= retry.attempts
                if last:
                    return self.record(number, step, ending)
                self.engine.journal.record(self.claim, number, step)
            await asyncio.sleep(retry.pause_s(step.attempts, random.random()))

    async def _attempt(self, step: Step, call: Callable[[], Json]) -> Ending:
        step.attempts += 1
        try:
            result = await self.engine.in_thread(self.workflow.pool, call)
            self._check(step.name, result)
        except FencedError:
            raise
        except Exception as error:
            return Ending("failed", message=reason_of(error), category=category_of(error))
        return Ending("finished", result)

    def record(self, number: int, step: Step, ending: Ending) -> Ending:
        self.engine.journal.record(self.claim, number, replace(step, ending=ending))
        return ending

    def _begin_anew(self, why: str) -> None:
        """Other code than that which began it: what it did is in the store, so that starting over costs look-ups."""
        self.stop()
        self.steps = {}
        self.engine.journal.forget_steps(self.claim, self.workflow.version)
        self.invocation = replace(self.invocation, version=self.workflow.version)
        notice = {"notice": f"begins again: {why}"}
        run = self.invocation.run
        mark = f"{run}/{self.workflow.name}/{self.claim.token}/anew"
        self.engine.emit(run, Event(mark, run, 0, "progress", self.workflow.name, payload=notice))

    def _check(self, name: str, result: Json) -> None:
        try:
            size = len(json.dumps(result))
        except (TypeError, ValueError) as error:
            raise RunError(f"{name} gives something that JSON cannot say: {error}") from error
        if size > MAX_RESULT:
            raise RunError(
                f"{name} gives {size:,} bytes; {MAX_RESULT:,} are allowed: save it in the store and give its key"
            )


class Given:
    """What a call of the context gives to await: the value of its ending, or its error."""

    def __init__(self, ending: asyncio.Future[Ending], read: Callable[[Json], Json] = lambda value: value) -> None:
        self._ending = ending
        self._read = read

    def __await__(self) -> Generator[object, None, Json]:
        ending = yield from self._ending.__await__()
        return self._read(ending.value())


class LocalContext:
    """The context of one playing of a workflow."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._number = 0
        self.closed = False

    @property
    def key(self) -> str:
        return self._play.key

    @property
    def run_id(self) -> str:
        return self._play.invocation.run

    def run(self, name: str, step: Callable[..., Json], *args: object, retry: Retry = ONCE) -> Given:
        number = self._next()
        play = self._play
        return Given(
            play.begin(
                number, f"run {name}", lambda kept: play.attempts(kept, number, lambda: step(*args), retry), parks=False
            )
        )

    def call(self, workflow: str, key: str, argument: Json) -> Given:
        play = self._play

        async def called(_: Step) -> Ending:
            known = play.engine.workflows.get(workflow)
            if known is None:
                return Ending("failed", message=f"there is no workflow {workflow!r} here", category="config")
            child = Invocation(key, self.run_id, workflow, known.version, known.pool, argument)
            journal = play.engine.journal
            journal.start(child)
            ending = await play.engine.ending(key)
            while ending.state != "finished" and ending.run != self.run_id:
                journal.begin_again(child, ending)
                ending = await play.engine.ending(key)
            return ending

        return Given(play.begin(self._next(), f"call {workflow} {key}", called, parks=True))

    def sleep(self, seconds: float) -> Given:
        number = self._next()
        play = self._play

        async def slept(step: Step) -> Ending:
            journal, name = play.engine.journal, f"due/{number}"
            journal.send(play.invocation.key, name, journal.calendar() + seconds)  # the first time counts
            due = float(journal.signals(play.invocation.key)[name])
            await asyncio.sleep(max(0.0, due - journal.calendar()))
            return play.record(number, step, Ending("finished"))

        return Given(play.begin(number, "sleep", slept, parks=True))

    def signal(self, name: str) -> Given:
        number = self._next()
        play = self._play

        async def answered(step: Step) -> Ending:
            value = await play.engine.answer(self.run_id, name)
            return play.record(number, step, Ending("finished", value))

        return Given(play.begin(number, f"signal {name}", answered, parks=True))

    def now(self) -> Given:
        number = self._next()
        play = self._play

        async def told(step: Step) -> Ending:
            return play.record(number, step, Ending("finished", play.engine.journal.calendar()))

        return Given(play.begin(number, "now", told, parks=False), lambda at: datetime.fromtimestamp(at, UTC))

    def emit(self, event: Event) -> None:
        self._play.engine.emit(self.run_id, event)

    async def gather(self, *awaited: Awaitable[Json]) -> list[Json]:
        given: list[Json] = []
        error: Exception | None = None
        for one in awaited:
            try:
                given.append(await one)
            except Exception as failed:
                error = error or failed
        if error is not None:
            raise error
        return given

    def _next(self) -> int:
        if self.closed:
            raise RuntimeError("the workflow is over; it must not use its context any more")
        self._number += 1
        return self._number


_: type[Context] = LocalContext
