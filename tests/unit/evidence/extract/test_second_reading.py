"""Values compared with what another engine reads in the pictures of their places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from quire.core.context import Json
from quire.core.keys import ArtifactKey, Digest
from quire.core.types import AnswerSource, Part
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.second_reading import CropReading, reread_places, with_readings
from quire.evidence.extract.values import Derivation, Extraction, Proposal
from quire.evidence.review.items import items_of
from tests.unit.evidence.extract.bills import Saying, bill_catalog, record_with

TOTAL = ("total", 1250.0, "1,250.00")
SCHEMA = ExtractSchema.of({"type": "object", "properties": {"total": {"type": "number", "kind": "amount"}}})


class Adding:
    """Proposes the sum of both totals of the bill."""

    name, version = "adding", "1"

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> list[Proposal]:
        parts = tuple((text, record_with(catalog, text).id) for text in ("1,250.00", "1,350.00"))
        return [Proposal("total", 2600, (), "", 0.9, self.name, derivation=Derivation("sum", parts))]


def read_again(
    reading: CropReading | Callable[[Part], CropReading],
    *,
    extractor: Any = None,
    schema: ExtractSchema = SCHEMA,
    catalog: SourceCatalog | None = None,
    engine: str = "other",
) -> Extraction:
    catalog = catalog or bill_catalog()
    found = extract(catalog, schema, [extractor or Saying([TOTAL])])
    places = reread_places(found, schema, catalog, engine)
    readings = {place: reading if isinstance(reading, CropReading) else reading(place) for place in places}
    return with_readings(found, schema, catalog, (engine, "7"), readings)


def test_a_value_that_the_picture_shows_is_crop_verified():
    found = read_again(CropReading("EUR 1.250,00", 0.9))
    total = found["total"]
    assert (total.status, total.crop_verified, total.reason) == ("found", True, "")
    assert total.confidence["reread"] == 0.9
    assert total.confidence["total"] == 0.8, "another engine that agrees takes nothing away"
    coverage = found.coverage
    assert (coverage.cited, coverage.found, coverage.crop_verified) == (1, 1, 1)
    assert found.reread == "other 7"
    assert decode_extraction(encode_extraction(found)) == found


def test_a_picture_that_shows_another_value_is_doubtful_and_says_what_it_shows():
    found = read_again(CropReading("EUR 9,250.00", 0.97))
    total = found["total"]
    assert (total.status, total.crop_verified) == ("found", False)
    assert total.reason == "the picture reads 'EUR 9,250.00' (other)"
    assert total.confidence["total"] == pytest.approx(0.03)
    first = total.alternatives[0]
    assert (first.value, first.extractor, first.page, first.bboxes) == (9250, "other", 1, total.bboxes)
    (item,) = items_of(found, SCHEMA)
    assert item.doubt == "low", "a person decides"
    assert (found.coverage.found, found.coverage.crop_verified) == (1, 0)


def test_an_engine_that_is_not_sure_of_another_value_raises_less_doubt():
    total = read_again(CropReading("1,260.00", 0.25))["total"]
    assert (total.confidence["reread"], total.confidence["total"]) == (0.75, 0.75)


def test_a_picture_without_text_where_the_document_has_some_is_doubtful():
    total = read_again(CropReading())["total"]
    assert total.reason == "the picture reads nothing (other)"
    assert (total.confidence["total"], total.alternatives) == (0.0, ())


def test_a_text_in_which_few_letters_are_misread_is_the_same_text():
    schema = ExtractSchema.of("seller")
    seller = Saying([("seller", "Harbour Supplies Ltd", "Harbour Supplies Ltd")])
    assert read_again(CropReading("Harbcur Supplies Ltd", 0.9), extractor=seller, schema=schema)["seller"].crop_verified
    other = read_again(CropReading("Market Traders Ltd", 0.9), extractor=seller, schema=schema)
    assert other["seller"].alternatives[0].value == "Market Traders Ltd"


def test_a_derived_value_needs_the_picture_of_each_part():
    def shows(*texts: str) -> Extraction:
        return read_again(lambda place: CropReading(texts[place.page - 1], 0.9), extractor=Adding())

    assert shows("1,250.00", "1,350.00")["total"].crop_verified
    other = shows("1,250.00", "1,850.00")["total"]
    assert (other.status, other.match, other.crop_verified) == ("found", "derived", False)
    assert other.reason == "the picture reads '1,850.00' (other)"
    assert other.alternatives == (), "the part is no value of the leaf"


def test_a_place_that_could_not_be_read_leaves_the_value_as_it_is_and_is_named():
    found = read_again(CropReading(failed="other: no answer within 3 s"))
    total = found["total"]
    assert (total.status, total.crop_verified, total.confidence["total"]) == ("found", False, 0.8)
    assert total.reason == "its picture was not read again: other: no answer within 3 s"
    (failure,) = found.failures
    assert (failure.extractor, failure.reason) == (
        "other",
        "1 of 1 places were not read again: other: no answer within 3 s",
    )


@pytest.mark.parametrize(
    ("provider", "engine"),
    [("other", "other"), ("fallback(first,other)", "other"), ("other", "consensus(other,third)")],
)
def test_the_engine_that_read_the_text_is_not_another_one(provider: str, engine: str):
    source = AnswerSource(provider, "7", Digest("0" * 64), ArtifactKey("1" * 64))
    before = bill_catalog()
    catalog = replace(before, blocks=[replace(block, source=source) for block in before.blocks])
    found = read_again(CropReading("EUR 1,250.00"), catalog=catalog, engine=engine)
    assert not found["total"].crop_verified
    assert found["total"].reason == f"{engine} has read the text of the document too: its picture was not read again"
    assert found.failures == ()
    assert read_again(CropReading("EUR 1,250.00"), catalog=catalog, engine="fallback(third)")["total"].crop_verified


def test_values_that_the_document_does_not_support_are_not_read_again():
    properties: dict[str, Json] = {"total": {"type": "number"}, "iban": {"type": "string"}}
    schema = ExtractSchema.of({"type": "object", "properties": properties})
    found = extract(bill_catalog(), schema, [Saying([("total", 77.0, "1,250.00")])])
    assert found["total"].status == "unverified"
    assert reread_places(found, schema, bill_catalog(), "other") == ()
