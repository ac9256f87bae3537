"""Reports of traces: the same bytes as those of the evaluation, with nothing to call; and what differs is said."""

from __future__ import annotations

import json
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

import quire
from quire.core.errors import UsageError
from quire.core.events import Event
from quire.core.runner import TimelineEntry
from quire.core.types import BBox
from quire.durable.evaluation_call import evaluate
from quire.evidence.extract.values import LeafEvidence
from quire.net.language_model import LanguageModel
from quire.solving.evaluation.evaluate import evaluated
from quire.solving.evaluation.fixture import load_fixtures
from quire.solving.evaluation.report_page import report_page
from quire.solving.evaluation.trace_grading import load_traces, replayed
from quire.solving.findings import Finding
from quire.solving.trace.otlp_spans import encode_spans
from quire.solving.trace.trace_file import TracedDocument, TracedReview, digest_of_answer, encode_trace
from tests.fakes.traces import SCHEMA, TASK, emitted, invoice_answer, invoice_events, invoice_trace, traced
from tests.unit.evidence.catalog.documents import invoice_pdf

FIXTURE = {
    "schema_version": "quire-fixture/1",
    "family": "invoices",
    "documents": ["invoice.pdf"],
    "task": TASK,
    "schema": SCHEMA,
    "expected": {"total": 675.48, "invoice_number": "EC-2031/0417"},
    "places": {"total": [{"page": 1}]},
}
REPORT = ("report.json", "report.html")


@pytest.fixture
def folder(tmp_path):
    """A fixture with a task, as a file beside its document."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "invoice.pdf").write_bytes(invoice_pdf())
    (tmp_path / "in" / "invoice.fixture.json").write_text(json.dumps(FIXTURE))
    return tmp_path


@pytest.fixture
def offline(monkeypatch):
    """Everything that could call something fails."""

    def refuse(*args, **options):
        raise AssertionError("something was called")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(LanguageModel, "post", refuse)
    monkeypatch.setattr("quire.reading.call.read", refuse)
    monkeypatch.setattr("quire.solving.evaluation.evaluate.extract", refuse)
    monkeypatch.setattr("quire.core.document.Document.__init__", refuse)


def solved(folder, name="first", **changes):
    made = evaluated([folder / "in"], lambda fixture: invoice_trace(**changes))
    made.save(folder / name)
    return made


def same(one, other):
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in REPORT)


def test_a_fixture_with_a_task_is_solved_and_its_report_says_how(folder):
    report = solved(folder).report
    (one,) = report["fixtures"]
    assert report["overall"]["value"]["f1"] == 1.0
    assert one["execution"] == "e" * 64
    counts = one["process"]["counts"]
    assert (counts["attempts"], counts["runner_fallbacks"], counts["engine_fallbacks"]) == (3, 1, 1)
    assert counts["tool_calls"] == 4
    assert report["overall"]["process"]["cost"] == 0.06
    assert report["families"]["invoices"]["process"]["phases"]["wait"]["seconds"] == 60
    assert one["process"]["records"]
    assert not (folder / "first" / "outputs").exists()


def test_a_replay_gives_the_same_report_byte_for_byte_with_nothing_to_call(folder, offline):
    made = evaluated([folder / "in"], lambda fixture: invoice_trace(answer=ANSWER, events=EVENTS))
    made.save(folder / "first")
    (folder / "in" / "invoice.pdf").unlink()
    quire.replay([folder / "first" / "traces"]).save(folder / "again")
    assert same(folder / "first", folder / "again")
    assert (folder / "first/traces/invoice.trace.json").read_bytes() == (
        folder / "again/traces/invoice.trace.json"
    ).read_bytes()


ANSWER, EVENTS = invoice_answer(), invoice_events()  # made before everything that could make them is refused


def test_an_evaluation_is_replayed_from_its_folder_with_outputs_and_traces(folder):
    plain = {**FIXTURE, "task": "", "name": "plain"}
    (folder / "in" / "plain.fixture.json").write_text(json.dumps(plain))
    solved(folder)
    evaluate([folder / "in"], replay=folder / "first").save(folder / "again")
    assert same(folder / "first", folder / "again")
    assert (folder / "first/outputs/plain.extracted.json").is_file()


def test_two_replays_at_once_are_equal(folder):
    solved(folder)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: quire.replay([folder / "first/traces"]).save(folder / name), ("a", "b")))
    assert same(folder / "a", folder / "b")
    assert same(folder / "a", folder / "first")


def test_spans_of_the_run_give_the_same_report(folder):
    solved(folder)
    (trace,) = load_traces([folder / "first/traces"]).values()
    (folder / "spans.json").write_bytes(encode_spans(trace))
    quire.replay([folder / "spans.json"]).save(folder / "again")
    assert same(folder / "first", folder / "again")


def test_the_same_accuracy_with_twice_the_fallbacks_is_said_in_one_line(folder):
    solved(folder)
    page = emitted("recognize", "attempt", 1.6, page=1, engine="cloud", outcome="timeout", reason="", ms=1)
    other = emitted("recognize", "attempt", 1.7, page=1, engine="tesseract", outcome="ok", reason="", ms=1)
    events = (*invoice_trace().events, page, other)
    (folder / "b.trace.json").write_bytes(encode_trace(solved_trace(folder, events=events)))
    made = quire.replay([folder / "b.trace.json"], baseline=folder / "first/report.json")
    from quire.cli.evaluation_lines import evaluation_lines

    lines = list(evaluation_lines(made.report, folder))
    (line,) = [one for one in lines if one.startswith("against the baseline")]
    assert "the same value F1" in line
    assert "twice the engine fallbacks (2, before 1)" in line
    assert "twice the engine fallbacks" in report_page(made.report).decode()
    assert made.report["baseline"]["process"]["engine_fallbacks"] == {"before": 1, "after": 2}


def solved_trace(folder, **changes):
    """The trace of the fixture in the folder."""
    made = evaluated([folder / "in"], lambda fixture: invoice_trace(**changes))
    (folder / "made").mkdir(exist_ok=True)
    (folder / "made" / "x.trace.json").write_bytes(made.traces["invoice"])
    (trace,) = load_traces([folder / "made"]).values()
    return trace


def test_a_changed_value_is_graded_as_what_it_is_and_the_change_is_said(folder):
    solved(folder)
    file = folder / "first/traces/invoice.trace.json"
    file.write_bytes(file.read_bytes().replace(b'"total": 675.48}, "evidence"', b'"total": 99.0}, "evidence"'))
    report = quire.replay([file]).report
    (one,) = report["fixtures"]
    assert one["process"]["altered"] == ["the answer is not the one of the run: it was changed afterwards"]
    assert {cell["path"]: cell["outcome"] for cell in one["cells"]}["total"] == "wrong"
    assert report["overall"]["process"]["altered"] == 1
    assert b"Changed after the run" in report_page(report)


def test_a_run_without_an_answer_is_a_failure_with_its_process(folder):
    crashed = traced("agent", "terminal", reason="the program exited with 137")
    report = solved(folder, answer=None, attempts=(crashed,), findings=(), status="failed").report
    (failure,) = report["failures"]
    assert "137" in failure["reason"]
    assert failure["process"]["counts"]["failed_attempts"] == 1
    quire.replay([folder / "first/traces"]).save(folder / "again")
    assert same(folder / "first", folder / "again")


def test_a_trace_without_a_fixture_is_reported_without_grades_or_by_one_that_is_given(folder):
    (folder / "invoice.trace.json").write_bytes(encode_trace(invoice_trace()))
    made = quire.replay([folder / "invoice.trace.json"])
    assert made.report["fixtures"] == []
    (run,) = made.report["runs"]
    assert run["process"]["counts"]["attempts"] == 3
    assert b"without a fixture" in report_page(made.report)
    graded = quire.replay([folder / "invoice.trace.json"], fixtures=[folder / "in"])
    assert graded.report["overall"]["value"]["f1"] == 1.0


def test_places_of_two_documents_are_told_apart(folder):
    (folder / "in" / "other.pdf").write_bytes(invoice_pdf())
    places = {"total": [{"page": 1, "document": "document-2"}]}
    both = {**FIXTURE, "documents": ["invoice.pdf", "other.pdf"], "places": places}
    (folder / "in" / "invoice.fixture.json").write_text(json.dumps(both))
    documents = tuple(TracedDocument(f"document-{n}", f"{n}.pdf", str(n) * 64, 2) for n in (1, 2))
    for short, right in (("document-1", 0.0), ("document-2", 1.0)):
        answer = invoice_answer()
        moved = replace(answer, evidence={path: replace(one, document=short) for path, one in answer.evidence.items()})
        made = evaluated([folder / "in"], lambda _, a=moved: invoice_trace(answer=a, documents=documents))
        assert made.report["overall"]["page"]["f1"] == right
        assert all(one.startswith(f"{short}/") for one in made.report["fixtures"][0]["process"]["records"])
    wrong = {**both, "places": {"total": [{"page": 1, "document": "document-3"}]}}
    (folder / "in" / "invoice.fixture.json").write_text(json.dumps(wrong))
    with pytest.raises(UsageError, match="document-3"):
        load_fixtures([folder / "in"])


def test_a_task_file_and_a_template_are_a_part_of_the_version(folder):
    (folder / "in" / "task.md").write_text(TASK)
    (folder / "in" / "form.xlsx").write_bytes(b"PK")
    named = {**FIXTURE, "task": {"file": "task.md"}, "template": "form.xlsx", "runners": ["tools", "offline"]}
    (folder / "in" / "invoice.fixture.json").write_text(json.dumps(named))
    (first,) = load_fixtures([folder / "in"])
    assert (first.task, first.template, first.runners) == (TASK, folder / "in" / "form.xlsx", ("tools", "offline"))
    (folder / "in" / "form.xlsx").write_bytes(b"PK2")
    (second,) = load_fixtures([folder / "in"])
    (folder / "in" / "task.md").write_text("Another")
    (third,) = load_fixtures([folder / "in"])
    assert len({first.version, second.version, third.version}) == 3
    (folder / "in" / "form.xlsx").unlink()
    with pytest.raises(UsageError, match="there is no template"):
        load_fixtures([folder / "in"])


ATTACK = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def test_no_text_of_a_trace_can_become_a_part_of_the_page(folder):
    entries = [TimelineEntry(kind, {"text": ATTACK}) for kind in ("model", "stdout", "stderr", "note")]
    entries.append(TimelineEntry("tool", {"name": ATTACK, "arguments": {ATTACK: ATTACK}, "answer": ATTACK}))
    evidence = LeafEvidence(
        "total", "found", page=1, bboxes=(BBox(0, 0, 1, 1),), quote=ATTACK, records=(ATTACK,), crop=ATTACK
    )
    answer = replace(invoice_answer(), values={"total": ATTACK}, evidence={"total": evidence}, extractors=(ATTACK,))
    finding = Finding(ATTACK, "doubt", ATTACK, value=ATTACK, by=ATTACK)
    step = emitted("recognize", "attempt", 1, page=1, engine=ATTACK, outcome=ATTACK, reason=ATTACK, ms=1)
    trace = invoice_trace(
        run=ATTACK,
        key=ATTACK,
        status=ATTACK,
        workspace=ATTACK,
        answer=answer,
        attempts=(traced(ATTACK, "terminal", reason=ATTACK, timeline=entries), traced(ATTACK)),
        findings=((finding,), (finding,)),
        events=(step,),
        notes=ATTACK,
        reviews=(TracedReview(ATTACK, ({ATTACK: ATTACK},)),),
        documents=(TracedDocument(ATTACK, ATTACK, ATTACK, 1),),
    )
    made = evaluated([folder / "in"], lambda fixture: trace)
    for report in (made.report, replayed({ATTACK: trace}, (), None).report):
        page = report_page(report).decode()
        assert "<script" not in page
        assert "<img" not in page
        assert "&lt;script&gt;" in page
        assert "default-src 'none'" in page


@pytest.mark.parametrize("text", ["Nº 5 \ud83d", "فاتورة رقم ٥", "発注書 第五号"])
def test_reports_of_any_script_are_the_same_bytes_again(folder, text):
    answer = replace(invoice_answer(), values={"total": 1, "invoice_number": text})
    entries = [TimelineEntry("stdout", {"text": text})]
    solved(folder, answer=answer, task=text, attempts=(traced(timeline=entries, reason=text),))
    quire.replay([folder / "first/traces"]).save(folder / "again")
    assert same(folder / "first", folder / "again")


def test_ten_thousand_events_and_a_flood_of_output_make_a_bounded_report(folder):
    events = tuple(Event(f"r/{n}", "r", n, "progress", "solve", payload={"n": n}, at=n) for n in range(10_000))
    flood = [TimelineEntry("stdout", {"text": "x" * 5000})] * 3000
    made = solved(folder, events=events, attempts=(traced(timeline=flood),))
    (one,) = made.report["fixtures"]
    assert one["process"]["timeline"]["left_out"] == 2600
    assert len(report_page(made.report)) < 2_000_000


def test_traces_of_one_name_and_folders_without_any_are_refused(folder):
    (folder / "a.trace.json").write_bytes(encode_trace(invoice_trace()))
    with pytest.raises(UsageError, match="loaded before"):
        load_traces([folder / "a.trace.json", folder / "a.trace.json"])
    with pytest.raises(UsageError, match="no trace in"):
        load_traces([folder / "in"])
    with pytest.raises(UsageError, match="cannot be read"):
        load_traces([folder / "gone.trace.json"])
    assert digest_of_answer(None) is None
