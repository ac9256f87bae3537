"""An extraction as JSON, and back: lossless, equal for equal values, without times."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, cast

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

T = TypeVar("T")
_OMITTED = ("document",)
"""Fields that are left out where they are empty, as in all extractions of one document."""
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
        **{name: getattr(extraction, name) for name in ("document", "name", "schema", "catalog", "values")},
        "evidence": {path: evidence_json(one) for path, one in extraction.evidence.items()},
        "coverage": coverage_json(extraction.coverage),
        "conflicts": [value_json(one) for one in extraction.conflicts],
        "not_found": [value_json(one) for one in extraction.not_found],
        "extractors": list(extraction.extractors),
        "failures": [value_json(one) for one in extraction.failures],
        "reread": extraction.reread,
    }


def extraction_of(tree: Mapping[str, Any]) -> Extraction:
    """The extraction that `extraction_json` described. Raises ValueError for something else."""
    if tree.get("schema_version") == FIRST:
        tree = {**tree, "evidence": {path: _of_first(one) for path, one in tree["evidence"].items()}}
    elif tree.get("schema_version") != SCHEMA:
        raise ValueError(f"expected an extraction of the schema {SCHEMA}, got {tree.get('schema_version')!r}")
    return value_of(
        Extraction,
        {**tree, "reread": tree.get("reread", ""), "reopen": None},
        evidence={path: evidence_of(path, one) for path, one in tree["evidence"].items()},
        conflicts=tuple(
            value_of(EvidenceConflict, one, values=tuple(map(alternative_of, one["values"])))
            for one in tree["conflicts"]
        ),
        not_found=tuple(value_of(Missing, one, pages=tuple(one["pages"])) for one in tree["not_found"]),
        extractors=tuple(tree["extractors"]),
        failures=tuple(value_of(ExtractorFailure, one) for one in tree["failures"]),
    )


def evidence_json(evidence: LeafEvidence) -> dict[str, Json]:
    """The evidence of one value; its path is the key under which it stands."""
    return {name: value for name, value in value_json(evidence).items() if name != "path"}


def evidence_of(path: str, tree: Mapping[str, Any]) -> LeafEvidence:
    """The evidence that `evidence_json` described."""
    derivation = tree["derivation"]
    return value_of(
        LeafEvidence,
        {**tree, "path": path},
        bboxes=boxes_of(tree["bboxes"]),
        blocks=tuple(tree["blocks"]),
        records=tuple(tree["records"]),
        alternatives=tuple(map(alternative_of, tree["alternatives"])),
        derivation=derivation
        and Derivation(derivation["rule"], tuple((one["text"], one["record"]) for one in derivation["parts"])),
    )


def _of_first(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Evidence of the first schema: all that it knows of a probability is the total confidence."""
    status = "found" if tree["status"] == "verified" else tree["status"]
    return {**tree, "status": status, "probability": tree["confidence"].get("total") if status != "not_found" else None}


def alternative_json(alternative: Alternative) -> dict[str, Json]:
    return dict(value_json(alternative))


def alternative_of(tree: Mapping[str, Any]) -> Alternative:
    return value_of(Alternative, tree, bboxes=boxes_of(tree["bboxes"]), blocks=tuple(tree["blocks"]))


def coverage_json(coverage: EvidenceCoverage) -> dict[str, Json]:
    """The counts, the probability from which on a value counts as sure, and the shares that follow."""
    counts = {name: getattr(coverage, name) for name in EvidenceCoverage.__dataclass_fields__}
    share = coverage.share_of_returned
    shares = {"share": round(coverage.share, 4), "share_of_returned": None if share is None else round(share, 4)}
    return {**counts, "threshold": SURE, **shares}


def boxes_of(trees: list[dict[str, float]]) -> tuple[BBox, ...]:
    """The boxes that `value_json` described."""
    return tuple(value_of(BBox, one) for one in trees)


def value_json(value: Any) -> Json:
    """A value by the names of its fields, and all values in it."""
    if isinstance(value, Derivation):
        return {"rule": value.rule, "parts": [{"text": text, "record": record} for text, record in value.parts]}
    if is_dataclass(value):
        named = {one.name: value_json(getattr(value, one.name)) for one in fields(value)}
        return {name: inner for name, inner in named.items() if inner or name not in _OMITTED}
    if isinstance(value, tuple):
        return [value_json(one) for one in value]
    return dict(value) if isinstance(value, Mapping) else value


def value_of(kind: type[T], tree: Mapping[str, Any], **members: object) -> T:
    """A value by the names of its fields, with these members. Raises KeyError for one that the tree does not have."""
    names = (
        one.name
        for one in fields(cast("Any", kind))
        if one.name not in members and (one.name in tree or one.name not in _OMITTED)
    )
    return kind(**{name: tree[name] for name in names}, **members)
