"""Agreement and conflict of several extractors, or several places of a document, about one value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from quire.core.context import Json
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import LeafSpec, ValueKind
from quire.evidence.extract.schema_fit import Unfit, fitted
from quire.evidence.extract.values import Alternative, EvidenceConflict, LeafEvidence, Proposal
from quire.evidence.extract.verification import checked
from quire.lexicon.amounts import has_amount, number_readings
from quire.lexicon.dates import date_readings

CERTAIN = 0.99
"""The most that agreement can make of a confidence."""
STRONG = 0.5
"""The least confidence of two places of one extractor that contradict each other."""
FAR = 0.2
"""Of the height of a page: nearer places may be two neighbours of one label, to its right and below it."""
_NUMBERS: frozenset[ValueKind | None] = frozenset({"amount", "number", "percentage"})
"""Signs of an amount in a text whose kind the schema does not name: other digits may be a code."""
NEARLY = 0.9
"""The largest difference in confidence of two places in conflict: a weaker one is an alternative."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A proposal with its evidence."""

    value: Json
    proposal: Proposal
    evidence: LeafEvidence

    @property
    def confidence(self) -> float:
        return self.evidence.confidence.get("total", self.proposal.confidence)


@dataclass(frozen=True, slots=True)
class Merged:
    """The value of a path with its evidence, and the conflict about it if there is one."""

    value: Json
    evidence: LeafEvidence
    conflict: EvidenceConflict | None = None


def merged(path: str, leaf: LeafSpec, found: Sequence[Checked], catalog: SourceCatalog) -> Merged:
    """One value from the proposals of several extractors, of which there is at least one.

    Those that say the same raise its confidence. Another value that the document supports as well is a conflict, and
    one that it does not support is an alternative. Of one extractor, two places that carry the same label and say
    different things are a conflict too.
    """
    groups: list[list[Checked]] = []
    for one in found:
        same = next((group for group in groups if is_same(group[0].value, one.value, leaf.kind)), None)
        groups.append([one]) if same is None else same.append(one)
    groups.sort(key=_rank, reverse=True)
    best, *others = groups
    chosen = max(best, key=lambda one: (one.evidence.supported, one.confidence))
    evidence = chosen.evidence
    if len(found) > 1:
        shares = {**evidence.confidence, "agreement": len(best) / len(found), "total": _together(best)}
        evidence = replace(evidence, confidence=shares)
    rivals = [group[0] for group in others]
    against = [one for one in rivals if one.evidence.supported and evidence.supported]
    against += _elsewhere(chosen, leaf, catalog) if evidence.supported else []
    listed = [_alternative(one) for one in rivals] + list(evidence.alternatives)
    evidence = replace(evidence, alternatives=_different(listed, chosen.value, leaf.kind))
    if not against:
        return Merged(chosen.value, evidence)
    places = (_alternative(chosen), *(_alternative(one) for one in against))
    reason = "; ".join(f"{_said(place)}" for place in places)
    conflict = EvidenceConflict(path, places, reason)
    return Merged(chosen.value, replace(evidence, status="conflict", reason=reason), conflict)


def settled(
    path: str, leaf: LeafSpec, proposed: Iterable[Proposal], catalog: SourceCatalog
) -> tuple[Merged | None, list[str]]:
    """The value of a path from what is proposed for it, and why some of that cannot be a value of the leaf."""
    found: list[Checked] = []
    unfit: list[str] = []
    for one in (each for proposal in proposed for each in (proposal, *proposal.others)):
        fitting, reasons = _fitting(one, leaf, path)
        unfit += reasons
        if fitting is not None:
            found.append(Checked(fitting.value, fitting, checked(fitting, leaf, catalog)))
    return (merged(path, leaf, found, catalog) if found else None), unfit


def is_same(one: Json, other: Json, kind: ValueKind | None = None) -> bool:
    """Whether two values say the same: dates and amounts by value, texts without regard to case and spaces."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if not (isinstance(one, str) and isinstance(other, str)):
        return bool(one == other)
    if " ".join(one.casefold().split()) == " ".join(other.casefold().split()):
        return True
    if kind in _NUMBERS or (kind is None and all("%" in text or has_amount(text) for text in (one, other))):
        return bool(number_readings(one) & number_readings(other))
    return kind in ("date", None) and bool(date_readings(one) & date_readings(other))


def _fitting(proposal: Proposal, leaf: LeafSpec, path: str) -> tuple[Proposal | None, list[str]]:
    """The first of a proposal and its alternatives whose value the schema allows, and why others are not allowed."""
    reasons: list[str] = []
    options = (proposal, *proposal.alternatives)
    for at, one in enumerate(options):
        try:
            value = fitted(one.value, leaf, one.quote)
        except Unfit as error:
            reasons.append(str(error))
            continue
        return replace(one, path=path, value=value, alternatives=options[at + 1 :]), reasons
    return None, reasons


def _rank(group: Sequence[Checked]) -> tuple[bool, float]:
    return any(one.evidence.supported for one in group), _together(group)


def _together(group: Sequence[Checked]) -> float:
    """The confidence of those that agree: each leaves its own doubt."""
    if len(group) == 1:
        return group[0].confidence
    most = max(one.confidence for one in group)
    return max(most, min(CERTAIN, round(1 - prod(1 - one.confidence for one in group), 4)))


def _elsewhere(chosen: Checked, leaf: LeafSpec, catalog: SourceCatalog) -> list[Checked]:
    """Other places that the same extractor found under the same label, nearly as sure, with another value."""
    label = _label(chosen.proposal)
    if not label or leaf.several or chosen.proposal.confidence < STRONG:
        return []
    found: list[Checked] = []
    for one in chosen.proposal.alternatives:
        if _label(one) != label or one.confidence < max(STRONG, NEARLY * chosen.proposal.confidence):
            continue
        try:
            value = fitted(one.value, leaf, one.quote)
        except Unfit:
            continue
        evidence = checked(replace(one, path=chosen.evidence.path, value=value), leaf, catalog)
        if not _are_apart(evidence, chosen.evidence):
            continue
        if evidence.supported and not any(is_same(value, other.value, leaf.kind) for other in (chosen, *found)):
            found.append(Checked(value, one, evidence))
    return found


def _are_apart(one: LeafEvidence, other: LeafEvidence) -> bool:
    """Whether two places cannot share a label: on two pages, or far from each other."""
    if one.page != other.page or not one.bboxes or not other.bboxes:
        return one.page != other.page
    return abs(one.bboxes[0].top - other.bboxes[0].top) > FAR


def _label(proposal: Proposal) -> str:
    return " ".join(proposal.label.casefold().split()).strip(" :.")


def _alternative(one: Checked) -> Alternative:
    evidence = one.evidence
    return Alternative(
        one.value,
        evidence.quote or one.proposal.quote,
        evidence.page or 0,
        evidence.bboxes,
        evidence.blocks,
        one.confidence,
        one.proposal.extractor,
    )


def _different(listed: Sequence[Alternative], value: Json, kind: ValueKind | None) -> tuple[Alternative, ...]:
    """Each other value once, in order."""
    kept: list[Alternative] = []
    for one in listed:
        if not any(is_same(one.value, other, kind) for other in (value, *(known.value for known in kept))):
            kept.append(one)
    return tuple(kept)


def _said(place: Alternative) -> str:
    where = f"page {place.page}" if place.page else "no place"
    return f"{where} says {str(place.value)[:80]!r} ({place.extractor})"
