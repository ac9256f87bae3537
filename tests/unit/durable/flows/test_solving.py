"""Solver and evaluator as steps of a flow."""

from __future__ import annotations

from pathlib import Path

import pytest

import quire

pytestmark = pytest.mark.processes

INVOICE = Path(__file__).parents[4] / "src/quire/flow/samples/invoice.pdf"
FLOW = """
name: graded
description: Solve a task, and compare the answer with what is expected.
inputs:
  source: {type: document}
steps:
  - {id: document, component: read, input: {source: {$input: source}}}
  - id: solution
    component: solve
    input: {document: {$step: document}}
    options: {task: "What does the invoice ask for?", fields: [invoice number, total]}
  - id: report
    component: evaluate
    input: {extraction: {$step: solution, path: extraction}}
    options:
      fixture:
        schema_version: quire-fixture/1
        schema: [invoice number, total]
        expected: {invoice_number: INV-2041, total: "EUR 9.99"}
output:
  values: {$step: solution, path: values}
  outcomes: {$step: report, path: overall.outcomes}
"""


def test_a_flow_solves_a_task_and_grades_the_answer(tmp_path):
    made = quire.Flow.from_yaml(FLOW).run(INVOICE, store=tmp_path / "store")
    assert made.output["values"] == {"invoice_number": "INV-2041", "total": "EUR 1,250.00"}
    assert (made.output["outcomes"]["right"], made.output["outcomes"]["wrong"]) == (1, 1)


def test_the_same_flow_over_a_batch_of_a_scan_and_a_digital_file(tmp_path):
    flow = quire.Flow.load("solve")
    inputs = {"task": "What does it ask for?", "fields": ["invoice number"]}
    for source in (INVOICE, Path(__file__).parents[4] / "examples/scan.png"):
        made = flow.run(source, inputs=inputs, store=tmp_path / "store")
        assert made.output["status"] == "complete"
        assert any(name.endswith("answer.xlsx") for name in made.files)
