"""A trace as OpenTelemetry spans, and back to the same bytes."""

from __future__ import annotations

import json
import random

import pytest

from quire.core.errors import UsageError
from quire.core.events import Event
from quire.core.runner import TimelineEntry
from quire.solving.trace.otlp_spans import encode_spans, is_spans, trace_from_spans
from quire.solving.trace.trace_file import encode_trace
from tests.fakes.traces import invoice_trace, traced


def spans_of(data: bytes) -> list[dict]:
    return json.loads(data)["resourceSpans"][0]["scopeSpans"][0]["spans"]


def test_spans_become_the_same_trace_byte_for_byte():
    trace = invoice_trace()
    data = encode_spans(trace)
    assert is_spans(data)
    assert not is_spans(encode_trace(trace))
    assert encode_trace(trace_from_spans(data)) == encode_trace(trace)
    assert encode_spans(trace_from_spans(data)) == data


@pytest.mark.parametrize("text", ["Nº \ud83d", "فاتورة رقم ٥", "発注書 第五号"])
def test_any_script_survives_with_crashed_attempts_and_binary_files(text):
    entries = [TimelineEntry("stdout", {"text": text}), TimelineEntry("model", {"text": text, "n": 1.5})]
    crashed = traced("agent", "terminal", reason=text, timeline=entries)
    trace = invoice_trace(
        task=text, attempts=(crashed, traced(files={"answer.xlsx": b"\xff\x00", "a": text.encode("utf-8", "replace")}))
    )
    assert encode_trace(trace_from_spans(encode_spans(trace))) == encode_trace(trace)


def test_the_order_of_spans_and_resources_does_not_matter():
    trace = invoice_trace(events=tuple(Event(f"r/{n}", "r", n, "progress", "solve", at=5.0 + n) for n in range(2000)))
    spans = spans_of(encode_spans(trace))
    random.Random(1).shuffle(spans)
    split = [{"resource": {}, "scopeSpans": [{"spans": part}]} for part in (spans[:5], spans[5:])]
    assert trace_from_spans(json.dumps({"resourceSpans": split}).encode()) == trace


def test_spans_are_named_and_nested_as_the_conventions_say():
    spans = spans_of(encode_spans(invoice_trace()))
    ids = [one["spanId"] for one in spans]
    assert len(set(ids)) == len(ids)
    named = {one["name"] for one in spans}
    assert named >= {"run", "read", "workspace", "solve", "agent.run", "chat", "execute_tool", "ocr.page", "review"}
    assert all(one["parentSpanId"] in ids for one in spans if one["name"] != "run")
    assert all(int(one["startTimeUnixNano"]) <= int(one["endTimeUnixNano"]) for one in spans)
    chat = next(one for one in spans if one["name"] == "chat")
    keys = {one["key"]: one["value"] for one in chat["attributes"]}
    assert keys["gen_ai.operation.name"] == {"stringValue": "chat"}
    assert keys["gen_ai.usage.input_tokens"] == {"intValue": "900"}
    failed = next(one for one in spans if one["name"] == "agent.run")
    assert failed["status"] == {"code": 2, "message": "the program exited with 137"}


def test_spans_that_are_not_all_there_or_of_something_else_are_refused():
    data = encode_spans(invoice_trace())
    spans = [one for one in spans_of(data) if one["name"] != "agent.run"]
    whole = lambda listed: json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": listed}]}]}).encode()  # noqa: E731
    with pytest.raises(UsageError, match="sampled out"):
        trace_from_spans(whole(spans))
    with pytest.raises(UsageError, match="of 0 runs"):
        trace_from_spans(whole(spans[1:]))
    with pytest.raises(UsageError, match="of 2 runs"):
        trace_from_spans(whole([*spans, spans[0]]))
    for other in (b"", b"[]", b'{"resourceSpans": 1}', b'{"resourceSpans": [{"scopeSpans": [{"spans": [1]}]}]}'):
        with pytest.raises(UsageError, match="no spans"):
            trace_from_spans(other)
