"""Fields that many documents have under different labels, or under none: a date, a total, a sender."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.naming.concepts import CONCEPTS
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema, ValueKind
from quire.evidence.extract.values import LeafEvidence
from quire.lexicon.labels import LabelMatcher

NAMED = 0.8
"""The least with which the label of a value names what it is taken for."""
SURE = 0.5
"""The least confidence of a value without a label."""
_UNLABELLED = frozenset({"seller", "address", "date", "total", "currency", "email", "website", "iban"})
_OF_ITEMS = frozenset({"quantity", "unit_price", "product"})
"""Fields of the rows of a list, and not of the document."""


@dataclass(frozen=True, slots=True)
class KnownField:
    """Something with a name of its own that documents say: the text of its value by the number of the document."""

    name: str
    kind: ValueKind
    values: Mapping[int, str]


def known_fields(catalogs: Sequence[SourceCatalog]) -> Iterator[KnownField]:
    schema = _schema()
    found = [extract(catalog, schema, [OfflineExtractor()]).evidence for catalog in catalogs]
    for concept in (one for one in CONCEPTS if one.id not in _OF_ITEMS):
        by_document = {number: evidence[concept.id] for number, evidence in enumerate(found)}
        if concept.id == "currency":  # what is said with an amount is no field of its own
            by_document = {number: one for number, one in by_document.items() if not _is_in_amount(one, found[number])}
        values = {number: one.quote for number, one in by_document.items() if _is_certain(concept.id, one)}
        if values:
            yield KnownField(concept.id, concept.kind, values)


def _is_in_amount(currency: LeafEvidence, found: Mapping[str, LeafEvidence]) -> bool:
    """Whether a currency stands at the beginning of an amount that is a field."""
    amounts = [found[concept.id] for concept in CONCEPTS if concept.kind == "amount"]
    starts = {(one.page, one.bboxes[0].left, one.bboxes[0].top) for one in amounts if one.bboxes}
    return any((currency.page, box.left, box.top) in starts for box in currency.bboxes[:1])


def _is_certain(name: str, evidence: LeafEvidence) -> bool:
    if not evidence.supported or not evidence.quote:
        return False
    if evidence.label:
        return _matcher().names(evidence.label).get(name, 0.0) >= NAMED
    return name in _UNLABELLED and evidence.confidence.get("total", 0.0) >= SURE


@cache
def _schema() -> ExtractSchema:
    return ExtractSchema.of(
        {
            "type": "object",
            "properties": {one.id: {"type": "string", "x-quire": {"kind": one.kind}} for one in CONCEPTS},
        }
    )


@cache
def _matcher() -> LabelMatcher:
    return LabelMatcher({concept.id: concept.labels for concept in CONCEPTS})
