"""The scheduler of a process: claims invocations of workflows, plays them, and looks at what others did."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from threading import Condition, Lock, Thread

from quire.context import Claim, Json, Workflow
from quire.database.database import Database
from quire.database.journal import Ending, Invocation, Journal
from quire.database.leases import Claims, expire_dead_owners
from quire.database.runs import Runs, claim_of
from quire.errors import FencedError, QuireError, RunError
from quire.events import Event, reason_of
from quire.runtime.replay import Play

POLL_S = 0.1
"""How often a process looks at what others did: new work, endings, signals, cancelled runs."""
DEAD_OWNERS_S = 1.0
"""How often it looks whether other processes of this machine have died."""
TROUBLED_S = 0.5
"""How long it waits before it tries a database again that could not be used."""
HICCUP_S = 60.0
"""A database that could not be used twice in that time, with nothing recorded in between, is in trouble."""
DEFAULT_LIMIT = 8
"""Invocations of a pool at a time, where nobody said how many."""


class Scheduler:
    """Claims invocations and plays them. Its loop runs in a thread of its own; steps run in threads of their pool."""

    def __init__(
        self,
        database: Database,
        claims: Claims,
        workflows: Sequence[Workflow],
        pools: Mapping[str, int],
        *,
        replay_always: bool = False,
    ) -> None:
        self.workflows = {workflow.name: workflow for workflow in workflows}
        self.replay_always = replay_always
        self.journal = Journal(database, claims)
        self.ended = Condition()
        self._runs = Runs(database)
        self._database = database
        served = {workflow.pool: DEFAULT_LIMIT for workflow in workflows} | dict(pools)
        self._limits = {pool: limit for pool, limit in served.items() if limit > 0}
        self._threads = {
            pool: ThreadPoolExecutor(limit, thread_name_prefix=f"quire-{pool}") for pool, limit in self._limits.items()
        }
        self._plays: dict[str, Play] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._awaited: dict[str, list[asyncio.Future[Ending]]] = {}
        self._signals: dict[tuple[str, str], list[asyncio.Future[Json]]] = {}
        self._told: dict[str, list[Event]] = {}
        self._telling = Lock()
        self._loop = asyncio.new_event_loop()
        self._woken = asyncio.Event()
        self._closing = self._draining = False
        self._steps = 0
        self.hurried = False
        self._unrecorded: list[Claim] = []
        self.trouble: QuireError | None = None
        """Why nothing can be recorded at the moment."""
        self._failed_at = 0.0
        self._thread = Thread(target=self._run, name="quire-scheduler", daemon=True)
        self._thread.start()

    # Called from any thread.

    @property
    def closing(self) -> bool:
        return self._closing

    def wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._woken.set)

    def pause(self, run: str) -> None:
        """Begin nothing more of a run that is paused; at the next look it would be noticed anyway."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._pause, run)

    def drain(self, patience_s: float) -> None:
        """Begin nothing more, and wait until the steps under way are recorded."""
        self._draining = True
        until = time.monotonic() + patience_s
        while self._steps and not self.hurried and time.monotonic() < until:
            with self.ended:
                self.ended.wait(POLL_S)

    def close(self) -> None:
        """Leave what is under way to the next process, and let go of everything."""
        self._closing = True
        self.wake()
        self._thread.join()
        for threads in self._threads.values():
            threads.shutdown(wait=False, cancel_futures=True)

    # Called in the loop's thread.

    @asynccontextmanager
    async def step(self) -> AsyncIterator[None]:
        """Around a step and its record. Who drains begins none, and leaves it to the next process."""
        if self._draining:
            await self._loop.create_future()
        self._steps += 1
        try:
            yield
        finally:
            self._steps -= 1
            with self.ended:
                self.ended.notify_all()

    async def in_thread(self, pool: str, call: Callable[[], Ending]) -> Ending:
        return await self._loop.run_in_executor(self._threads[pool], call)

    async def ending(self, key: str) -> Ending:
        """How an invocation ends, here or in another process."""
        found = self.journal.ending(key)
        if found is not None:
            return found
        waiter: asyncio.Future[Ending] = self._loop.create_future()
        self._awaited.setdefault(key, []).append(waiter)
        self._woken.set()
        return await waiter

    async def answer(self, run: str, name: str) -> Json:
        """The answer to a signal, as soon as somebody gives it."""
        waiter: asyncio.Future[Json] = self._loop.create_future()
        self._signals.setdefault((run, name), []).append(waiter)
        self._woken.set()
        return await waiter

    def emit(self, run: str, event: Event) -> None:
        """Any thread may call it: steps tell while they run."""
        with self._telling:
            self._told.setdefault(run, []).append(event)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._work())
        except BaseException as error:
            self.trouble = _surprise(error)  # so that nobody waits for it
            raise
        finally:
            self._loop.close()

    async def _work(self) -> None:
        looked = buried = 0.0
        while not self._closing:
            self._woken.clear()
            if self.trouble is not None:
                await asyncio.sleep(TROUBLED_S)
            try:
                self._give_back()
                if time.monotonic() - buried >= DEAD_OWNERS_S:
                    expire_dead_owners(self._database)
                    buried = time.monotonic()
                self._claim_what_fits()
                if time.monotonic() - looked >= POLL_S:
                    self._look_around()
                    looked = time.monotonic()
                self.trouble = None
            except QuireError as error:  # the database cannot be used: full, locked, gone
                self._note_trouble(error)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), POLL_S)
        await self._leave()

    def _note_trouble(self, error: QuireError) -> None:
        """Once is no trouble: a server was started again, and what could not be recorded is played again."""
        before, self._failed_at = self._failed_at, time.monotonic()
        if error.category == "config" or (before and self._failed_at - before < HICCUP_S):
            self.trouble = error
            with self.ended:
                self.ended.notify_all()

    def _give_back(self) -> None:
        """Leave what could not be recorded to be played again, after what was told in it."""
        if self._unrecorded:
            self._store_events()
        while self._unrecorded:
            self.journal.give_back(self._unrecorded[-1])
            self._unrecorded.pop()

    def _claim_what_fits(self) -> None:
        while not (self._closing or self._draining):
            busy = [play.workflow.pool for play in self._plays.values() if play.busy]
            free = [pool for pool, limit in self._limits.items() if busy.count(pool) < limit]
            claimed = self.journal.claim_next(self.workflows, free)
            if claimed is None:
                return
            invocation, claim = claimed
            try:
                play = Play(self, self.workflows[invocation.workflow], invocation, claim, self._key(invocation))
            except BaseException:
                self._unrecorded.append(claim)
                raise
            self._plays[invocation.key] = play  # at once: it takes a place in its pool
            task = self._loop.create_task(self._play(play))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _key(self, invocation: Invocation) -> str:
        """The first workflow of a run knows the key that it was submitted with."""
        root = invocation.key == claim_of(invocation.run)
        return self._runs.status(invocation.run).key if root else invocation.key

    async def _play(self, play: Play) -> None:
        invocation, claim = play.invocation, play.claim
        root = invocation.key == claim_of(invocation.run)
        try:
            if root:
                self._runs.set_state(invocation.run, "running")
            ending = await play.play()
            self._end(play, ending, root=root)
        except (asyncio.CancelledError, FencedError):  # this process ends, or another one has taken the work over
            self._unrecorded.append(claim)
        except Exception as error:  # what it did is not recorded, and will be played again
            self._unrecorded.append(claim)
            self._note_trouble(error if isinstance(error, QuireError) else _surprise(error))
        finally:
            play.stop()
            self._plays.pop(invocation.key, None)
            self._woken.set()

    def _end(self, play: Play, ending: Ending, *, root: bool) -> None:
        run = play.invocation.run
        with self.recording(run, lasting=root):
            if root:  # first, as whoever cancels does: nobody waits in a circle
                self._runs.finish(
                    run,
                    ending.state,
                    result=ending.result,
                    error=ending.message,
                    category=ending.category if ending.state == "failed" else None,
                    exit_code=ending.exit_code,
                )
            self.journal.end(play.claim, ending)
        self._tell_ending(play.invocation.key, replace(ending, run=run))
        if root:
            with self.ended:
                self.ended.notify_all()

    def _tell_ending(self, key: str, ending: Ending) -> None:
        for waiter in self._awaited.pop(key, ()):
            if not waiter.done():
                waiter.set_result(ending)

    def _look_around(self) -> None:
        """What has happened outside of this process, and what it must be told."""
        self._store_events()
        elsewhere = [key for key in self._awaited if key not in self._plays]
        for key, ending in self.journal.endings(elsewhere).items():
            self._tell_ending(key, ending)
        for (run, name), waiters in list(self._signals.items()):
            waiting = [waiter for waiter in waiters if not waiter.done()]
            answers = self.journal.signals(claim_of(run)) if waiting else {}
            if not waiting or name in answers:
                del self._signals[run, name]
            for waiter in waiting if name in answers else ():
                waiter.set_result(answers[name])
        runs = sorted({play.invocation.run for play in self._plays.values()})
        for key in self.journal.cancelled(runs):
            if key in self._plays and not self._plays[key].cancelled:
                self._plays[key].cancel()
        for run in self.journal.paused(runs):
            self._pause(run)

    def _pause(self, run: str) -> None:
        for play in self._plays.values():
            if play.invocation.run == run:
                play.pause()

    @contextmanager
    def recording(self, run: str, *, lasting: bool = False) -> Iterator[None]:
        """What is written inside becomes durable in one go, with what the run has told before it.

        Nothing that was told is lost: what cannot be stored now is kept for the next time.
        """
        with self._telling:
            told = self._told.pop(run, [])
        try:
            with self._database.transaction(lasting=lasting):
                self._runs.append(run, told)
                yield
        except BaseException:
            with self._telling:
                self._told[run] = told + self._told.get(run, [])
            raise
        self._failed_at = 0.0

    def _store_events(self) -> None:
        for run in list(self._told):
            with self.recording(run):
                pass

    async def _leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(QuireError):  # a lease that runs out does the same, later
            self._give_back()
            self._store_events()


def _surprise(error: BaseException) -> RunError:
    return RunError(f"the runtime failed, which is a mistake of Quire: {reason_of(error)}", category="unknown")
