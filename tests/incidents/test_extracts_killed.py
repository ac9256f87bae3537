"""A batch of extractions is killed in the middle; the next process finishes it, and does no finished work again."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.unit.evidence.extract.bills import bill

pytestmark = pytest.mark.processes

EXTRACTOR = """
import os, signal
from pathlib import Path
from quire.evidence.extract.values import Proposal

class Deadly:
    name, version = "deadly", "1"

    def propose(self, catalog, schema):
        folder = Path(__file__).parent.parent  # a worker has neither the environment nor the folder of its parent
        calls = folder / "calls"
        with calls.open("a") as log:
            log.write(catalog.name + "\\n")
        if len(calls.read_text().split()) == 3:
            os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
        record = catalog.records[0]
        return [Proposal("number", catalog.name, (record.id,), "", 0.9, self.name)]
"""
PROGRAM = """
import os
from pathlib import Path
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore

Path("pid").write_text(str(os.getpid()))
inputs = {"fields": ["number"], "extractors": ["deadly"]}
request = BatchRequest(("in",), "out", "extract", ("json",), inputs).to_json()
with FileStore("store", lease_s=1) as store, local_runtime(store, workers=1) as runtime:
    runtime.result(runtime.submit("batch", request, key="night"), timeout_s=100)
"""


def test_a_killed_batch_of_extractions_is_finished_and_repeats_only_what_was_under_way(tmp_path):
    packages = tmp_path / "packages"
    information = packages / "deadly-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: deadly\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[quire.extractors]\ndeadly = deadly:Deadly\n")
    (packages / "deadly.py").write_text(EXTRACTOR)
    names = [f"{number}.pdf" for number in range(5)]
    (tmp_path / "in").mkdir()
    for name in names:
        (tmp_path / "in" / name).write_bytes(bill() + name.encode())

    assert _run(tmp_path).returncode == -signal.SIGKILL
    again = _run(tmp_path)

    assert again.returncode == 0, again.stderr
    made = Counter((tmp_path / "calls").read_text().split())
    assert set(made) == set(names)
    assert max(made.values()) <= 2
    assert sum(made.values()) <= len(names) + 3, "only what was under way is extracted again"
    assert sorted(path.name for path in (tmp_path / "out").glob("*.json")) == [
        f"{number}.extracted.json" for number in range(5)
    ]


def _run(folder: Path) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    path = f"{root}:{folder / 'packages'}"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": path}
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
