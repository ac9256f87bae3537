"""Executors of attempts: threads that can be abandoned, or worker processes that can be killed.

Both put the outcome of an attempt into a queue, together with its ticket.
"""

from __future__ import annotations

import functools
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Protocol

from quire.batch.contracts import StageOptions, Worker, WorkItem
from quire.batch.worker_call import Called, call, called_in_program, failure_of
from quire.core.errors import UsageError
from quire.system.supervisor import SupervisedThread

if TYPE_CHECKING:
    from queue import SimpleQueue

    from quire.system.workers import WorkerPool, WorkerReply

Report = Callable[[int, Called], None]
"""Called with the ticket of an attempt and its outcome, in any thread."""
NO_LIMIT_S = 10_000_000.0


class Executor(Protocol):
    """Runs attempts in parallel; the caller limits their number."""

    def start(self, ticket: int, item: WorkItem) -> None: ...

    def abandon(self, ticket: int) -> None:
        """Abandon an attempt: its outcome is not reported."""
        ...

    def close(self) -> None:
        """Abandon running attempts, and close."""
        ...


class Threads:
    """Daemon threads, one for each running attempt, reused afterwards.

    A thread cannot be killed: an abandoned one runs until its call returns, and nothing waits for it, not even the
    exit of the program.
    """

    def __init__(self, worker: Worker, report: Report) -> None:
        self._worker = worker
        self._report = report
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[tuple[int, WorkItem] | None]] = []
        self._abandoned: set[int] = set()
        self._closed = False

    def start(self, ticket: int, item: WorkItem) -> None:
        from queue import SimpleQueue

        with self._lock:
            orders = self._idle.pop() if self._idle else None
        if orders is None:
            orders = SimpleQueue()
            SupervisedThread("quire-item", functools.partial(self._serve, orders)).start()
        orders.put((ticket, item))

    def abandon(self, ticket: int) -> None:
        with self._lock:
            self._abandoned.add(ticket)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for orders in idle:
            orders.put(None)

    def _serve(self, orders: SimpleQueue[tuple[int, WorkItem] | None], _: threading.Event) -> None:
        while (order := orders.get()) is not None:
            ticket, item = order
            called = call(self._worker, item)
            with self._lock:
                given_up = self._closed or ticket in self._abandoned
                self._abandoned.discard(ticket)
                if not given_up:
                    self._idle.append(orders)
            if given_up:
                return  # another thread has taken its place
            self._report(ticket, called)


class Programs:
    """The worker processes of this process."""

    def __init__(self, worker: Worker, report: Report, pool: WorkerPool, timeout_s: float) -> None:
        check_importable(worker)
        self._worker = worker
        self._report = report
        self._pool = pool
        self._timeout_s = timeout_s or NO_LIMIT_S
        self._lock = threading.Lock()
        self._under_way: dict[int, Future[WorkerReply]] = {}

    def start(self, ticket: int, item: WorkItem) -> None:
        from quire.system.workers import Job

        job = Job("quire.batch.worker_call:call_in_program", (self._worker, item))
        try:
            future = self._pool.submit(job, timeout_s=self._timeout_s)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            self._report(ticket, Called(failure_of(UsageError(f"the item cannot be sent to a worker: {error}"))))
            return
        with self._lock:
            self._under_way[ticket] = future
        future.add_done_callback(functools.partial(self._done, ticket))

    def abandon(self, ticket: int) -> None:
        with self._lock:
            future = self._under_way.pop(ticket, None)
        if future is not None:
            self._pool.cancel([future])

    def close(self) -> None:
        with self._lock:
            futures = list(self._under_way.values())
            self._under_way.clear()
        self._pool.cancel(futures)

    def _done(self, ticket: int, future: Future[WorkerReply]) -> None:
        """Callback in the thread that supervises the worker process."""
        with self._lock:
            given_up = self._under_way.pop(ticket, None) is None
        if given_up:
            return
        try:
            answer = future.result()
            called = called_in_program(answer.header, answer.ms)
        except (Exception, CancelledError) as error:
            called = Called(failure_of(error))
        self._report(ticket, called)


def executor_for(worker: Worker, options: StageOptions, workers: int, report: Report) -> Executor:
    """Raises UsageError for a worker that a worker process cannot import."""
    if options.policy != "cpu":
        return Threads(worker, report)
    check_importable(worker)
    from quire.system.workers import shared_pool

    return Programs(worker, report, shared_pool(workers), options.per_item_timeout_s)


def check_importable(worker: Worker) -> None:
    """Raises UsageError unless a worker process can import it: it does not run your script again."""
    inner: object = worker
    while isinstance(inner, functools.partial):
        inner = inner.func
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    name = f"{named.__module__}.{getattr(named, '__qualname__', '')}"
    try:
        pickle.dumps(worker)
        found = named.__module__ != "__main__"
    except (pickle.PicklingError, AttributeError, TypeError):
        found = False
    if not found:
        raise UsageError(
            f"policy 'cpu' runs the worker in other processes, which cannot import {name}; move it to the top level "
            "of a module, or use policy 'io'"
        )
