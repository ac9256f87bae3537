"""What the local runtime promises to several processes on one store, and to one that is killed and comes back."""

from __future__ import annotations

import time

import pytest

from quire.core.errors import RunCancelled, RunError, UsageError
from tests.runtime.conftest import Bench
from tests.runtime.tracking import PATIENCE_S, wait_until

LEASE_S = 1.0
"""Short, so that claims of a dead process expire quickly."""


@pytest.fixture
def started(program, track):
    """Starts a program on the store of the test and gives a bench over it; `works=False` only asks."""

    def start(**changes) -> Bench:
        return Bench(program(**{"lease_s": LEASE_S, **changes}).ready(), track)

    return start


# Mistakes of a workflow.


@pytest.mark.parametrize(
    ("workflow", "argument"),
    [("misusing", {"method": "run", "how": "asyncio.run"}), ("foreign-await", {"what": "future"})],
)
def test_a_process_whose_workflow_made_a_classic_mistake_works_on_and_ends(started, track, workflow, argument):
    worker = started()
    bad = worker.submit(workflow, **argument)
    with pytest.raises(RunError, match=workflow):
        worker.runtime.result(bad, timeout_s=PATIENCE_S)
    assert worker.result("two-steps") == ["first", "second"]
    assert worker.runtime.close() == 0


# Asking from elsewhere.


def test_the_verbs_answer_from_a_process_that_does_not_work(started, track):
    _worker, asker = started(), started(works=False)
    run = asker.submit("held", key="asked")
    track.until("held here")
    assert asker.runtime.status(run).state == "running"
    track.open("go")
    assert asker.runtime.result(run, timeout_s=PATIENCE_S) == ["held before", "held here", "held after"]
    assert asker.runtime.status(run).state == "finished"
    assert asker.submit("held", key="asked") == run
    asker.runtime.forget(run)
    with pytest.raises(UsageError, match=run):
        asker.runtime.status(run)
    assert set(track.counts.values()) == {1}


def test_events_are_read_by_another_process_without_loss_or_doubles(started, track):
    worker, asker = started(), started(works=False)
    run = worker.submit("telling")
    track.until("hold")
    wait_until(lambda: len(asker.told(run)) == 2, "the events before the step are not there")
    seen = list(asker.runtime.events(run))
    track.open("go")
    asker.runtime.result(run, timeout_s=PATIENCE_S)
    rest = list(asker.runtime.events(run, after=seen[-1].sequence))
    assert [*seen, *rest] == list(worker.runtime.events(run))
    assert [event.payload["number"] for event in asker.told(run)] == [1, 2, 3]


def test_a_run_is_cancelled_by_another_process(started, track):
    worker, asker = started(), started(works=False)
    run = worker.submit("parent", calls=[worker.call("held", "child")])
    track.until("held here")
    asker.runtime.cancel(run)
    with pytest.raises(RunCancelled):
        asker.runtime.result(run, timeout_s=PATIENCE_S)
    track.open("go")
    track.until("held here is over")
    assert worker.result("echo", value=1) == 1
    assert "held after" not in track.lines


def test_a_run_that_is_cancelled_before_anybody_began_it_never_begins(started, track):
    asker = started(works=False)
    run = asker.submit("two-steps")
    assert asker.runtime.status(run).state == "waiting"
    asker.runtime.cancel(run)
    with pytest.raises(RunCancelled):
        asker.runtime.result(run, timeout_s=PATIENCE_S)
    assert started().result("echo", value=1) == 1, "whoever comes next finds nothing else to do"
    assert not {"first", "second"} & {*track.lines}


def test_a_workflow_hears_another_process(started, track):
    worker, asker = started(), started(works=False)
    track.open("listen")
    run = worker.submit("signalled")
    track.until("asked is over")
    asker.send(run, "answer", {"said": "from afar"})
    assert worker.runtime.result(run, timeout_s=PATIENCE_S) == {"said": "from afar"}


def test_the_same_keys_from_several_processes_at_once_are_one_execution_each(started, track):
    benches = [started() for _ in range(3)]
    keys = [f"key {number}" for number in range(15)]
    asked = [
        (key, bench, bench.runtime.ask("submit", "echo", bench.argument(value=key), key=key))
        for key in keys
        for bench in benches
    ]
    runs = {(key, answer.result(PATIENCE_S)) for key, _, answer in asked}
    assert len(runs) == len(keys)
    for key, bench, answer in asked:
        assert bench.runtime.result(answer.result(), timeout_s=PATIENCE_S) == key
    assert sorted(track.lines) == sorted(f"echo {key}" for key in keys)


# Sharing.


def test_two_processes_share_the_work_of_a_run(started, track):
    first, second = started(), started()
    calls = [first.call("racing", f"child {n}", line=f"child {n}", together=2) for n in range(24)]
    run = first.submit("parent", calls=calls)
    wait_until(lambda: len(track.processes) == 2, "one of them works alone")
    track.open("everybody")
    pids = first.runtime.result(run, timeout_s=PATIENCE_S)
    assert {*pids} == {first.runtime.pid, second.runtime.pid}
    assert sorted(track.lines) == sorted(f"child {n}" for n in range(24))


def test_a_process_that_comes_later_joins_in(started, track):
    first = started()
    calls = [first.call("racing", f"child {n}", line=f"child {n}", together=2) for n in range(24)]
    run = first.submit("parent", calls=calls)
    wait_until(lambda: len(track.lines) > 0, "nobody works")
    second = started()
    wait_until(lambda: len(track.processes) == 2, "the second one does not help")
    track.open("everybody")
    assert second.runtime.result(run, timeout_s=PATIENCE_S) == first.runtime.result(run, timeout_s=PATIENCE_S)
    assert len(track.lines) == 24


# Killed.


def test_a_killed_process_goes_on_where_it_was(started, track):
    killed = started()
    run = killed.submit("held")
    track.until("held here")
    killed.runtime.kill()
    track.open("go")
    again = started()
    assert again.runtime.result(run, timeout_s=PATIENCE_S) == ["held before", "held here", "held after"]
    assert track.counts == {"held before": 1, "held here": 2, "held here is over": 1, "held after": 1}


def test_a_run_whose_process_was_killed_is_called_interrupted(started, track):
    killed, asker = started(), started(works=False)
    run = killed.submit("held")
    track.until("held here")
    killed.runtime.kill()
    wait_until(lambda: asker.runtime.status(run).state == "interrupted", "it is said to run")
    track.open("go")
    started()
    assert asker.runtime.result(run, timeout_s=PATIENCE_S)[-1] == "held after"


def test_a_killed_parent_finds_what_its_children_did(started, track):
    killed = started()
    calls = [killed.call("echo", f"child {n}", value=n) for n in range(5)]
    run = killed.submit("parent", calls=[*calls, killed.call("held", "held")])
    track.until("held here")
    assert killed.result("parent", calls=calls) == [0, 1, 2, 3, 4], "they are done and not only begun"
    killed.runtime.kill()
    track.open("go")
    *numbers, held = started().runtime.result(run, timeout_s=PATIENCE_S)
    assert numbers == [0, 1, 2, 3, 4]
    assert held[-1] == "held after"
    assert {count for line, count in track.counts.items() if line.startswith("echo")} == {1}


def test_the_winner_is_killed_and_exactly_one_takes_over(started, track):
    winner = started()
    run = winner.submit("held")
    track.until("held here")
    others = [started(), started()]
    asked = [other.runtime.ask("result", run, timeout_s=PATIENCE_S) for other in others]
    winner.runtime.kill()
    track.until("held here", times=2)
    track.open("go")
    assert {tuple(answer.result(PATIENCE_S)) for answer in asked} == {("held before", "held here", "held after")}
    assert track.counts == {"held before": 1, "held here": 2, "held here is over": 1, "held after": 1}


def test_the_winner_is_stopped_past_its_lease_and_its_late_result_is_refused(started, track):
    winner = started()
    run = winner.submit("held")
    track.until("held here")
    winner.runtime.stop()
    other = started()
    track.until("held here", times=2)  # taken over
    winner.runtime.go_on()
    track.open("go")
    assert other.runtime.result(run, timeout_s=PATIENCE_S) == ["held before", "held here", "held after"]
    assert winner.runtime.result(run, timeout_s=PATIENCE_S) == ["held before", "held here", "held after"]
    track.until("held here is over", times=2)
    assert track.counts["held before"] == track.counts["held after"] == 1
    assert winner.result("echo", value="still of use") == "still of use"


def test_attempts_are_counted_over_a_crash(started, track):
    killed = started()
    run = killed.submit("flaky", attempts=3, kind="network", times=99, hold_on=2)
    track.until("try", times=2)
    killed.runtime.kill()
    track.open("again")
    with pytest.raises(RunError, match="the other side hung up"):
        started().runtime.result(run, timeout_s=PATIENCE_S)
    assert 3 <= track.counts["try"] <= 4, "the attempt that was under way may be made again, once"


def test_a_timer_outlives_its_process_and_rings_once_and_in_time(started, track):
    killed = started()
    seconds = 1.5
    run = killed.submit("timer", seconds=seconds)
    track.until("set")
    killed.runtime.kill()
    again = started()
    begun, ended = again.runtime.result(run, timeout_s=PATIENCE_S)
    assert ended - begun >= seconds
    assert track.counts["rang"] == 1
    assert track.counts["set"] <= 2, "it may have ended before its step was recorded"


def test_a_timer_that_ran_out_while_nobody_was_there_rings_at_once(started, track):
    killed = started()
    run = killed.submit("timer", seconds=0.3)
    track.until("set")
    killed.runtime.kill()
    over = time.time() + 0.3
    wait_until(lambda: time.time() > over, "time stands still")
    assert len(started().runtime.result(run, timeout_s=PATIENCE_S)) == 2
    assert track.counts["rang"] == 1


def test_the_time_that_was_read_is_the_same_after_a_crash(started, track):
    killed = started()
    run = killed.submit("clocked")
    track.until("hold")
    killed.runtime.kill()
    track.open("go")
    told = started().runtime.result(run, timeout_s=PATIENCE_S)
    assert track.lines[0] == f"time {told['first']}"


def test_events_are_told_once_over_a_crash(started, track):
    killed = started()
    run = killed.submit("telling")
    track.until("hold")
    killed.runtime.kill()
    track.open("go")
    again = started()
    again.runtime.result(run, timeout_s=PATIENCE_S)
    assert [event.payload["number"] for event in again.told(run)] == [1, 2, 3]


def test_a_signal_that_came_while_nobody_was_there_is_heard(started, track):
    killed, asker = started(), started(works=False)
    track.open("listen")
    run = killed.submit("signalled")
    track.until("asked is over")
    killed.runtime.kill()
    asker.send(run, "answer", {"said": "anybody there?"})
    assert started().runtime.result(run, timeout_s=PATIENCE_S) == {"said": "anybody there?"}
    assert track.counts["asked"] <= 2


def test_a_run_of_a_killed_process_can_be_cancelled(started, track):
    killed, asker = started(), started(works=False)
    run = killed.submit("held")
    track.until("held here")
    killed.runtime.kill()
    asker.runtime.cancel(run)
    started()
    with pytest.raises(RunCancelled):
        asker.runtime.result(run, timeout_s=PATIENCE_S)
    track.open("go")
    assert "held after" not in track.lines


def test_a_process_that_ends_in_order_leaves_its_run_to_the_next(started, track):
    first = started()
    run = first.submit("timer", seconds=1.0)
    track.until("set")
    assert first.runtime.close() == 0
    begun, ended = started().runtime.result(run, timeout_s=PATIENCE_S)
    assert ended - begun >= 1.0
    assert track.counts["rang"] == 1
    assert track.counts["set"] <= 2, "it may have ended before its step was recorded"


# Changed code.


@pytest.mark.parametrize("how", ["killed", "closed"])
def test_a_run_of_an_earlier_version_ends_and_says_what_happened(started, track, how):
    """It finishes with the new code, or fails with a reason; it never stays for ever."""
    earlier = started()
    run = earlier.submit("held")
    track.until("held here")
    track.open("go") if how == "closed" else None
    earlier.runtime.kill() if how == "killed" else earlier.runtime.close()
    track.open("go")
    later = started(release="later")
    later.runtime.result(run, timeout_s=PATIENCE_S)
    counts = track.counts
    if later.runtime.status(run).result == "held otherwise":
        assert counts["held before"] == 2
        notices = [event.payload.get("notice", "") for event in later.runtime.events(run)]
        assert any("version" in str(notice) for notice in notices), "nobody was told"
    else:
        assert how == "closed", "only what was finished before has the old result"


def test_a_workflow_that_is_gone_is_left_alone_until_somebody_knows_it(started, track):
    killed = started()
    run = killed.submit("held")
    track.until("held here")
    killed.runtime.kill()
    track.open("go")
    without = started(release="without held")
    assert without.result("echo", value=1) == 1
    assert without.runtime.status(run).state in ("running", "interrupted")
    assert started().runtime.result(run, timeout_s=PATIENCE_S)[-1] == "held after"
