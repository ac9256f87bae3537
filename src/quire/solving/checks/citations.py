"""Checks each citation again: the record, the quote, the value in it, and its page, boxes and crop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from quire.core.types import BBox, shortened
from quire.evidence.extract.values import SUPPORTED, LeafEvidence, Proposal
from quire.evidence.extract.verification import OUTSIDE, checked
from quire.lexicon.phrases import solid
from quire.pages.geometry.extents import has_middle
from quire.solving.checks.reviewed_answer import ReviewedAnswer, ReviewedValue, joined_name
from quire.solving.findings import Finding

EQUAL = 1e-4
"""Of a page: by how much two boxes of one place may differ, which were rounded."""


def citation_findings(reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """A finding for each value that its evidence does not support as it stands there."""
    listed = [one for one in reviewed.values if one.path not in reviewed.decided]
    again = {one.path: _again(one, one.evidence, reviewed) for one in listed if one.evidence is not None}
    bare = replace(reviewed.answer, evidence=again, conflicts=(), not_found=())
    separated = reviewed.documents.separated(bare).evidence
    for one in listed:
        if reason := _reason(one, separated, reviewed):
            yield reviewed.finding(one, "unsupported", reason)


def _reason(one: ReviewedValue, again: Mapping[str, LeafEvidence], reviewed: ReviewedAnswer) -> str:
    """What is wrong with the evidence of a value; empty where nothing is."""
    stored = one.evidence
    if stored is None:
        return "it has no evidence"
    if stored.path != one.path:
        return f"its evidence is that of {stored.path!r}"
    if stored.status == "not_found":
        return "its evidence says that it was not found"
    if stored.document not in reviewed.documents.shorts and stored.page is not None:
        return f"it cites the document {stored.document!r}, which the task does not have"
    found = again[one.path]
    if not found.supported:
        return found.reason
    if stored.status not in SUPPORTED and stored.status != "conflict":
        return stored.reason or "its evidence says that nothing supports it"
    faults = [found.reason] if found.status == "repaired" and not _is_as_repaired(stored, found) else []
    return "; ".join(faults or _differences(stored, found, reviewed))


def _is_as_repaired(stored: LeafEvidence, found: LeafEvidence) -> bool:
    """Whether the stored citation is the one that verification itself puts right: OCR may join a date to a time, so
    that the quote does not stand alone even there."""
    return stored.status == "repaired" and (stored.records, stored.quote) == (found.records, found.quote)


def _again(one: ReviewedValue, stored: LeafEvidence, reviewed: ReviewedAnswer) -> LeafEvidence:
    """The evidence of a value as verification gives it now, from what the stored one cites."""
    proposal = Proposal(
        one.path,
        one.value,
        _records(stored, reviewed),
        stored.quote,
        stored.confidence.get("extractor", 1.0),
        stored.extractor,
        places=() if stored.derivation is not None else reviewed.places(stored),
        derivation=stored.derivation,
    )
    return checked(proposal, one.leaf, reviewed.whole, version=reviewed.answer.catalog)


def _records(stored: LeafEvidence, reviewed: ReviewedAnswer) -> tuple[str, ...]:
    """The cited records in the whole. Those of a derivation may be from several documents: its parts say of which."""
    parts = {} if stored.derivation is None else {name.rpartition("/")[2]: name for _, name in stored.derivation.parts}
    return tuple(parts.get(name, joined_name(stored.document, name)) for name in stored.records)


def _differences(stored: LeafEvidence, found: LeafEvidence, reviewed: ReviewedAnswer) -> Iterator[str]:
    """What the stored evidence says of the place of a supported value, and is not so."""
    if not stored.quote and stored.derivation is None:
        yield "it has no quote"
    elif stored.derivation is None and solid(stored.quote) != solid(found.quote):
        yield f"its quote is printed as {shortened(found.quote)!r}"
    if (stored.document, stored.page) != (found.document, found.page):
        yield f"it stands on page {found.page} of {found.document or 'the document'}, not on page {stored.page}"
    elif not _are_equal(stored.bboxes, found.bboxes) or not _are_inside(stored, reviewed):
        yield "its boxes are not where the value stands"
    elif stored.crop != found.crop:
        yield "its crop is the picture of another place"
    known = {name for record in reviewed.cited(stored) for name in record.blocks}
    if stored.derivation is None and not known.issuperset(joined_name(stored.document, name) for name in stored.blocks):
        yield "its blocks are not those of the records that it cites"


def _are_equal(some: Sequence[BBox], others: Sequence[BBox]) -> bool:
    return len(some) == len(others) and all(map(_is_equal, some, others))


def _is_equal(one: BBox, other: BBox) -> bool:
    pairs = ((one.left, other.left), (one.top, other.top), (one.right, other.right), (one.bottom, other.bottom))
    return all(abs(first - second) <= EQUAL for first, second in pairs)


def _are_inside(stored: LeafEvidence, reviewed: ReviewedAnswer) -> bool:
    """Whether boxes lie in the records. Verification takes them as given where the words of a record have no boxes."""
    if stored.derivation is not None:
        return True
    there = [place for record in reviewed.cited(stored) for place in record.places]
    return all(
        any(place.page == own.page and has_middle(own.bbox, place.bbox, OUTSIDE) for own in there)
        for place in reviewed.places(stored)
    )
