"""The pool: worker processes, started on demand up to a limit, each supervised by a thread."""

from __future__ import annotations

import atexit
import os
import pickle
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from types import TracebackType

from quire.core.errors import UsageError
from quire.system.budget import check_descriptors
from quire.system.stage_versions import look_again
from quire.system.supervisor import SupervisedThread
from quire.system.workers.conversation import Assignment, OnEvent, OnRequest, WorkerReply, converse
from quire.system.workers.process import WorkerProcess

NEW = 0.25
"""The part of a turn that a brief job, and the first job of a share, cost: a stream of short documents does not hold
up a long one, and hardly waits for it."""
REMEMBERED = 1000
"""Shares that may be remembered after their last turn."""
_LEAVING_S = 0.5
_JOINING_S = 15.0


class Lane(IntEnum):
    """The lane of a job: it decides which workers take it, and how soon."""

    CALL = 0
    """A caller waits for it: it is next."""
    BRIEF = 1
    """It takes a moment: looking into a file, the pages of a short document, assembling or exporting them."""
    LONG = 2


@dataclass(frozen=True, slots=True)
class Job:
    """A call of `function(arguments, work)` in a worker; `call` is "package.module:function".

    The arguments are pickled and must be small: keys and absolute paths, not images. The function returns bytes,
    or a pair of a JSON object and bytes.
    """

    call: str
    arguments: object = None


@dataclass(eq=False, slots=True)
class _Task:
    """A submitted job. `worker` is set while one runs it; guarded by the pool's lock."""

    assignment: Assignment
    future: Future[WorkerReply]
    lane: Lane
    turn: float
    share: str
    worker: WorkerProcess | None = None
    settled: threading.Event = field(default_factory=threading.Event)


class WorkerPool:
    """Worker processes and their queue. Thread-safe.

    Shares of it, such as runs, take turns. One more worker, for all lanes but the long one, starts when a job of these
    has to wait.

    Args:
        workers: How many jobs run in parallel, besides that one. Workers are started on demand.
        memory_limit: Bytes that a worker and its descendants may use while a job runs; None for no limit.
        recycle_after: Jobs after which a worker is replaced.
        recycle_above: Memory in bytes after a job above which a worker is replaced.
        idle_s: Seconds without a job after which a worker ends.
        first: A running worker that takes the first job; the pool ends it.
    """

    def __init__(
        self,
        workers: int,
        *,
        memory_limit: int | None = None,
        recycle_after: int = 10_000,
        recycle_above: int = 1_500_000_000,
        idle_s: float = 60.0,
        first: WorkerProcess | None = None,
    ) -> None:
        if workers < 1:
            raise UsageError(f"a pool needs at least one worker, not {workers}")
        check_descriptors(workers)
        self._workers = workers
        self._memory_limit = memory_limit
        self._recycle_after = recycle_after
        self._recycle_above = recycle_above
        self._idle_s = idle_s
        self._first = first
        self._changed = threading.Condition()
        self._waiting: list[_Task] = []
        self._now = self._newest = 0.0
        """The turn of the job that was taken last, and of the first job of the newest share."""
        self._turns: dict[str, float] = {}
        """The turn of the last job of each share."""
        self._tasks: dict[Future[WorkerReply], _Task] = {}
        self._threads: set[SupervisedThread] = set()
        self._reserved: SupervisedThread | None = None
        """The slot for all lanes but the long one."""
        self._closed = False
        self._owner = os.getpid()
        atexit.register(self.close)

    @property
    def workers(self) -> int:
        return self._workers

    @property
    def closed(self) -> bool:
        return self._closed

    def submit(
        self,
        job: Job,
        *,
        timeout_s: float,
        renew_s: float | None = None,
        on_event: OnEvent | None = None,
        on_request: OnRequest | None = None,
        lane: Lane = Lane.LONG,
        share: str = "",
    ) -> Future[WorkerReply]:
        """Queue a job; in the long lane it blocks while two jobs per worker are queued already for its share.

        The future returns the result, or raises WorkerTimeout, WorkerCrashed, WorkerOutOfMemory, JobFailed or the
        QuireError of the job. It can be cancelled in every state: a queued job is dropped, a running one killed.
        `timeout_s` counts from the start of the job, without the time that its requests take here; with `renew_s`
        each request or event resets the deadline to that many seconds from then.
        The callbacks run in the thread that supervises the worker; they must not submit jobs. A QuireError of
        `on_request` is raised in the job; any other error of a callback ends the job and is raised by the future.
        """
        if os.getpid() != self._owner:
            raise UsageError("this pool belongs to the parent of this forked process; create a new pool")
        pickled = pickle.dumps(job.arguments)
        assignment = Assignment(job.call, pickled, timeout_s, on_event, on_request, renew_s)
        with self._changed:
            self._changed.wait_for(lambda: self._closed or lane < Lane.LONG or self._queued(share) < 2 * self._workers)
            if self._closed:
                raise UsageError("the pool is closed")
            task = _Task(assignment, Future(), lane, self._turn(share, lane), share)
            self._waiting.append(task)
            self._tasks[task.future] = task
            if len(self._threads) < min(len(self._tasks), self._workers):
                thread = SupervisedThread("quire-worker", self._supervise)
                self._threads.add(thread)
                thread.start()
            elif lane < Lane.LONG and len(self._tasks) > len(self._threads) and self._reserved is None:
                self._reserved = SupervisedThread("quire-worker", partial(self._supervise, reserved=True))
                self._reserved.start()
            self._changed.notify_all()
        task.future.add_done_callback(self._withdraw)
        return task.future

    def cancel(self, futures: Iterable[Future[WorkerReply]]) -> None:
        """Drop queued jobs and kill running ones; returns when all of them have ended."""
        with self._changed:
            tasks = [task for future in futures if (task := self._tasks.get(future))]
        for task in tasks:
            task.future.cancel()
        if threading.current_thread() in {*self._threads, self._reserved}:
            return  # called in a callback: its own job ends when it returns
        for task in tasks:
            task.settled.wait(_JOINING_S)

    def resize(self, workers: int) -> None:
        """Change the number of workers; surplus ones end after their job."""
        if workers < 1:
            raise UsageError(f"a pool needs at least one worker, not {workers}")
        check_descriptors(workers)
        with self._changed:
            self._workers = workers
            self._changed.notify_all()

    def close(self) -> None:
        """Cancel all jobs and end all workers. Called at exit too; does nothing in a forked process."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.close)
        with self._changed:
            self._closed = True
            futures = list(self._tasks)
            threads = [*self._threads, *([self._reserved] if self._reserved else [])]
            self._changed.notify_all()
        for future in futures:
            future.cancel()
        for thread in threads:
            thread.stop()
        until = time.monotonic() + _JOINING_S
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))
        if (first := self._take_first()) is not None:
            first.end()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _withdraw(self, future: Future[WorkerReply]) -> None:
        """Done callback: runs in the thread that cancelled the future; does nothing for other outcomes."""
        if not future.cancelled():
            return
        with self._changed:
            task = self._tasks.get(future)
            if task is None:
                return
            waits = task in self._waiting
            if waits:
                self._waiting.remove(task)
                self._changed.notify_all()
            elif task.worker is not None:
                task.worker.cut()
        if waits:
            self._settle(task, None)

    def _supervise(self, _: threading.Event, *, reserved: bool = False) -> None:
        """The loop of one slot: a thread and, while there is work, a worker."""
        worker = None if reserved else self._take_first()
        try:
            while (task := self._next(reserved=reserved)) is not None:
                worker = self._run(task, worker)
        finally:
            if worker is not None:
                worker.stop(_LEAVING_S)

    def _take_first(self) -> WorkerProcess | None:
        with self._changed:
            first, self._first = self._first, None
            return first

    def _turn(self, share: str, lane: Lane) -> float:
        """The turn of a further job (start-time fair queueing)."""
        before = self._turns.get(share, -1.0)
        if before < self._now:
            turn = self._newest = max(self._now, self._newest + NEW)
        else:
            turn = before + (1.0 if lane == Lane.LONG else NEW)
        if len(self._turns) > REMEMBERED:
            self._turns = {name: last for name, last in self._turns.items() if last >= self._now}
        self._turns[share] = turn
        return turn

    def _queued(self, share: str) -> int:
        return sum(task.share == share and task.lane == Lane.LONG for task in self._waiting)

    def _next(self, *, reserved: bool) -> _Task | None:
        """The next job; None when this slot is to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._first_waiting(reserved) or self._surplus(reserved), self._idle_s)
            task = self._first_waiting(reserved)
            if task is not None and not self._surplus(reserved):
                self._waiting.remove(task)
                self._now = max(self._now, task.turn)
                self._changed.notify_all()
                return task
            # Under the same lock as the decision, so that a job submitted now starts another slot.
            if reserved:
                self._reserved = None
            self._threads.discard(threading.current_thread())
            return None

    def _first_waiting(self, reserved: bool) -> _Task | None:
        """The job whose turn it is."""
        return min(
            (task for task in self._waiting if task.lane < Lane.LONG or not reserved),
            key=lambda task: (task.lane != Lane.CALL, task.turn),
            default=None,
        )

    def _surplus(self, reserved: bool) -> bool:
        return self._closed or (not reserved and len(self._threads) > self._workers)

    def _run(self, task: _Task, worker: WorkerProcess | None) -> WorkerProcess | None:
        """Run the job in a worker, and return the worker if it can take another job."""
        outcome: WorkerReply | BaseException
        try:
            if worker is None or not worker.fit():
                look_again()
                worker = WorkerProcess()
            with self._changed:
                # From here on, cancelling kills the worker.
                task.worker = None if task.future.cancelled() else worker
            if task.worker is None:
                self._settle(task, None)
                return worker
            outcome = converse(worker, task.assignment, self._memory_limit)
        except BaseException as error:  # any error is raised by the future
            outcome = error
        with self._changed:
            task.worker = None
        try:
            if worker is not None and task.future.cancelled():
                worker.end()
        finally:
            self._settle(task, outcome)
        if worker is None or worker.gone:
            return None
        try:
            keep = worker.jobs < self._recycle_after and worker.resident() <= self._recycle_above
        except BaseException:
            worker.end()
            raise
        if not keep:
            worker.stop(_LEAVING_S)
        return worker if keep else None

    def _settle(self, task: _Task, outcome: WorkerReply | BaseException | None) -> None:
        with self._changed:
            self._tasks.pop(task.future, None)
        if task.future.set_running_or_notify_cancel():
            if isinstance(outcome, WorkerReply):
                task.future.set_result(outcome)
            else:
                task.future.set_exception(outcome)
        task.settled.set()
