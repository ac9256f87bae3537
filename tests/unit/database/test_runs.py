"""Runs and events, as any process sees them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from quire.core.errors import UsageError
from quire.core.events import Event
from quire.database.leases import Claims
from quire.database.runs import Runs, claim_of
from quire.database.sqlite import SqliteDatabase


@pytest.fixture
def database(tmp_path):
    database = SqliteDatabase(tmp_path / "facts.sqlite3")
    yield database
    database.close()


@pytest.fixture
def runs(database):
    return Runs(database)


def event(name, run="", **payload):
    return Event(name, run, 0, "finished", "read", payload=payload)


def test_a_key_has_one_run_until_it_fails(runs):
    run, new = runs.begin("read", {"a": 1}, key="k")
    assert new
    assert runs.begin("read", {"a": 1}, key="k") == (run, False)
    runs.finish(run, "finished", result={"b": 2})
    assert runs.begin("read", {"a": 1}, key="k") == (run, False)
    assert runs.status(run).result == {"b": 2}


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_key_that_failed_begins_again_as_another_run(runs, state):
    run, _ = runs.begin("read", {}, key="k")
    runs.finish(run, state, error="no")
    again, new = runs.begin("read", {}, key="k")
    assert new and again != run
    assert (runs.generation(run), runs.generation(again)) == (1, 2)


def test_the_first_end_counts(runs):
    run, _ = runs.begin("read", {})
    runs.finish(run, "failed", error="broken", category="timeout")
    runs.finish(run, "finished", result=1)
    status = runs.status(run)
    assert (status.state, status.error, status.category) == ("failed", "broken", "timeout")


def test_a_run_whose_owner_is_gone_is_interrupted(runs, database):
    run, _ = runs.begin("read", {})
    claims = Claims(database)
    claims.claim(claim_of(run))
    runs.set_state(run, "running")
    assert runs.status(run).state == "running"
    claims.close()
    assert runs.status(run).state == "interrupted"


def test_events_are_numbered_in_the_order_in_which_they_are_stored(runs):
    run, _ = runs.begin("read", {})
    runs.append(run, [event("a"), event("b", words=3)])
    runs.append(run, [event("b"), event("c")])
    told = list(runs.events(run))
    assert [(one.id, one.sequence) for one in told] == [("a", 1), ("b", 2), ("c", 3)]
    assert told[1].payload["words"] == 3
    assert [one.id for one in runs.events(run, after=2)] == ["c"]
    assert runs.status(run).last_event == 3


def test_threads_that_store_the_same_events_store_them_once(runs):
    run, _ = runs.begin("read", {})
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda n: runs.append(run, [event(f"e{n % 50}")]), range(200)))
    told = list(runs.events(run))
    assert sorted(one.id for one in told) == sorted(f"e{n}" for n in range(50))
    assert [one.sequence for one in told] == list(range(1, 51))


def test_a_run_that_has_not_ended_is_not_forgotten(runs):
    run, _ = runs.begin("read", {})
    with pytest.raises(UsageError, match="cancel it"):
        runs.forget(run)
    runs.append(run, [event("a")])
    runs.finish(run, "finished")
    runs.forget(run)
    with pytest.raises(UsageError, match="no run"):
        runs.status(run)
    runs.append(run, [event("b")])


def test_a_run_that_nobody_knows_is_an_error(runs):
    for ask in (runs.status, runs.request_cancel, runs.reference, lambda run: list(runs.events(run))):
        with pytest.raises(UsageError, match="quire runs"):
            ask("nothing-1")


def test_the_latest_run_comes_first(runs):
    made = [runs.begin("read", {}, key=str(n))[0] for n in range(3)]
    runs.begin("batch", {})
    assert [run.run for run in runs.list(flow="read")] == made[::-1]
    assert len(runs.list()) == 4


def test_a_cancel_request_is_seen_by_others(runs):
    run, _ = runs.begin("read", {})
    assert not runs.cancel_requested(run)
    runs.request_cancel(run)
    assert runs.cancel_requested(run)
