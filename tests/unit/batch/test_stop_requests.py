"""Signals: the first starts nothing new, the second stops now."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quire.batch import StageOptions, StagePlan, Stop, WorkItem, run_stage, stop_on_signals
from quire.system import supervisor

LONG_S = 20.0
NUMBERS = [signal.SIGINT, signal.SIGTERM]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_first_signal_lets_what_runs_finish(number):
    def worker(item):
        os.kill(os.getpid(), number)
        assert told.wait(LONG_S)

    told = threading.Event()
    work = StagePlan("read", [WorkItem("a"), WorkItem("b")])
    with stop_on_signals(on_signal=lambda stop: told.set()) as stop:
        outcome = run_stage(work, worker, StageOptions(workers=1), stop=stop)
    assert (outcome.succeeded, outcome.remaining, outcome.cancelled) == (1, 1, True)
    assert outcome.cancelled_reason == number.name


@pytest.mark.parametrize("number", NUMBERS)
def test_the_second_signal_stops_now(number):
    release, told = threading.Event(), threading.Semaphore(0)

    def worker(item):
        os.kill(os.getpid(), number)
        assert told.acquire(timeout=LONG_S)
        os.kill(os.getpid(), number)
        release.wait(LONG_S)

    with stop_on_signals(on_signal=lambda stop: told.release()) as stop:
        outcome = run_stage(StagePlan("read", [WorkItem("a")]), worker, StageOptions(workers=1), stop=stop)
    release.set()
    assert stop.at_once
    assert (outcome.succeeded, outcome.remaining, outcome.cancelled) == (0, 1, True)


def test_handlers_are_what_they_were_afterwards():
    before = [signal.getsignal(number) for number in NUMBERS]
    with stop_on_signals():
        assert [signal.getsignal(number) for number in NUMBERS] != before
    assert [signal.getsignal(number) for number in NUMBERS] == before


def test_the_third_signal_does_what_it_always_did():
    with pytest.raises(KeyboardInterrupt), stop_on_signals():
        for _ in range(3):
            signal.raise_signal(signal.SIGINT)


def test_the_first_reason_counts():
    stop = Stop()
    stop.request("first")
    stop.now("second")
    assert (stop.reason, stop.at_once) == ("first", True)


@pytest.mark.processes
def test_an_interrupt_without_handlers_leaves_the_stage_behind():
    """A library that installs no handlers: Ctrl-C raises, and nobody waits for the threads."""
    script = (
        "import os, signal, threading\n"
        "from quire.batch import *\n"
        "def worker(item):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    threading.Event().wait()\n"
        "try:\n"
        "    run_stage(StagePlan('read', [WorkItem('a')]), worker)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=LONG_S)
    assert (ran.stdout, ran.returncode) == ("interrupted\n", 0), ran.stderr


@pytest.mark.processes
def test_sigterm_ends_a_program_that_runs_a_stage_in_good_order(tmp_path: Path):
    script = (
        "import os, signal, sys, threading\n"
        "from quire.batch import *\n"
        "def worker(item):\n"
        "    if item.item_id == '1':\n"
        "        print('running', flush=True)\n"
        "        told.wait(20)\n"
        "told = threading.Event()\n"
        "with stop_on_signals(on_signal=lambda stop: told.set()) as stop:\n"
        "    plan = StagePlan('read', (WorkItem(str(n)) for n in range(10**9)))\n"
        "    outcome = run_stage(plan, worker, StageOptions(workers=1), stop=stop)\n"
        "print(outcome.cancelled_reason, outcome.succeeded)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "running\n"
        program.send_signal(signal.SIGTERM)
        assert program.stdout.read() == "SIGTERM 2\n"
    assert program.returncode == 0


@pytest.mark.restarts
def test_a_signal_wakes_though_the_thread_that_listens_failed_at_the_one_before(monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)
    failed, woken = threading.Event(), threading.Event()

    def wake(stop):
        if threading.current_thread().name == "quire-signals":
            if not failed.is_set():
                failed.set()
                raise OSError("interrupted")
            woken.set()

    monkeypatch.setattr(Stop, "wake", wake)
    with stop_on_signals():
        os.kill(os.getpid(), signal.SIGINT)
        assert failed.wait(LONG_S)
        os.kill(os.getpid(), signal.SIGTERM)
        assert woken.wait(LONG_S)
