"""`quire resume`, `quire retry` and `quire cancel`."""

from __future__ import annotations

import pytest

from quire.running.batches.request import BatchRequest
from quire.running.opening import local_runtime
from quire.store.files import FileStore
from tests import documents
from tests.unit.cli.batches import BROKEN, Desk

pytestmark = pytest.mark.processes


@pytest.fixture
def begun(desk: Desk) -> str:
    """A run that was begun, and whose process is gone."""
    with FileStore(desk.out / ".quire") as store, local_runtime(store, batches=False) as runtime:
        return runtime.submit("batch", BatchRequest(("in",), "out", formats=("txt",)).to_json())


def test_a_run_is_gone_on_with_as_it_was_asked_for(desk: Desk, begun: str):
    assert desk.quire("resume", "-o", "out").stdout.splitlines()[0] == "documents  2 complete"
    assert desk.written == ["a.txt", "sub/b.txt"]
    assert desk.json("status", "-o", "out")["run"] == begun


def test_a_finished_run_finds_everything_done_and_does_what_is_new(desk: Desk):
    desk.run()
    desk.add("new.pdf", documents.simple(1))
    assert desk.quire("resume", "-o", "out").stdout.splitlines()[0] == "documents  1 complete, 2 done before"


def test_a_finished_run_keeps_its_record(desk: Desk):
    desk.run()
    (before,) = desk.json("runs", "-o", "out")
    assert desk.quire("resume", "-o", "out").stdout.splitlines()[0] == "documents  2 done before"
    again, first = desk.json("runs", "-o", "out")
    assert first == before
    assert (again["result"]["skipped"], again["result"]["succeeded"]) == (2, 0)


def test_a_cancelled_run_is_gone_on_with(desk: Desk, begun: str):
    assert f"run {begun} is asked to stop" in desk.quire("cancel", "-o", "out").stdout
    assert desk.json("status", "-o", "out")["state"] == "cancelled"
    assert "has ended already" in desk.quire("cancel", "-o", "out").stdout
    desk.quire("resume", "-o", "out")
    assert desk.json("status", "-o", "out")["state"] == "finished"


def test_retry_tries_failed_documents_and_nothing_else(desk: Desk):
    desk.add("secret.pdf", documents.encrypted("swordfish"))
    desk.run(code=3)
    desk.add("new.pdf", documents.simple(1))
    left = desk.quire("retry", "-o", "out")
    assert "1 document in quarantine left alone; --quarantined tries them, too" in left.stderr
    assert "nothing to try again" in left.stdout


def test_retry_with_what_was_missing_reads_documents_in_quarantine(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.add("secret.pdf", documents.encrypted("swordfish"))
    said = desk.run(code=3).stderr
    assert "QUIRE_PASSWORD" in said
    monkeypatch.setenv("QUIRE_PASSWORD", "swordfish")
    told = desk.quire("retry", "-o", "out", "--quarantined")
    assert told.stdout.splitlines()[0] == "documents  1 complete"
    assert desk.written == ["a.md", "secret.md", "sub/b.md"]
    for path in (desk.out / ".quire").rglob("*"):
        assert not path.is_file() or b"swordfish" not in path.read_bytes(), "a password is written down nowhere"


def test_retry_after_another_failure_tries_again(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    desk.run(code=3)
    assert desk.quire("retry", "-o", "out", "--quarantined", code=5).stdout.splitlines()[0] == "documents  1 failed"
    assert len(desk.json("quarantine", "list", "-o", "out")) == 1


def test_a_run_of_something_else_cannot_be_resumed(desk: Desk):
    desk.run()
    other = next(run["run"] for run in desk.json("runs", "-o", "out", "--all") if run["flow"] == "flow")
    assert "is no batch" in desk.quire("resume", other, "-o", "out", code=2).stderr
