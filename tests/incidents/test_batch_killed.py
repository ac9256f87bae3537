"""A batch that a program submitted through the verbs, as a service does, and whose process is killed in the middle."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import documents

pytestmark = pytest.mark.processes

FLOW = """
name: deadly
inputs: {source: document}
steps:
  - {id: document, component: read, input: {source: {$input: source}}}
  - {id: size, component: "deadly_component:size", input: {document: {$step: document}}}
output: {size: {$step: size}}
"""

COMPONENT = """
import os, signal
from pathlib import Path

def size(document) -> int:
    calls = Path(os.environ["CALLS"])
    with calls.open("a") as file:
        file.write(document.name + "\\n")
    if len(calls.read_text().split()) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return len(document.pages)
"""

PROGRAM = """
import json, sys
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.inline.flow_call import Flow
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore

what = sys.argv[1]
with FileStore("store", lease_s=1) as store:
    with local_runtime(store, workers=1, flows={"deadly": Flow.load("flows/deadly.yaml")}) as runtime:
        if what == "submit":
            run = runtime.submit("batch", BatchRequest(("in",), "out", "deadly").to_json(), key="night")
            runtime.result(run, timeout_s=100)
        runtime.serve()
        (run,) = runtime.runs(flow="batch")
        result = runtime.result(run.run, timeout_s=100)
        told = [event for event in runtime.events(run.run) if event.document]
        ends = [event.payload["name"] for event in told if event.kind in ("finished", "hit")]
        print(json.dumps({"result": result, "ends": ends, "before": run.state}))
"""


def test_a_killed_batch_goes_on_with_the_next_process_that_opens_the_runtime(tmp_path):
    for folder in ("in", "flows"):
        (tmp_path / folder).mkdir()
    names = [f"{number}.pdf" for number in range(6)]
    for name in names:
        (tmp_path / "in" / name).write_bytes(documents.simple(1) + name.encode())
    (tmp_path / "flows" / "deadly.yaml").write_text(FLOW)
    (tmp_path / "flows" / "deadly_component.py").write_text(COMPONENT)

    assert _run(tmp_path, "submit").returncode == -signal.SIGKILL
    again = _run(tmp_path, "look")

    assert again.returncode == 0, again.stderr
    told = json.loads(again.stdout)
    assert told["before"] in ("interrupted", "running")  # it is picked up at once
    assert told["result"]["planned"] == told["result"]["succeeded"] + told["result"]["skipped"] == 6
    assert set(told["ends"]) == set(names), "each is told of as done, or as found done"
    assert sorted(path.stem for path in (tmp_path / "out").iterdir()) == [name[0] for name in names]
    calls = (tmp_path / "calls").read_text().split()
    assert set(calls) == set(names)
    assert len(calls) <= len(names) + 3, "only what was under way is done again"


def _run(folder: Path, what: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    environment = {"PATH": "/usr/bin:/bin", "CALLS": str(folder / "calls"), "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", PROGRAM, what]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
