"""Findings of the deterministic reviewer: contradictions, versions, sums, footnotes, what is missing or invalid."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from quire.core.types import BBox
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Alternative, EvidenceConflict
from quire.solving.checks.answer_review import MOST_FINDINGS, AnswerReviewer, bounded, review_answer
from quire.solving.checks.contradictions import stem_of
from quire.solving.checks.reviewer_findings import is_settled, merged_findings
from quire.solving.findings import Finding
from tests.documents import Pen, Piece, drawn, placed
from tests.unit.evidence.catalog.documents import GRID
from tests.unit.solving import answers
from tests.unit.solving.answers import DATE, INVOICE, NUMBER, TEXT, answer_of, joined, offline_answer, rows, schema


def reviewed(answer, asked, documents):
    return review_answer(answer, ExtractSchema.of(asked), documents)


def record_with(documents, text, level="block"):
    return next(one.id for one in documents.whole.records if one.level == level and text in one.text)


def letter(*lines: str) -> bytes:
    return placed([Piece(72, 90 + 40 * at, line) for at, line in enumerate(lines)])


def test_an_honest_answer_has_no_finding():
    answer = offline_answer(INVOICE, answers.invoice())
    assert reviewed(answer, INVOICE, answers.invoice()) == []


def test_another_value_under_the_same_label_is_a_contradiction_with_its_place():
    pages = [Piece(72, 100, "Invoice number: A-17"), Piece(72, 140, "Total: 144.00")], [Piece(72, 100, "Total: 145.00")]
    documents = joined((placed(*pages), "bill.pdf"))
    asked = schema(total=NUMBER)
    answer = answer_of(
        {"total": 144}, {"total": {"record": record_with(documents, "144"), "quote": "144.00"}}, asked, documents
    )
    finding = next(one for one in reviewed(answer, asked, documents) if one.kind == "contradiction")
    assert (finding.path, finding.value, finding.page, finding.open) == ("total", 144, 2, True)
    assert "145" in finding.reason and "145.00" in finding.quote and finding.bboxes


def test_a_conflict_in_the_answer_is_a_contradiction():
    documents = answers.invoice()
    answer = offline_answer(INVOICE, documents)
    other = Alternative(700.0, "700.00", 2, (BBox(0.1, 0.1, 0.1, 0.1),), (), 0.9)
    answer = replace(answer, conflicts=(EvidenceConflict("total", (other,), "two totals"),))
    found = reviewed(answer, INVOICE, documents)
    assert [(one.path, one.kind, one.other, one.page) for one in found] == [("total", "contradiction", 700.0, 2)]


def test_another_version_of_the_document_says_something_else():
    lines = "Invoice number: A-17", "Invoice date: 12 March 2031"
    documents = joined(
        (letter(*lines, "Total amount: 144.00 EUR"), "bill v1.pdf"),
        (letter(*lines, "Total amount: 154.00 EUR"), "bill v2 (final).pdf"),
    )
    asked = schema(invoice_number=TEXT, total=NUMBER)
    answer = offline_answer(asked, documents)
    found = [one for one in reviewed(answer, asked, documents) if one.kind == "version"]
    assert [one.path for one in found] == ["total"]
    assert {found[0].value, found[0].other} == {144.0, 154.0}
    assert found[0].document != answer.evidence["total"].document


@pytest.mark.parametrize(
    "name", ["report v2.pdf", "Report_final.pdf", "report (1).pdf", "report-rev3.pdf", "report.docx"]
)
def test_names_of_versions_have_one_stem(name):
    assert stem_of(name) == "report"


def test_reports_of_two_years_are_no_versions():
    assert stem_of("report-2030.pdf") != stem_of("report-2031.pdf")


def test_a_total_that_is_not_net_and_tax_is_a_sum_finding():
    documents = joined((letter("Net amount 500.00", "VAT 100.00", "Total due 650.00"), "bill.pdf"))
    asked = schema(net=NUMBER, tax=NUMBER, total=NUMBER)
    cited = {
        path: {"record": record_with(documents, text), "quote": text}
        for path, text in (("net", "500.00"), ("tax", "100.00"), ("total", "650.00"))
    }
    answer = answer_of({"net": 500, "tax": 100, "total": 650}, cited, asked, documents)
    found = [one for one in reviewed(answer, asked, documents) if one.kind == "sum"]
    assert [(one.path, one.other) for one in found] == [("total", 600.0)]
    assert "500" in found[0].reason and "650" in found[0].reason


def test_a_wrong_total_in_a_column_is_a_sum_finding_where_the_other_column_is_right():
    documents = joined((answers.report_pdf(total="2,430"), "report.pdf"))
    found = [one for one in reviewed(answers.report_answer(documents), answers.REPORT, documents) if one.open]
    assert [(one.path, one.kind, one.other) for one in found] == [("revenue", "sum", 2340.0)]


def noted(note: str) -> bytes:
    def draw(canvas):
        pen = Pen(canvas)
        pen.heading("Figures")
        pen.table(
            (("", "2031", "2030"), ("Revenue*", "2,340", "2,215"), ("Costs", "1,200", "1,150")), GRID, [160, 80, 80]
        )
        pen.text(f"* {note}")

    return drawn(draw)


@pytest.mark.parametrize(
    ("note", "is_open"),
    [
        ("Figures of the year before were restated.", True),
        ("Without the ferry terminal.", False),
        ("Vorläufige Zahlen.", True),
    ],
)
def test_a_footnote_at_a_value_is_a_remark_and_open_where_the_figure_is_not_final(note, is_open):
    documents = joined((noted(note), "figures.pdf"))
    asked = schema(revenue=NUMBER, costs=NUMBER)
    cited = {
        "revenue": {"record": record_with(documents, "2,340", "cell"), "quote": "2,340"},
        "costs": {"record": record_with(documents, "1,200", "cell"), "quote": "1,200"},
    }
    answer = answer_of({"revenue": 2340, "costs": 1200}, cited, asked, documents)
    found = [one for one in reviewed(answer, asked, documents) if one.kind == "footnote"]
    assert [(one.path, one.open) for one in found] == [("revenue", is_open)]
    assert note in found[0].quote


def test_a_value_that_the_documents_surely_have_is_missing():
    documents = answers.invoice()
    asked = schema(invoice_number=TEXT, total=NUMBER)
    sure = offline_answer(asked, documents)
    assert sure.evidence["invoice_number"].is_sure
    cited = {"total": {"record": record_with(documents, "675.48"), "quote": "675.48"}}
    found = reviewed(answer_of({"total": 675.48}, cited, asked, documents), asked, documents)
    assert [(one.path, one.kind, one.other) for one in found] == [("invoice_number", "missing", "EC-2031/0417")]


def test_values_that_do_not_fit_the_schema_are_invalid():
    documents = answers.invoice()
    asked = {
        **INVOICE,
        "required": ["total", "buyer"],
        "properties": {**INVOICE["properties"], "buyer": {"type": "string"}},
    }
    answer = offline_answer(asked, documents)
    values = {**answer.values, "total": "675.48", "currency": "GBP", "date": "soon", "tip": 3, "buyer": None}
    answer = replace(answer, values=values)
    found = {one.path for one in reviewed(answer, asked, documents) if one.kind == "invalid"}
    assert found == {"total", "currency", "date", "tip", "buyer"}


def test_an_answer_for_another_schema_is_invalid():
    answer = offline_answer(INVOICE, answers.invoice())
    found = reviewed(replace(answer, schema="0" * 64), INVOICE, answers.invoice())
    assert [(one.path, one.kind) for one in found] == [("", "invalid")]


def test_what_a_person_has_decided_is_not_accused():
    documents = answers.invoice()
    answer = offline_answer(INVOICE, documents)
    values = {**answer.values, "total": 700.0}
    status = replace(answer.evidence["total"], status="corrected")
    changed = replace(answer, values=values, evidence={**answer.evidence, "total": status})
    reviewer = AnswerReviewer(ExtractSchema.of(INVOICE), documents)
    assert {one.path for one in reviewer.findings(changed)} >= {"total"}
    assert "unsupported" not in {one.kind for one in reviewer.findings(changed, decided={"total"})}


def test_findings_are_the_same_each_time_and_in_the_order_of_the_schema():
    documents = answers.invoice()
    answer = replace(offline_answer(INVOICE, documents), catalog="0" * 64)
    first, second = (reviewed(answer, INVOICE, documents) for _ in range(2))
    assert first == second
    assert [one.path for one in first][:6] == ["invoice_number", "date", "net", "vat", "total", "currency"]


def test_more_findings_than_a_person_reads_are_counted():
    found = bounded([Finding(f"items[{at}]", "doubt", "?") for at in range(500)])
    assert len(found) == MOST_FINDINGS
    assert found[-1].reason == "301 more findings are left out"


def lines(*findings: dict[str, object]) -> bytes:
    return "\n".join(json.dumps(one) for one in findings).encode()


def test_what_a_reviewer_writes_is_checked_like_any_claim():
    documents = answers.invoice()
    asked = ExtractSchema.of(INVOICE)
    answer = offline_answer(INVOICE, documents)
    total = record_with(documents, "675.48")
    written = lines(
        {"path": "total", "kind": "contradiction", "reason": "the net is", "record": total, "quote": "675.48"},
        {"path": "net", "kind": "suspicious", "reason": "it looks odd"},
        {
            "path": "vat",
            "kind": "contradiction",
            "reason": "the board says so",
            "quote": "as the board confirmed, 13.00",
        },
        {"path": "tip", "kind": "doubt", "reason": "a path that nothing has"},
        {"path": "items[7].price", "kind": "doubt", "reason": "an item that there is not"},
        {"path": "date", "kind": "unsupported", "reason": "the checks say so already"},
        {"path": 3},
    )
    checks = [Finding("date", "unsupported", "its quote is not there")]
    merged = merged_findings(checks, written + b"\nno json", documents, "critic", answer=answer, schema=asked)
    assert [(one.path, one.kind, one.open, one.by) for one in merged] == [
        ("date", "unsupported", True, "checks"),
        ("total", "contradiction", True, "critic"),
        ("net", "doubt", True, "critic"),
        ("vat", "contradiction", False, "critic"),
    ]
    assert merged[1].page == 1 and merged[1].bboxes and merged[1].value == 675.48
    assert "not supported" in merged[3].reason


def test_a_finding_is_settled_by_another_value_or_by_a_note_about_its_path():
    documents = answers.invoice()
    answer = offline_answer(INVOICE, documents)
    claim = Finding("total", "doubt", "is it the net?", value=675.48, by="critic")
    assert not is_settled(claim, answer, [])
    assert is_settled(claim, answer, [], "total: it includes VAT, as the label says")
    assert is_settled(replace(claim, value=562.9), answer, [])
    check = Finding("total", "sum", "it is not", value=675.48)
    assert is_settled(check, answer, [])
    assert not is_settled(check, answer, [check])


def test_rows_put_together_from_two_rows_of_a_table_are_found():
    documents = answers.report()
    answer = answers.report_answer(documents)
    one, other = "figures[0].last_year", "figures[1].last_year"
    evidence = {one: replace(answer.evidence[other], path=one), other: replace(answer.evidence[one], path=other)}
    figures = [dict(row) for row in answer.values["figures"]]
    figures[0]["last_year"], figures[1]["last_year"] = figures[1]["last_year"], figures[0]["last_year"]
    mixed = replace(answer, values={**answer.values, "figures": figures}, evidence={**answer.evidence, **evidence})
    found = reviewed(mixed, answers.REPORT, documents)
    assert {(one.path, one.kind) for one in found} == {(one, "contradiction"), (other, "contradiction")}


def test_two_documents_are_reviewed_each_in_its_own_pages():
    asked = schema(invoice_number=TEXT, date=DATE, total=NUMBER, items=rows(article=TEXT, amount=NUMBER))
    documents = answers.two_documents()
    answer = offline_answer(asked, documents)
    assert answer.evidence["total"].document == "document-2"
    assert not [one for one in reviewed(answer, asked, documents) if one.open]
    wrong = replace(answer.evidence["total"], document="document-1")
    found = reviewed(replace(answer, evidence={**answer.evidence, "total": wrong}), asked, documents)
    assert [(one.path, one.kind) for one in found if one.open] == [("total", "unsupported")]
