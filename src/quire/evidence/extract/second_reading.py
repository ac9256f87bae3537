"""Compares values with what another engine reads in the pictures of their places.

A text layer can say something else than the page shows. Whether both agree is decided as for any text: by
`quire.evidence.verify`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from quire.core.context import Json
from quire.core.types import NO_BOX, BBox, Part, shortened
from quire.evidence.catalog.block_places import record_places
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.reports.value_rows import value_rows
from quire.evidence.extract.schema import ExtractSchema, LeafSpec
from quire.evidence.extract.schema_fit import Unfit, fitted
from quire.evidence.extract.values import Alternative, EvidenceStatus, Extraction, ExtractorFailure, LeafEvidence
from quire.evidence.extract.verification import MOST_ALTERNATIVES
from quire.evidence.extract.wanted import LeafValue
from quire.evidence.verify.matches import SearchedText, WantedValue, quoted_in

REREAD: frozenset[EvidenceStatus] = frozenset({"found", "repaired"})
"""Values whose places are read again: those that the text of the document supports."""
SOURCE = "reread"
"""Among the figures of confidence: how sure the other engine is that the picture says the value."""
_ENGINE = re.compile(r"[^(),]+(?=[,)]|$)")


class CropReading(NamedTuple):
    """The text that an engine read in the picture of a place; `failed` says why there is none."""

    text: str = ""
    confidence: float | None = None
    failed: str = ""


@dataclass(frozen=True, slots=True)
class _Shown:
    """Something that the picture of a place should show; `printed` is the text that the document has there."""

    place: Part
    wanted: LeafValue | WantedValue
    printed: SearchedText
    blocks: tuple[str, ...]

    def is_in(self, reading: CropReading) -> bool:
        read = replace(self.printed, text=reading.text, recognised=True)
        return next(iter(self.wanted.found_in(read)), None) is not None


def reread_places(
    extraction: Extraction, schema: ExtractSchema, catalog: SourceCatalog, engine: str
) -> tuple[Part, ...]:
    """The places that an engine has to read again: of all values, but not where it has read the text itself."""
    places = [
        shown.place
        for value, leaf, evidence in _values(extraction, schema)
        for shown in _shown(value, leaf, evidence, catalog)
        if not _is_own(shown, catalog, engine)
    ]
    return tuple(dict.fromkeys(places))


def with_readings(
    extraction: Extraction,
    schema: ExtractSchema,
    catalog: SourceCatalog,
    engine: tuple[str, str],
    readings: Mapping[Part, CropReading],
) -> Extraction:
    """The extraction with what an engine, by name and version, read at `reread_places`.

    A value is crop-verified if the picture of each of its places says it. Otherwise its status stays, because the text
    of the document says it, and its reason has what the engine read.
    """
    evidence = dict(extraction.evidence)
    for value, leaf, one in _values(extraction, schema):
        shown = _shown(value, leaf, one, catalog)
        if shown:
            own = any(_is_own(each, catalog, engine[0]) for each in shown)
            evidence[one.path] = _own(one, engine[0]) if own else _compared(one, leaf, shown, readings, engine[0])
    failed = [one.failed for one in readings.values() if one.failed]
    failures = tuple(extraction.failures)
    if failed:
        reason = f"{len(failed)} of {len(readings)} places were not read again: {failed[0]}"
        failures = (*failures, ExtractorFailure(engine[0], reason))
    return replace(
        extraction,
        evidence=evidence,
        failures=failures,
        reread=" ".join(engine),
    )


def _values(extraction: Extraction, schema: ExtractSchema) -> Iterator[tuple[Json, LeafSpec, LeafEvidence]]:
    for row in value_rows(extraction):
        leaf = schema.leaf(row.path)
        if leaf is not None and row.value is not None and row.evidence.status in REREAD:
            yield row.value, leaf, row.evidence


def _shown(value: Json, leaf: LeafSpec, evidence: LeafEvidence, catalog: SourceCatalog) -> list[_Shown]:
    """The texts that the pictures should show: the value, or each of the values that it is derived from."""
    if evidence.derivation is None:
        place = _around(Part(evidence.page or 0, box) for box in evidence.bboxes)
        records = catalog.records_of(evidence.blocks)
        if place is None or not records:
            return []
        return [_Shown(place, LeafValue(value, leaf), catalog.texts.of(records[0]), evidence.blocks)]
    found = []
    for text, name in evidence.derivation.parts:
        record = catalog.by_id[name]
        printed = catalog.texts.of(record)
        place = _around(record_places(catalog, record, quoted_in(text, printed)[0]))
        if place is not None:
            found.append(_Shown(place, WantedValue(text, "number"), printed, record.blocks))
    return found


def _around(places: Iterator[Part] | Sequence[Part]) -> Part | None:
    """The place around those on the first page; None where there is nothing to see."""
    placed = [place for place in places if place.bbox != NO_BOX]
    if not placed:
        return None
    page = placed[0].page
    return Part(page, BBox.union(place.bbox for place in placed if place.page == page))


def _is_own(shown: _Shown, catalog: SourceCatalog, engine: str) -> bool:
    """Whether the engine, or a part of a composed one, has read the text of the document at this place."""
    sources = {source.engine for name in shown.blocks for source in catalog.block_by_id[name].sources}
    return not set(_ENGINE.findall(engine)).isdisjoint(part for one in sources for part in _ENGINE.findall(one))


def _own(evidence: LeafEvidence, engine: str) -> LeafEvidence:
    return _with_reason(evidence, f"{engine} has read the text of the document too: its picture was not read again")


def _compared(
    evidence: LeafEvidence,
    leaf: LeafSpec,
    shown: Sequence[_Shown],
    readings: Mapping[Part, CropReading],
    engine: str,
) -> LeafEvidence:
    read = [(one, readings.get(one.place, CropReading(failed="the place was not read"))) for one in shown]
    for _, reading in read:
        if reading.failed:
            return _with_reason(evidence, f"its picture was not read again: {reading.failed}")
    differing = [(one, reading) for one, reading in read if not one.is_in(reading)]
    if not differing:
        sure = min(_sure(reading) for _, reading in read)
        return replace(evidence, crop_verified=True, confidence={**evidence.confidence, SOURCE: sure})
    place, reading = differing[0][0].place, differing[0][1]
    doubt = round(1 - _sure(reading), 4)
    total = min(doubt, evidence.confidence.get("total", 1.0))
    sure = min(doubt, 1.0 if evidence.probability is None else evidence.probability)
    other = replace(evidence, probability=sure, confidence={**evidence.confidence, SOURCE: doubt, "total": total})
    if evidence.derivation is None:
        other = replace(other, alternatives=_with_alternative(evidence, leaf, place, reading, engine))
    said = repr(shortened(reading.text)) if reading.text else "nothing"
    return _with_reason(other, f"the picture reads {said} ({engine})")


def _sure(reading: CropReading) -> float:
    return 1.0 if reading.confidence is None else round(reading.confidence, 4)


def _with_reason(evidence: LeafEvidence, reason: str) -> LeafEvidence:
    return replace(evidence, reason="; ".join(filter(None, (evidence.reason, reason))))


def _with_alternative(
    evidence: LeafEvidence, leaf: LeafSpec, place: Part, reading: CropReading, engine: str
) -> tuple[Alternative, ...]:
    """The alternatives, first the text of the picture if it can be a value of the leaf."""
    try:
        value = fitted(reading.text, leaf)
    except Unfit:
        return evidence.alternatives
    read = Alternative(
        value, reading.text, place.page, evidence.bboxes, evidence.blocks, _sure(reading), extractor=engine
    )
    return (read, *evidence.alternatives)[:MOST_ALTERNATIVES]
