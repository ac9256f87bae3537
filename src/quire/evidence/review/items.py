"""The values of an extraction as items of a review: which of them need a decision, and what belongs together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

from quire.core.context import Json
from quire.evidence.extract.schema import ExtractSchema, LeafSpec
from quire.evidence.extract.value_paths import field_of, part_of, rows_of, value_at
from quire.evidence.extract.values import SURE, EvidenceConflict, EvidenceStatus, Extraction, LeafEvidence, Missing

Doubt = Literal["conflict", "not_found", "unverified", "low"]
"""Why a value needs a decision. `low`: the document says it, but whether it answers the field is less probable
than a threshold."""
DOUBTS: tuple[Doubt, ...] = get_args(Doubt)
_OF_STATUS: dict[EvidenceStatus, Doubt] = {
    "conflict": "conflict",
    "not_found": "not_found",
    "unverified": "unverified",
}


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One leaf of the data. `field` is its path in the schema, `part` the list that it is in, or its own path.

    `doubt` is None where no decision is needed.
    """

    path: str
    field: str
    part: str
    doubt: Doubt | None
    value: Json
    evidence: LeafEvidence
    leaf: LeafSpec | None = None
    conflict: EvidenceConflict | None = None
    missing: Missing | None = None


def items_of(
    extraction: Extraction, schema: ExtractSchema, *, doubts: Collection[Doubt] = DOUBTS, below: float = SURE
) -> list[ReviewItem]:
    """The items in the order of the schema, lists row by row. `doubts` are the reasons for which one is needed."""
    conflicts = {one.path: one for one in extraction.conflicts}
    missing = {one.path: one for one in extraction.not_found}
    evidence = {path: LeafEvidence(path, "not_found", reason=one.reason) for path, one in missing.items()}
    evidence |= extraction.evidence
    items = []
    for path, one in evidence.items():
        doubt = _doubt(one, below)
        item = ReviewItem(
            path=path,
            field=field_of(path),
            part=part_of(path),
            doubt=doubt if doubt in doubts else None,
            value=value_at(extraction.values, path),
            evidence=one,
            leaf=schema.leaf(path),
            conflict=conflicts.get(path),
            missing=missing.get(path),
        )
        items.append(item)
    order = {leaf.path: at for at, leaf in enumerate(schema.leaves)}
    first: dict[str, int] = {}
    for item in items:
        place = order.get(item.field, len(order))
        first[item.part] = min(place, first.get(item.part, place))
    return sorted(
        items, key=lambda item: (first[item.part], item.part, rows_of(item.path), order.get(item.field, len(order)))
    )


def added_item(path: str, leaf: LeafSpec) -> ReviewItem:
    """The item of a value that a reviewer adds to a list."""
    return ReviewItem(path, field_of(path), part_of(path), None, None, LeafEvidence(path, "not_found"), leaf)


def _doubt(evidence: LeafEvidence, below: float) -> Doubt | None:
    if found := _OF_STATUS.get(evidence.status):
        return found
    sure = evidence.probability
    return "low" if evidence.status in ("found", "repaired") and sure is not None and sure < below else None
