"""An extraction after a review: the values and evidence as people decided."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace

from quire.context import Json
from quire.extract.values import EvidenceCoverage, Extraction, LeafEvidence, Missing
from quire.review.decisions import Decision
from quire.review.items import steps_of

REVIEWER = "review"
"""The extractor of values that a person gave."""


def reviewed(extraction: Extraction, decisions: Mapping[str, Decision]) -> Extraction:
    """The extraction with the decisions by path: values that were decided about are `confirmed` or `corrected`.

    A conflict that was decided is none any more. What a person says is not in the document is in `not_found`.
    """
    if not decisions:
        return extraction
    values = copy.deepcopy(extraction.values)
    evidence, missing = dict(extraction.evidence), {one.path: one for one in extraction.not_found}
    for path, decision in decisions.items():
        before = evidence.get(path) or LeafEvidence(path, "not_found")
        known = missing.pop(path, None)
        evidence[path] = _evidence(before, decision, known)
        if decision.action == "correct":
            values = _put(values, path, decision.value)
        elif decision.action in ("reject", "absent"):
            values = _put(values, path, None)
        if decision.action in ("reject", "absent") or (known is not None and decision.action == "approve"):
            missing[path] = Missing(path, known.pages if known else (), _reason(decision))
    return replace(
        extraction,
        values=values,
        evidence=evidence,
        coverage=_coverage(extraction.coverage, extraction.evidence, evidence),
        conflicts=tuple(one for one in extraction.conflicts if one.path not in decisions),
        not_found=tuple(missing.values()),
    )


def _evidence(before: LeafEvidence, decision: Decision, missing: Missing | None) -> LeafEvidence:
    confidence = {**before.confidence, "review": 1.0, "total": 1.0}
    if decision.action == "approve" or (decision.action == "absent" and missing is not None):
        return replace(before, status="confirmed", confidence=confidence, reason="")
    if decision.action != "correct":
        return LeafEvidence(
            before.path, "corrected", confidence=confidence, extractor=REVIEWER, reason=_reason(decision)
        )
    return LeafEvidence(
        before.path,
        "corrected",
        match="exact" if decision.bboxes else None,
        confidence=confidence,
        quote=decision.quote,
        page=decision.page,
        bboxes=decision.bboxes,
        blocks=decision.blocks,
        records=decision.blocks,
        label=before.label,
        extractor=REVIEWER,
        reason="" if decision.bboxes else "typed in by a reviewer, without a place in the document",
    )


def _reason(decision: Decision) -> str:
    said = "rejected in review" if decision.action == "reject" else "not in the document, says the review"
    return f"{said}: {decision.note}" if decision.note else said


def _put(values: Json, path: str, value: Json) -> Json:
    """Put a value at a path, making the objects and rows on the way."""
    step, *rest = steps_of(path)
    return _put_at(values, [step, *rest], value)


def _put_at(values: Json, steps: list[str | int], value: Json) -> Json:
    if not steps:
        return value
    step, *rest = steps
    if isinstance(step, int):
        rows = list(values) if isinstance(values, list) else []
        rows += [None] * (step + 1 - len(rows))
        rows[step] = _put_at(rows[step], rest, value)
        return rows
    tree = dict(values) if isinstance(values, dict) else {}
    tree[step] = _put_at(tree.get(step), rest, value)
    return tree


def _coverage(
    coverage: EvidenceCoverage, before: Mapping[str, LeafEvidence], after: Mapping[str, LeafEvidence]
) -> EvidenceCoverage:
    """The counts, with what the decisions changed: a decided leaf is supported, whatever it was."""

    def difference(counts: Mapping[str, LeafEvidence], what: str) -> int:
        if what == "verified":
            return sum(one.supported for one in counts.values())
        if what == "cited":
            return sum(bool(one.records or one.bboxes) for one in counts.values())
        return sum(one.status == "not_found" for one in counts.values())

    changed = {
        name: max(0, getattr(coverage, name) + difference(after, name) - difference(before, name))
        for name in ("verified", "cited", "not_found")
    }
    return replace(coverage, leaves=coverage.leaves + len(after) - len(before), **changed)
