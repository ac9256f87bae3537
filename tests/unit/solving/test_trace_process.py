"""How a run came to its answer is read from its trace: phases, fallbacks, tool calls, timelines, sources."""

from __future__ import annotations

from dataclasses import replace

from quire.core.runner import TimelineEntry
from quire.solving.findings import Finding
from quire.solving.trace import trace_process as process
from tests.fakes.traces import SOLVED, emitted, invoice_trace, traced


def test_phases_have_seconds_and_cost_from_events_and_attempts():
    totals = process.phases(invoice_trace(events=SOLVED))
    assert {name: one.seconds for name, one in totals.items()} == {
        "read": 1.0,
        "workspace": 0.25,
        "solve": 14.0,
        "review": 1.5,
        "wait": 60.0,
        "finish": 0.5,
    }
    assert totals["solve"].cost == 0.06
    assert totals["wait"].cost is None


def test_pages_that_are_read_side_by_side_take_their_time_once():
    events = [
        emitted("recognize", kind, at, page=page)
        for page in (1, 2, 3)
        for kind, at in (("started", 0), ("finished", 10))
    ]
    assert process.phases(invoice_trace(events=tuple(events)))["read"].seconds == 10


def test_an_attempt_found_in_the_store_costs_nothing_and_a_broken_cost_counts_as_unknown():
    hit = traced(outcome="hit")
    assert process.phases(invoice_trace(attempts=(hit,)))["solve"].cost is None
    assert process.usage(invoice_trace(attempts=(hit, traced()))).input_tokens == 900
    assert not process.is_cost(float("nan"))


def test_the_path_of_engines_and_runners_counts_each_change_to_another_one():
    trace = invoice_trace()
    path = process.fallback_path(trace)
    assert [(one.page, one.engine, one.outcome) for one in path] == [(2, "cloud", "timeout"), (2, "tesseract", "ok")]
    assert process.engine_fallbacks(path) == 1
    assert process.runner_fallbacks(trace) == 1


def test_tool_calls_have_their_answers_also_where_a_program_prints_them_later():
    printed = (
        TimelineEntry("tool", {"name": "Read", "arguments": {"path": "a"}}),
        TimelineEntry("tool", {"name": "Read", "arguments": {"path": "b"}}),
        TimelineEntry("tool", {"name": "Read", "result": "one", "error": False}),
        TimelineEntry("tool", {"name": "Read", "result": "two", "error": True}),
    )
    calls = process.tool_calls(invoice_trace(attempts=(traced(timeline=printed),)))
    assert [(one.arguments["path"], one.answer, one.error) for one in calls] == [
        ("a", "one", False),
        ("b", "two", True),
    ]
    assert [one.name for one in process.tool_calls(invoice_trace())] == ["read_page", "cite"] * 2


def test_the_timeline_has_output_and_errors_with_their_times():
    lines = process.timeline(invoice_trace())
    assert [one.text for one in lines if one.kind == "stderr"] == ["a warning"] * 3
    assert all(one.at is not None for one in lines)
    found = replace(traced(outcome="hit"), times=())
    assert {one.at for one in process.timeline(invoice_trace(attempts=(found,)))} == {None}


def test_records_and_crops_are_those_that_the_answer_cites():
    trace = invoice_trace()
    assert process.records_used(trace)
    assert len(process.crops_referenced(trace)) == 2
    assert (
        process.records_used(invoice_trace(answer=None)) == process.crops_referenced(invoice_trace(answer=None)) == []
    )


def test_findings_are_settled_when_the_last_round_does_not_have_them():
    trace = invoice_trace()
    assert [one.path for one in process.settled_findings(trace)] == ["total"]
    assert not process.open_findings(trace)
    again = invoice_trace(findings=(*trace.findings[:1], (Finding("total", "sum", "still"),)))
    assert [one.reason for one in process.open_findings(again)] == ["still"]
    assert not process.settled_findings(again)
