"""Solves on a runtime: runners that fail, answer wrongly, crash; rounds, reviewers, people; two at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quire.core.errors import RunError, UsageError
from quire.database.reviews import QueueFilter
from quire.durable.reads.read_request import SourceRef
from quire.durable.review.review_queue import ReviewQueue
from quire.durable.runtimes import local_runtime
from quire.durable.solve_call import followed, solution, solve, submit_solve
from quire.durable.solves.solve_request import requested
from quire.evidence.review.decisions import Decision
from quire.store.opening import open_store
from tests.fakes.runners import install_runners

pytestmark = pytest.mark.processes

INVOICE = Path(__file__).parents[4] / "src/quire/flow/samples/invoice.pdf"
GOOD = {
    "values": {"invoice_number": "INV-2041", "total": "EUR 1,250.00"},
    "cited": {
        "invoice_number": {"record": "p1-b3", "quote": "INV-2041"},
        "total": {"record": "p1-b9", "quote": "EUR 1,250.00"},
    },
}
WRONG = {"values": {"invoice_number": "INV-9999", "total": "EUR 1,250.00"}, "cited": GOOD["cited"]}
FIELDS = "invoice number, total"
QUICK = {"backoff_s": 0.01}


@pytest.fixture
def runners(tmp_path, monkeypatch):
    """Installs runners by name, each with a script."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return lambda **scripts: install_runners(folder, **scripts)


def solved(store, *names, **options):
    return solve("What is asked for?", INVOICE, fields=FIELDS, store=store, runners=names, **{**QUICK, **options})


def outcomes(made) -> list[tuple[str, str]]:
    return [(one.runner, one.outcome) for one in made.attempts]


def test_a_runner_that_fails_for_a_while_is_tried_again(tmp_path, runners):
    runners(shaky=[{"fails": "retryable", "reason": "overloaded"}, GOOD])
    made = solved(tmp_path / "store", "shaky")
    assert outcomes(made) == [("shaky", "retryable"), ("shaky", "ok")]
    assert made.values == GOOD["values"]
    assert [one.status for one in made.answer.evidence.values()] == ["found", "found"]
    assert made.attempts[0].usage.input_tokens == 100
    assert made.attempts[0].reason == "overloaded"


@pytest.mark.parametrize(
    ("script", "outcome", "times"),
    [
        ({"fails": "refused"}, "refused", 1),
        ({"fails": "over_budget"}, "over_budget", 1),
        ({"fails": "terminal"}, "terminal", 1),
        ({"raises": True}, "terminal", 1),
        ({"files": {"answer.json": "no JSON"}}, "invalid_output", 2),
        ({"files": {}}, "invalid_output", 2),
        ({"crash": True}, "retryable", 2),
    ],
    ids=["refuses", "over budget", "terminal", "bug", "garbage", "lies about success", "crashes its worker"],
)
def test_after_a_failure_the_next_runner_works_in_the_same_workspace(tmp_path, runners, script, outcome, times):
    made_of = runners(bad=[script], good=[GOOD])
    made = solved(tmp_path / "store", "bad", "good")
    assert outcomes(made) == [("bad", outcome)] * times + [("good", "ok")]
    given = {call[1] for one in made_of.values() for call in one.calls()}
    assert given == {made.workspace}, "the workspace has one digest for all runners"
    assert {one.workspace for one in made.attempts} == {made.workspace}


def test_when_no_runner_answers_the_run_fails_with_all_reasons(tmp_path, runners):
    runners(first=[{"fails": "refused", "reason": "I would rather not"}], second=[{"fails": "terminal"}])
    with pytest.raises(RunError, match=r"first: refused: I would rather not; second: terminal"):
        solved(tmp_path / "store", "first", "second")


def test_the_offline_runner_is_the_end_that_always_answers(tmp_path, runners):
    runners(first=[{"fails": "refused"}])
    made = solved(tmp_path / "store", "first", "offline")
    assert outcomes(made) == [("first", "refused"), ("offline", "ok")]
    assert made.values == GOOD["values"]


def test_what_a_runner_invents_is_never_shown_as_supported(tmp_path, runners):
    runners(liar=[WRONG])
    made = solved(tmp_path / "store", "liar", rounds=0)
    assert made.status == "open"
    assert made.answer["invoice_number"].status == "unverified"
    assert made.answer["total"].supported


def test_the_solver_answers_findings_in_the_next_round(tmp_path, runners):
    made_of = runners(learner=[WRONG, GOOD])
    made = solved(tmp_path / "store", "learner")
    assert made.status == "complete"
    assert made.values == GOOD["values"]
    assert [(one.round, one.outcome) for one in made.attempts] == [(0, "ok"), (1, "ok")]
    assert "INV-9999" in made_of["learner"].calls()[1][2], "the prompt of the second round has the finding"


def test_rounds_are_bounded_and_what_stays_open_is_said(tmp_path, runners):
    made_of = runners(stubborn=[WRONG])
    made = solved(tmp_path / "store", "stubborn", rounds=2)
    assert made.status == "open"
    assert len(made_of["stubborn"].calls()) <= 3
    assert any(one.path == "invoice_number" and one.open for one in made.findings)


def test_a_reviewer_of_another_runner_sends_the_answer_back(tmp_path, runners):
    doubt = {"path": "total", "kind": "doubt", "reason": "is it with tax?", "record": "p1-b9", "quote": "EUR 1,250.00"}
    made_of = runners(solver=[GOOD, {**GOOD, "notes": "total: with tax, says page 1"}], critic=[{"findings": [doubt]}])
    made = solved(tmp_path / "store", "solver", reviewer="critic")
    assert [call[0] for call in made_of["critic"].calls()] == ["reviewer"], "the same answer is not reviewed twice"
    assert "is it with tax?" in made_of["solver"].calls()[1][2]
    assert made.status == "complete"
    assert [(one.kind, one.by, one.open, one.page) for one in made.findings] == [("doubt", "critic", False, 1)]


def test_a_reviewer_that_fails_leaves_the_checks(tmp_path, runners):
    runners(solver=[GOOD], critic=[{"fails": "terminal"}])
    made = solved(tmp_path / "store", "solver", reviewer="critic")
    assert made.status == "complete"
    assert ("critic", "terminal") in outcomes(made)


def test_two_at_the_same_time_pay_once(tmp_path, runners):
    made_of = runners(solver=[GOOD])
    with ThreadPoolExecutor(2) as both:
        first, second = (both.submit(solved, tmp_path / "store", "solver") for _ in range(2))
        assert first.result().values == second.result().values == GOOD["values"]
    assert len(made_of["solver"].calls()) == 1


def test_the_same_task_again_is_found_and_a_fresh_run_asks_nothing_again(tmp_path, runners):
    made_of = runners(solver=[GOOD])
    first = solved(tmp_path / "store", "solver")
    again = solved(tmp_path / "store", "solver")
    fresh = solved(tmp_path / "store", "solver", fresh="2")
    assert again.run == first.run != fresh.run
    assert outcomes(fresh) == [("solver", "hit")]
    assert len(made_of["solver"].calls()) == 1
    assert fresh.files == first.files


def test_people_decide_about_what_stays_open_and_the_run_goes_on(tmp_path, runners):
    runners(liar=[WRONG])
    with open_store(tmp_path / "store") as store, local_runtime(store) as runtime:
        options = {"runners": ("liar",), "rounds": 0, "review": "wait", **QUICK}
        request = requested("What is asked for?", store, fields=FIELDS, **options)
        run = submit_solve(runtime, store, request, [SourceRef.of(INVOICE)])
        queue = ReviewQueue(store.database)

        def decide() -> None:
            claimed = queue.claim(QueueFilter(""), "Ada")
            for item in claimed.items if claimed else ():
                decision = Decision("correct", "INV-2041") if item.path == "invoice_number" else Decision("approve")
                known = {"version": item.version, "claim": claimed.claim, "reviewer": "Ada"}
                queue.decide(claimed.review, item.path, decision, **known)
                queue.report(runtime, claimed.review.id)

        events = list(followed(runtime, run, decide))
        made = solution(runtime, store, run)
    assert made.values["invoice_number"] == "INV-2041"
    assert made.answer["invoice_number"].status == "corrected"
    assert made.status == "complete"
    assert [one.id for one in made.trace.reviews] == made.result["reviews"]
    assert [one.payload["phase"] for one in events if one.stage == "solve" and one.kind == "started"][-2:] == [
        "review",
        "finish",
    ]


def test_several_documents_are_cited_apart_a_scan_among_them(tmp_path, runners):
    scan = tmp_path / "scan.png"
    scan.write_bytes((Path(__file__).parents[4] / "examples/scan.png").read_bytes())
    made = solve("Who?", [INVOICE, scan], fields="invoice number, total", store=tmp_path / "store")
    assert made.answer["invoice_number"].document == "document-1"
    assert made.answer["invoice_number"].blocks == ("p1-b3",)


def test_wrong_requests_say_what_to_do(tmp_path):
    with pytest.raises(UsageError, match="task is empty"):
        solve("  ", INVOICE, fields=FIELDS)
    with pytest.raises(UsageError, match="no runner"):
        solve("x", INVOICE, fields=FIELDS, runners=())
    with pytest.raises(UsageError, match="there is no runner 'nobody'"):
        solve("x", INVOICE, fields=FIELDS, runners=("nobody",))
