"""Tests that `make quick` runs start no process, and one that tries to is told what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.marking import GUARD, RefusedProcess

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "start",
    [
        lambda: subprocess.run(["true"], check=True),
        lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", "pass"], {}),
        lambda: os.system("true"),
        os.fork,
    ],
    ids=["subprocess", "posix_spawn", "system", "fork"],
)
def test_no_process_is_started_while_the_guard_holds(start):
    with GUARD.holding() as refused:
        with pytest.raises(RefusedProcess, match="processes"):
            start()
        assert len(refused) == 1


WRONG = """
import subprocess

import pytest


def test_goes_on_without_it():
    try:
        subprocess.run(["true"])
    except RuntimeError:
        pass


def test_fails_of_it():
    assert subprocess.run(["true"]).returncode == 1


@pytest.fixture(params=["alone", pytest.param("marked", marks=pytest.mark.processes)])
def where(request):
    return request.param


def test_starts_one_where_it_is_marked(where):
    if where == "marked":
        assert subprocess.run(["true"]).returncode == 0
"""


@pytest.mark.processes
@pytest.mark.parametrize(
    ("selected", "passed", "failed"), [("not processes", 1, 2), ("processes", 1, 0)], ids=["quick", "the rest"]
)
def test_a_test_without_the_mark_fails_and_says_which_mark_it_needs(tmp_path, selected, passed, failed):
    (tmp_path / "test_wrong.py").write_text(WRONG)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    servers\n    processes\n")
    options = ["-q", "-p", "tests.marking", "-p", "no:cacheprovider", "-m", selected, "--rootdir", tmp_path]
    command = [sys.executable, "-m", "pytest", *options, "-c", tmp_path / "pytest.ini", tmp_path]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert f"{passed} passed" in ended.stdout, ended.stdout + ended.stderr
    assert (f"{failed} failed" in ended.stdout) == (failed > 0)
    assert ended.stdout.count("RefusedProcess: mark this test with `processes`, it starts subprocess.Popen") >= failed


GROUPED = """
import os
from pathlib import Path

import pytest


@pytest.mark.xdist_group("servers")
@pytest.mark.parametrize("number", range(2))
def test_shares_a_server(number):
    Path(__file__).with_name(f"{number}-{os.getpid()}-{Path(__file__).stem}").touch()
"""


@pytest.mark.processes
def test_tests_of_one_group_run_in_one_process(tmp_path):
    """Or each process starts the servers of all of them."""
    for name in ("one", "two", "three", "four"):
        (tmp_path / f"test_{name}.py").write_text(GROUPED)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    servers\n    processes\n")
    options = ["-q", "-p", "tests.marking", "-p", "no:cacheprovider", "--dist", "loadgroup", "-n", "2"]
    command = [sys.executable, "-m", "pytest", *options, "-c", tmp_path / "pytest.ini", tmp_path]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, env=environment)
    assert "8 passed" in ended.stdout, ended.stdout + ended.stderr
    assert len({path.name.split("-")[1] for path in tmp_path.glob("?-*-*")}) == 1
