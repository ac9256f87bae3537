"""An extraction survives being stored."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from quire.core.keys import digest_of
from quire.core.types import BBox
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.evidence.extract.values import (
    Alternative,
    Derivation,
    EvidenceConflict,
    Extraction,
    ExtractorFailure,
    LeafEvidence,
    Missing,
)

_BOX = BBox(0.1, 0.2, 0.30001, 0.015)
_OTHER = Alternative(12, "12", 3, (_BOX,), ("p3-b1",), 0.4, "rules")

WHOLE = Extraction(
    document="d" * 64,
    name="bill.pdf",
    schema=digest_of({}),
    catalog=digest_of([]),
    values={"total": 12.5, "items": [{"price": None}, {"price": 3}], "note": "a\ud800<b>"},
    evidence={
        "total": LeafEvidence(
            "total",
            "conflict",
            0.55,
            match="derived",
            confidence={"extractor": 0.9, "total": 0.8},
            quote="12,50 €",
            page=3,
            bboxes=(_BOX,),
            blocks=("p3-b1",),
            records=("p3-b1:r1c2",),
            crop="crop-1",
            label="Total",
            alternatives=(_OTHER,),
            derivation=Derivation("sum", (("10", "p3-b1"), ("2.50", "p3-b2"))),
            extractor="rules",
            reason="two places differ",
            crop_verified=True,
        ),
        "items[0].price": LeafEvidence("items[0].price", "not_found"),
    },
    conflicts=(EvidenceConflict("total", (_OTHER, _OTHER), "page 1 and page 3"),),
    not_found=(Missing("items[0].price", (1, 2, 3), "no amount stands beside it"),),
    extractors=("rules 1",),
    failures=(ExtractorFailure("model", "the server did not answer"),),
)


def test_an_extraction_comes_back_from_its_json_as_it_was() -> None:
    assert decode_extraction(encode_extraction(WHOLE)) == WHOLE


def test_equal_extractions_are_equal_bytes_of_valid_utf8() -> None:
    data = encode_extraction(WHOLE)
    assert data == encode_extraction(decode_extraction(data))
    assert json.loads(data.decode("utf-8"))["values"]["note"] == "a\ud800<b>"


def test_the_json_says_what_was_found_with_its_shares() -> None:
    tree = json.loads(encode_extraction(WHOLE))
    assert tree["coverage"] == {
        "leaves": 2,
        "returned": 1,
        "cited": 1,
        "found": 0,
        "crop_verified": 1,
        "not_found": 1,
        "sure": 0,
        "threshold": 0.9,
        "share": 0.0,
        "share_of_returned": 0.0,
    }
    assert tree["evidence"]["total"]["bboxes"] == [{"left": 0.1, "top": 0.2, "width": 0.30001, "height": 0.015}]


def test_an_extraction_of_the_first_schema_is_still_read() -> None:
    tree = json.loads(encode_extraction(WHOLE))
    tree["schema_version"] = "quire-extraction/1"
    tree["coverage"] = {"leaves": 3, "cited": 2, "verified": 1, "crop_verified": 0, "not_found": 1, "share": 0.6667}
    for one in tree["evidence"].values():
        del one["probability"]
    tree["evidence"]["total"] |= {"status": "verified", "crop_verified": False}
    found = decode_extraction(json.dumps(tree))
    assert (found["total"].status, found["total"].probability) == ("found", 0.8)
    assert found["items[0].price"].probability is None
    assert (found.coverage.returned, found.coverage.found, found.coverage.share) == (1, 1, 0.5)
    assert json.loads(encode_extraction(found))["schema_version"] == "quire-extraction/2"


def test_evidence_names_its_document_only_where_there_are_several() -> None:
    assert "document" not in json.loads(encode_extraction(WHOLE))["evidence"]["total"]
    several = replace(WHOLE, evidence={"total": replace(WHOLE["total"], document="document-2")})
    assert json.loads(encode_extraction(several))["evidence"]["total"]["document"] == "document-2"
    assert decode_extraction(encode_extraction(several)) == several


def test_another_file_is_no_extraction() -> None:
    with pytest.raises(ValueError, match="expected an extraction of the schema quire-extraction/2, got None"):
        decode_extraction(b'{"values": {}}')
