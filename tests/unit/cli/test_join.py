"""`quire join`: another process does what waits in a store."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from quire.core.context import Workflow
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.worker_workflows import workflows_on
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore
from tests import documents

pytestmark = pytest.mark.processes


@pytest.fixture
def joined(tmp_path):
    """Starts the command on a store; what it says on standard output is read line by line."""
    started = []

    def start(*arguments):
        command = [sys.executable, "-m", "quire", "join", *map(str, arguments)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_process_that_joins_does_the_work_and_leaves_on_a_signal(joined, saved, tmp_path):
    place = tmp_path / "store"
    path = saved(documents.simple(3))
    with FileStore(place) as store:
        idle: list[Workflow] = list(workflows_on(store))
        with LocalRuntime(store.database, idle, pools={"documents": 0, "pages": 0, "recognize": 0}) as runtime:
            process = joined("--store", place, "--workers", 1)
            assert "working on the runs" in process.stdout.readline()
            run = runtime.submit("document", ReadRequest(SourceRef.of(path)).to_json())
            assert runtime.result(run, timeout_s=60)["status"] == "complete"
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert said == "quire: starting no new work; finishing the steps in progress; press again to stop now\n"


def test_a_place_without_a_store_is_said(joined, tmp_path):
    process = joined("-o", tmp_path)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "no store in" in said
