"""`quire replay` as people meet it."""

from __future__ import annotations

import json

import pytest

from quire.solving.trace.trace_file import encode_trace
from tests.fakes.traces import invoice_trace
from tests.unit.cli.batches import Desk

pytestmark = pytest.mark.processes


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    made = Desk(tmp_path)
    made.add("run.trace.json", encode_trace(invoice_trace()))
    return made


def test_a_trace_is_reported_exported_as_spans_and_reported_again(desk):
    shown = desk.quire("replay", "in/run.trace.json", "-o", "out").stdout
    assert "1 runs: 3 attempts, 2 fallbacks, 4 tool calls" in shown
    assert desk.written == ["report.html", "report.json", "traces/run.trace.json"]
    desk.quire("replay", "in", "--to", "otlp", "-o", "in/run.json")
    desk.quire("replay", "in/run.json", "-o", "again")
    assert (desk.folder / "again/report.json").read_bytes() == (desk.out / "report.json").read_bytes()
    desk.quire("replay", "in/run.json", "--to", "inspect", "-o", "log.json")
    assert json.loads((desk.folder / "log.json").read_bytes())["samples"][0]["id"] == "run"


def test_a_changed_trace_and_something_else_are_said(desk):
    file = desk.folder / "in/run.trace.json"
    file.write_bytes(file.read_bytes().replace(b'"total": 675.48}, "evidence"', b'"total": 99.0}, "evidence"'))
    run = desk.quire("replay", "in", "-o", "out", code=3)
    assert "run: changed after the run: the answer is not the one of the run" in run.stdout
    file.write_bytes(b"{}")
    assert "is not a trace" in desk.quire("replay", "in", "-o", "out", code=2).stderr
    assert "--to" in desk.quire("replay", "in", "-o", "out", "--to", "pdf", code=2).stderr
