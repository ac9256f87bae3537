"""`quire status` and `quire runs`."""

from __future__ import annotations

import pytest

from quire.durable.folders.batch_request import BatchRequest
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore
from tests.unit.cli.batches import BROKEN, Desk

pytestmark = pytest.mark.processes


def test_status_is_of_the_latest_run_and_tells_what_failed(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    desk.run(code=3)
    lines = desk.quire("status").stdout.splitlines()  # finds ./out by itself
    assert lines[0].endswith("(batch), finished")
    assert "documents  3 of 3: 2 complete, 1 failed" in lines
    assert any(line.startswith("rate ") and "p95" in line for line in lines)
    assert any(line.startswith("  failed bad.pdf: ") for line in lines)
    assert lines[-1].startswith("next       1 document cannot be read and is not retried")


def test_status_as_json_has_the_figures(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    desk.run(code=3)
    told = desk.json("status", "-o", "out")
    assert told["state"] == "finished"
    assert told["documents"] == {"planned": 3, "ok": 2, "failed": 1, "running": 0}
    assert told["pages"] == {"pages": 3, "ok": 3, "empty": 0, "failed": 0, "skipped": 0, "left_out": 0}
    assert [(one["document"], one["category"]) for one in told["failures"]] == [("bad.pdf", "input")]


def test_runs_are_listed_the_latest_first(desk: Desk):
    desk.run()
    desk.run()
    lines = desk.quire("runs", "-o", "out").stdout.splitlines()
    assert ["2 done before" in lines[0], "2 succeeded" in lines[1]] == [True, True]
    assert len(desk.json("runs", "-o", "out")) == 2
    assert {run["flow"] for run in desk.json("runs", "-o", "out", "--all")} == {"batch", "flow"}


def test_a_run_that_was_cancelled_is_listed_with_its_error_or_numbers(desk: Desk):
    for number in range(12):
        desk.add(f"bad-{number:02}.pdf", BROKEN + str(number).encode())
    desk.run("--error-budget", "1", code=3)
    (line,) = desk.quire("runs", "-o", "out").stdout.splitlines()
    assert "error budget" in line and "not done" in line


def test_a_run_that_nobody_drives_says_how_to_go_on(desk: Desk):
    with FileStore(desk.out / ".quire") as store, local_runtime(store, batches=False) as runtime:
        run = runtime.submit("batch", BatchRequest(("in",), "out").to_json())
    assert "waiting" in desk.quire("status").stdout
    desk.quire("cancel", run)
    assert "cancelled" in desk.quire("status").stdout


def test_without_a_store_it_is_said_where_to_look(desk: Desk):
    assert "name the output folder of the run with -o" in desk.quire("status", code=2).stderr
    assert "name the output folder of the run with -o" in desk.quire("runs", code=2).stderr
    assert not desk.out.exists()


def test_a_run_that_is_not_there_is_told(desk: Desk):
    desk.run()
    assert "there is no run zzz" in desk.quire("status", "zzz", code=2).stderr
