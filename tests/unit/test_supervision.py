"""Work that nobody watches ends with an error: the test in which it does fails, and says so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.supervision import CANCELLED, failures

ROOT = Path(__file__).parents[2]

TESTS = """
import logging
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quire.system import supervisor
from tests.supervision import LOGS


def fail_once():
    supervisor.FIRST_S = 0.001
    tries = []

    def work(_):
        tries.append(1)
        if len(tries) == 1:
            raise OSError("the disk is full")

    thread = supervisor.SupervisedThread("quire-sweeper", work)
    thread.start()
    thread.join(60)


def test_supervised():
    fail_once()


@pytest.mark.restarts
def test_expects_it():
    fail_once()


def test_comes_after_it():
    pass


def test_plain_thread():
    def work():
        raise OSError("nobody sees this")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)


def test_program():
    script = "import sys; print('quire-indexer failed, and starts again in 0.5 s: gone', file=sys.stderr)"
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.fixture(scope="session")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("server") / "serve.log"
    LOGS.add(path)
    return path


def test_server_is_well(log):
    log.write_text("INFO  started\\n")


def test_server_fails(log):
    with log.open("a") as file:
        file.write("WARNING  quire-waiter failed, and starts again in 1 s: the database is locked\\n")


def test_server_is_well_again(log):
    with log.open("a") as file:
        file.write("INFO  stopped\\n")
"""


@pytest.mark.processes
def test_an_error_that_nobody_watches_fails_its_test_and_no_other(tmp_path):
    (tmp_path / "test_threads.py").write_text(TESTS)
    settings = "[pytest]\nfilterwarnings = error\nmarkers =\n    servers\n    processes\n    restarts\n"
    (tmp_path / "pytest.ini").write_text(settings)
    plugins = ["-p", "tests.supervision", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "-rEf", "-c", tmp_path / "pytest.ini", tmp_path]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert sorted(re.findall(r"^(?:ERROR|FAILED) .*::(\w+)", ended.stdout, re.MULTILINE)) == [
        "test_plain_thread",
        "test_program",
        "test_server_fails",
        "test_supervised",
    ], ended.stdout + ended.stderr
    assert "ThreadFailed: quire-sweeper was started again" in ended.stdout
    assert "quire-waiter failed, and starts again in 1 s: the database is locked (a test that expects" in ended.stdout


def test_requests_that_a_server_cancels_when_it_ends_are_no_failures():
    cancelled = "ERROR:    Exception in ASGI application"
    assert failures(cancelled) == [cancelled]
    assert failures(f"Cancel 3 running task(s), {CANCELLED}\n{cancelled}") == []
