"""A durable read that other code began, and that this code ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import quire
from quire.durable.reads.read_records import load_result
from quire.durable.worker_workflows import workflows_on
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore
from tests import documents
from tests.changed_code import copy_of_package

pytestmark = pytest.mark.processes

KILLED = """
import os, sys
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.worker_workflows import workflows_on
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore

def killed(*_, **__):
    os._exit(9)

path, store = sys.argv[1:]
DocumentSteps.assemble = killed
with FileStore(store) as opened, LocalRuntime(opened.database, workflows_on(opened, workers=1)) as runtime:
    run = runtime.submit("document", ReadRequest(SourceRef.of(path)).to_json())
    print(run, flush=True)
    runtime.result(run, timeout_s=60)
"""


def test_a_read_that_was_killed_before_an_upgrade_is_made_by_the_new_code_alone(tmp_path):
    path = tmp_path / "report.pdf"
    path.write_bytes(documents.headings_and_lists())
    copy = copy_of_package(tmp_path / "yesterday")
    layout = copy / "pages" / "layout" / "__init__.py"
    layout.write_text(
        layout.read_text() + "\n\n_made = page_blocks\n\n\n"
        "def page_blocks(text, quality=None, tables=None):\n"
        "    from dataclasses import replace\n\n"
        "    return replace(_made(text, quality, tables), blocks=())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), str(tmp_path / "store")],
        env={**os.environ, "PYTHONPATH": str(copy.parent)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 9, run.stderr
    with FileStore(tmp_path / "store") as store:
        with LocalRuntime(store.database, workflows_on(store, workers=1)) as runtime:
            reference = runtime.result(run.stdout.strip(), timeout_s=120)
            told = [event.payload.get("notice", "") for event in runtime.events(run.stdout.strip())]
        assert load_result(store, reference).to_json() == quire.read(path).to_json()
    assert any("starts over" in notice for notice in told)
