"""Which values of an extraction need a decision, and in which order they come."""

from __future__ import annotations

from dataclasses import replace

from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.value_paths import value_at
from quire.evidence.extract.values import LeafEvidence, Missing
from quire.evidence.review.items import items_of
from tests.bills import SCHEMA, anywhere, bill_extraction

EXTRACTION = bill_extraction("d" * 64, anywhere())


def test_each_doubt_has_its_items_in_the_order_of_the_schema():
    items = items_of(EXTRACTION, ExtractSchema.of(SCHEMA))
    assert [(item.path, item.doubt) for item in items] == [
        ("number", "unverified"),
        ("date", "low"),
        ("total", "conflict"),
        ("currency", "not_found"),
        ("seller.name", None),
        ("items[0].name", None),
        ("items[0].price", None),
        ("items[1].name", "unverified"),
        ("items[1].price", None),
        ("items[2].name", None),
        ("items[2].price", "low"),
    ]
    assert {item.part for item in items} == {"number", "date", "total", "currency", "seller.name", "items"}
    assert items[-1].field == "items[].price"
    assert items[2].conflict is not None and items[3].missing is not None


def test_only_the_doubts_that_are_asked_for_need_a_decision():
    schema = ExtractSchema.of(SCHEMA)
    assert [one.path for one in items_of(EXTRACTION, schema, doubts=("conflict",)) if one.doubt] == ["total"]
    assert not [one for one in items_of(EXTRACTION, schema, below=0.1) if one.doubt == "low"]


def test_the_tenth_row_comes_after_the_second():
    evidence = {f"items[{at}].name": LeafEvidence(f"items[{at}].name", "unverified") for at in (10, 2)}
    items = items_of(replace(EXTRACTION, evidence=evidence, not_found=()), ExtractSchema.of(SCHEMA))
    assert [item.path for item in items] == ["items[2].name", "items[10].name"]


def test_a_list_without_rows_is_one_item():
    missing = Missing("items", (1, 2), "no table has these columns")
    extraction = replace(EXTRACTION, evidence={}, not_found=(missing,), values={"items": []})
    (item,) = items_of(extraction, ExtractSchema.of(SCHEMA))
    assert (item.path, item.part, item.doubt, item.leaf, item.value) == ("items", "items", "not_found", None, [])


def test_a_path_that_leads_nowhere_has_no_value():
    assert value_at(EXTRACTION.values, "items[1].price") == 20.5
    assert value_at(EXTRACTION.values, "items[9].price") is None
    assert value_at({"items": "text"}, "items[0].price") is None
