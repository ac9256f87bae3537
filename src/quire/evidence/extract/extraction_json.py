"""An extraction as JSON, and back: lossless, equal for equal values, without times."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from quire.core.context import Json
from quire.core.types import BBox
from quire.evidence.extract.values import (
    SURE,
    Alternative,
    Derivation,
    EvidenceConflict,
    EvidenceCoverage,
    Extraction,
    ExtractorFailure,
    LeafEvidence,
    Missing,
)

SCHEMA, FIRST = "quire-extraction/2", "quire-extraction/1"
"""The schema that is written, and the one before it, which is still read: people have decided about such values."""


def encode_extraction(extraction: Extraction) -> bytes:
    """The JSON of an extraction, on several lines for people who look at it."""
    text = json.dumps(extraction_json(extraction), ensure_ascii=False, indent=1, allow_nan=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")  # broken fonts map to lone surrogates: JSON escapes them


def decode_extraction(data: bytes | str) -> Extraction:
    """The extraction that `encode_extraction` wrote. Raises ValueError for something else."""
    return extraction_of(json.loads(data))


def extraction_json(extraction: Extraction) -> dict[str, Json]:
    return {
        "schema_version": SCHEMA,
        "document": extraction.document,
        "name": extraction.name,
        "schema": extraction.schema,
        "catalog": extraction.catalog,
        "values": extraction.values,
        "evidence": {path: evidence_json(one) for path, one in extraction.evidence.items()},
        "coverage": coverage_json(extraction.coverage),
        "conflicts": [
            {"path": one.path, "values": [alternative_json(value) for value in one.values], "reason": one.reason}
            for one in extraction.conflicts
        ],
        "not_found": [
            {"path": one.path, "pages": list(one.pages), "reason": one.reason} for one in extraction.not_found
        ],
        "extractors": list(extraction.extractors),
        "failures": [{"extractor": one.extractor, "reason": one.reason} for one in extraction.failures],
        "reread": extraction.reread,
    }


def extraction_of(tree: Mapping[str, Any]) -> Extraction:
    """The extraction that `extraction_json` described. Raises ValueError for something else."""
    if tree.get("schema_version") == FIRST:
        tree = {**tree, "evidence": {path: _of_first(one) for path, one in tree["evidence"].items()}}
    elif tree.get("schema_version") != SCHEMA:
        raise ValueError(f"expected an extraction of the schema {SCHEMA}, got {tree.get('schema_version')!r}")
    return Extraction(
        document=tree["document"],
        name=tree["name"],
        schema=tree["schema"],
        catalog=tree["catalog"],
        values=tree["values"],
        evidence={path: evidence_of(path, one) for path, one in tree["evidence"].items()},
        conflicts=tuple(
            EvidenceConflict(one["path"], tuple(map(alternative_of, one["values"])), one["reason"])
            for one in tree["conflicts"]
        ),
        not_found=tuple(Missing(one["path"], tuple(one["pages"]), one["reason"]) for one in tree["not_found"]),
        extractors=tuple(tree["extractors"]),
        failures=tuple(ExtractorFailure(one["extractor"], one["reason"]) for one in tree["failures"]),
        reread=tree.get("reread", ""),
    )


def evidence_json(evidence: LeafEvidence) -> dict[str, Json]:
    """The evidence of one value; its path is the key under which it stands."""
    derivation = evidence.derivation
    return {
        "status": evidence.status,
        "probability": evidence.probability,
        "match": evidence.match,
        "confidence": dict(evidence.confidence),
        "quote": evidence.quote,
        "page": evidence.page,
        "bboxes": _boxes(evidence.bboxes),
        "blocks": list(evidence.blocks),
        "records": list(evidence.records),
        "crop": evidence.crop,
        "label": evidence.label,
        "alternatives": [alternative_json(one) for one in evidence.alternatives],
        "derivation": derivation
        and {
            "rule": derivation.rule,
            "parts": [{"text": text, "record": record} for text, record in derivation.parts],
        },
        "extractor": evidence.extractor,
        "reason": evidence.reason,
        "crop_verified": evidence.crop_verified,
    }


def evidence_of(path: str, tree: Mapping[str, Any]) -> LeafEvidence:
    """The evidence that `evidence_json` described."""
    derivation = tree["derivation"]
    return LeafEvidence(
        path=path,
        status=tree["status"],
        probability=tree["probability"],
        match=tree["match"],
        confidence=tree["confidence"],
        quote=tree["quote"],
        page=tree["page"],
        bboxes=_boxes_of(tree["bboxes"]),
        blocks=tuple(tree["blocks"]),
        records=tuple(tree["records"]),
        crop=tree["crop"],
        label=tree["label"],
        alternatives=tuple(map(alternative_of, tree["alternatives"])),
        derivation=derivation
        and Derivation(derivation["rule"], tuple((one["text"], one["record"]) for one in derivation["parts"])),
        extractor=tree["extractor"],
        reason=tree["reason"],
        crop_verified=tree["crop_verified"],
    )


def _of_first(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Evidence of the first schema: all that it knows of a probability is the total confidence."""
    status = "found" if tree["status"] == "verified" else tree["status"]
    return {**tree, "status": status, "probability": tree["confidence"].get("total") if status != "not_found" else None}


def alternative_json(alternative: Alternative) -> dict[str, Json]:
    return {
        "value": alternative.value,
        "quote": alternative.quote,
        "page": alternative.page,
        "bboxes": _boxes(alternative.bboxes),
        "blocks": list(alternative.blocks),
        "confidence": alternative.confidence,
        "extractor": alternative.extractor,
    }


def alternative_of(tree: Mapping[str, Any]) -> Alternative:
    return Alternative(
        value=tree["value"],
        quote=tree["quote"],
        page=tree["page"],
        bboxes=_boxes_of(tree["bboxes"]),
        blocks=tuple(tree["blocks"]),
        confidence=tree["confidence"],
        extractor=tree["extractor"],
    )


def coverage_json(coverage: EvidenceCoverage) -> dict[str, Json]:
    """The counts, the probability from which on a value counts as sure, and the shares that follow."""
    counts = {name: getattr(coverage, name) for name in EvidenceCoverage.__dataclass_fields__}
    share = coverage.share_of_returned
    shares = {"share": round(coverage.share, 4), "share_of_returned": None if share is None else round(share, 4)}
    return {**counts, "threshold": SURE, **shares}


def _boxes(boxes: tuple[BBox, ...]) -> list[dict[str, float]]:
    return [{"left": one.left, "top": one.top, "width": one.width, "height": one.height} for one in boxes]


def _boxes_of(trees: list[dict[str, float]]) -> tuple[BBox, ...]:
    return tuple(BBox(one["left"], one["top"], one["width"], one["height"]) for one in trees)
