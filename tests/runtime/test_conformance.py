"""What every runtime promises, inside one process: the same scenarios for all, with and without forced replay."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from quire.core.context import MAX_RESULT
from quire.core.errors import RunCancelled, RunError, UsageError
from quire.runtime.restate.runtime import RestateRuntime
from tests.runtime import workflows
from tests.runtime.tracking import PATIENCE_S, wait_until

pytestmark = pytest.mark.slow

# Results and order.


def test_a_workflow_gives_its_result(bench):
    assert bench.result("silent", value=[1, "zwei", None, {"drei": 3.5}])["argument"]["value"][3] == {"drei": 3.5}


def test_a_workflow_knows_its_key(bench):
    assert bench.result("silent", key=bench.key("mine"))["key"] == bench.key("mine")


def test_gathered_results_keep_the_order_in_which_they_were_asked_for(bench):
    assert bench.result("ordered", last=3) == [1, 2, 3]
    assert bench.track.lines == ["step 3", "step 2", "step 1"]


def test_every_step_is_done_once_whatever_is_played_again(bench):
    assert bench.result("two-steps") == ["first", "second"]
    assert bench.track.lines == ["first", "second"]


def test_the_time_is_read_once_and_is_in_utc(bench):
    bench.track.open("go")
    told = bench.result("clocked")
    assert bench.track.lines[0] == f"time {told['first']}"
    assert told["first"] <= told["second"]
    assert told["utc"]


def test_200_children_are_all_done_and_come_in_order(bench):
    calls = [bench.call("echo", f"child {number}", value=number) for number in range(200)]
    assert bench.result("parent", calls=calls) == list(range(200))
    assert len(bench.track.lines) == 200 == len(set(bench.track.lines))


def test_calls_may_be_nested_and_belong_to_one_run(bench):
    run = bench.submit("nested", depth=3)
    assert bench.runtime.result(run, timeout_s=PATIENCE_S) == [run] * 4
    assert sorted(bench.track.lines) == ["depth 0", "depth 1", "depth 2", "depth 3"]


def test_those_who_wait_for_others_do_not_take_their_places(bench):
    """More runs than a pool takes at a time, each of which waits for others in the same pool."""
    runs = [bench.submit("nested", key=bench.key(f"tree {number}"), depth=3) for number in range(24)]
    assert [bench.runtime.result(run, timeout_s=PATIENCE_S) for run in runs] == [[run] * 4 for run in runs]


# One key, one execution.


def test_the_same_key_twice_is_one_execution_and_two_answers(bench):
    key = bench.key("same")
    runs = [bench.submit("held", key=key) for _ in range(2)]
    bench.track.until("held here")
    bench.track.open("go")
    assert len({*runs}) == 1
    results = [bench.runtime.result(run, timeout_s=PATIENCE_S) for run in runs]
    assert results[0] == results[1] == ["held before", "held here", "held after"]
    assert set(bench.track.counts.values()) == {1}


def test_two_children_under_one_key_are_one_execution(bench):
    calls = [bench.call("echo", "one", value="said once")] * 3
    assert bench.result("parent", calls=calls) == ["said once"] * 3
    assert len(bench.track.lines) == 1


def test_children_of_two_runs_under_one_key_are_one_execution(bench):
    call = bench.call("held", "shared")
    runs = [bench.submit("parent", calls=[call]) for _ in range(2)]
    bench.track.until("held here")
    bench.track.open("go")
    results = [bench.runtime.result(run, timeout_s=PATIENCE_S) for run in runs]
    assert results[0] == results[1] == [["held before", "held here", "held after"]]
    assert set(bench.track.counts.values()) == {1}


def test_a_finished_key_gives_its_result_without_working_again(bench):
    key = bench.key("done")
    run = bench.submit("echo", key=key, value=7)
    assert bench.runtime.result(run, timeout_s=PATIENCE_S) == 7
    again = bench.submit("echo", key=key, value=7)
    assert (again, bench.runtime.result(again, timeout_s=PATIENCE_S)) == (run, 7)
    assert len(bench.track.lines) == 1


def test_many_callers_at_once_are_one_execution(bench):
    key = bench.key("crowd")
    with ThreadPoolExecutor(8) as threads:
        runs = set(threads.map(lambda _: bench.submit("echo", key=key, value=1), range(16)))
    (run,) = runs
    assert bench.runtime.result(run, timeout_s=PATIENCE_S) == 1
    assert len(bench.track.lines) == 1


def test_work_without_a_key_is_new_every_time(bench):
    runs = {bench.submit("echo", value=number) for number in range(3)}
    assert sorted(bench.runtime.result(run, timeout_s=PATIENCE_S) for run in runs) == [0, 1, 2]


def test_a_failed_key_begins_again_as_another_run(bench):
    key = bench.key("second chance")
    arguments = {"attempts": 1, "kind": "network", "times": 1}
    first = bench.submit("flaky", key=key, **arguments)
    with pytest.raises(RunError):
        bench.runtime.result(first, timeout_s=PATIENCE_S)
    second = bench.submit("flaky", key=key, **arguments)
    assert second != first
    assert bench.runtime.result(second, timeout_s=PATIENCE_S) == 2
    assert bench.runtime.status(first).state == "failed"


def test_a_child_that_failed_begins_again_for_another_run(bench):
    call = bench.call("flaky", "child", attempts=1, kind="network", times=1)
    with pytest.raises(RunError, match="the other side hung up") as caught:
        bench.result("parent", calls=[call, call])
    assert caught.value.category == "network"
    assert bench.track.lines == ["try"]
    assert bench.result("parent", calls=[call]) == [2]


# Retries.


@pytest.mark.parametrize("kind", ["network", "timeout", "transient", "full"])
def test_what_may_be_over_next_time_is_tried_again(bench, kind):
    assert bench.result("flaky", attempts=3, kind=kind, times=2) == 3


@pytest.mark.parametrize("kind", ["input", "unknown"])
def test_what_will_not_change_is_not_tried_again(bench, kind):
    with pytest.raises(RunError) as caught:
        bench.result("flaky", attempts=3, kind=kind, times=2)
    assert caught.value.category == kind
    assert bench.track.lines == ["try"]


def test_attempts_are_bounded_and_the_last_error_is_told(bench):
    run = bench.submit("flaky", attempts=3, kind="network", times=99)
    with pytest.raises(RunError, match="the other side hung up") as caught:
        bench.runtime.result(run, timeout_s=PATIENCE_S)
    assert caught.value.category == "network"
    assert bench.track.counts == {"try": 3}
    status = bench.runtime.status(run)
    assert (status.state, status.category) == ("failed", "network")
    assert "the other side hung up" in (status.error or "")


def test_a_step_that_waits_for_its_next_attempt_holds_nobody_up(bench):
    assert bench.result("patient") == [2, "quick"]
    assert bench.track.lines in (["try", "quick", "try"], ["quick", "try", "try"])


def test_a_workflow_may_go_on_after_a_step_that_failed(bench):
    message, category = bench.result("forgiving", kind="input")
    assert "no such thing as page 9" in message
    assert category == "input"
    assert bench.track.counts == {"try": 1, "after": 1}


# Failures.


def test_a_failing_child_fails_its_parent_with_category_and_message(bench):
    with pytest.raises(RunError, match="no such thing as page 9") as caught:
        bench.result("parent", calls=[bench.call("raising", "child", kind="input")])
    assert caught.value.category == "input"


def test_a_failure_is_raised_after_the_others_are_done_and_the_first_in_order_counts(bench):
    calls = [
        bench.call("held", "slow"),
        bench.call("raising", "late", kind="network"),
        bench.call("raising", "early", kind="input"),
    ]
    run = bench.submit("parent", calls=calls)
    bench.track.until("held here")
    bench.track.until("raising", times=2)
    assert bench.runtime.status(run).state == "running"
    bench.track.open("go")
    with pytest.raises(RunError, match="the other side hung up") as caught:
        bench.runtime.result(run, timeout_s=PATIENCE_S)
    assert caught.value.category == "network"
    assert "held after" in bench.track.lines


def test_something_unexpected_fails_the_run_and_is_named(bench):
    run = bench.submit("raising", kind="unknown")
    with pytest.raises(RunError, match="ZeroDivisionError: nobody expected this") as caught:
        bench.runtime.result(run, timeout_s=PATIENCE_S)
    assert caught.value.category == "unknown"
    assert bench.track.lines == ["raising"]


@pytest.mark.parametrize("workflow", ["too-large", "too-large-at-the-end"])
def test_a_result_that_is_too_large_is_refused_and_not_worked_for_again(bench, workflow):
    with pytest.raises(RunError, match="65,536"):
        bench.result(workflow, size=MAX_RESULT + 1)
    assert bench.track.lines == ["large"]


def test_a_result_that_just_fits_is_taken(bench):
    assert len(bench.result("too-large", size=MAX_RESULT - 2)) == MAX_RESULT - 2  # two quotation marks


@pytest.mark.parametrize("workflow", ["no-json-in-a-step", "no-json-at-the-end"])
def test_a_result_that_is_no_json_is_refused_and_not_worked_for_again(bench, workflow):
    with pytest.raises(RunError, match="JSON"):
        bench.result(workflow)
    assert bench.track.lines == ["set"]


def test_an_argument_that_is_no_json_is_refused_at_once(bench):
    with pytest.raises(UsageError, match="JSON"):
        bench.runtime.submit("silent", {"value": {1, 2, 3}})


def test_a_workflow_that_nobody_knows_is_refused_and_those_that_are_known_are_named(bench):
    with pytest.raises(UsageError, match=r"no-such-thing"):
        bench.runtime.submit("no-such-thing", {})


def test_a_run_that_nobody_knows_is_refused_by_every_verb(bench):
    runtime = bench.runtime
    verbs = (
        runtime.status,
        runtime.result,
        runtime.cancel,
        runtime.forget,
        lambda run: list(runtime.events(run)),
        lambda run: runtime.send(run, "answer", "anybody there?"),
        *(() if isinstance(runtime, RestateRuntime) else (runtime.pause,)),
    )
    for verb in verbs:
        with pytest.raises(UsageError, match="nobody-1"):
            verb("nobody-1")


def test_a_child_that_nobody_knows_fails_its_parent_and_is_named(bench):
    with pytest.raises(RunError, match="no-such-thing") as caught:
        bench.result("parent", calls=[bench.call("no-such-thing", "child")])
    assert caught.value.category == "config"


def test_a_workflow_that_is_not_deterministic_fails_loudly_when_it_is_played_again(bench):
    if bench.replays:
        with pytest.raises(RunError, match="determin"):
            bench.result("wandering")
    else:
        assert bench.result("wandering") == 0, "nothing had to be played again"


# The classic mistakes: each ends its own run with one clear error, and harms no other run.


def others_are_unharmed(bench, bad: str, beside: str) -> None:
    """A run concurrent with the bad one finishes, and so does one afterwards."""
    bench.track.open("go")
    assert bench.runtime.result(beside, timeout_s=PATIENCE_S)[-1] == "held after"
    assert bench.result("two-steps") == ["first", "second"]
    assert bench.runtime.status(bad).state == "failed"


@pytest.mark.parametrize("how", ["asyncio.run", "plainly"])
@pytest.mark.parametrize("method", list(workflows.USES))
def test_a_step_that_uses_the_context_fails_its_run_and_no_other(bench, method, how):
    beside = bench.submit("held")
    bench.track.until("held here")
    bad = bench.submit("misusing", method=method, how=how)
    with pytest.raises(RunError, match=rf"workflow misusing: its step 'wrong' uses ctx\.{method}") as caught:
        bench.runtime.result(bad, timeout_s=PATIENCE_S)
    assert (caught.value.category, caught.value.exit_code) == ("usage", 2)
    assert [event.payload["number"] for event in bench.told(bad)] == [1], "a step may tell, and is tried once"
    others_are_unharmed(bench, bad, beside)
    assert not {"inner", "after the mistake"} & set(bench.track.lines)


@pytest.mark.parametrize(
    ("what", "named"),
    [
        ("sleep", r"asyncio\.sleep"),
        ("sleep 0", r"asyncio\.sleep"),
        ("future", "something"),
        ("thread", r"asyncio\.to_thread"),
        ("asyncio.gather", "something"),
        ("gathered", "(asyncio.sleep|something)"),
    ],
)
def test_a_workflow_that_awaits_something_foreign_fails_and_no_other_run_does(bench, what, named):
    beside = bench.submit("held")
    bench.track.until("held here")
    bad = bench.submit("foreign-await", what=what)
    with pytest.raises(RunError, match=rf"workflow foreign-await awaits {named}.*ctx\.sleep") as caught:
        bench.runtime.result(bad, timeout_s=PATIENCE_S)
    assert (caught.value.category, caught.value.exit_code) == ("usage", 2)
    others_are_unharmed(bench, bad, beside)
    assert "after a foreign await" not in bench.track.lines


# Waiting.


def test_waiting_for_a_result_ends_in_time_and_the_run_goes_on(bench):
    run = bench.submit("held")
    bench.track.until("held here")
    with pytest.raises(TimeoutError, match=run):
        bench.runtime.result(run, timeout_s=0.05)
    assert bench.runtime.status(run).state == "running"
    bench.track.open("go")
    assert bench.runtime.result(run, timeout_s=PATIENCE_S)[-1] == "held after"


def test_a_timer_rings_once_and_not_early(bench):
    begun, ended = bench.result("timer", seconds=0.2)
    assert ended - begun >= 0.2
    assert bench.track.lines == ["set", "rang"]


def test_a_timer_of_no_time_rings(bench):
    assert len(bench.result("timer", seconds=0)) == 2


def test_a_workflow_hears_what_is_sent_while_it_waits(bench):
    bench.track.open("listen")
    run = bench.submit("signalled")
    bench.track.until("asked is over")
    bench.send(run, "answer", {"said": "yes"})
    assert bench.runtime.result(run, timeout_s=PATIENCE_S) == {"said": "yes"}
    assert bench.track.lines[-1] == "heard yes"


def test_a_workflow_hears_what_was_sent_before_it_waited(bench):
    run = bench.submit("signalled")
    bench.track.until("asked")
    bench.send(run, "answer", {"said": "early"})
    bench.track.open("listen")
    assert bench.runtime.result(run, timeout_s=PATIENCE_S) == {"said": "early"}


def test_the_first_answer_counts(bench):
    run = bench.submit("signalled")
    bench.track.until("asked")
    bench.send(run, "answer", {"said": "first"})
    bench.send(run, "answer", {"said": "second"})
    bench.track.open("listen")
    assert bench.runtime.result(run, timeout_s=PATIENCE_S) == {"said": "first"}


# Events.


def test_events_are_told_once_and_in_order(bench):
    bench.track.open("go")
    run = bench.submit("telling")
    bench.runtime.result(run, timeout_s=PATIENCE_S)
    told = bench.told(run)
    assert [event.payload["number"] for event in told] == [1, 2, 3]
    assert {(event.run, event.stage, event.document) for event in told} == {(run, "telling", "a document")}
    assert [event.page for event in told] == [1, 2, 3]


def test_events_go_on_after_the_last_one_that_was_seen(bench):
    run = bench.submit("telling")
    bench.track.until("hold")
    wait_until(lambda: len(bench.told(run)) == 2, "the events before the step are not there")
    seen = list(bench.runtime.events(run))
    bench.track.open("go")
    bench.runtime.result(run, timeout_s=PATIENCE_S)
    rest = list(bench.runtime.events(run, after=seen[-1].sequence))
    together = [*seen, *rest]
    assert together == list(bench.runtime.events(run))
    assert [event.sequence for event in together] == sorted({event.sequence for event in together})
    assert bench.runtime.status(run).last_event == together[-1].sequence


# Status, cancelling, forgetting.


def test_the_status_tells_what_was_asked_for_and_what_became_of_it(bench):
    before = time.time()
    key = bench.key("status")
    run = bench.submit("held", key=key)
    bench.track.until("held here")
    status = bench.runtime.status(run)
    assert (status.run, status.flow, status.key, status.state) == (run, "held", key, "running")
    assert status.inputs["folder"] == str(bench.track.folder)
    assert (status.result, status.finished) == (None, None)
    bench.track.open("go")
    bench.runtime.result(run, timeout_s=PATIENCE_S)
    status = bench.runtime.status(run)
    assert (status.state, status.result) == ("finished", ["held before", "held here", "held after"])
    assert status.finished is not None
    assert before - 1 <= status.submitted <= status.finished + 0.001


def test_runs_are_listed_by_flow_state_and_the_beginning_of_their_id(bench):
    done = bench.submit("two-steps")
    bench.runtime.result(done, timeout_s=PATIENCE_S)
    held = bench.submit("held")
    bench.track.until("held here")
    runtime = bench.runtime
    assert [run.run for run in runtime.runs(flow="held", limit=1)] == [held], "the latest first"
    assert held in [run.run for run in runtime.runs(flow="held", state="running")]
    assert held not in [run.run for run in runtime.runs(state="finished")]
    assert done in [run.run for run in runtime.runs(flow="two-steps", state="finished")]
    assert [(run.run, run.flow) for run in runtime.runs(prefix=done)] == [(done, "two-steps")]
    assert runtime.runs(prefix="%") == runtime.runs(prefix=done, flow="held") == []
    every = [run.run for run in runtime.runs(limit=1000)]
    assert [run.run for run in runtime.runs(before=held, limit=1000)] == every[every.index(held) + 1 :]
    with pytest.raises(UsageError, match="there is no run 123"):
        runtime.runs(before="123")
    bench.track.open("go")
    bench.runtime.result(held, timeout_s=PATIENCE_S)


def test_a_paused_run_begins_nothing_more_and_goes_on_when_it_is_submitted_again(bench):
    if isinstance(bench.runtime, RestateRuntime):
        run = bench.submit("silent")
        with pytest.raises(UsageError, match="cannot be paused"):
            bench.runtime.pause(run)
        return
    key = bench.key("paused")
    run = bench.submit("held", key=key)
    bench.track.until("held here")
    bench.runtime.pause(run)
    assert bench.runtime.status(run).state == "running", "its step is under way"
    bench.track.open("go")
    wait_until(lambda: bench.runtime.status(run).state == "interrupted", "it is not left")
    assert bench.result("two-steps") == ["first", "second"], "others go on"
    assert "held after" not in bench.track.lines
    assert bench.submit("held", key=key) == run
    assert bench.runtime.result(run, timeout_s=PATIENCE_S) == ["held before", "held here", "held after"]
    assert bench.track.counts["held here"] == 1
    with pytest.raises(UsageError, match="finished"):
        bench.runtime.pause(run)


def test_a_paused_run_can_be_cancelled(bench):
    if isinstance(bench.runtime, RestateRuntime):
        pytest.skip("runs on Restate cannot be paused")
    run = bench.submit("held")
    bench.track.until("held here")
    bench.runtime.pause(run)
    bench.track.open("go")
    wait_until(lambda: bench.runtime.status(run).state == "interrupted", "it is not left")
    bench.runtime.cancel(run)
    with pytest.raises(RunCancelled):
        bench.runtime.result(run, timeout_s=PATIENCE_S)
    assert "held after" not in bench.track.lines


def test_a_run_that_only_waits_can_be_paused(bench):
    if isinstance(bench.runtime, RestateRuntime):
        pytest.skip("runs on Restate cannot be paused")
    bench.track.open("listen")
    key = bench.key("waits")
    run = bench.submit("signalled", key=key)
    bench.track.until("asked is over")
    bench.runtime.pause(run)
    wait_until(lambda: bench.runtime.status(run).state == "interrupted", "it is not left")
    bench.send(run, "answer", {"said": "yes"})
    assert bench.submit("signalled", key=key) == run
    assert bench.runtime.result(run, timeout_s=PATIENCE_S) == {"said": "yes"}


def test_a_cancelled_run_ends_though_a_step_is_held(bench):
    run = bench.submit("held")
    bench.track.until("held here")
    bench.runtime.cancel(run)
    with pytest.raises(RunCancelled):
        bench.runtime.result(run, timeout_s=PATIENCE_S)
    assert bench.runtime.status(run).state == "cancelled"
    bench.track.open("go")
    bench.track.until("held here is over")
    assert "held after" not in bench.track.lines


def test_cancelling_ends_the_children_too(bench):
    calls = [bench.call("held", f"child {number}", name=f"child {number}") for number in range(3)]
    run = bench.submit("parent", calls=calls)
    for number in range(3):
        bench.track.until(f"child {number} here")
    bench.runtime.cancel(run)
    with pytest.raises(RunCancelled):
        bench.runtime.result(run, timeout_s=PATIENCE_S)
    bench.track.open("go")
    for number in range(3):
        bench.track.until(f"child {number} here is over")
    assert bench.result("echo", value="and the runtime goes on") == "and the runtime goes on"
    assert not [line for line in bench.track.lines if line.endswith("after")]


def test_a_cancelled_run_starts_no_more_children(bench):
    run = bench.submit("one-by-one", prefix=bench.key("child"))
    bench.track.until("echo 5")
    bench.runtime.cancel(run)
    with pytest.raises(RunCancelled):
        bench.runtime.result(run, timeout_s=PATIENCE_S)
    done = len(bench.track.lines)
    for _ in range(3):
        bench.result("silent")
    assert len(bench.track.lines) <= done + 1, "at most the step that was under way"


def test_what_two_runs_wait_for_is_not_lost_when_one_of_them_is_cancelled(bench):
    call = bench.call("held", "shared")
    first = bench.submit("parent", calls=[call])
    bench.track.until("held here")
    second = bench.submit("parent", calls=[call])
    wait_until(lambda: bench.runtime.status(second).state == "running", "it does not begin")
    bench.runtime.cancel(first)
    with pytest.raises(RunCancelled):
        bench.runtime.result(first, timeout_s=PATIENCE_S)
    bench.track.open("go")
    assert bench.runtime.result(second, timeout_s=PATIENCE_S) == [["held before", "held here", "held after"]]


@pytest.mark.parametrize("waiting", ["timer", "signalled"])
def test_a_run_that_waits_can_be_cancelled(bench, waiting):
    bench.track.open("listen")
    run = bench.submit(waiting, seconds=3600)
    bench.track.until("set" if waiting == "timer" else "asked is over")
    bench.runtime.cancel(run)
    with pytest.raises(RunCancelled):
        bench.runtime.result(run, timeout_s=PATIENCE_S)


def test_a_cancelled_run_cannot_hide_it(bench):
    run = bench.submit("tolerant-of-cancelling")
    bench.track.until("hold")
    bench.runtime.cancel(run)
    with pytest.raises(RunCancelled):
        bench.runtime.result(run, timeout_s=PATIENCE_S)
    assert "hidden" not in bench.track.lines


def test_cancelling_twice_or_late_changes_nothing(bench):
    run = bench.submit("echo", value=1)
    bench.runtime.result(run, timeout_s=PATIENCE_S)
    bench.runtime.cancel(run)
    bench.runtime.cancel(run)
    assert bench.runtime.result(run, timeout_s=PATIENCE_S) == 1
    assert bench.runtime.status(run).state == "finished"


def test_a_cancelled_key_can_be_started_again(bench):
    key = bench.key("again")
    first = bench.submit("held", key=key)
    bench.track.until("held here")
    bench.runtime.cancel(first)
    with pytest.raises(RunCancelled):
        bench.runtime.result(first, timeout_s=PATIENCE_S)
    bench.track.open("go")
    second = bench.submit("held", key=key)
    assert second != first
    assert bench.runtime.result(second, timeout_s=PATIENCE_S)[-1] == "held after"


def test_a_forgotten_run_is_unknown_and_its_key_is_free(bench):
    key = bench.key("forgotten")
    run = bench.submit("echo", key=key, value=1)
    bench.runtime.result(run, timeout_s=PATIENCE_S)
    bench.runtime.forget(run)
    with pytest.raises(UsageError, match=run):
        bench.runtime.status(run)
    assert bench.runtime.result(bench.submit("echo", key=key, value=2), timeout_s=PATIENCE_S) == 2
    assert len(bench.track.lines) == 2


def test_a_run_that_has_not_ended_is_not_forgotten(bench):
    run = bench.submit("held")
    bench.track.until("held here")
    with pytest.raises(UsageError, match=run):
        bench.runtime.forget(run)
    bench.track.open("go")
    assert bench.runtime.result(run, timeout_s=PATIENCE_S)[-1] == "held after"
