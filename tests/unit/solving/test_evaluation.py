"""Fixtures, the alignment of lists, grades and their scores, and the report as a pure function of them."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quire
from quire.core.errors import UsageError
from quire.core.types import BBox
from quire.durable.evaluation_call import evaluate
from quire.evidence.extract.values import Extraction, LeafEvidence
from quire.evidence.learn.samples import Sample, SamplePlace
from quire.solving.evaluation.alignment import aligned_cells, best_pairs, says_the_same
from quire.solving.evaluation.evaluate import graded, stored_outputs
from quire.solving.evaluation.fixture import ExpectedPlace, Fixture, Tolerance, fixture_json, load_fixtures
from quire.solving.evaluation.grades import grade, intersection_over_union
from quire.solving.evaluation.report_page import report_page
from tests.unit.evidence.catalog.documents import invoice_pdf

SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "total": {"type": "number"},
        "iban": {"type": "string"},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"article": {"type": "string"}, "amount": {"type": "number"}}},
        },
    },
}
ITEMS = [{"article": "Hemp rope", "amount": 124.5}, {"article": "Brass lantern", "amount": 178.0}]
EXPECTED = {"number": "EC-2031/0417", "total": 675.48, "iban": None, "items": ITEMS}
HERE, ELSEWHERE = BBox(0.1, 0.2, 0.2, 0.02), BBox(0.6, 0.2, 0.2, 0.02)


def fixture(expected=EXPECTED, **more) -> Fixture:
    return Fixture("invoice", "invoices", (), SCHEMA, expected, **more)


def extraction(values, **evidence: LeafEvidence) -> Extraction:
    return Extraction("d" * 64, "invoice.pdf", "s", "c", values, evidence)


def found(path: str, page: int = 1, *boxes: BBox) -> LeafEvidence:
    return LeafEvidence(path, "found", page=page, bboxes=boxes or (HERE,), quote="675.48")


def outcomes(expected, values, **more) -> dict[str | None, str]:
    graded_cells = grade(fixture(expected, **more), extraction(values)).cells
    return {one.cell.expected_path or one.cell.path: one.outcome for one in graded_cells}


def test_each_cell_is_right_absent_wrong_missing_or_invented():
    expected = {"number": "A-1", "total": 5, "iban": None, "date": "2031-03-12", "note": None}
    values = {"number": "a-1 ", "total": 6, "iban": "DE12", "note": None}
    assert outcomes(expected, values) == {
        "number": "right",
        "total": "wrong",
        "iban": "invented",
        "date": "missing",
        "note": "absent",
    }


def test_a_faithful_null_counts_and_an_invented_value_costs_precision_and_recall():
    right = grade(fixture(), extraction(EXPECTED)).value
    assert (right.right, right.returned, right.expected, right.f1) == (7, 7, 7, 1.0)
    invented = grade(fixture(), extraction({**EXPECTED, "iban": "DE12"})).value
    assert (invented.precision, invented.recall) == (6 / 7, 6 / 7)


def test_records_are_paired_in_any_order_surplus_costs_precision_and_missing_recall():
    swapped = grade(fixture(), extraction({**EXPECTED, "items": ITEMS[::-1]}))
    assert swapped.value.f1 == 1.0
    surplus = grade(fixture(), extraction({**EXPECTED, "items": [*ITEMS, {"article": "Oar", "amount": 1}]})).value
    assert (surplus.precision, surplus.recall) == (7 / 9, 1.0)
    missing = grade(fixture(), extraction({**EXPECTED, "items": ITEMS[1:]})).value
    assert (missing.precision, missing.recall) == (1.0, 5 / 7)


def test_a_list_where_one_value_is_expected_and_the_other_way_round():
    assert outcomes({"number": "A"}, {"number": ["A", "B"]}) == {"number[0]": "right", "number[1]": "invented"}
    assert outcomes({"number": ["A", "B"]}, {"number": "B"}) == {"number[0]": "missing", "number[1]": "right"}
    assert outcomes({"items": ITEMS[:1]}, {"items": None}) == {
        "items[0].article": "missing",
        "items[0].amount": "missing",
    }


@pytest.mark.parametrize(
    ("expected", "value", "tolerance", "same"),
    [
        (1234.5, "1,234.50", Tolerance(), True),
        ("2031-03-12", "12 March 2031", Tolerance(), True),
        (100, 100.4, Tolerance(), False),
        (100, 100.4, Tolerance(absolute=0.5), True),
        (100, 101, Tolerance(relative=0.01), True),
        (True, 1, Tolerance(), False),
        ("Easthaven Chandlery Ltd", "Easthaven Chandlery Ltd.", Tolerance(), False),
        ("Easthaven Chandlery Ltd", "Easthaven Chandlery Ltd.", Tolerance(similarity=0.9), True),
        ("Ltd", "Limited", Tolerance(accept=("limited",)), True),
        (None, "", Tolerance(), False),
        (None, None, Tolerance(), True),
    ],
)
def test_values_are_compared_by_meaning_within_the_tolerance(expected, value, tolerance, same):
    assert says_the_same(expected, value, tolerance) is same


def test_a_place_counts_only_with_a_right_value_and_only_where_it_is_known():
    places = {"total": (ExpectedPlace(1, HERE),), "number": (ExpectedPlace(2),)}
    asked = fixture(places=places)
    cited = {"total": found("total"), "number": found("number", 2)}
    right = grade(asked, extraction(EXPECTED, **cited))
    assert (right.page.f1, right.box.f1, right.box.expected) == (1.0, 1.0, 1)
    elsewhere = grade(asked, extraction(EXPECTED, **{**cited, "total": found("total", 1, ELSEWHERE)}))
    assert (elsewhere.page.f1, elsewhere.box.f1) == (1.0, 0.0)
    wrong_value = grade(asked, extraction({**EXPECTED, "total": 1}, **cited))
    assert (wrong_value.page.right, wrong_value.page.returned, wrong_value.box.right) == (1, 2, 0)
    uncited = grade(asked, extraction(EXPECTED))
    assert (uncited.page.precision, uncited.page.recall) == (None, 0.0)
    assert grade(fixture(), extraction(EXPECTED, **cited)).box.f1 is None


def test_one_value_where_a_list_is_expected_keeps_its_evidence():
    asked = fixture({"number": ["A-1"]}, places={"number[0]": (ExpectedPlace(1, HERE),)})
    graded_alone = grade(asked, extraction({"number": "A-1"}, number=found("number")))
    assert (graded_alone.page.f1, graded_alone.box.f1) == (1.0, 1.0)
    assert graded_alone.outcomes["without_evidence"] == 0


def test_boxes_are_the_same_from_half_of_their_union_on():
    assert intersection_over_union(HERE, HERE) == pytest.approx(1)
    assert intersection_over_union(HERE, ELSEWHERE) == 0
    half = replace(HERE, width=HERE.width / 2)
    assert intersection_over_union(HERE, half) == pytest.approx(0.5)


def test_a_value_that_the_document_does_not_support_is_without_evidence():
    cited = {"total": LeafEvidence("total", "unverified"), "number": found("number")}
    counted = grade(fixture(), extraction(EXPECTED, **cited)).outcomes
    assert counted["without_evidence"] == 5  # the total, and the four cells of items without any


@given(st.integers(0, 4), st.integers(0, 4), st.randoms(use_true_random=False))
def test_the_best_pairs_have_the_largest_sum(rows, columns, random):
    gain = np.array([[random.randint(0, 3) for _ in range(columns)] for _ in range(rows)], float)
    gain = gain.reshape(rows, columns)
    chosen = best_pairs(gain)
    assert len(set(chosen.values())) == len(chosen)
    short, long = sorted((rows, columns))
    turned = gain if rows <= columns else gain.T
    best = max(sum(turned[i, j] for i, j in enumerate(way)) for way in itertools.permutations(range(long), short))
    assert sum(gain[i, j] for i, j in chosen.items()) == best


def test_three_hundred_rows_are_aligned_in_a_shuffled_order():
    rows = [{"article": f"Article {n}", "amount": n} for n in range(300)]
    cells = aligned_cells({"items": rows}, {"items": rows[::-1]}, lambda path: Tolerance())
    assert len(cells) == 600
    assert all(cell.expected == cell.value for cell in cells)


@pytest.fixture
def folder(tmp_path):
    """A fixture of an invoice, as a file beside its document."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "invoice.pdf").write_bytes(invoice_pdf())
    content = {
        "schema_version": "quire-fixture/1",
        "family": "invoices",
        "documents": ["invoice.pdf"],
        "schema": {"type": "object", "properties": {"total": {"type": "number"}, "invoice_number": {"type": "string"}}},
        "expected": {"total": 675.48, "invoice_number": "EC-2031/0417"},
        "places": {"total": [{"page": 1}]},
    }
    (tmp_path / "in" / "invoice.fixture.json").write_text(json.dumps(content))
    return tmp_path


def test_an_evaluation_is_saved_and_graded_again_to_the_same_bytes_without_reading(folder, monkeypatch):
    first = quire.evaluate([folder / "in"])
    assert first.report["overall"]["value"]["f1"] == 1.0
    assert first.report["overall"]["page"]["f1"] == 1.0
    first.save(folder / "first")
    monkeypatch.setattr("quire.solving.evaluation.evaluate.extract", None)
    again = evaluate([folder / "in"], replay=folder / "first")
    again.save(folder / "again")
    for name in ("report.json", "report.html", "outputs/invoice.extracted.json"):
        assert (folder / "first" / name).read_bytes() == (folder / "again" / name).read_bytes()


def test_a_baseline_shows_every_value_that_is_another_and_fixtures_of_other_versions(folder):
    evaluate([folder / "in"]).save(folder / "first")
    file = folder / "in" / "invoice.fixture.json"
    file.write_text(file.read_text().replace("675.48", "99"))
    now = evaluate([folder / "in"], replay=folder / "first", baseline=folder / "first/report.json")
    difference = now.report["baseline"]
    assert difference["changed"] == [{"fixture": "invoice", "path": "total", "before": "right", "after": "wrong"}]
    assert difference["other_versions"] == ["invoice"]
    assert difference["scores"]["value"] == {"before": 1.0, "after": 0.5}
    assert b"Against the baseline" in report_page(now.report)


def test_a_document_that_cannot_be_read_is_a_failure_of_the_report_and_the_others_are_graded(folder):
    content = json.loads((folder / "in" / "invoice.fixture.json").read_text())
    (folder / "in" / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    broken = {**content, "documents": ["broken.pdf"]}
    (folder / "in" / "broken.fixture.json").write_text(json.dumps(broken))
    report = evaluate([folder / "in"]).report
    assert report["overall"]["fixtures"] == 1
    assert [one["fixture"] for one in report["failures"]] == ["broken"]
    assert b"broken" in report_page(report)


def test_a_sample_is_a_fixture_with_its_values_as_a_tree_and_its_places(folder):
    box = BBox(0.1, 0.2, 0.3, 0.02)
    items = {"items[1].amount": 178.0, "items[0].amount": 124.5, "items[0].article": "Rope"}
    places = {"total": SamplePlace(1, (box,)), "iban": SamplePlace(1, (box,))}
    sample = Sample("d", "invoice.pdf", SCHEMA, {"total": 675.48, "iban": None, **items}, places)
    content = fixture_json(sample, "invoice.pdf", "invoices")
    assert content["expected"] == {
        "total": 675.48,
        "iban": None,
        "items": [{"amount": 124.5, "article": "Rope"}, {"amount": 178.0}],
    }
    (folder / "in" / "invoice.fixture.json").write_text(json.dumps(content))
    (loaded,) = load_fixtures([folder / "in"])
    assert loaded.places == {"total": (ExpectedPlace(1, box),)}


def test_a_fixture_may_name_fields_instead_of_a_schema(folder):
    file = folder / "in" / "invoice.fixture.json"
    content = {**json.loads(file.read_text()), "schema": ["invoice number", "total"]}
    file.write_text(json.dumps(content))
    assert evaluate([folder / "in"]).report["overall"]["outcomes"]["right"] >= 1


@pytest.mark.parametrize("text", ["Rechnung Nº 5 \ud83d", "فاتورة رقم ٥", "発注書 第五号"])
def test_values_in_any_script_and_of_broken_fonts_are_graded_and_written(tmp_path, text):
    made = graded([fixture({"number": text})], lambda one: extraction({"number": text}))
    assert made.report["overall"]["value"]["f1"] == 1.0
    made.save(tmp_path)
    assert json.loads((tmp_path / "report.json").read_bytes())["fixtures"][0]["cells"][0]["value"] == text
    again = graded([fixture({"number": text})], stored_outputs(tmp_path))
    assert again.report == made.report


def test_what_a_document_says_cannot_become_a_part_of_the_page():
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    made = graded([fixture({"number": attack})], lambda one: extraction({"number": attack}))
    page = report_page(made.report).decode()
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema_version": "other/1"}, "not quire-fixture/1"),
        ({"documents": ["gone.pdf"]}, "there is no document"),
        ({"places": {"nothing": []}}, "the schema has no value 'nothing'"),
        ({"tolerances": {"total": {"abs": 1}}}, "a tolerance has no 'abs'"),
        ({"expected": ...}, "KeyError: 'expected'"),
    ],
)
def test_a_wrong_fixture_is_refused_with_the_reason(folder, change, reason):
    file = folder / "in" / "invoice.fixture.json"
    content = {**json.loads(file.read_text()), **change}
    file.write_text(json.dumps({name: value for name, value in content.items() if value is not ...}))
    with pytest.raises(UsageError, match=reason):
        load_fixtures([folder])


def test_two_fixtures_of_one_name_and_a_folder_without_any_are_refused(folder):
    with pytest.raises(UsageError, match="loaded before"):
        load_fixtures([folder / "in", folder / "in"])
    (folder / "empty").mkdir()
    with pytest.raises(UsageError, match="no fixture in"):
        load_fixtures([folder / "empty"])
