"""An extraction after a review."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.core.types import BBox
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.review.decisions import UNDO, Decision, in_force, typed_value
from quire.evidence.review.reviewed import reviewed
from quire.evidence.review.reviewed_samples import sample_of
from tests.bills import SCHEMA, anywhere, bill_extraction

EXTRACTION = bill_extraction("d" * 64, anywhere())
BOX = BBox(0.5, 0.4, 0.1, 0.02)
CORRECTED = Decision("correct", 145.0, "145.00", 2, (BOX,), ("p2-b1",))


def test_nothing_decided_is_the_same_extraction():
    assert reviewed(EXTRACTION, {}) is EXTRACTION


def test_a_corrected_value_has_the_place_that_was_picked_and_ends_its_conflict():
    after = reviewed(EXTRACTION, {"total": CORRECTED})
    assert after.values["total"] == 145.0
    evidence = after["total"]
    assert (evidence.status, evidence.page, evidence.bboxes, evidence.quote) == ("corrected", 2, (BOX,), "145.00")
    assert (evidence.match, evidence.extractor) == ("numeric", "review")
    assert evidence.crop
    assert after.conflicts == ()
    assert after.coverage.found == EXTRACTION.coverage.found + 1
    assert EXTRACTION.values["total"] == 144.0, "the extraction itself stays"
    assert decode_extraction(encode_extraction(after)) == after


def test_an_approved_value_is_confirmed_where_it_stands():
    after = reviewed(EXTRACTION, {"number": Decision("approve")})
    assert after.values == EXTRACTION.values
    assert (after["number"].status, after["number"].bboxes) == ("confirmed", EXTRACTION["number"].bboxes)


def test_what_is_not_in_the_document_is_none_and_listed():
    after = reviewed(EXTRACTION, {"date": Decision("absent"), "currency": Decision("absent")})
    assert after.values["date"] is None
    assert after["date"].status == "corrected", "it was found, which was wrong"
    assert after["currency"].status == "confirmed", "it was not found, which was right"
    assert {one.path: one.reason for one in after.not_found} == {
        "date": "not in the document, says the review",
        "currency": "not in the document, says the review",
    }


def test_a_value_that_was_found_after_all_is_missing_no_more():
    after = reviewed(EXTRACTION, {"currency": Decision("correct", "EUR")})
    assert (after.values["currency"], after.not_found) == ("EUR", ())
    assert after["currency"].reason == "given by a reviewer, without a place in the document"


def test_a_row_that_was_emptied_is_dropped_and_the_next_moves_up():
    after = reviewed(EXTRACTION, {path: Decision("absent") for path in ("items[1].name", "items[1].price")})
    assert [row["name"] for row in after.values["items"]] == ["Rope", "Anchor"]
    assert after["items[1].name"].quote == "Anchor"
    assert "items[2].name" not in after.evidence
    assert not [one for one in after.not_found if one.path.startswith("items")]


def test_a_row_that_was_added_is_behind_the_others():
    added = {"items[3].name": Decision("correct", "Sail"), "items[3].price": Decision("correct", 7.5)}
    after = reviewed(EXTRACTION, added)
    assert after.values["items"][3] == {"name": "Sail", "price": 7.5}
    assert after.coverage.leaves == len(EXTRACTION.evidence) + 2


def test_undo_brings_the_decision_before_back():
    one, two = CORRECTED.to_json(), Decision("reject").to_json()
    assert in_force([("correct", one), ("reject", two)]) == two
    assert in_force([("correct", one), ("reject", two), (UNDO, one)]) == one
    assert in_force([("correct", one), (UNDO, None), (UNDO, None)]) is None
    assert Decision.of(one) == CORRECTED


@pytest.mark.parametrize(
    ("path", "given", "value"),
    [
        ("total", "1.234,50 €", 1234.5),
        ("total", "(12.00)", -12.0),
        ("date", "3 April 2026", "2026-04-03"),
        ("date", "3/4/2026", "3/4/2026"),
        ("currency", "eur", "EUR"),
        ("number", " INV \n 7 ", "INV 7"),
    ],
)
def test_a_value_is_taken_as_it_is_printed(path, given, value):
    assert typed_value(given, ExtractSchema.of(SCHEMA).leaf(path)) == value


@pytest.mark.parametrize(
    ("path", "given"),
    [("total", "many"), ("currency", "GBP"), ("number", ""), ("items", "Rope"), ("number", "x" * 20_001)],
)
def test_a_value_that_the_schema_does_not_allow_is_refused(path, given):
    with pytest.raises(UsageError):
        typed_value(given, ExtractSchema.of(SCHEMA).leaf(path))


def test_a_sample_has_what_is_sure_and_where_it_stands():
    decisions = {"total": CORRECTED, "date": Decision("reject"), "currency": Decision("absent")}
    sample = sample_of("d" * 64, SCHEMA, reviewed(EXTRACTION, decisions), decisions)
    assert sample["values"]["total"] == 145.0
    assert sample["places"]["total"]["bboxes"] == [[0.5, 0.4, 0.1, 0.02]]
    assert sample["values"]["currency"] is None
    assert "date" not in sample["values"], "what was rejected says nothing about the right value"
    assert "date" in sample["undecided"] and "total" not in sample["undecided"]
    assert "number" not in sample["values"], "it is still in doubt"
    assert sample["values"]["items[0].name"] == "Rope"
