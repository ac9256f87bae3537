"""`run_stage`: the one scheduler of items, with retries, timeouts, an error budget, resume and cancellation.

The calling thread makes all decisions; attempts run elsewhere and report into a queue. It sleeps until there is a
report, a due time or a request: it never polls.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from queue import Empty, SimpleQueue
from secrets import token_hex

from quire.batch.contracts import (
    ItemOutcome,
    StageContext,
    StageError,
    StageHooks,
    StageOptions,
    StageOutcome,
    StagePlan,
    Worker,
)
from quire.batch.executors import executor_for
from quire.batch.resume import DoneItems, Known, unwritten
from quire.batch.schedule import Ids, Retrying, Task, Waiting, numbered
from quire.batch.stage_events import StageTeller, clashing
from quire.batch.stop_requests import Stop
from quire.batch.tally import Tally
from quire.batch.worker_call import Called, FailedAttempt, failure_of
from quire.core.context import Store
from quire.core.errors import InputError, UsageError
from quire.core.events import Sink
from quire.system.budget import cpu_budget, worker_count

LOOKED_UP_AT_ONCE = 64
MOST_RETRYING = 256
MOST_ABANDONED = 100
FLUSH_EVERY_S = 1.0
_LONGEST_WAIT_S = 5.0
"""A signal that arrives right before a wait is handled after it, unless `stop_on_signals` ends the wait."""


def run_stage(
    plan: StagePlan,
    worker: Worker,
    options: StageOptions | None = None,
    hooks: StageHooks | None = None,
    *,
    store: Store | None = None,
    on_event: Sink | None = None,
    stop: Stop | None = None,
    run: str | None = None,
) -> StageOutcome:
    """Process every item of the plan, several in parallel, and return the outcome.

    Blocks the calling thread, in which hooks and `on_event` are called. With policy `cpu` the worker runs in other
    processes and must be importable from a module; otherwise in threads. On a timeout a process is killed; a thread
    is abandoned and its slot given to another.

    Args:
        worker: Processes one item: `worker(item)`. It raises when it fails, and may return an `ItemOutcome`.
        store: DoneItems which items are done, for the next run. Without one every item is processed, and `resume=True`
            is rejected.
        stop: Lets other threads, or signals with `stop_on_signals`, stop the stage early.
        run: The id in its events; a random one by default.

    Raises:
        UsageError: The worker cannot run under this policy.
        StoreError: Finished items cannot be recorded.
    """
    options, hooks = options or StageOptions(), hooks or StageHooks()
    if options.resume and store is None:
        raise UsageError("resume=True needs a store that records what is done; pass store=quire.FileStore(folder)")
    context = StageContext(plan.stage_name, run or token_hex(8), options, plan.total_items)
    teller = StageTeller(context, hooks, (on_event,) if on_event else ())
    records = DoneItems(store, plan.stage_name) if store is not None else None
    return StageScheduling(plan, worker, context, teller, stop or Stop(), records).run()


class StageScheduling:
    """A running stage, for callers with their own record of what is done; others call `run_stage`."""

    def __init__(
        self,
        plan: StagePlan,
        worker: Worker,
        context: StageContext,
        teller: StageTeller,
        stop: Stop,
        known: Known | None,
    ) -> None:
        self._context, self._options = context, context.options
        self._teller, self._stop = teller, stop
        self._known = known
        self._source: Iterator[Task] | None = numbered(plan.items, self._options.schedule)
        self._seen = None if isinstance(plan.items, Sequence) else Ids()
        self._workers = _workers(self._options)
        self._inbox: SimpleQueue[tuple[int, Called] | None] = SimpleQueue()
        self._executor = executor_for(worker, self._options, self._workers, self._report)
        self._waiting = Waiting(self._options.schedule)
        self._retrying = Retrying(self._options.retry_backoff_s, self._options.seed)
        self._running: dict[int, Task] = {}
        self._tickets = 0
        self._abandoned = 0
        self._tally = Tally(plan.total_items)
        self._why_stopped = ""
        self._progress_at = self._flushed = time.monotonic()

    def run(self) -> StageOutcome:
        self._stop.listen(self._wake)
        try:
            self._teller.begin()
            while self._advance():
                pass
        finally:
            self._stop.unlisten(self._wake)
            self._executor.close()
            if self._known is not None and self._known.unsaved:
                self._known.flush()
        cut_short = self._source is not None or self._tally.undone > 0
        outcome = self._tally.outcome(self._why_stopped if cut_short else "")
        self._teller.end(outcome)
        return outcome

    def _advance(self) -> bool:
        """One round: admit, start, wait, settle. Returns whether there is another one."""
        if self._stop.requested and not self._why_stopped:
            self._why_stopped = self._stop.reason
        if not self._why_stopped:
            self._admit()
        if not self._why_stopped:  # an item whose input cannot be read may have used up the budget
            self._start()
        hungry = not self._why_stopped and self._room() > 0
        if not self._running and (self._why_stopped or not (self._source or self._waiting or self._retrying)):
            return False
        self._settle_reported(0.0 if hungry else self._pause_s())
        if self._stop.at_once:
            self._why_stopped = self._stop.reason
            return False
        self._give_up_late()
        self._tell_progress()
        if self._known is not None and self._known.unsaved and time.monotonic() >= self._flushed + FLUSH_EVERY_S:
            self._known.flush()
            self._flushed = time.monotonic()
        return True

    def _room(self) -> int:
        """How many more items may be admitted from the plan."""
        most = self._options.max_queue
        if self._source is None or (most and len(self._retrying) >= max(MOST_RETRYING, most)):
            return 0
        return max(0, most - len(self._waiting)) if most else LOOKED_UP_AT_ONCE

    def _admit(self) -> None:
        """Admit items of the plan as far as there is room, and items whose back-off is over."""
        for task in self._retrying.due(time.monotonic()):
            self._waiting.add(task)
        room = min(self._room(), LOOKED_UP_AT_ONCE)
        if self._source is None or room == 0:
            return
        tasks = list(islice(self._source, room))
        if len(tasks) < room:
            self._source = None
        self._tally.taken += len(tasks)
        for task in self._undone([task for task in tasks if self._new(task)]):
            task.due = time.monotonic()
            self._waiting.add(task)

    def _new(self, task: Task) -> bool:
        """Whether its id is new. A sequence was checked before; of a generator only a hash of each id is kept."""
        if self._seen is None or self._seen.add(task.item.item_id):
            return True
        task.attempts = 1
        message = f"another item of this stage has the id {task.item.item_id!r}; each needs its own"
        self._fail(task, failure_of(UsageError(message)), 0.0)
        return False

    def _undone(self, tasks: list[Task]) -> Iterator[Task]:
        """Tasks that are not done according to the store. One whose input cannot be read fails."""
        if self._known is None:
            yield from tasks
            return
        named = [task for task in tasks if self._name(task)]
        look_up = self._options.resume is not False and not self._options.force
        done = self._known.done(named) if look_up else {}
        for task in named:
            if task.number in done:
                self._end(task, done[task.number])
            else:
                yield task

    def _name(self, task: Task) -> bool:
        assert self._known is not None
        try:
            self._known.name(task)
        except InputError as error:
            task.attempts = 1
            self._fail(task, failure_of(error), 0.0)
            return False
        return True

    def _start(self) -> None:
        if self._options.dry_run:
            while self._waiting:
                self._waiting.next()
                self._tally.scheduled += 1
            return
        while self._waiting and len(self._running) < self._workers:
            task = self._waiting.next()
            task.attempts += 1
            self._tally.scheduled += task.attempts == 1
            self._teller.item_begins(task)
            task.began = time.monotonic()
            self._tally.queued.add((task.began - task.due) * 1000)
            self._tickets += 1
            self._running[self._tickets] = task
            self._executor.start(self._tickets, task.item)

    def _pause_s(self) -> float:
        """Seconds until the next timer: a retry, a timeout, a progress event or a flush."""
        due = [self._retrying.next_due()] if not self._why_stopped else []
        if self._limit_s:
            due += [task.began + self._limit_s for task in self._running.values()]
        if self._options.diagnostics_interval_s:
            due.append(self._progress_at + self._options.diagnostics_interval_s)
        if self._known is not None and self._known.unsaved:
            due.append(self._flushed + FLUSH_EVERY_S)
        now = time.monotonic()
        return max(0.0, min([_LONGEST_WAIT_S, *(at - now for at in due if at is not None)]))

    def _settle_reported(self, pause_s: float) -> None:
        """Wait for a report, a request or the pause; then settle all reports."""
        try:
            report = self._inbox.get(timeout=pause_s) if pause_s else self._inbox.get_nowait()
            while True:
                if report is not None and (task := self._running.pop(report[0], None)) is not None:
                    self._settle(task, report[1])
                report = self._inbox.get_nowait()
        except Empty:
            return

    def _settle(self, task: Task, called: Called) -> None:
        self._tally.ran(called)
        result = _checked(task, called.result)
        if isinstance(result, FailedAttempt):
            self._failed(task, result, called.ms / 1000)
            return
        outcome = replace(result, error=None, attempts=task.attempts, duration_s=called.ms / 1000)
        if self._known is not None and outcome.status == "ok":
            self._known.remember(task, outcome)
        self._end(task, outcome)

    def _failed(self, task: Task, failure: FailedAttempt, seconds: float) -> None:
        """An attempt failed: retry it if that is useful, otherwise fail the item."""
        if not failure.retryable or task.attempts > self._options.retries:
            self._fail(task, failure, seconds)
        elif not self._why_stopped:  # else it stays undone, for the next run
            pause = self._retrying.add(task, time.monotonic())
            self._teller.attempt_failed(task, failure.category, failure.message, pause)

    def _fail(self, task: Task, failure: FailedAttempt, seconds: float) -> None:
        error = StageError(
            self._context.stage_name,
            task.item.item_id,
            failure.category,
            failure.message,
            task.attempts,
            failure.details,
            failure.exit_code,
            failure.retryable,
        )
        self._tally.note(task.number, error)
        outcome = ItemOutcome("failed", {}, failure.message, error, task.attempts, seconds, failure.manifest)
        self._end(task, outcome)
        budget = self._options.error_budget
        if budget and self._tally.failed >= budget and not self._why_stopped:
            self._why_stopped = f"{self._tally.failed} items failed, which uses up the error budget"

    def _end(self, task: Task, outcome: ItemOutcome) -> None:
        self._tally.ended(outcome)
        self._teller.item_ends(task, outcome)

    @property
    def _limit_s(self) -> float:
        """Seconds after which an attempt in a thread is abandoned; a pool enforces the timeout of its processes."""
        return 0.0 if self._options.policy == "cpu" else self._options.per_item_timeout_s

    def _give_up_late(self) -> None:
        if not self._limit_s:
            return
        now = time.monotonic()
        late = [ticket for ticket, task in self._running.items() if task.began + self._limit_s <= now]
        for ticket in late:
            task = self._running.pop(ticket)
            self._executor.abandon(ticket)
            self._abandoned += 1
            self._teller.abandoned(task, self._limit_s)
            message = f"timed out after {self._limit_s:g} s; raise per_item_timeout_s"
            self._settle(task, Called(FailedAttempt("timeout", message), (now - task.began) * 1000))
        if self._abandoned >= MOST_ABANDONED and not self._why_stopped:
            self._why_stopped = f"{self._abandoned} threads hang; with policy 'cpu' hanging items are killed"

    def _tell_progress(self) -> None:
        interval = self._options.diagnostics_interval_s
        if interval and time.monotonic() >= self._progress_at + interval:
            self._progress_at = time.monotonic()
            self._teller.progress(self._tally.progress(len(self._running)))

    def _report(self, ticket: int, called: Called) -> None:
        self._inbox.put((ticket, called))

    def _wake(self) -> None:
        self._inbox.put(None)


def _checked(task: Task, outcome: ItemOutcome | FailedAttempt) -> ItemOutcome | FailedAttempt:
    """The outcome that a worker returned, as a failure if it contradicts what the stage knows about the item."""
    result = {} if isinstance(outcome, FailedAttempt) else outcome.result
    if clash := clashing(task, {**result, **outcome.manifest}):
        what = f"the worker returned the field {clash[0]}, which the manifest has itself; give it another name"
        if isinstance(outcome, FailedAttempt):
            return replace(outcome, message=f"{outcome.message}; {what}")
        return FailedAttempt("usage", what)
    if isinstance(outcome, ItemOutcome) and outcome.status in ("ok", "partial") and (path := unwritten(task.item)):
        what = "is empty" if path.exists() else "was not written"
        return FailedAttempt("runtime", f"the output {path} {what}; the worker must write what the item declares")
    return outcome


def _workers(options: StageOptions) -> int:
    if options.workers is not None:
        return worker_count(options.workers).workers if options.policy == "cpu" else options.workers
    if options.policy == "gpu":
        return 1
    return worker_count().workers if options.policy == "cpu" else cpu_budget()
