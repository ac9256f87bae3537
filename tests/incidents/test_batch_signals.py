"""A batch that is asked to stop: nicely, and at once. Nothing that was done is lost, and it is gone on with."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import time
from contextlib import closing

import pytest

from quire.database.runs import PAUSED
from quire.system.workers.procfs import descendants
from tests import scans
from tests.fakes.engines import said_of
from tests.unit.system.workers.watching import ended_within

pytestmark = pytest.mark.processes

DOCUMENTS = 5


class Batch:
    """A run over five scans of a page each, in a program of its own, with an engine that is stuck at the first."""

    def __init__(self, engine, folder):
        self.stranger, self.out = engine, folder / "out"
        (folder / "in").mkdir()
        for number in range(1, DOCUMENTS + 1):
            (folder / "in" / f"{number}.pdf").write_bytes(scans.scanned(scans.numbered_sheet(number)))
        options = ["--engine", "stranger", "--workers", "1", "-o", self.out]
        self.process = engine.program("-m", "quire", "run", folder / "in", *options, start_new_session=True)
        until = time.monotonic() + 60
        while not (engine.hangs or engine.waiting):
            assert self.process.poll() is None, self.process.stderr.read()
            assert time.monotonic() < until
            time.sleep(0.01)

    def wait_until_paused(self):
        """What it says at once holds as soon as its run is paused."""
        until = time.monotonic() + 60
        with closing(sqlite3.connect(self.out / ".quire" / "facts.sqlite3", timeout=60)) as facts:
            while (PAUSED,) not in facts.execute("SELECT state FROM runs").fetchall():
                assert time.monotonic() < until
                time.sleep(0.01)

    def run_again(self):
        self.stranger.mend()
        return self.stranger.run("-m", "quire", "run", "-o", self.out)

    @property
    def written(self):
        return sorted(path.stem for path in self.out.glob("*.md"))

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def batch(stranger, tmp_path):
    begun = []

    def begin(how: str, *sheets: int) -> Batch:
        begun.append(Batch(stranger(how, *(sheets or (1,))), tmp_path))
        return begun[0]

    yield begin
    for one in begun:
        one.end()


def all_is_done(batch, asked_twice=()):
    run = batch.run_again()
    assert (run.returncode, run.stderr) == (0, "")
    assert batch.written == [str(number) for number in range(1, DOCUMENTS + 1)]
    assert all(said_of(n) in (batch.out / f"{n}.md").read_text() for n in range(1, DOCUMENTS + 1))
    calls = batch.stranger.calls
    assert {call for call in calls if calls.count(call) > 1} == {f"stranger {number}" for number in asked_twice}
    assert len(set(calls)) == DOCUMENTS


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_lets_documents_under_way_finish_and_begins_no_others(batch, asked):
    stopped = batch("wait", 1, 2)  # as many as are in progress at once: no other can end before the signal comes
    stopped.process.send_signal(asked)
    said = stopped.process.stderr.readline()
    assert re.fullmatch(
        r"quire: starting no new work; finishing \d documents? in progress; press again to stop now\n", said
    ), said
    stopped.wait_until_paused()
    stopped.stranger.mend()
    summary, wrong = stopped.process.communicate(timeout=60)
    assert (stopped.process.returncode, wrong) == (130, "")
    assert "not done" in summary and f"`quire run -o {stopped.out}` continues with" in summary
    assert "1" in stopped.written and len(stopped.written) < DOCUMENTS
    all_is_done(stopped)


def test_the_second_signal_stops_at_once_and_leaves_nobody_behind(batch):
    stopped = batch("hang")
    workers = sorted(set(descendants(stopped.process.pid)) - {stopped.process.pid})
    with ended_within(60, sorted({*workers, *stopped.stranger.held})):
        stopped.process.send_signal(signal.SIGINT)
        assert "starting no new work" in stopped.process.stderr.readline()
        stopped.process.send_signal(signal.SIGINT)
        summary, wrong = stopped.process.communicate(timeout=30)
    assert (stopped.process.returncode, wrong.strip()) == (130, "quire: stopping now; finished work is kept")
    assert "not done" in summary
    all_is_done(stopped, asked_twice=(1,))


def test_a_run_that_was_killed_is_interrupted_until_it_is_run_again(batch):
    stopped = batch("wait")
    os.killpg(stopped.process.pid, signal.SIGKILL)
    stopped.process.wait()
    status = stopped.stranger.run("-m", "quire", "status", "-o", stopped.out)
    assert "interrupted" in status.stdout and f"`quire run -o {stopped.out}`" in status.stdout
    all_is_done(stopped, asked_twice=(1,))


def test_another_process_can_cancel_a_run(batch):
    stopped = batch("wait")
    told = stopped.stranger.run("-m", "quire", "cancel", "-o", stopped.out)
    assert (told.returncode, told.stderr) == (0, "")
    summary, _ = stopped.process.communicate(timeout=60)
    assert stopped.process.returncode == 130
    assert "not done" in summary
    status = stopped.stranger.run("-m", "quire", "status", "-o", stopped.out)
    assert "cancelled" in status.stdout and "quire run" in status.stdout
    all_is_done(stopped, asked_twice=(1,))
