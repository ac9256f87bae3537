"""How sure a value is comes from measurements, and never from what an extractor says of itself alone."""

from __future__ import annotations

from typing import Any

import pytest

from quire.evidence.extract.calibration import CONTRADICTED, MOST, UNMEASURED, probability_of
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import SURE, EvidenceStatus, LeafEvidence
from tests.unit.evidence.extract.bills import Saying, bill_catalog


def evidence(extractor: str = "rules", status: EvidenceStatus = "found", **confidence: float) -> LeafEvidence:
    figures = {"extractor": 0.97, "total": 0.97, "known": 1.0, "label": 1.0, **confidence}
    return LeafEvidence("total", status, match="numeric", confidence=figures, extractor=extractor)


def test_a_clear_label_on_a_known_field_is_sure_and_never_certain():
    assert SURE <= probability_of("144.00", evidence()) <= MOST


@pytest.mark.parametrize("figure", ["total", "label"])
def test_less_evidence_is_never_surer(figure):
    told = [probability_of("144.00", evidence(**{figure: step / 20})) for step in range(21)]
    assert told == sorted(told)


def test_what_the_amounts_of_the_page_say_counts():
    against, silent, for_it = (
        probability_of("144.00", evidence(total=0.8, **more)) for more in ({"arithmetic": 0.0}, {}, {"arithmetic": 1.0})
    )
    assert against <= CONTRADICTED < silent < for_it


@pytest.mark.parametrize(
    ("given", "most"),
    [
        (evidence("a model"), UNMEASURED),
        (evidence(known=0.0), UNMEASURED),
        (evidence(status="unverified"), UNMEASURED),
        (evidence(status="conflict"), CONTRADICTED),
    ],
)
def test_what_was_never_measured_or_is_contradicted_goes_to_a_person(given: LeafEvidence, most: float):
    assert probability_of("144.00", given) <= most < SURE


def test_an_extractor_that_is_sure_of_itself_is_not_believed():
    schema = ExtractSchema.of({"properties": {"number": {"type": "string"}}})
    said: Any = [("number", "INV-2041", "INV-2041")]
    found = extract(bill_catalog(), schema, [Saying(said, confidence=1.0)])
    assert (found["number"].status, found["number"].is_sure) == ("found", False)
    assert (found.coverage.found, found.coverage.sure) == (1, 0)
