"""An extraction after a review: the values and evidence as people decided."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import replace

from quire.core.context import Json
from quire.evidence.extract.value_paths import part_of, value_at, with_value
from quire.evidence.extract.values import Extraction, LeafEvidence, MatchKind, Missing
from quire.evidence.review.decisions import Decision
from quire.lexicon.amounts import number_readings
from quire.lexicon.dates import date_readings
from quire.output.place_crops import DPI, around, picture_id

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
        evidence[path] = _evidence(before, decision, extraction.document, missing=known is not None)
        if decision.action == "correct":
            values = with_value(values, path, decision.value)
        elif decision.action in ("reject", "absent") and not isinstance(value_at(values, path), list):
            values = with_value(values, path, None)
        if decision.action in ("reject", "absent") or (known is not None and decision.action == "approve"):
            missing[path] = Missing(path, known.pages if known else (), _reason(decision))
    for whole in {path[: found.start()] for path in decisions for found in re.finditer(r"\[", path)}:
        if value_at(values, whole):  # a list without rows was missing, and has some now
            evidence.pop(whole, None)
            missing.pop(whole, None)
    return _without_empty_rows(
        extraction.values,
        replace(
            extraction,
            values=values,
            evidence=evidence,
            conflicts=tuple(one for one in extraction.conflicts if one.path not in decisions),
            not_found=tuple(missing.values()),
        ),
        decisions,
    )


def _without_empty_rows(before: Json, extraction: Extraction, decisions: Mapping[str, Decision]) -> Extraction:
    """Without the rows of lists that people emptied, or added and withdrew: the paths of those behind them move up.

    `before` are the values without the decisions.
    """
    values, moved = extraction.values, dict[str, str | None]()
    for part in {part_of(path) for path in decisions if "[" in path}:
        rows, extracted = value_at(values, part), value_at(before, part)
        own = len(extracted) if isinstance(extracted, list) else 0
        emptied = [
            at
            for at, row in enumerate(rows if isinstance(rows, list) else ())
            if _is_empty(row) and (at >= own or any(path.startswith(f"{part}[{at}]") for path in decisions))
        ]
        if not emptied:
            continue
        values = with_value(values, part, [row for at, row in enumerate(rows) if at not in emptied])
        for at in range(len(rows)):
            up = sum(other < at for other in emptied)
            moved[f"{part}[{at}]"] = None if at in emptied else f"{part}[{at - up}]"
    if not moved:
        return extraction

    def path_of(path: str) -> str | None:
        row = re.match(r"[^\[]*\[\d+\]", path)
        to = moved.get(row[0], row[0]) if row else path
        return to + path[row.end() :] if row and to is not None else to

    kept = {to: replace(one, path=to) for path, one in extraction.evidence.items() if (to := path_of(path))}
    return replace(
        extraction,
        values=values,
        evidence=kept,
        conflicts=tuple(replace(one, path=to) for one in extraction.conflicts if (to := path_of(one.path))),
        not_found=tuple(replace(one, path=to) for one in extraction.not_found if (to := path_of(one.path))),
    )


def _is_empty(value: Json) -> bool:
    if isinstance(value, (dict, list)):
        return all(_is_empty(one) for one in (value.values() if isinstance(value, dict) else value))
    return value is None


def _evidence(before: LeafEvidence, decision: Decision, document: str, *, missing: bool) -> LeafEvidence:
    confidence = {**before.confidence, "review": 1.0, "total": 1.0}
    if decision.action == "approve" or (decision.action == "absent" and missing):
        return replace(before, status="confirmed", probability=1.0, confidence=confidence, reason="")
    if decision.action != "correct":
        return LeafEvidence(
            before.path,
            "corrected",
            probability=1.0,
            confidence=confidence,
            extractor=REVIEWER,
            reason=_reason(decision),
        )
    area = around(decision.bboxes)
    placed = decision.page is not None and area is not None
    return LeafEvidence(
        before.path,
        "corrected",
        probability=1.0,
        match=_match(decision),
        confidence=confidence,
        quote=decision.quote,
        page=decision.page,
        bboxes=decision.bboxes,
        blocks=decision.blocks,
        records=decision.blocks,
        crop=picture_id(document, decision.page, dpi=DPI, box=area) if placed and decision.page else None,
        label=before.label,
        extractor=REVIEWER,
        reason="" if placed else "given by a reviewer, without a place in the document",
    )


def _match(decision: Decision) -> MatchKind | None:
    """The kind of agreement of a value with the text at the place that was picked."""
    if str(decision.value) == decision.quote:
        return "exact"
    if number_readings(decision.value) & number_readings(decision.quote):
        return "numeric"
    return "date" if date_readings(str(decision.value)) & date_readings(decision.quote) else None


def _reason(decision: Decision) -> str:
    said = "rejected in review" if decision.action == "reject" else "not in the document, says the review"
    return f"{said}: {decision.note}" if decision.note else said
