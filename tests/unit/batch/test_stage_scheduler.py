"""The scheduler of items: order, retries, budgets, time limits. Threads are held by events, never by sleeping."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

from quire.batch import ItemOutcome, StageError, StageHooks, StageOptions, StagePlan, Stop, WorkItem, run_stage
from quire.batch import stage_scheduler as running_module
from quire.batch.executors import Threads
from quire.batch.schedule import Retrying, Task
from quire.core.context import Retry
from quire.core.errors import EngineError, InputError, UsageError
from quire.system import supervisor

LONG_S = 20.0


def items(*names, **options):
    return [WorkItem(name, **options) for name in names]


def plan(*names):
    return StagePlan("read", items(*names))


class Seen:
    """A sink that remembers."""

    def __init__(self):
        self.events = []

    def __call__(self, event):
        self.events.append(event)

    def of(self, kind, stage="read"):
        return [event for event in self.events if event.kind == kind and event.stage == stage]


def test_every_item_is_done():
    done = []
    outcome = run_stage(plan("a", "b", "c"), lambda item: done.append(item.item_id), StageOptions(workers=2))
    assert sorted(done) == ["a", "b", "c"]
    assert (outcome.planned, outcome.scheduled, outcome.succeeded, outcome.failed) == (3, 3, 3, 0)
    assert not outcome.cancelled
    assert outcome.remaining == 0


def test_a_plan_without_items_is_done_at_once():
    outcome = run_stage(plan(), lambda item: None)
    assert (outcome.planned, outcome.succeeded, outcome.wall_ms >= 0) == (0, 0, True)


def test_three_workers_that_raise_are_three_failures():
    def worker(item):
        raise ValueError(item.item_id)

    outcome = run_stage(plan("a", "b", "c"), worker, StageOptions(workers=3))
    assert (outcome.failed, outcome.succeeded) == (3, 0)
    assert [str(error) for error in outcome.errors] == [f"{name}: ValueError: {name} (unknown)" for name in "abc"]
    assert "raise ValueError(item.item_id)" in outcome.errors[0].details


def test_a_worker_that_exits_fails_its_item_only():
    def worker(item):
        if item.item_id == "a":
            raise SystemExit(3)

    outcome = run_stage(plan("a", "b"), worker)
    assert (outcome.failed, outcome.succeeded) == (1, 1)


def test_a_worker_that_says_skip_skips():
    seen = Seen()
    outcome = run_stage(plan("a", "b"), lambda item: ItemOutcome("skipped", reason="it is empty"), on_event=seen)
    assert (outcome.skipped, outcome.succeeded, outcome.failed, outcome.scheduled) == (2, 0, 0, 2)
    assert [event.payload["reason"] for event in seen.of("hit")] == ["it is empty"] * 2


def test_a_worker_that_says_failed_fails():
    outcome = run_stage(plan("a"), lambda item: ItemOutcome("failed", reason="half of it is missing"))
    assert [error.message for error in outcome.errors] == ["half of it is missing"]


def test_a_partial_item_succeeds_and_says_so():
    seen = Seen()
    outcome = run_stage(plan("a"), lambda item: ItemOutcome("partial", {"pages": 2}), on_event=seen)
    assert outcome.succeeded == 1
    (event,) = [event for event in seen.of("finished") if event.document]
    assert (event.payload["status"], event.payload["pages"]) == ("partial", 2)


@pytest.mark.parametrize(
    ("given", "told"), [(object(), "cannot be serialised to JSON"), ("x" * 70_000, "the limit is 65536")]
)
def test_a_result_that_cannot_be_told_is_a_failure(given, told):
    outcome = run_stage(plan("a"), lambda item: given)
    assert told in outcome.errors[0].message
    assert outcome.errors[0].category == "usage"


def test_retryable_errors_are_tried_again():
    attempts = Counter()

    def worker(item):
        attempts[item.item_id] += 1
        if attempts[item.item_id] < 3:
            raise EngineError("echo", "not now")

    seen, ends = Seen(), []
    hooks = StageHooks(after_item=lambda item, outcome, context: ends.append(outcome.attempts))
    options = StageOptions(retries=2, retry_backoff_s=0.0)
    outcome = run_stage(plan("a"), worker, options, hooks, on_event=seen)
    assert (outcome.succeeded, outcome.failed, outcome.scheduled, ends) == (1, 0, 1, [3])
    assert [event.payload["attempt"] for event in seen.of("attempt")] == [1, 2]
    assert seen.of("attempt")[0].payload["category"] == "transient"


def test_errors_that_will_not_change_are_not_tried_again():
    attempts = []

    def worker(item):
        attempts.append(item.item_id)
        raise InputError("is no document", document="a.pdf")

    outcome = run_stage(plan("a"), worker, StageOptions(retries=5))
    assert attempts == ["a"]
    assert outcome.errors[0].message == "a.pdf: is no document"


def test_the_last_attempt_counts_as_one_failure():
    def worker(item):
        raise ConnectionError("gone")

    outcome = run_stage(plan("a"), worker, StageOptions(retries=3, retry_backoff_s=0.0))
    assert (outcome.failed, outcome.errors[0].attempts, outcome.errors[0].category) == (1, 4, "network")


def test_a_pause_before_a_retry_blocks_nobody():
    """Four that wait an hour for their next attempt hold nobody back: a pause that sleeps would."""
    stop, good = Stop(), []

    def worker(item):
        if item.item_id.startswith("flaky"):
            raise EngineError("echo", "not now")

    def after(item, outcome, context):
        good.append(item.item_id)
        if len(good) == 20:
            stop.request("all others are done")

    names = ["flaky-1", "flaky-2", "flaky-3", "flaky-4", *(f"good-{n}" for n in range(20))]
    options = StageOptions(workers=1, retries=1, retry_backoff_s=3600.0)
    outcome = run_stage(plan(*names), worker, options, StageHooks(after_item=after), stop=stop)
    assert (outcome.succeeded, outcome.failed, outcome.remaining) == (20, 0, 4)


def test_an_item_is_tried_again_when_its_pause_is_over():
    tried = []

    def worker(item):
        tried.append(time.monotonic())
        if len(tried) == 1:
            raise EngineError("echo", "not now")

    outcome = run_stage(plan("a"), worker, StageOptions(retries=1, retry_backoff_s=0.05))
    assert outcome.succeeded == 1
    assert tried[1] - tried[0] >= 0.025


def test_pauses_are_those_of_every_retry():
    """Doubled each time, less up to half: the one formula, `Retry.pause_s`."""
    task = Task(WorkItem("a"), 0, attempts=3)
    assert 1.0 <= Retrying(0.5, seed=1).add(task, now=0.0) <= 2.0
    assert [Retry(backoff_s=0.5).pause_s(attempt, 0.0) for attempt in (1, 2, 3, 4)] == [0.5, 1.0, 2.0, 4.0]
    assert Retry(backoff_s=0.5).pause_s(1, 1.0) == 0.25
    assert Retry(backoff_s=10.0, max_backoff_s=300.0).pause_s(5000, 0.0) == 300.0


def test_an_id_that_a_generator_gives_twice_fails_the_second_item_alone():
    done = []
    items = (WorkItem(name) for name in ("one", "two", "one", "three"))
    outcome = run_stage(StagePlan("read", items), lambda item: done.append(item.item_id), StageOptions(workers=1))
    assert (done, outcome.succeeded, outcome.failed) == (["one", "two", "three"], 3, 1)
    assert str(outcome.errors[0]) == "one: another item of this stage has the id 'one'; each needs its own (usage)"


def test_errors_that_succeed_later_do_not_spend_the_budget():
    tried = Counter()

    def worker(item):
        tried[item.item_id] += 1
        if tried[item.item_id] < 3:
            raise EngineError("echo", "not now")

    options = StageOptions(error_budget=1, retries=3, retry_backoff_s=0.0)
    outcome = run_stage(plan(*"abcdef"), worker, options)
    assert (outcome.succeeded, outcome.failed, outcome.cancelled) == (6, 0, False)


def test_the_error_budget_stops_new_items_and_lets_others_finish():
    both_run = threading.Barrier(2, timeout=LONG_S)
    failed = threading.Event()

    def worker(item):
        if item.item_id == "a":
            both_run.wait()
            raise ValueError("no")
        if item.item_id == "b":
            both_run.wait()
            assert failed.wait(LONG_S)

    hooks = StageHooks(after_item=lambda item, outcome, context: failed.set())
    options = StageOptions(workers=2, error_budget=1)
    outcome = run_stage(plan("a", "b", "c", "d"), worker, options, hooks)
    assert (outcome.failed, outcome.succeeded, outcome.remaining) == (1, 1, 2)
    assert outcome.cancelled
    assert outcome.cancelled_reason == "1 items failed, which uses up the error budget"


def test_an_error_budget_of_zero_is_unlimited():
    def worker(item):
        raise ValueError("no")

    outcome = run_stage(plan(*"abcdefgh"), worker, StageOptions(error_budget=0))
    assert (outcome.failed, outcome.cancelled) == (8, False)


def test_a_budget_that_ends_with_the_last_item_cut_nothing_short():
    def worker(item):
        raise ValueError("no")

    outcome = run_stage(plan("a"), worker, StageOptions(error_budget=1))
    assert (outcome.failed, outcome.cancelled) == (1, False)


@pytest.mark.parametrize(
    ("schedule", "order"),
    [("fifo", ["b", "c", "a", "d"]), ("sjf", ["a", "b", "d", "c"]), ("ljf", ["c", "b", "d", "a"])],
)
@pytest.mark.parametrize("lazy", [False, True])
def test_schedule_decides_the_order(schedule, order, lazy):
    costs = {"b": 2, "c": 3, "a": 1, "d": 2}
    work = [WorkItem(name, cost_hint=cost) for name, cost in costs.items()]
    begun = []
    hooks = StageHooks(before_item=lambda item, context: begun.append(item.item_id))
    outcome = run_stage(
        StagePlan("read", iter(work) if lazy else work),
        lambda item: None,
        StageOptions(workers=1, schedule=schedule),
        hooks,
    )
    assert begun == order
    assert outcome.planned == 4


def test_items_of_a_generator_are_ordered_among_those_that_are_held():
    begun = []
    work = (WorkItem(str(cost), cost_hint=cost) for cost in (4, 3, 2, 1))
    hooks = StageHooks(before_item=lambda item, context: begun.append(item.item_id))
    run_stage(StagePlan("read", work), lambda item: None, StageOptions(workers=1, schedule="sjf", max_queue=2), hooks)
    assert begun == ["3", "2", "1", "4"]


def test_no_more_than_the_queue_is_taken_from_a_generator():
    taken, started, go = [], threading.Event(), threading.Event()

    def source():
        for number in range(100):
            taken.append(number)
            yield WorkItem(str(number))

    def worker(item):
        started.set()
        assert go.wait(LONG_S)

    def look():
        assert started.wait(LONG_S)
        held.append(len(taken))
        go.set()

    held = []
    looker = threading.Thread(target=look)
    looker.start()
    outcome = run_stage(StagePlan("read", source()), worker, StageOptions(workers=2, max_queue=5))
    looker.join()
    assert outcome.succeeded == 100
    assert held[0] <= 2 + 5


PEAKS = """
import gc, tracemalloc
from quire.batch.contracts import StageOptions, StagePlan, WorkItem
from quire.batch.stage_scheduler import run_stage

def peak(count):
    gc.collect()
    tracemalloc.start()
    work = (WorkItem(f"item {number}", metadata={"text": "x" * 1000}) for number in range(count))
    outcome = run_stage(StagePlan("read", work), lambda item: None, StageOptions(workers=2), on_event=lambda e: None)
    _, highest = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcome.succeeded == count
    return highest

peak(300)
print(peak(5000), peak(500))
"""


@pytest.mark.processes
def test_memory_does_not_grow_with_the_items():
    """In a process of its own: threads and settings that other tests leave behind take memory as well."""
    program = subprocess.run([sys.executable, "-c", PEAKS], capture_output=True, text=True, timeout=60, check=True)
    many, few = map(int, program.stdout.split())
    assert many < 1.5 * few + 100_000


def test_a_thread_past_its_time_is_left_behind():
    release = threading.Event()
    threads = []

    def worker(item):
        threads.append(threading.current_thread())
        if item.item_id == "a":
            release.wait(LONG_S)
        return {"done": item.item_id}

    seen = Seen()
    options = StageOptions(workers=1, per_item_timeout_s=0.5)
    outcome = run_stage(plan("a", "b"), worker, options, on_event=seen)
    assert (outcome.failed, outcome.succeeded) == (1, 1)
    assert outcome.errors[0].category == "timeout"
    assert "its thread is abandoned" in seen.of("progress")[0].payload["reason"]
    assert all(thread.daemon for thread in threads)  # the end of the program does not wait for it
    release.set()
    for thread in threads:
        thread.join(LONG_S)
        assert not thread.is_alive()


def test_a_timeout_is_retryable():
    release, tried = threading.Event(), Counter()

    def worker(item):
        tried[item.item_id] += 1
        if tried[item.item_id] == 1:
            release.wait(LONG_S)

    options = StageOptions(per_item_timeout_s=0.5, retries=1, retry_backoff_s=0.0)
    outcome = run_stage(plan("a"), worker, options)
    release.set()
    assert (outcome.succeeded, tried["a"]) == (1, 2)


def test_a_stage_does_not_fill_the_process_with_hung_threads(monkeypatch):
    monkeypatch.setattr(running_module, "MOST_ABANDONED", 3)
    release = threading.Event()
    options = StageOptions(workers=1, per_item_timeout_s=0.01)
    outcome = run_stage(plan(*"abcdefgh"), lambda item: release.wait(LONG_S), options)
    release.set()
    assert (outcome.failed, outcome.cancelled) == (3, True)
    assert "with policy 'cpu' hanging items are killed" in outcome.cancelled_reason


def test_stopping_lets_what_runs_finish():
    stop, running = Stop(), threading.Event()

    def worker(item):
        stop.request("the user said so")
        running.set()

    outcome = run_stage(plan("a", "b", "c"), worker, StageOptions(workers=1), stop=stop)
    assert (outcome.succeeded, outcome.cancelled, outcome.remaining) == (1, True, 2)
    assert outcome.cancelled_reason == "the user said so"


def test_stopping_drops_items_that_wait_for_a_retry():
    stop = Stop()

    def worker(item):
        if item.item_id == "b":
            stop.request("enough")
        raise EngineError("echo", "not now")

    options = StageOptions(workers=1, retries=1, retry_backoff_s=3600.0)
    outcome = run_stage(plan("a", "b"), worker, options, stop=stop)
    assert (outcome.failed, outcome.succeeded, outcome.remaining) == (0, 0, 2)


def test_stopping_now_gives_up_what_runs():
    stop, release = Stop(), threading.Event()

    def worker(item):
        stop.now("second signal")
        release.wait(LONG_S)

    outcome = run_stage(plan("a", "b"), worker, StageOptions(workers=1), stop=stop)
    release.set()
    assert (outcome.succeeded, outcome.failed, outcome.cancelled, outcome.remaining) == (0, 0, True, 2)


def test_waiting_does_not_spin(monkeypatch):
    """An item that takes its time, and one that waits for its next attempt, cost a handful of rounds."""
    rounds, tried, never = [], [], threading.Event()
    advance = running_module.StageScheduling._advance

    def counted(self):
        rounds.append(1)
        return advance(self)

    def worker(item):
        tried.append(1)
        never.wait(0.1)
        if len(tried) == 1:
            raise EngineError("echo", "not now")

    monkeypatch.setattr(running_module.StageScheduling, "_advance", counted)
    assert run_stage(plan("a"), worker, StageOptions(workers=1, retries=1, retry_backoff_s=0.1)).succeeded == 1
    assert len(rounds) <= 6


def test_hooks_are_called_in_order_in_the_thread_of_the_caller():
    calls, threads = [], set()

    def note(name):
        def hook(*args):
            threads.add(threading.current_thread())
            calls.append((name, *(arg.item_id for arg in args if isinstance(arg, WorkItem))))

        return hook

    hooks = StageHooks(note("before stage"), note("after stage"), note("before"), note("after"))
    run_stage(plan("a", "b"), lambda item: None, StageOptions(workers=1), hooks)
    assert calls == [
        ("before stage",),
        ("before", "a"),
        ("after", "a"),
        ("before", "b"),
        ("after", "b"),
        ("after stage",),
    ]
    assert threads == {threading.current_thread()}


def test_hooks_that_raise_do_not_break_the_stage(caplog):
    def broken(*args):
        raise RuntimeError("a hook of somebody")

    seen = Seen()
    hooks = StageHooks(broken, broken, broken, broken)
    outcome = run_stage(plan("a", "b", "c"), lambda item: None, StageOptions(workers=2), hooks, on_event=seen)
    assert (outcome.succeeded, outcome.failed) == (3, 0)
    told = seen.of("failed", stage="hook")
    assert {event.payload["hook"] for event in told} == {"before_stage", "after_stage", "before_item", "after_item"}
    assert len(told) == len(caplog.records) == 4  # each the first time only


def test_sinks_that_raise_do_not_break_the_stage(caplog):
    def broken(event):
        raise RuntimeError("a sink of somebody")

    assert run_stage(plan("a", "b"), lambda item: None, on_event=broken).succeeded == 2


def test_events_have_ids_of_their_own_and_follow_from_what_happened():
    def ids():
        seen = Seen()
        run_stage(plan("a", "b"), lambda item: None, StageOptions(workers=1), on_event=seen, run="r1")
        return [event.id for event in seen.events]

    first = ids()
    assert len(set(first)) == len(first)
    assert first == ids()
    assert "r1/read/finished/a" in first


def test_errors_come_in_the_order_of_the_plan():
    turns = {name: threading.Event() for name in "abc"}
    follows = {"c": "b", "b": "a"}
    turns["c"].set()

    def worker(item):
        assert turns[item.item_id].wait(LONG_S)
        if item.item_id in follows:
            turns[follows[item.item_id]].set()
        raise ValueError(item.item_id)

    outcome = run_stage(plan("a", "b", "c"), worker, StageOptions(workers=3))
    assert [error.item_id for error in outcome.errors] == ["a", "b", "c"]


def test_the_same_seed_gives_the_same_pauses():
    def pauses(seed):
        seen = Seen()

        def worker(item):
            raise EngineError("echo", "not now")

        options = StageOptions(workers=2, retries=2, retry_backoff_s=0.001, seed=seed)
        run_stage(plan("a", "b"), worker, options, on_event=seen)
        return sorted((event.document, event.payload["pause_s"]) for event in seen.of("attempt"))

    assert pauses(1) == pauses(1)


def test_progress_tells_figures_and_what_is_left():
    seen, told = Seen(), threading.Event()

    def sink(event):
        seen(event)
        if event.kind == "progress":
            told.set()

    def worker(item):
        if item.item_id == "b":
            assert told.wait(LONG_S)

    options = StageOptions(workers=1, diagnostics_interval_s=0.05)
    run_stage(plan("a", "b"), worker, options, on_event=sink)
    payload = seen.of("progress")[0].payload
    assert (payload["planned"], payload["succeeded"], payload["running"]) == (2, 1, 1)
    assert payload["eta_s"] is not None
    assert set(payload) >= {"rate", "exec_p50_ms", "exec_p95_ms", "failed", "skipped"}


def test_times_are_counted():
    outcome = run_stage(plan(*"abcd"), lambda item: sum(range(20_000)), StageOptions(workers=2))
    assert 0 < outcome.exec_p50_ms <= outcome.exec_p95_ms <= outcome.exec_p99_ms
    assert 0 < outcome.queue_p50_ms <= outcome.queue_p95_ms
    assert outcome.cpu_time_total_ms > 0


def test_a_dry_run_does_nothing():
    done = []
    outcome = run_stage(plan("a", "b"), lambda item: done.append(item), StageOptions(dry_run=True))
    assert (outcome.planned, outcome.scheduled, outcome.succeeded, done) == (2, 2, 0, [])


def test_a_dry_run_looks_at_all_items_however_short_the_queue():
    outcome = run_stage(
        plan(*map(str, range(50))), lambda item: pytest.fail("it ran"), StageOptions(dry_run=True, max_queue=3)
    )
    assert (outcome.planned, outcome.scheduled) == (50, 50)


def test_many_items_that_wait_for_a_retry_are_not_all_held(monkeypatch):
    monkeypatch.setattr(running_module, "MOST_RETRYING", 2)
    stop, tried = Stop(), []

    def worker(item):
        tried.append(item.item_id)
        raise EngineError("echo", "not now")

    def sink(event):
        if len(tried) >= 3:
            stop.request("enough")

    options = StageOptions(workers=1, retries=1, retry_backoff_s=0.2, max_queue=1)
    outcome = run_stage(
        StagePlan("read", (WorkItem(str(n)) for n in range(100))), worker, options, on_event=sink, stop=stop
    )
    assert outcome.failed + len(tried) < 10


def test_a_plan_that_breaks_ends_the_stage_with_its_error():
    def source():
        yield WorkItem("a")
        raise UsageError("the list of documents is damaged")

    with pytest.raises(UsageError, match="list of documents"):
        run_stage(StagePlan("read", source()), lambda item: None, StageOptions(max_queue=1, workers=1))


def test_a_sequence_of_many_failures_is_told_in_part(monkeypatch):
    monkeypatch.setattr("quire.batch.tally.ERRORS_KEPT", 5)

    def worker(item):
        raise ValueError("no")

    outcome = run_stage(plan(*map(str, range(20))), worker)
    assert outcome.failed == 20
    assert [error.item_id for error in outcome.errors] == ["0", "1", "2", "3", "4"]


def test_events_of_items_can_be_written_as_json():
    seen = Seen()
    run_stage(StagePlan("read", items("a", inputs={"pdf": "a.pdf"})), lambda item: {"pages": 3}, on_event=seen)
    for event in seen.events:
        json.dumps(dict(event.payload))


def failed(item, category, retryable):
    error = StageError("read", item.item_id, category, "refused", retryable=retryable)
    return ItemOutcome("failed", error=error, manifest={"pages": 3})


@pytest.mark.parametrize(("category", "retryable", "attempts"), [("input", True, 3), ("network", False, 1)])
def test_the_error_that_a_worker_returns_decides_about_another_attempt(category, retryable, attempts):
    options = StageOptions(retries=2, retry_backoff_s=0)
    outcome = run_stage(plan("a"), lambda item: failed(item, category, retryable), options)
    assert [(error.attempts, error.retryable) for error in outcome.errors] == [(attempts, retryable)]


def test_further_fields_of_the_manifest_are_in_the_event_of_the_item():
    seen = Seen()

    def worker(item):
        if item.item_id == "b":
            return failed(item, "input", False)
        return ItemOutcome(result={"words": 7}, manifest={"pages": 2})

    run_stage(plan("a", "b"), worker, StageOptions(workers=1), on_event=seen)
    (done,) = [event for event in seen.of("finished") if event.document]
    (broken,) = seen.of("failed")
    assert (done.payload["words"], done.payload["pages"]) == (7, 2)
    assert broken.payload["pages"] == 3


def test_a_queue_of_size_0_has_no_limit():
    first, taken = threading.Event(), []

    def generated():
        for number in range(300):
            taken.append(number)
            if number == 299:
                first.set()
            yield WorkItem(str(number))

    def worker(item):
        assert first.wait(LONG_S)

    outcome = run_stage(StagePlan("read", generated()), worker, StageOptions(workers=1, max_queue=0))
    assert outcome.succeeded == len(taken) == 300


def test_resume_without_a_store_is_refused():
    with pytest.raises(UsageError, match="resume=True needs a store"):
        run_stage(plan("a"), lambda item: None, StageOptions(resume=True))


@pytest.mark.restarts
def test_a_thread_that_could_not_report_an_item_takes_the_next_one(monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)
    reported = queue.SimpleQueue()

    def report(ticket, called):
        reported.put(ticket)
        if ticket == 1:
            raise ValueError("a bug")

    threads = Threads(lambda item: None, report)
    for ticket in (1, 2):
        threads.start(ticket, WorkItem(f"item {ticket}"))
        assert reported.get(timeout=LONG_S) == ticket
    threads.close()
