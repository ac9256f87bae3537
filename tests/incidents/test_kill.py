"""A durable run with real workers is killed with -9: nobody is left behind, nothing is lost, the output is the same."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter

import pytest

from quire.system.workers.procfs import descendants
from tests import scans
from tests.fakes.engines import said_of
from tests.runtime.tracking import wait_until
from tests.unit.system.workers.watching import ended_within

pytestmark = pytest.mark.processes

PAGES = 6
STUCK = 4


class Running:
    """`quire run` over a scan of six pages, with an engine that is stuck at one of them."""

    def __init__(self, engine, folder):
        self.stranger, self._folder = engine, folder
        (folder / "in").mkdir()
        (folder / "in" / "scan.pdf").write_bytes(scans.numbered_scans(PAGES))
        self._started = []

    def arguments(self, out="out"):
        options = ["--engine", "stranger", "--workers", "1", "--to", "json", "--to", "md", "-o", self._folder / out]
        return ["-m", "quire", "run", self._folder / "in", *options]

    def begin(self):
        self._started.append(self.stranger.program(*self.arguments(), start_new_session=True))
        return self._started[-1]

    def finish(self, out="out"):
        run = self.stranger.run(*self.arguments(out))
        assert (run.returncode, run.stderr) == (0, "")
        return run.stdout

    def files(self, out="out"):
        return {path.name: path.read_bytes() for path in (self._folder / out).glob("scan.*")}

    def end(self):
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.fixture
def running(stranger, tmp_path):
    started = []

    def start(how: str, *on: int) -> Running:
        started.append(Running(stranger(how, *on), tmp_path))
        return started[-1]

    yield start
    for one in started:
        one.end()


def the_output_is_that_of_an_undisturbed_run(running):
    files = running.files()
    assert sorted(files) == ["scan.json", "scan.md"]
    assert all(said_of(number).encode() in files["scan.md"] for number in range(1, PAGES + 1))
    running.finish("undisturbed")
    assert running.files("undisturbed") == files


def test_a_killed_run_leaves_nobody_behind_and_goes_on_where_it_was(running):
    killed = running("hang", STUCK)
    process = killed.begin()
    wait_until(lambda: killed.stranger.hangs or process.poll() is not None, "it does not come to the page")
    workers = sorted(set(descendants(process.pid)) - {process.pid})
    with ended_within(60, sorted({*workers, *killed.stranger.held})):
        process.kill()
        process.wait()
    killed.stranger.mend()
    killed.finish()
    expected = {f"stranger {number}": 2 if number == STUCK else 1 for number in range(1, PAGES + 1)}
    assert Counter(killed.stranger.calls) == expected
    the_output_is_that_of_an_undisturbed_run(killed)


def test_a_run_that_is_killed_after_every_page_ends_and_repeats_one_call_for_each_kill_at_most(running):
    killed = running("raise")
    kills = 0
    for pages in range(1, PAGES):
        process = killed.begin()
        wait_until(lambda many=pages, it=process: asked(killed) >= many or it.poll() is not None, "no page is read")
        kills += process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    killed.finish()
    calls = Counter(killed.stranger.calls)
    assert len(calls) == PAGES
    assert sum(calls.values()) - PAGES <= kills
    the_output_is_that_of_an_undisturbed_run(killed)


def asked(running) -> int:
    """About how many pages the engine was asked."""
    return len(set(running.stranger.calls))


def test_of_two_runs_over_the_same_folder_one_is_killed_and_the_other_does_the_rest(running):
    both = running("wait", STUCK)
    first, second = both.begin(), both.begin()
    wait_until(lambda: both.stranger.waiting > 0 or second.poll() is not None, "nobody comes to the page")
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    both.stranger.mend()
    _, wrong = second.communicate(timeout=90)
    assert (second.returncode, wrong) == (0, "")
    calls = Counter(both.stranger.calls)
    assert len(calls) == PAGES
    # The page at work in the killed process: the stuck one, or another while the second process had that one.
    repeated = {call: times for call, times in calls.items() if times > 1}
    assert len(repeated) <= 1 and all(times == 2 for times in repeated.values())
    the_output_is_that_of_an_undisturbed_run(both)


def test_a_run_that_continues_counts_every_call_that_was_answered_once(running):
    killed = running("wait", STUCK)
    process = killed.begin()
    wait_until(lambda: killed.stranger.waiting > 0, "nobody comes to the page")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    killed.stranger.mend()
    summary = killed.finish()
    made = re.search(r"engines +(\d+) calls made", summary)
    in_flight = 1
    assert made is not None and int(made[1]) == len(killed.stranger.calls) - in_flight, summary
