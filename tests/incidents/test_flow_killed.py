"""A process that runs a flow is killed in the middle of a component; the next one finishes it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests import documents

pytestmark = pytest.mark.processes

PAGES = 40
COMPONENT = """
import os, signal
from pathlib import Path
import quire

LOG = Path(os.environ["CALLS"])

@quire.component(unit="page", version="1")
def number(page):
    with LOG.open("a") as log:
        log.write(f"{page.number}\\n")
    if page.number == 21 and LOG.read_text().split().count("21") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return page.number
"""
FLOW = """
name: numbers
inputs: {source: document}
steps:
  - {id: document, component: read, input: {source: {$input: source}}}
  - {id: numbers, component: "killed_component:number", input: {page: {$step: document}}}
output: {numbers: {$step: numbers}, status: {$step: document, path: status}}
"""
PROGRAM = """
import json, sys
from quire.durable.inline.flow_call import Flow
from quire.durable.flows.workflow import flow_argument, flow_output
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore

folder, source = sys.argv[1:]
flow = Flow.load("numbers")
with FileStore(folder, lease_s=1) as store, local_runtime(store, workers=1, import_paths=True) as runtime:
    run = runtime.submit("flow", flow_argument(flow.definition, {"source": source}), key="numbers")
    output = flow_output(store, runtime.result(run, timeout_s=100))
    kinds = [[event.kind, event.stage] for event in runtime.events(run)]
    print(json.dumps({"output": output, "events": kinds}))
"""


def test_a_killed_flow_is_finished_by_the_next_process_and_repeats_a_call_at_most_once(tmp_path, saved):
    source = saved(documents.simple(PAGES))
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "numbers.yaml").write_text(FLOW)
    (tmp_path / "flows" / "killed_component.py").write_text(COMPONENT)
    calls = tmp_path / "calls"

    assert _run(tmp_path, source, calls).returncode == -signal.SIGKILL
    again = _run(tmp_path, source, calls)

    assert again.returncode == 0, again.stderr
    told = json.loads(again.stdout)
    assert told["output"] == {"numbers": list(range(1, PAGES + 1)), "status": "complete"}
    assert told["events"].count(["finished", "read"]) == 1
    made = Counter(map(int, calls.read_text().split()))
    assert set(made) == set(range(1, PAGES + 1))
    assert max(made.values()) == made[21] == 2


def _run(folder: Path, source: Path, calls: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, str(folder / "store"), str(source)]
    environment = {"PATH": "/usr/bin:/bin", "CALLS": str(calls), "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
