"""Logs for inspect-ai keep to the schema that `inspect log schema` prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from quire.core.runner import TimelineEntry
from quire.solving.evaluation.trace_grading import replayed
from quire.solving.trace.inspect_log import encode_inspect_log
from quire.solving.trace.trace_file import Trace, TracedFixture
from tests.fakes.traces import SCHEMA, invoice_trace, traced

FILE = Path(__file__).parents[2] / "data" / "inspect-ai" / "log-schema.json"
FIXTURE = TracedFixture(
    "invoice",
    {
        "schema_version": "quire-fixture/1",
        "documents": ["invoice.pdf"],
        "schema": SCHEMA,
        "expected": {"invoice_number": "EC-2031/0417", "total": 675.48},
    },
)


def log_of(traces: dict[str, Trace]) -> dict:
    data = encode_inspect_log(traces, replayed(traces, (), None).report)
    log = json.loads(data)
    found = [error.message for error in Draft202012Validator(json.loads(FILE.read_bytes())).iter_errors(log)]
    assert not found
    return log


def test_a_log_has_the_messages_calls_and_scores_of_a_run():
    log = log_of({"invoice": invoice_trace(fixture=FIXTURE)})
    (sample,) = log["samples"]
    assert sample["scores"]["value_f1"]["value"] == 1.0
    assert log["results"]["scores"][0]["metrics"]["f1"]["value"] == 1.0
    assert [one["role"] for one in sample["messages"]] == ["user", "assistant", "assistant"]
    kinds = [one["event"] for one in sample["events"]]
    assert kinds.count("span_begin") == kinds.count("span_end") == 3
    assert {"model", "tool", "info"} <= set(kinds)
    assert sample["model_usage"]["small-1"]["total_tokens"] == 3 * 940
    assert json.loads(sample["output"]["completion"])["total"] == 675.48


def test_runs_that_crashed_were_found_or_have_no_fixture_keep_to_the_schema_too():
    crashed = invoice_trace(answer=None, attempts=(traced("agent", "terminal", reason="killed"),), fixture=FIXTURE)
    log = log_of(
        {"invoice": crashed, "other": invoice_trace(attempts=(traced("offline", "hit", timeline=()),), events=())}
    )
    assert log["samples"][0]["error"]["message"] == "killed"
    assert log["samples"][1]["scores"] is None


@pytest.mark.parametrize("text", ["Nº 5 \ud83d", "فاتورة رقم ٥", "発注書 第五号"])
def test_any_script_and_strange_payloads_are_written(text):
    entries = [
        TimelineEntry("model", {"text": text, "input_tokens": "many"}),
        TimelineEntry("tool", {"name": text, "arguments": text, "answer": {"a": [text]}, "error": True}),
        TimelineEntry("stdout", {"text": text, "n": float("nan")}),
    ]
    log_of({"invoice": invoice_trace(task=text, attempts=(traced(timeline=entries),), fixture=FIXTURE)})
