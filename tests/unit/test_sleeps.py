"""A test that sleeps fails, and is told where."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sleeps import ALLOWED

ROOT = Path(__file__).parents[2]
SLEEPY = """
import asyncio
import time
from threading import Thread

import pytest


def test_sleeps():
    time.sleep(0.06)


async def _wait(delay):
    await asyncio.sleep(delay)


def test_awaits():
    asyncio.run(_wait(0.06))


def test_sleeps_in_a_thread():
    thread = Thread(target=lambda: time.sleep(0.06))
    thread.start()
    thread.join()


@pytest.fixture
def slow():
    yield
    time.sleep(0.06)


def test_sleeps_in_a_fixture(slow):
    pass


def test_polls():
    for _ in range(3):
        time.sleep(0.02)


def test_cancels_a_timer():
    async def cancel():
        timer = asyncio.ensure_future(_wait(60))
        await asyncio.sleep(0)
        timer.cancel()

    asyncio.run(cancel())
"""


@pytest.mark.processes
def test_tests_that_sleep_fail_and_those_that_poll_do_not(tmp_path):
    test = tmp_path / "tests" / "test_sleepy.py"
    test.parent.mkdir()
    test.write_text(SLEEPY)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    options = ["-q", "-p", "tests.sleeps", "-p", "no:cacheprovider", "-p", "no:randomly", "--rootdir", tmp_path]
    command = [sys.executable, "-m", "pytest", *options, "-c", tmp_path / "pytest.ini", test]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    failed = set(re.findall(r"^ERROR .*::(\w+)", ended.stdout, re.MULTILINE))
    assert failed == {"test_sleeps", "test_awaits", "test_sleeps_in_a_thread", "test_sleeps_in_a_fixture"}, ended.stdout
    assert "6 passed" in ended.stdout
    assert "SleepNoted: tests/test_sleepy.py, line 10, slept for 0.06 s: wait for an event" in ended.stdout


def test_functions_that_may_sleep_are_there_and_sleep():
    sleeping = [text for path in (ROOT / "src").rglob("*.py") if "sleep(" in (text := path.read_text())]
    names = {function: function.rpartition(".")[2] for function in ALLOWED}
    assert [function for function, name in names.items() if not any(f"def {name}(" in text for text in sleeping)] == []
