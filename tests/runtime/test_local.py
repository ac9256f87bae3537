"""What only the local runtime promises: how much it takes on at a time, and what closing means."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

import pytest

from quire.core.errors import UsageError
from quire.database.sqlite import SqliteDatabase
from quire.runtime.local import LocalRuntime
from tests.runtime.tracking import PATIENCE_S, wait_until
from tests.runtime.workflows import WORKFLOWS


@pytest.fixture
def database(tmp_path):
    with closing(SqliteDatabase(tmp_path / "facts.sqlite3")) as opened:
        yield opened


def held(runtime: LocalRuntime, track, many: int) -> list[str]:
    return [runtime.submit("held", {"folder": str(track.folder), "name": f"run {n}"}) for n in range(many)]


def test_no_more_of_a_pool_is_under_way_than_was_said(database, track):
    with LocalRuntime(database, WORKFLOWS, pools={"documents": 2}) as runtime:
        runs = held(runtime, track, 5)
        wait_until(lambda: sum(line.endswith("here") for line in track.lines) == 2, "nothing begins")
        assert Counter(runtime.status(run).state for run in runs) == {"running": 2, "waiting": 3}
        track.open("go")
        assert all(runtime.result(run, timeout_s=PATIENCE_S)[-1].endswith("after") for run in runs)
    begun = [line for line in track.lines if line.endswith(("here", "here is over"))]
    under_way = 0
    for line in begun:
        under_way += 1 if line.endswith("here") else -1
        assert 0 <= under_way <= 2


def test_a_pool_of_nought_is_left_to_others(database, track):
    with (
        LocalRuntime(database, WORKFLOWS, pools={"documents": 0}) as asking,
        LocalRuntime(database, WORKFLOWS) as working,
    ):
        run = asking.submit("two-steps", {"folder": str(track.folder)})
        assert asking.status(run).state == "waiting"
        assert working.result(run, timeout_s=PATIENCE_S) == ["first", "second"]
        assert asking.result(run, timeout_s=PATIENCE_S) == ["first", "second"]


def test_what_is_left_at_closing_goes_on_with_the_next(database, track):
    with LocalRuntime(database, WORKFLOWS) as first:
        run = first.submit("timer", {"folder": str(track.folder), "seconds": 0.5})
        track.until("set")
    assert first.status(run).state in ("waiting", "interrupted", "running")
    with LocalRuntime(database, WORKFLOWS) as second:
        begun, ended = second.result(run, timeout_s=PATIENCE_S)
    assert ended - begun >= 0.5
    assert track.counts["rang"] == 1
    assert track.counts["set"] <= 2, "it may have ended before its step was recorded"


def test_a_runtime_that_never_worked_closes_at_once(database):
    with LocalRuntime(database, WORKFLOWS) as runtime, pytest.raises(UsageError):
        runtime.status("nobody-1")


def test_a_journal_keeps_no_steps_of_what_has_ended(database, track):
    with LocalRuntime(database, WORKFLOWS) as runtime:
        run = runtime.submit("timer", {"folder": str(track.folder), "seconds": 0})
        runtime.result(run, timeout_s=PATIENCE_S)
        assert database.rows("SELECT * FROM steps") == []
        assert database.rows("SELECT * FROM signals") == []
        runtime.forget(run)
    for table in ("invocations", "runs", "events", "claims", "owners"):
        assert database.rows(f"SELECT * FROM {table}") == [], table
