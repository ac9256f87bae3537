"""A reviewed extraction as a sample to learn from: what people confirmed or corrected, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from quire.core.context import Json
from quire.evidence.extract.value_paths import value_at
from quire.evidence.extract.values import Extraction, LeafEvidence
from quire.evidence.review.decisions import Decision


def sample_of(
    document: str, schema: Json, extraction: Extraction, decisions: Mapping[str, Decision]
) -> dict[str, Json]:
    """`{document, name, schema, values, places, undecided}`: `values` and `places` by path, None for what is not there.

    Holds the values that were decided about, and those that the document itself supports. What was rejected, or is
    still in doubt, is left out, and its path is in `undecided`: the sample says nothing about it.
    """
    paths = [path for path, one in extraction.evidence.items() if _counts(one, decisions.get(path))]
    return {
        "document": document,
        "name": extraction.name,
        "schema": schema,
        "values": {path: value_at(extraction.values, path) for path in paths},
        "places": {path: _place(extraction[path]) for path in paths if extraction[path].bboxes},
        "undecided": [path for path in extraction.evidence if path not in paths],
    }


def _counts(evidence: LeafEvidence, decision: Decision | None) -> bool:
    return decision.action != "reject" if decision is not None else evidence.status in ("found", "repaired")


def _place(evidence: LeafEvidence) -> dict[str, Json]:
    return {
        "page": evidence.page,
        "bboxes": [[one.left, one.top, one.width, one.height] for one in evidence.bboxes],
        "quote": evidence.quote,
        "blocks": list(evidence.blocks),
        "status": evidence.status,
    }
