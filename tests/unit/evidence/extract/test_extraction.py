"""What extractors propose becomes one tree: checked, agreed on, contradicted, or not found."""

from __future__ import annotations

from dataclasses import replace

import pytest

import quire
from quire.core.context import Json
from quire.core.errors import EngineError, UsageError
from quire.core.types import PageInfo
from quire.evidence.extract.agreement import is_same
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Extraction
from tests.unit.evidence.extract.bills import Failing, Saying, bill, bill_catalog

pytestmark = pytest.mark.both_readers

TOTAL = ("total", 1250.0, "1,250.00")
OTHER_TOTAL = ("total", 1350.0, "1,350.00")


def extracted(properties: dict[str, Json], *extractors: object, **options: float) -> Extraction:
    schema = ExtractSchema.of({"type": "object", "properties": properties})
    return extract(bill_catalog(), schema, list(extractors), **options)  # type: ignore[arg-type]


def test_a_value_that_stands_there_is_found_at_its_place() -> None:
    found = extracted({"total": {"type": "number"}}, Saying([TOTAL]))
    assert found.values == {"total": 1250.0}
    evidence = found["total"]
    assert (evidence.status, evidence.match, evidence.page) == ("found", "numeric", 1)
    assert evidence.bboxes
    assert evidence.crop
    assert found.coverage.found == found.coverage.leaves == 1


def test_a_fabricated_value_is_returned_and_marked() -> None:
    found = extracted({"total": {"type": "number"}}, Saying([("total", 9999.0, "1,250.00")]))
    assert found.values == {"total": 9999.0}
    assert found["total"].status == "unverified"
    assert found["total"].reason
    assert found.coverage.found == 0


def test_two_extractors_that_agree_are_surer_than_one() -> None:
    alone = extracted({"total": {"type": "number"}}, Saying([TOTAL]))
    both = extracted({"total": {"type": "number"}}, Saying([TOTAL]), Saying([TOTAL], name="second"))
    assert both["total"].confidence["total"] > alone["total"].confidence["total"]
    assert both["total"].confidence["agreement"] == 1.0
    assert not both.conflicts


def test_two_extractors_that_differ_are_a_conflict_with_both_places() -> None:
    found = extracted({"total": {"type": "number"}}, Saying([TOTAL]), Saying([OTHER_TOTAL], name="second"))
    (conflict,) = found.conflicts
    assert [(one.value, one.page, one.extractor) for one in conflict.values] == [
        (1250.0, 1, "saying"),
        (1350.0, 2, "second"),
    ]
    assert all(one.bboxes for one in conflict.values)
    assert found["total"].status == "conflict"
    assert found.values == {"total": 1250.0}


@pytest.mark.parametrize(
    ("one", "other", "kind", "same"),
    [
        ("EUR 1,250.00", "1.250,00 €", None, True),
        ("12 March 2024", "2024-03-12", None, True),
        ("1.250,00", "1250", "amount", True),
        ("1,250.00", "1,350.00", "amount", False),
        ("INV-20", "INV-020", None, False),
        ("007", "7", "code", False),
        ("ACME  Ltd", "Acme Ltd", "name", True),
        (True, 1, None, False),
        (1250, 1250.0, None, True),
    ],
)
def test_values_are_the_same_by_what_they_mean(one, other, kind, same) -> None:
    assert is_same(one, other, kind) is same


def test_a_value_that_only_one_of_them_invented_is_no_conflict() -> None:
    wrong = Saying([("total", 77.0, "1,250.00")], name="second", confidence=0.99)
    found = extracted({"total": {"type": "number"}}, wrong, Saying([TOTAL]))
    assert not found.conflicts
    assert (found.values, found["total"].status) == ({"total": 1250.0}, "found")
    assert [one.value for one in found["total"].alternatives] == [77.0]


def test_two_places_with_the_same_label_that_say_two_things_are_a_conflict() -> None:
    strong = Saying([TOTAL], label="Total:", others=[(1350.0, "1,350.00")])
    found = extracted({"total": {"type": "number"}}, strong)
    assert [one.page for one in found.conflicts[0].values] == [1, 2]
    assert "page 1 says" in found["total"].reason
    unlabelled = extracted({"total": {"type": "number"}}, replace(strong, label=""))
    assert not unlabelled.conflicts
    assert [one.value for one in unlabelled["total"].alternatives] == [1350.0]


def test_values_take_the_type_that_the_schema_asks_for() -> None:
    said = [
        ("total", "EUR 1,250.00", "EUR 1,250.00"),
        ("whole", "1,250.00", "1,250.00"),
        ("paid", "yes", "yes"),
        ("kind", "invoice", "Invoice number"),
        ("number", "INV-2041", "INV-2041"),
    ]
    properties: dict[str, Json] = {
        "total": {"type": "number"},
        "whole": {"type": "integer"},
        "paid": {"type": "boolean"},
        "kind": {"enum": ["Invoice", "Credit note"]},
        "number": {"type": "string", "pattern": r"^INV-\d+$"},
    }
    values = extracted(properties, Saying(said)).values
    assert values == {"total": 1250, "whole": 1250, "paid": True, "kind": "Invoice", "number": "INV-2041"}
    assert [type(values[name]) for name in ("whole", "paid")] == [int, bool]


def test_a_value_that_the_schema_does_not_allow_gives_way_to_the_next() -> None:
    properties: dict[str, Json] = {"number": {"type": "string", "pattern": r"^INV-\d+$"}}
    first = Saying([("number", "Harbour", "Harbour")], others=[("INV-2041", "INV-2041")])
    assert extracted(properties, first).values == {"number": "INV-2041"}
    found = extracted(properties, Saying([("number", "Harbour", "Harbour")]))
    assert found.values == {"number": None}
    assert found.not_found[0].reason == r"'Harbour' does not match the pattern ^INV-\d+$"


def test_what_is_not_there_names_the_pages_that_were_searched() -> None:
    found = extracted({"iban": {"type": "string"}}, Saying([]))
    (missing,) = found.not_found
    assert (missing.path, missing.pages, missing.reason) == ("iban", (1, 2), "no value was found (saying)")
    assert (found["iban"].status, found["iban"].probability) == ("not_found", None)


def test_nothing_found_is_no_coverage() -> None:
    number = Saying([("number", "INV-2041", "INV-2041")])
    nothing = extracted({"iban": {"type": "string"}, "bic": {"type": "string"}}, number).coverage
    assert (nothing.leaves, nothing.returned, nothing.not_found) == (2, 0, 2)
    assert (nothing.share, nothing.share_of_returned) == (0.0, None)
    half = extracted({"number": {"type": "string"}, "bic": {"type": "string"}}, number).coverage
    assert (half.found, half.share, half.share_of_returned) == (1, 0.5, 1.0)


def test_a_page_that_could_not_be_read_is_not_among_those_searched() -> None:
    catalog = replace(bill_catalog(), pages=(bill_catalog().pages[0], PageInfo(2, 595, 842, status="failed")))
    found = extract(catalog, ExtractSchema.of("iban"), [Saying([])])
    assert found.not_found[0].pages == (1,)
    assert found.not_found[0].reason.endswith("; page 2 could not be read")


def test_a_weak_value_counts_as_not_found_when_more_is_asked_for() -> None:
    found = extracted({"total": {"type": "number"}}, Saying([TOTAL], confidence=0.3), min_confidence=0.5)
    assert found.values == {"total": None}
    assert found.not_found[0].reason == "1250.0 has a confidence of 0.30, less than 0.5"
    assert found["total"].quote == "1,250.00"


def test_items_of_a_list_have_indices_without_gaps() -> None:
    said = [("items[3].amount", 1350.0, "1,350.00"), ("items[0].amount", 1250.0, "1,250.00")]
    properties: dict[str, Json] = {
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"amount": {"type": "number"}, "unit": {"type": "string"}}},
        }
    }
    found = extracted(properties, Saying(said))
    assert found.values == {"items": [{"amount": 1250.0, "unit": None}, {"amount": 1350.0, "unit": None}]}
    assert found["items[1].amount"].page == 2
    assert [one.path for one in found.not_found] == ["items[0].unit", "items[1].unit"]
    empty = extracted(properties, Saying([]))
    assert (empty.values, [one.path for one in empty.not_found]) == ({"items": []}, ["items"])


def test_a_field_may_have_several_values_where_the_schema_allows_it() -> None:
    said = [("total[0]", 1250.0, "1,250.00"), ("total[1]", 1350.0, "1,350.00")]
    single: Json = {"type": "number"}
    several: Json = {"type": "number", "x-quire": {"several": True}}
    never: Json = {"type": "number", "x-quire": {"several": False}}
    assert extracted({"total": single}, Saying(said)).values == {"total": [1250.0, 1350.0]}
    assert extracted({"total": several}, Saying([TOTAL])).values == {"total": [1250.0]}
    assert extracted({"total": never}, Saying(said)).values == {"total": 1250.0}


def test_one_extractor_that_fails_does_not_lose_the_values_of_the_others() -> None:
    found = extracted({"total": {"type": "number"}}, Failing(), Saying([TOTAL]), Failing(ZeroDivisionError("oops")))
    assert found.values == {"total": 1250.0}
    assert [(one.extractor, "oops" in one.reason) for one in found.failures] == [("failing", False), ("failing", True)]


def test_an_extraction_fails_when_all_extractors_do() -> None:
    with pytest.raises(EngineError, match="the server did not answer"):
        extracted({"total": {"type": "number"}}, Failing(), Failing())


def test_a_proposal_for_something_else_is_reported() -> None:
    found = extracted({"total": {"type": "number"}}, Saying([TOTAL, ("totl", 1, "1,250.00")]))
    assert found.failures[0].reason == "proposed a value for 'totl', which the schema does not have"


def test_ten_thousand_fields_are_answered() -> None:
    found = extract(bill_catalog(), ExtractSchema.of([f"field {n}" for n in range(10_000)]), [Saying([])])
    assert found.coverage.not_found == 10_000


def test_a_document_that_was_read_can_be_extracted_from_by_any_extractor() -> None:
    result = quire.read(bill())
    assert result.extract(fields="total", extractors=[Saying([TOTAL])]).values == {"total": "1,250.00"}
    assert quire.extract(result, fields="total", extractors=[Saying([TOTAL])])["total"].page == 1
    with pytest.raises(UsageError, match="the document was read already: 'pages' comes too late"):
        quire.extract(result, fields="total", pages="1")
    with pytest.raises(UsageError, match="nothing is asked for"):
        quire.extract(result)
    with pytest.raises(UsageError, match="give one of them"):
        quire.extract(result, {"properties": {}}, fields="total")


def test_the_package_can_be_called_when_a_module_of_it_was_imported_first() -> None:
    from quire.evidence.extract import values

    assert values.Extraction is Extraction
    with pytest.raises(UsageError, match="there is no extractor 'magic'"):
        quire.extract(bill(), fields="total", extractors=["magic"])


def test_what_is_no_date_fills_no_date():
    result = quire.read(bill())
    schema = {"properties": {"due": {"type": "string", "format": "date"}}}
    found = result.extract(schema, extractors=[Saying([("due", "1,250.00", "1,250.00")])])
    assert found.values == {"due": None}
    assert "is no date" in found.not_found[0].reason
