"""The scheduler of a process: claims invocations of workflows, runs them, and polls what other processes did."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from threading import Condition, Lock, Thread

from quire.core.context import Claim, Json, Workflow
from quire.core.errors import FencedError, QuireError, RunError
from quire.core.events import Event, reason_of
from quire.database.database import Database
from quire.database.journal import Ending, Invocation, Journal
from quire.database.leases import Claims, expire_dead_owners
from quire.database.runs import Runs, claim_of
from quire.runtime.replay import Play
from quire.runtime.turns import Turns
from quire.system.supervisor import supervised

POLL_S = 0.1
"""How often a process polls what others did: new work, endings, signals, cancelled runs."""
DEAD_OWNERS_S = 1.0
"""How often it checks whether other processes of this machine have crashed."""
TROUBLED_S = 0.5
"""Back-off before it retries a database that failed."""
HICCUP_S = 60.0
"""Two failures of the database within this time, with nothing recorded in between, are reported as trouble."""
DEFAULT_LIMIT = 8
"""Concurrent invocations of a pool, unless configured."""


class Scheduler:
    """Claims invocations and runs them. Its event loop has its own thread; steps run in the threads of their pool."""

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
        self.ended_runs = 0
        self._runs = Runs(database)
        self._database = database
        served = {workflow.pool: DEFAULT_LIMIT for workflow in workflows} | dict(pools)
        self._limits = {pool: limit for pool, limit in served.items() if limit > 0}
        self._threads = {
            pool: ThreadPoolExecutor(_most(limit), thread_name_prefix=f"quire-{pool}")
            for pool, limit in self._limits.items()
        }
        self._turns = Turns(self.journal.head)
        self._plays: dict[str, Play] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._awaited: dict[str, list[asyncio.Future[Ending]]] = {}
        self._signals: dict[tuple[str, str], list[asyncio.Future[Json]]] = {}
        self._emitted: dict[str, list[Event]] = {}
        self._emitting = Lock()
        self._loop = asyncio.new_event_loop()
        self._woken = asyncio.Event()
        self._closing = self._draining = False
        self._steps = 0
        self.hurried = False
        self._unrecorded: list[Claim] = []
        self.trouble: QuireError | None = None
        """Why the database cannot be written at the moment."""
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

    def start(self, invocation: Invocation) -> None:
        """Add an invocation to those that wait for their turn."""
        pool, tenant = invocation.pool, self._tenant(invocation)
        root, turns = _is_root(invocation), self._turns
        number = turns.of_run(pool, tenant) if root else turns.of_part(pool, tenant, invocation.run)
        self.journal.start(invocation, number=number)

    def pause(self, run: str) -> None:
        """Start nothing more of a paused run at once, without waiting for the next poll."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._pause, run)

    def drain(self, patience_s: float) -> None:
        """Start nothing more, and wait until the running steps are recorded."""
        self._draining = True
        until = time.monotonic() + patience_s
        while self._steps and not self.hurried and time.monotonic() < until:
            with self.ended:
                self.ended.wait(POLL_S)

    def close(self) -> None:
        """Stop, release all claims, and leave unfinished work to the next process."""
        self._closing = True
        self.wake()
        self._thread.join()
        for threads in self._threads.values():
            threads.shutdown(wait=False, cancel_futures=True)

    # Called in the loop's thread.

    @asynccontextmanager
    async def step(self) -> AsyncIterator[None]:
        """Surrounds a step and its record. A draining scheduler starts none, and leaves it to the next process."""
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
        """Wait for the ending of an invocation, here or in another process."""
        found = self.journal.ending(key)
        if found is not None:
            return found
        waiter: asyncio.Future[Ending] = self._loop.create_future()
        self._awaited.setdefault(key, []).append(waiter)
        self._woken.set()
        return await waiter

    async def answer(self, run: str, name: str) -> Json:
        """Wait for the value of a signal."""
        waiter: asyncio.Future[Json] = self._loop.create_future()
        self._signals.setdefault((run, name), []).append(waiter)
        self._woken.set()
        return await waiter

    def emit(self, run: str, event: Event) -> None:
        """Thread-safe: steps emit events while they run."""
        with self._emitting:
            self._emitted.setdefault(run, []).append(event)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(supervised("quire-scheduler", self._work, longest_s=TROUBLED_S))
        except BaseException as error:
            self.trouble = _surprise(error)  # so that callers of result() do not wait for ever
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
                    self._poll()
                    looked = time.monotonic()
                self.trouble = None
            except QuireError as error:  # the database failed: full, locked, gone
                self._note_trouble(error)
            except Exception as error:
                self._note_trouble(_surprise(error))
                raise
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), POLL_S)
        await self._leave()

    def _note_trouble(self, error: QuireError) -> None:
        """Tolerate one failure: a server may have restarted, and what could not be recorded is replayed."""
        before, self._failed_at = self._failed_at, time.monotonic()
        if error.category == "config" or (before and self._failed_at - before < HICCUP_S):
            self.trouble = error
            with self.ended:
                self.ended.notify_all()

    def _give_back(self) -> None:
        """Release the claims of what could not be recorded, so that it is replayed; its events are stored first."""
        if self._unrecorded:
            self._store_events()
        while self._unrecorded:
            self.journal.give_back(self._unrecorded[-1])
            self._unrecorded.pop()

    def _claim_what_fits(self) -> None:
        while not (self._closing or self._draining) and (claimed := self._claim_next()) is not None:
            invocation, claim = claimed
            try:
                play = Play(self, self.workflows[invocation.workflow], invocation, claim, self._key(invocation))
            except BaseException:
                self._unrecorded.append(claim)
                raise
            self._plays[invocation.key] = play  # at once: it occupies a slot of its pool
            task = self._loop.create_task(self._play(play))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _claim_next(self) -> tuple[Invocation, Claim] | None:
        """Claim what is next in a pool with a free slot, or whose holder has none in a pool with a spare one."""
        busy = [play.invocation for play in self._plays.values() if play.occupies]
        count = Counter(invocation.pool for invocation in busy)
        free = [pool for pool, limit in self._limits.items() if count[pool] < limit]
        spare = [pool for pool, limit in self._limits.items() if limit <= count[pool] < _most(limit)]
        held = {self._holder(invocation) for invocation in busy}
        return self.journal.claim_next(self.workflows, free) or self.journal.claim_next(
            self.workflows, spare, lambda invocation: self._holder(invocation) not in held
        )

    def _key(self, invocation: Invocation) -> str:
        """The root workflow of a run has the key that the run was submitted with."""
        return self._runs.key(invocation.run) if _is_root(invocation) else invocation.key

    def _tenant(self, invocation: Invocation) -> str:
        tenant_of = self.workflows[invocation.workflow].tenant_of
        return "" if tenant_of is None else tenant_of(invocation.argument)

    def _holder(self, invocation: Invocation) -> tuple[str, str, str]:
        """Who holds the slot of an invocation in its pool: its tenant for a run, and its run for a part of one."""
        root, run = _is_root(invocation), invocation.run
        return (invocation.pool, "tenant", self._tenant(invocation)) if root else (invocation.pool, "run", run)

    async def _play(self, play: Play) -> None:
        invocation, claim = play.invocation, play.claim
        root = _is_root(invocation)
        try:
            ending = await play.play()
            self._end(play, ending, root=root)
        except (asyncio.CancelledError, FencedError):  # this process ends, or another one took over the claim
            self._unrecorded.append(claim)
        except Exception as error:  # its result is not recorded, so it will be replayed
            self._unrecorded.append(claim)
            self._note_trouble(error if isinstance(error, QuireError) else _surprise(error))
        finally:
            play.stop()
            self._plays.pop(invocation.key, None)
            self._woken.set()

    def _end(self, play: Play, ending: Ending, *, root: bool) -> None:
        run = play.invocation.run
        with self.recording(run, lasting=root):
            if root:  # first, in the same order as `cancel`: no deadlock
                self._runs.finish(
                    run,
                    ending.state,
                    result=ending.result,
                    error=ending.message,
                    category=ending.category if ending.state == "failed" else None,
                    exit_code=ending.exit_code,
                )
            self.journal.end(play.claim, ending)
        self._resolve(play.invocation.key, replace(ending, run=run))
        if root:
            with self.ended:
                self.ended_runs += 1
                self.ended.notify_all()

    def _resolve(self, key: str, ending: Ending) -> None:
        for waiter in self._awaited.pop(key, ()):
            if not waiter.done():
                waiter.set_result(ending)

    def _poll(self) -> None:
        """Poll what happened in other processes, and store the events of this one."""
        self._store_events()
        elsewhere = [key for key in self._awaited if key not in self._plays]
        for key, ending in self.journal.endings(elsewhere).items():
            self._resolve(key, ending)
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
        """A transaction for what is written inside, together with the events that the run has emitted before.

        No event is lost: those that cannot be stored now are kept for the next time.
        """
        with self._storing(run, lasting=lasting):
            yield
        self._failed_at = 0.0

    @contextmanager
    def _storing(self, run: str, *, lasting: bool = False) -> Iterator[None]:
        """Such a transaction. Storing events alone does not end a trouble: steps may still fail to be recorded."""
        with self._emitting:
            events = self._emitted.pop(run, [])
        try:
            with self._database.transaction(lasting=lasting):
                self._runs.append(run, events)
                yield
        except BaseException:
            with self._emitting:
                self._emitted[run] = events + self._emitted.get(run, [])
            raise

    def _store_events(self) -> None:
        for run in list(self._emitted):
            with self._storing(run):
                pass

    async def _leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(QuireError):  # an expiring lease does the same, later
            self._give_back()
            self._store_events()


def _most(limit: int) -> int:
    """The slots of a pool with those that are kept for tenants and runs that hold none."""
    return limit + limit // 2


def _is_root(invocation: Invocation) -> bool:
    return invocation.key == claim_of(invocation.run)


def _surprise(error: BaseException) -> RunError:
    return RunError(f"the runtime failed, which is a bug in Quire: {reason_of(error)}", category="unknown")
