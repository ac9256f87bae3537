"""`quire run` again: what is left, what failed for a reason that has changed, and what has not."""

from __future__ import annotations

import pytest

from quire.durable.folders.batch_request import BatchRequest
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore
from tests import documents
from tests.unit.cli.batches import BROKEN, Desk

pytestmark = pytest.mark.processes


@pytest.fixture
def begun(desk: Desk) -> str:
    """A run that was begun, and whose process is gone."""
    with FileStore(desk.out / ".quire") as store, local_runtime(store, batches=False) as runtime:
        return runtime.submit("batch", BatchRequest(("in",), "out", formats=("txt",)).to_json())


def summary(desk: Desk, *arguments: object, code: int = 0) -> str:
    return desk.quire("run", *arguments, "-o", "out", code=code).stdout.splitlines()[0]


def test_without_paths_the_last_run_goes_on_as_it_was_asked_for(desk: Desk, begun: str):
    assert summary(desk) == "documents  2 complete"
    assert desk.written == ["a.txt", "sub/b.txt"]
    (run,) = desk.json("runs", "-o", "out")
    assert (run["run"], run["state"]) == (begun, "finished")


def test_without_paths_what_is_new_is_done(desk: Desk):
    desk.run("--to", "txt")
    desk.add("new.pdf", documents.simple(1))
    assert summary(desk) == "documents  1 complete, 2 done before"
    assert "new.txt" in desk.written


def test_without_paths_it_is_the_last_run_of_that_folder(desk: Desk):
    desk.run("--store", "kept", "--to", "txt")
    desk.quire("run", "in", "-o", "other", "--store", "kept")
    assert summary(desk, "--store", "kept") == "documents  2 done before"
    said = desk.quire("run", "-o", "third", "--store", "kept", code=2).stderr
    assert "no batch for third has run on this store yet" in said


@pytest.mark.parametrize("option", [("--lang", "de"), ("--pages", "1"), ("--to", "txt")])
def test_without_paths_nothing_else_can_be_asked_for(desk: Desk, option: tuple[str, str]):
    desk.run()
    said = desk.quire("run", "-o", "out", *option, code=2).stderr
    assert f"name the documents as well: without PATH the last run is repeated, and {option[0]} would change it" in said


def test_a_plan_without_paths_is_that_of_the_last_run(desk: Desk):
    desk.run("--to", "txt")
    assert desk.json("plan", "-o", "out")["counts"] == {"done": 2}


def test_a_finished_run_keeps_its_numbers(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.add("secret.pdf", documents.encrypted("swordfish"))
    desk.run(code=3)
    (before,) = desk.json("runs", "-o", "out")
    monkeypatch.setenv("QUIRE_PASSWORD", "swordfish")
    desk.run()
    again, first = desk.json("runs", "-o", "out")
    assert first == before
    assert (first["result"]["succeeded"], first["result"]["failed"]) == (2, 1)
    assert (again["result"]["succeeded"], again["result"]["skipped"]) == (1, 2)
    monkeypatch.delenv("QUIRE_PASSWORD")
    desk.add("bad.pdf", BROKEN)
    for _ in range(2):
        desk.run(code=3)
    latest = desk.quire("runs", "-o", "out").stdout.splitlines()[0]
    assert latest.endswith("3 done before, 1 in quarantine")


def test_a_cancelled_run_is_followed_by_another_one(desk: Desk, begun: str):
    told = desk.quire("cancel", "-o", "out").stdout
    assert f"cancelling run {begun}; `quire run -o out` resumes it later" in told
    assert desk.json("status", "-o", "out")["state"] == "cancelled"
    assert "has already ended" in desk.quire("cancel", "-o", "out").stdout
    assert summary(desk) == "documents  2 complete"
    assert [run["state"] for run in desk.json("runs", "-o", "out")] == ["finished", "cancelled"]


def test_a_password_that_is_set_now_is_tried_and_written_nowhere(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.add("secret.pdf", documents.encrypted("swordfish"))
    first = desk.run(code=3)
    assert "(set QUIRE_PASSWORD)" in first.stderr
    advice = "set the password (QUIRE_PASSWORD) of 1 encrypted document, and run it again"
    assert advice in first.stdout
    again = desk.run(code=3)
    assert again.stdout.splitlines()[0] == "documents  2 done before, 1 in quarantine"
    assert advice in again.stdout
    monkeypatch.setenv("QUIRE_PASSWORD", "trout")
    assert desk.run(code=3).stdout.splitlines()[0] == "documents  1 failed, 2 done before"
    monkeypatch.setenv("QUIRE_PASSWORD", "swordfish")
    last = desk.run().stdout.splitlines()
    assert (last[0], last[4]) == ("documents  1 complete, 2 done before", "next       nothing: all is done")
    assert desk.written == ["a.md", "secret.md", "sub/b.md"]
    assert desk.json("quarantine", "list", "-o", "out") == []
    for path in (desk.out / ".quire").rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        assert b"swordfish" not in data and b"trout" not in data, "a password is written down nowhere"


def test_a_file_that_was_replaced_leaves_quarantine(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    desk.run(code=3)
    desk.add("bad.pdf", documents.simple(1))
    assert desk.run().stdout.splitlines()[0] == "documents  1 complete, 2 done before"
    assert desk.json("quarantine", "list", "-o", "out") == []


def test_what_failed_for_good_is_left_alone_and_the_command_that_tries_it_is_told(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    for _ in range(2):
        told = desk.run(code=3).stdout
        assert "1 document cannot be read and is not retried" in told
        assert "`quire run -o out --retry` retries anyway" in told
        assert "all is done" not in told
    again = desk.quire("run", "-o", "out", "--retry", code=3)
    assert again.stdout.splitlines()[0] == "documents  1 failed, 2 done before"
    (entry,) = desk.json("quarantine", "list", "-o", "out")
    assert entry["attempts"] == 2


def test_a_failure_is_told_without_the_step_of_the_flow(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    assert "step" not in desk.run(code=3).stderr


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        (("resume", "-o", "out"), "`quire run -o DIR` without PATH continues"),
        (("retry", "4f1c", "--quarantined"), "--retry"),
        (("quarantine", "retry", "bad.pdf"), "--retry"),
        (("quarantine", "clear"), "--retry"),
    ],
)
def test_a_command_that_is_gone_says_what_to_use(desk: Desk, command: tuple[str, ...], instead: str):
    said = desk.quire(*command, code=2).stderr
    assert instead in said and len(said.splitlines()) == 1


def test_a_command_that_is_gone_is_not_in_the_help(desk: Desk):
    assert "resume" not in desk.quire("--help").stdout
