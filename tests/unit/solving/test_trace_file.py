"""Traces are files: lossless, equal for equal runs, refused when they are something else, and they show changes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from quire.core.errors import UsageError
from quire.core.events import Event
from quire.core.runner import TimelineEntry
from quire.solving.trace import trace_file
from quire.solving.trace.trace_file import decode_trace, encode_trace, load_trace
from tests.fakes.traces import invoice_trace, traced


def test_a_trace_survives_its_file_with_everything_in_it():
    trace = invoice_trace()
    data = encode_trace(trace)
    again = decode_trace(data)
    assert again == trace
    assert [one.at for one in again.events] == [one.at for one in trace.events]
    assert encode_trace(again) == data
    assert not again.faults


@pytest.mark.parametrize("text", ["Rechnung \ud83d Nº 5", "فاتورة رقم ٥", "発注書 第五号", "\x00\u2028\ufeff"])
def test_any_script_broken_fonts_and_binary_files_survive(text):
    binary = {"answer.xlsx": b"PK\x03\x04\xff\xfe", "notes.md": "発注\ufeff".encode(), "answer.json": b"\xef\xbb\xbf{}"}
    attempt = traced(files=binary, timeline=[TimelineEntry("stdout", {"text": text})])
    trace = invoice_trace(task=text, notes=text, attempts=(attempt,))
    again = decode_trace(encode_trace(trace))
    assert again == trace
    assert again.attempts[0].output.files == binary
    assert not again.faults


def test_ten_thousand_events_have_a_line_each():
    events = tuple(Event(f"r/{n}", "r", n, "progress", "solve", payload={"text": "…" * 5}, at=n) for n in range(10_000))
    trace = invoice_trace(events=events)
    data = encode_trace(trace)
    assert len(data.splitlines()) > 10_000
    assert decode_trace(data) == trace


def test_a_trace_of_a_run_that_never_answered_is_a_trace():
    crashed = traced("agent", "terminal", reason="the program exited with 137")
    trace = invoice_trace(answer=None, attempts=(crashed,), findings=(), status="failed")
    again = decode_trace(encode_trace(trace))
    assert again == trace
    assert again.answer is None
    assert not again.faults


def test_what_was_changed_afterwards_is_named():
    trace = invoice_trace()
    data = encode_trace(trace)
    assert decode_trace(
        data.replace(b'"values": {"invoice_number": "EC-2031/0417"', b'"values": {"invoice_number": "EC-1"')
    ).faults == ["the answer is not the one of the run: it was changed afterwards"]
    (prompt,) = decode_trace(data.replace(b"(for first)", b"(for 1st)")).faults
    assert "prompt of attempt 1 of the solver first in round 0" in prompt
    (output, _) = decode_trace(
        data.replace(b'"One invoice."', b'"Two invoices."').replace(b"I read page 1.", b"I read page 2.")
    ).faults
    assert "output of attempt 1 of the solver agent in round 0" in output
    (workspace,) = replace(trace, files=trace.files[:1]).faults
    assert "workspace" in workspace


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "not a trace"),
        (b'{"schema_version": "quire-evaluation/1"}', "not a trace"),
        (b'{"schema_version": "quire-trace/9"}', "this version of Quire reads quire-trace/1"),
        (b'{"schema_version": "quire-trace/1"}', "not a whole trace"),
    ],
)
def test_something_else_is_refused_with_the_reason(data, reason):
    with pytest.raises(UsageError, match=reason):
        decode_trace(data, "some.json")


def test_a_trace_without_a_member_and_with_broken_base64_is_refused(tmp_path):
    tree = json.loads(encode_trace(invoice_trace()))
    for name in ("events", "attempts", "workspace", "key"):
        with pytest.raises(UsageError, match="not a whole trace"):
            decode_trace(json.dumps({one: value for one, value in tree.items() if one != name}).encode())
    tree["attempts"][1]["output"]["files"]["answer.json"] = {"base64": "*"}
    with pytest.raises(UsageError, match="not a whole trace"):
        decode_trace(json.dumps(tree).encode())
    with pytest.raises(UsageError, match="cannot be read"):
        load_trace(tmp_path / "gone.trace.json")


def test_sizes_are_bounded(monkeypatch):
    trace = invoice_trace()
    data = encode_trace(trace)
    monkeypatch.setattr(trace_file, "MOST_BYTES", 100)
    with pytest.raises(UsageError, match="at most 100"):
        decode_trace(data)
    with pytest.raises(UsageError, match="at most 100"):
        encode_trace(trace)
    monkeypatch.setattr(trace_file, "MOST_EVENTS", 1)
    with pytest.raises(UsageError, match="events"):
        encode_trace(trace)
