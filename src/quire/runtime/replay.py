"""Deterministic replay of one workflow: results come from the journal, or are computed and recorded."""

from __future__ import annotations

import asyncio
import inspect
import random
import time
from collections.abc import Awaitable, Callable, Generator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from quire.core.context import ONCE, Claim, Context, Json, Retry, Stopping, Workflow
from quire.core.errors import RETRYABLE, FencedError, RunCancelled, RunError
from quire.core.events import Event, reason_of
from quire.database.journal import Ending, Invocation, JournalStep
from quire.runtime.workflow_guards import ForeignAwait, Guarded, check_owner, encode_result, in_step

if TYPE_CHECKING:
    from quire.runtime.scheduler import Scheduler


SIGNAL = "signal "
"""The beginning of the names of steps that wait for a signal."""
LISTENING_S = 10.0
"""Grace period after a cancel for a step that polls `stopping`."""


class ReplayMismatch(BaseException):
    """A replay differs from the journal: the code of the workflow has changed, or it is not deterministic.

    Not an Exception, so that a workflow does not catch it.
    """


class Play:
    """One invocation in this process. Everything here runs in the thread of the scheduler's loop, except the steps,
    which run in threads of the pool.

    Running steps belong to the invocation, not to one replay of its code: the next replay finds what is recorded, and
    waits for what is still running.
    """

    def __init__(
        self, scheduler: Scheduler, workflow: Workflow, invocation: Invocation, claim: Claim, key: str
    ) -> None:
        self.scheduler, self.workflow, self.invocation, self.claim = scheduler, workflow, invocation, claim
        self.key = key
        self.steps = scheduler.journal.steps(invocation.key)
        self.doing: dict[int, asyncio.Task[Ending]] = {}
        self.parked = 0  # running steps that need no thread
        self.cancelled = self.paused = False
        self.listening = False
        """Whether a step has polled `stopping`: then it gets a grace period."""
        self._task: asyncio.Task[Json] | None = None
        self._again = False
        self._broken: BaseException | None = None

    @property
    def busy(self) -> bool:
        """Whether it occupies a slot of its pool: it does unless it only waits for other invocations."""
        return not self.doing or self.parked < len(self.doing)

    @property
    def occupies(self) -> bool:
        """Whether it counts for the limit of its pool. One that keeps its slot gives it up for a signal alone: people
        send those, and may take days."""
        for_people = bool(self.doing) and all(self.steps[number].name.startswith(SIGNAL) for number in self.doing)
        return self.busy or (self.workflow.keeps_slot and not for_people)

    def cancel(self) -> None:
        self.cancelled = True
        if self.listening and self.doing:
            asyncio.get_running_loop().call_later(LISTENING_S, self._interrupt)
        else:
            self._interrupt()

    def _interrupt(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def pause(self) -> None:
        """Start no further step, and stop when everything that runs only waits."""
        self.paused = True
        if not self.busy and self._task is not None and not self._task.done():
            self._broken = _paused(self.invocation.run)
            self._task.cancel()

    @property
    def stopping(self) -> Stopping:
        self.listening = True
        if self.cancelled or self.scheduler.closing:
            return "now"
        return "pause" if self.paused else ""

    async def play(self) -> Ending:
        """Run the workflow to its end, replaying it from the start as often as needed."""
        if self.invocation.cancelled:
            return self._cancelled_ending()
        if self.invocation.version != self.workflow.version:
            await self._begin_anew(f"version {self.invocation.version} of {self.workflow.name} began it")
        fresh = not self.steps
        while True:
            try:
                return await self._once()
            except ReplayMismatch as error:
                if fresh:
                    return Ending("failed", message=f"the workflow {self.workflow.name} is not deterministic: {error}")
                await self._begin_anew(str(error))
                fresh = True

    async def _once(self) -> Ending:
        """Run it once, or repeatedly while replay is forced. Raises the error that prevented a write to the journal."""
        while not self.cancelled:
            self._again = False
            context = LocalContext(self)
            self._task = asyncio.ensure_future(self._called(context))
            try:
                result = await self._task
                encode_result(self.workflow.name, result)
            except asyncio.CancelledError:
                if self._broken is not None:
                    raise self._broken from None
                if _asked_to_end():
                    raise  # the scheduler closes
                if not (self._again or self.cancelled):
                    return Ending(
                        "failed",
                        message=f"the workflow {self.workflow.name} raised CancelledError, but was not cancelled",
                    )
            except RunCancelled as error:
                return Ending("cancelled", message=reason_of(error))
            except ForeignAwait as error:
                return Ending("failed", message=str(error), category="usage")
            except Exception as error:
                return Ending.of(error)
            else:
                if self._broken is not None:  # the workflow caught it
                    raise self._broken
                return Ending("finished", result)
            finally:
                context.closed = True
        return self._cancelled_ending()

    def _cancelled_ending(self) -> Ending:
        return Ending("cancelled", message=f"run {self.invocation.run} was cancelled")

    async def _called(self, context: LocalContext) -> Json:
        try:
            return await Guarded(
                self.workflow.name, lambda: self.workflow.function(context, self.invocation.argument), Waiter
            )
        except SystemExit as error:  # ends the workflow, not the scheduler
            raise RunError(f"{self.workflow.name} exits: {error}") from error

    def check_owner(self, method: str) -> None:
        """Raises UsageError when anything but the code of the workflow calls a method of its context."""
        check_owner(self._task, self.workflow.name, method)

    def stop(self) -> None:
        """Cancel everything that is running."""
        for task in self.doing.values():
            task.cancel()

    def begin(self, number: int, name: str, work: Callable[[JournalStep], Awaitable[Ending]], *, parks: bool) -> Waiter:
        """A future for the ending of step `number`. Raises ReplayMismatch if the journal holds another step there."""
        step = self.steps.get(number)
        if step is not None and step.name != name:
            raise ReplayMismatch(f"step {number} was {step.name!r} and is now {name!r}")
        waiter = Waiter()
        if step is not None and step.ending is not None:
            waiter.set_result(step.ending)
            return waiter
        if number not in self.doing:
            self.steps[number] = step = step or JournalStep(name)
            self.doing[number] = asyncio.ensure_future(work(step))
            self.doing[number].add_done_callback(lambda _: self._done(number, parks))
            if parks:  # its slot is free for others
                self.parked += 1
                self.scheduler.wake()
        self.doing[number].add_done_callback(lambda task: self._resolve(waiter, task))
        return waiter

    def _done(self, number: int, parks: bool) -> None:
        task = self.doing.pop(number)
        self.parked -= parks
        if task.cancelled():
            return
        self._broken = self._broken or task.exception()
        if self._broken is None:
            self.steps[number].ending = task.result()
        if self.cancelled:
            self._interrupt()
        elif (self._broken or self.scheduler.replay_always) and self._task is not None and not self._task.done():
            self._again = True
            self._task.cancel()

    def _resolve(self, waiter: Waiter, task: asyncio.Task[Ending]) -> None:
        if not (waiter.done() or task.cancelled() or self._again or self._broken):
            waiter.set_result(task.result())

    async def attempts(self, step: JournalStep, number: int, call: Callable[[], Json], retry: Retry) -> Ending:
        """Try a step until it succeeds, the error is not retryable, or the attempts are used up."""
        while True:
            if self.paused:
                raise _paused(self.invocation.run)
            async with self.scheduler.step():
                ending = await self._attempt(step, call)
                last = ending.state == "finished" or not RETRYABLE[ending.category] or step.attempts >= retry.attempts
                if last:
                    return self.record(number, step, ending)
                self.note(number, step)
            await self._pause(retry.pause_s(step.attempts, random.random()))

    async def _attempt(self, step: JournalStep, call: Callable[[], Json]) -> Ending:
        step.attempts += 1
        return await self.scheduler.in_thread(self.invocation.pool, partial(_tried, step.name, call))

    async def _pause(self, seconds: float) -> None:
        """Back off; meanwhile the slot in the pool is free."""
        self.parked += 1
        self.scheduler.wake()
        try:
            await asyncio.sleep(seconds)
        finally:
            self.parked -= 1

    def record(self, number: int, step: JournalStep, ending: Ending) -> Ending:
        self.note(number, replace(step, ending=ending))
        return ending

    def note(self, number: int, step: JournalStep) -> None:
        """Record the state of a step, and the events emitted in it."""
        with self.scheduler.recording(self.invocation.run):
            self.scheduler.journal.record(self.claim, number, step)

    async def _begin_anew(self, why: str) -> None:
        """Start over, because different code started it. Its results are in the store, so this costs look-ups only."""
        self.stop()
        await asyncio.gather(*self.doing.values(), return_exceptions=True)  # otherwise the new code would wait for them
        self.steps = {}
        self.scheduler.journal.forget_steps(self.claim, self.workflow.version)
        self.invocation = replace(self.invocation, version=self.workflow.version)
        notice = {"notice": f"starts over: {why}"}
        run = self.invocation.run
        mark = f"{run}/{self.workflow.name}/{self.claim.token}/anew"
        self.scheduler.emit(run, Event(mark, run, 0, "progress", self.workflow.name, payload=notice))


def _tried(name: str, call: Callable[[], Json]) -> Ending:
    """One attempt of a step, in its thread. Any exception ends the attempt, but not the thread or the scheduler."""
    try:
        result = in_step(name.removeprefix("run "), call)
        encode_result(name, result)
    except FencedError:
        raise
    except BaseException as error:
        return Ending.of(error)
    return Ending("finished", result)


def _paused(run: str) -> FencedError:
    return FencedError(f"run {run} is paused; submit its key again to resume it")


def _asked_to_end() -> bool:
    """Whether the scheduler is closing, rather than only the workflow being cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class Waiter(asyncio.Future[Ending]):
    """The only future that a workflow may await."""


class ReplayedValue:
    """The awaitable that methods of the context return: yields the value of the ending, or raises its error."""

    def __init__(self, ending: Waiter, read: Callable[[Json], Json] = lambda value: value) -> None:
        self._ending = ending
        self._read = read

    def __await__(self) -> Generator[object, None, Json]:
        ending = yield from self._ending.__await__()
        return self._read(ending.value())


class LocalContext:
    """The context of one replay of a workflow."""

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

    @property
    def stopping(self) -> Stopping:
        return self._play.stopping

    def run(self, name: str, step: Callable[..., Json], *args: object, retry: Retry = ONCE) -> ReplayedValue:
        number = self._next("run")
        play = self._play
        return ReplayedValue(
            play.begin(
                number, f"run {name}", lambda kept: play.attempts(kept, number, lambda: step(*args), retry), parks=False
            )
        )

    def call(self, workflow: str, key: str, argument: Json) -> ReplayedValue:
        number = self._next("call")
        play = self._play

        async def called(_: JournalStep) -> Ending:
            known = play.scheduler.workflows.get(workflow)
            if known is None:
                return Ending("failed", message=f"this process has no workflow called {workflow!r}", category="config")
            child = Invocation(key, self.run_id, workflow, known.version, known.pool, argument)
            journal = play.scheduler.journal
            play.scheduler.start(child)
            ending = await play.scheduler.ending(key)
            while ending.state != "finished" and ending.run != self.run_id:
                journal.begin_again(child, ending)
                ending = await play.scheduler.ending(key)
            return ending

        return ReplayedValue(play.begin(number, f"call {workflow} {key}", called, parks=True))

    def sleep(self, seconds: float) -> ReplayedValue:
        number = self._next("sleep")
        play = self._play

        async def slept(step: JournalStep) -> Ending:
            if step.due is None:
                step.due = time.time() + seconds
                play.note(number, step)
            await asyncio.sleep(max(0.0, step.due - time.time()))
            return play.record(number, step, Ending("finished"))

        return ReplayedValue(play.begin(number, "sleep", slept, parks=True))

    def signal(self, name: str) -> ReplayedValue:
        number = self._next("signal")
        play = self._play

        async def answered(step: JournalStep) -> Ending:
            value = await play.scheduler.answer(self.run_id, name)
            return play.record(number, step, Ending("finished", value))

        return ReplayedValue(play.begin(number, f"{SIGNAL}{name}", answered, parks=True))

    def now(self) -> ReplayedValue:
        number = self._next("now")
        play = self._play

        async def read_clock(step: JournalStep) -> Ending:
            return play.record(number, step, Ending("finished", time.time()))

        return ReplayedValue(
            play.begin(number, "now", read_clock, parks=False), lambda at: datetime.fromtimestamp(at, UTC)
        )

    def emit(self, event: Event) -> None:
        self._play.scheduler.emit(self.run_id, event)

    async def gather(self, *awaited: Awaitable[Json]) -> list[Json]:
        self._play.check_owner("gather")
        values: list[Json] = []
        error: Exception | None = None
        try:
            for one in awaited:
                try:
                    values.append(await one)
                except Exception as failed:
                    error = error or failed
        finally:
            for one in awaited:
                if inspect.iscoroutine(one):
                    one.close()  # cancelled before it was awaited
        if error is not None:
            raise error
        return values

    def _next(self, method: str) -> int:
        self._play.check_owner(method)
        if self.closed:
            raise RuntimeError("the workflow has ended; it must not use its context any more")
        self._number += 1
        return self._number


_: type[Context] = LocalContext
