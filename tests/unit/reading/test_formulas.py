"""Formulas on scanned pages: an engine for them is asked about regions that look like one, and about nothing else."""

from __future__ import annotations

import pytest

import quire
from tests import scans
from tests.fakes.engines import ColumnEngine, FormulaEngine, calls

pytestmark = [pytest.mark.processes, pytest.mark.both_readers]

PROSE = (
    ("Several words of ordinary prose stand above the formula", 100, 100, 900),
    ("and they continue over another line of the same paragraph", 100, 130, 900),
    ("before a display follows which shows the equation", 100, 160, 900),
    ("After that the text simply continues with other words", 100, 300, 900),
    ("until the last line of this short column is reached", 100, 330, 900),
)
DISPLAY = ("x2 = 1", 450, 230, 550)


@pytest.fixture
def log(tmp_path):
    return tmp_path / "calls"


def page_with(*lines) -> ColumnEngine:
    return ColumnEngine(lines=lines)


@pytest.mark.parametrize("policy", ["cpu", "io"])
def test_a_formula_of_a_scan_has_the_latex_of_one_engine_and_the_text_of_the_other(log, policy):
    formulas = FormulaEngine(log=log, policy=policy)
    result = quire.read(scans.numbered_scans(1), engines=[page_with(*PROSE, DISPLAY), formulas])
    [formula] = [block for block in result.blocks if block.kind == "formula"]
    assert (formula.latex, formula.text, formula.engine) == ("x^{2}=1", "x2 = 1", "column")
    assert not any(span.unsure for span in formula.spans)
    assert calls(log) == ["formula-1"]
    assert [(one.engine, one.outcome) for one in result.path[1]] == [("column", "ok"), ("formulas", "ok")]
    before, after = result.to_markdown().split("$$\nx^{2}=1\n$$")
    assert (before.rstrip()[-8:], after.lstrip()[:10]) == ("equation", "After that")


def test_what_was_asked_about_formulas_is_never_asked_again(tmp_path, log):
    engines = [page_with(*PROSE, DISPLAY), FormulaEngine(log=log)]
    first, again = (quire.read(scans.numbered_scans(2), engines=engines, store=tmp_path / "store") for _ in range(2))
    assert len(calls(log)) == 2
    assert first.to_json() == again.to_json()


def test_text_without_a_formula_is_not_shown_to_the_engine(log):
    result = quire.read(scans.numbered_scans(1), engines=[page_with(*PROSE), FormulaEngine(log=log)])
    assert calls(log) == []
    assert [one.engine for one in result.path[1]] == ["column"]


def test_an_engine_for_formulas_that_fails_costs_the_latex_and_not_the_page():
    result = quire.read(scans.numbered_scans(1), engines=[page_with(*PROSE, DISPLAY), FormulaEngine(broken=True)])
    assert "x2 = 1" in result.to_text()
    assert [block.latex for block in result.blocks if block.latex] == []
    failed = result.path[1][-1]
    assert (failed.engine, failed.outcome, failed.reason) == (
        "formulas",
        "failed",
        "RuntimeError: the model is damaged",
    )


@pytest.mark.parametrize(
    ("confidence", "latex", "found"),
    [(0.5, "x^{2}=1", ["unsure"]), (0.1, "x^{2}=1", []), (0.99, r"\frac{x", []), (None, "x^{2}=1", ["sure"])],
)
def test_a_doubtful_formula_says_so_and_one_that_is_none_stays_text(confidence, latex, found):
    formulas = FormulaEngine(confidence=confidence, latex=latex)
    result = quire.read(scans.numbered_scans(1), engines=[page_with(*PROSE, DISPLAY), formulas])
    spans = [span for block in result.blocks for span in block.spans if span.latex]
    assert ["unsure" if span.unsure else "sure" for span in spans] == found
    assert "x2 = 1" in result.to_text()


def test_an_engine_for_formulas_alone_reads_no_page():
    result = quire.read(scans.numbered_scans(1), engines=FormulaEngine())
    [page] = result.pages
    assert page.status == "failed"
    assert "no engine could read it" in page.info.reason
