"""`quire read` starts its first worker before it looks at its options: only where one is needed, and none stays."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from quire.system.workers.early import take_worker
from tests import documents
from tests.unit.system.workers.watching import ended_within, living

pytestmark = pytest.mark.processes

WITH_WORKERS = """
import os, sys
import quire.cli
sys.argv = ["quire", *sys.argv[1:]]
try:
    quire.cli.main()
except SystemExit as ended:
    if "quire.system.workers.procfs" in sys.modules:
        from quire.system.workers.procfs import descendants
        print("workers", *descendants(os.getpid()), file=sys.stderr)
    raise
"""

STARTED = """
import os, signal, sys
import quire.cli
quire.cli._start_worker(["read", sys.argv[1]])
from quire.system.workers.procfs import descendants
print(os.getpid(), *descendants(os.getpid()), flush=True)
signal.pause()
"""


@pytest.fixture
def report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "report.pdf"
    path.write_bytes(documents.simple())
    return path


def program(*arguments):
    """Runs the command line; gives its exit code and the workers that it had at its end, None if it cannot have any."""
    command = [sys.executable, "-c", WITH_WORKERS, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    workers = next((line for line in run.stderr.splitlines() if line.startswith("workers")), None)
    return run.returncode, None if workers is None else list(map(int, workers.split()[1:]))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["read", "--help"], 0),
        (["read", "report.pdf", "-h"], 0),
        (["read", "missing.pdf"], 5),
        (["read"], 2),
        (["config", "show"], 0),
    ],
)
def test_no_worker_is_started_where_no_document_is_parsed(report, arguments, code):
    ended, workers = program(*arguments)
    assert (ended, workers or []) == (code, [])


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["--nonsense"], 2), (["--pages", "x"], 2)])
def test_the_worker_that_was_started_ends_with_the_program(report, arguments, code):
    ended, workers = program("read", "report.pdf", *arguments)
    assert (ended, living(workers)) == (code, [])
    assert workers or code == 0, "it was started"  # after a read it has ended by then


def test_a_worker_for_another_number_of_workers_is_not_left_behind(report):
    ended, workers = program("read", "report.pdf", "--workers", "1")
    assert (ended, living(workers)) == (0, [])


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_program_that_ends_before_it_reads_leaves_no_worker(report, how):
    command = [sys.executable, "-c", STARTED, str(report)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        _, *workers = map(int, running.stdout.readline().split())
        assert workers
        with ended_within(60, workers):
            running.send_signal(how)
            running.wait(30)


def test_there_is_no_early_worker_unless_one_was_started():
    assert take_worker(2) is None
