"""Verifies a proposed value against the source catalog: the same for every extractor, and without any model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from quire.core.keys import Digest
from quire.core.types import NO_BOX, BBox, Part, shortened
from quire.evidence.catalog.block_places import record_places
from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.evidence.extract.schema import LeafSpec
from quire.evidence.extract.values import Alternative, EvidenceStatus, LeafEvidence, MatchKind, Proposal
from quire.evidence.extract.wanted import LeafValue
from quire.evidence.verify.derivations import derives
from quire.evidence.verify.matches import FoundValue, is_short, quoted_in
from quire.lexicon.amounts import number_readings, numbers_in
from quire.lexicon.phrases import TextSpan, solid
from quire.output.place_crops import DPI, around, picture_id
from quire.pages.geometry.extents import touch

OUTSIDE = 1e-3
"""The distance by which a box may reach over the edge of its page, or of its record: boxes are rounded."""
MOST_ALTERNATIVES = 8
UNCITED = "it cites nothing"


class _Quoted(NamedTuple):
    """The place of a quote, and the value in it; None where it says something else."""

    record: EvidenceRecord
    span: TextSpan
    value: FoundValue | None


def checked(
    proposal: Proposal, leaf: LeafSpec, catalog: SourceCatalog, *, version: Digest | None = None
) -> LeafEvidence:
    """The evidence of a proposed value.

    `found` if the cited records are in the catalog, the boxes lie on them, the quote stands there and says the
    value. `repaired` if only the citation is wrong: the quote stands elsewhere, or the value stands in the document
    without doubt. `unverified` else, and `reason` says what is wrong. `version` is that of the catalog from which the
    proposal was made, where it may be another one.
    """
    check = _Check(proposal, leaf, catalog)
    if proposal.value is None or proposal.value == "":
        return check.unverified("no value is proposed")
    if isinstance(proposal.value, (list, dict)):
        return check.unverified("the value is a list or an object; propose each of its values at its own path")
    faults = list(check.faults(version))
    if proposal.derivation is not None:
        return check.derived(faults)
    return check.stated(faults)


class _Check:
    """The check of one proposal."""

    def __init__(self, proposal: Proposal, leaf: LeafSpec, catalog: SourceCatalog) -> None:
        self._proposal = proposal
        self._leaf = leaf
        self._catalog = catalog
        self._value = LeafValue(proposal.value, leaf)
        self._cited = [
            record for name in proposal.records if (record := catalog.by_id.get(name)) and record.tier != "semantic"
        ]

    def faults(self, version: Digest | None) -> Iterator[str]:
        """The fault of the citation that shows without a look at the text."""
        if version is not None and version != self._catalog.version:
            self._cited = []
            yield f"it cites version {version[:12]} of the catalog, and this is {self._catalog.version[:12]}"
            return
        if not self._proposal.records:
            yield UNCITED
        for name in self._proposal.records:
            record = self._catalog.by_id.get(name)
            if record is None:
                yield f"it cites {name}, which is not in the catalog"
            elif record.tier == "semantic":
                yield f"it cites {name}, which was read from a similar picture: that is no evidence"
        pages = {page.number for page in self._catalog.pages}
        there = [place for record in self._cited for place in record.places]
        for place in self._proposal.places:
            if place.page not in pages:
                yield f"its box is on page {place.page}, which the document does not have"
            elif not _is_on_page(place.bbox):
                yield f"its box is not inside page {place.page}"
            elif there and not any(_overlap(place, one) for one in there):
                yield f"its box on page {place.page} is not where {self._cited[0].id} stands"

    def stated(self, faults: list[str]) -> LeafEvidence:
        """The evidence of a value that stands in the document."""
        quoted = list(self._quoted(self._cited)) or list(self._quoted_over()) or list(self._quoted_by_line())
        said = [one for one in quoted if one.value is not None]
        if said:
            if is_short(self._proposal.quote or str(self._proposal.value)) and not self._is_pinned(said):
                return self.unverified(*faults, f"its quote {self._quote} is short and stands more than once")
            if self._proposal.places and not any(map(self._is_at, said)):
                faults = [*faults, "its box is not where the quote stands"]
            if not faults:
                return self._supported("found", self._nearest(said), "")
        elif quoted and self._proposal.quote:
            return self.unverified(*faults, f"its quote {self._quote} does not say {self._said}")
        elif self._cited and self._proposal.quote:
            faults = [*faults, f"its quote {self._quote} is not in {self._names}"]
        elif self._cited:
            faults = [*faults, f"{self._said} is not in {self._names}"]
        found = said or self._elsewhere()
        if found:
            return self._supported("repaired", self._nearest(found), "; ".join(faults))
        return self.unverified(*faults, f"{self._said} was not found elsewhere without doubt")

    def derived(self, faults: list[str]) -> LeafEvidence:
        """The evidence of a value that follows from others: every part stands in its record, and the sum is right."""
        derivation = self._proposal.derivation
        assert derivation is not None
        readings, found = [], []
        for text, name in derivation.parts:
            record = self._catalog.by_id.get(name)
            if record is None:
                return self.unverified(*faults, f"its part {text!r} cites {name}, which is not in the catalog")
            if record.tier == "semantic":
                return self.unverified(*faults, f"its part {text!r} was read from a similar picture")
            printed = self._catalog.texts.of(record)
            spans = quoted_in(text, printed)
            if not spans:
                return self.unverified(*faults, f"its part {text!r} is not in {name}")
            here = [one for one in printed.numbers if spans[0][0] < one.span[1] and one.span[0] < spans[0][1]]
            readings.append({value for one in here or numbers_in(text) for value in one.readings})
            found.append((record, spans[0]))
        values = number_readings(self._proposal.value)
        if not any(derives(derivation.rule, readings, value) for value in values):
            parts = ", ".join(text for text, _ in derivation.parts)
            return self.unverified(*faults, f"{self._said} is not the {derivation.rule} of {parts}")
        places = [place for record, span in found for place in record_places(self._catalog, record, span)]
        wrong = [fault for fault in faults if fault != UNCITED]
        return self._evidence("repaired" if wrong else "found", "derived", found[0][0], places, "; ".join(wrong))

    def unverified(self, *reasons: str) -> LeafEvidence:
        """Nothing supports the value. It keeps what it cites, where that exists, for a person to look at."""
        there = [record.id for record in self._cited]
        return LeafEvidence(
            path=self._proposal.path,
            status="unverified",
            confidence={"extractor": self._proposal.confidence, **self._proposal.signs, "total": 0.0},
            quote=self._proposal.quote,
            page=self._cited[0].page if self._cited else None,
            bboxes=tuple(_boxes(self._cited[0].places, self._cited[0].page)) if self._cited else (),
            blocks=tuple(dict.fromkeys(name for record in self._cited for name in record.blocks)),
            records=tuple(there),
            label=self._proposal.label,
            alternatives=self._alternatives(),
            derivation=self._proposal.derivation,
            extractor=self._proposal.extractor,
            reason="; ".join(reasons),
        )

    @property
    def _quote(self) -> str:
        return repr(shortened(self._proposal.quote))

    @property
    def _said(self) -> str:
        return repr(shortened(str(self._proposal.value)))

    @property
    def _names(self) -> str:
        return ", ".join(record.id for record in self._cited)

    def _quoted(self, records: Iterable[EvidenceRecord]) -> Iterator[_Quoted]:
        """Every place of the quote in some records with the value in it; without a quote, of the value."""
        for record in records:
            found = list(self._quoted_in(record))
            if found and record.level == "chunk":
                found = list(self._inside(record)) or found
            yield from found

    def _quoted_over(self) -> Iterator[_Quoted]:
        """The quote where it goes over several of the cited records: an address over two blocks."""
        if len(self._cited) > 1:
            yield from self._quoted_in(self._together([(record, record.text, record.places) for record in self._cited]))

    def _quoted_by_line(self) -> Iterator[_Quoted]:
        """The quote where each of its lines is a part of a cited record: an address that has another one beside it."""
        parts = []
        for line in self._proposal.quote.splitlines():
            there = (
                (record, span) for record in self._cited for span in quoted_in(line, self._catalog.texts.of(record))
            )
            record, span = next(there, (None, (0, 0)))
            if record is None:
                return
            parts.append((record, record.text[slice(*span)], record_places(self._catalog, record, span)))
        if len(parts) > 1:
            yield from self._quoted_in(self._together(parts))

    def _together(self, parts: Sequence[tuple[EvidenceRecord, str, Sequence[Part]]]) -> EvidenceRecord:
        """Texts of the cited records as one record."""
        return replace(
            self._cited[0],
            id="+".join(f"{record.id}={text}" for record, text, _ in parts),
            level="chunk",
            text="\n".join(text for _, text, _ in parts),
            places=tuple(place for _, _, places in parts for place in places),
            blocks=tuple(dict.fromkeys(name for record in self._cited for name in record.blocks)),
        )

    def _inside(self, chunk: EvidenceRecord) -> Iterator[_Quoted]:
        """The quote in the blocks and cells of a chunk, which have tighter boxes: those rows of a table that it has."""
        for record in self._catalog.records_of(chunk.blocks):
            for one in self._quoted_in(record):
                places = record_places(self._catalog, record, one.span)
                if all(any(_overlap(place, own) for own in chunk.places) for place in places):
                    yield one

    def _quoted_in(self, record: EvidenceRecord) -> Iterator[_Quoted]:
        printed = self._catalog.texts.of(record)
        if not self._proposal.quote:
            for value in self._value.found_in(printed):
                yield _Quoted(record, value.span, value)
            return
        for span in quoted_in(self._proposal.quote, printed):
            values = [*self._value.found_in(printed, span)]
            yield from (_Quoted(record, span, value) for value in values)
            if not values:
                yield _Quoted(record, span, None)

    def _is_pinned(self, said: Sequence[_Quoted]) -> bool:
        """Whether there is no doubt where a short quote stands: in a small record, in a box, or once."""
        if self._proposal.places or any(one.record.level == "cell" for one in said):
            return True
        if any(len(solid(one.record.text)) <= 2 * len(solid(self._proposal.quote)) for one in said):
            return True
        return len(list(self._quoted(self._catalog.texts.blocks))) == 1

    def _is_at(self, quoted: _Quoted) -> bool:
        places = record_places(self._catalog, quoted.record, quoted.span)
        return any(_overlap(one, other) for one in self._proposal.places for other in places)

    def _nearest(self, found: Sequence[_Quoted]) -> _Quoted:
        """The place in the box of the proposal; else on its page; else the first."""
        if len(found) == 1 or not (self._proposal.places or self._cited):
            return found[0]
        if self._proposal.places and (inside := [one for one in found if self._is_at(one)]):
            return inside[0]
        pages = {place.page for place in self._proposal.places} or {record.page for record in self._cited}
        return next((one for one in found if one.record.page in pages), found[0])

    def _elsewhere(self) -> list[_Quoted]:
        """The place of a value whose citation is wrong: that of its quote, else of the value if there is no doubt."""
        texts = self._catalog.texts
        if self._proposal.quote:
            found = [one for one in self._quoted(self._holding()) if one.value is not None]
            if found and (not is_short(self._proposal.quote) or _is_one(found)):
                return found
        values = [
            _Quoted(record, value.span, value)
            for record in texts.searched
            for value in self._value.found_in(texts.of(record))
        ] or [
            _Quoted(record, value.span, value)
            for record in texts.chunks
            for value in self._value.found_in(texts.of(record))
        ]
        if not (self._value.is_distinctive or _is_one(values)):
            return []
        cited = {name for record in self._cited for name in record.blocks}
        return [one for one in values if cited.intersection(one.record.blocks)] or values

    def _holding(self) -> Iterator[EvidenceRecord]:
        """The records that may have the quote: the cells of a table, and the table, only if the table has it."""
        texts, quote = self._catalog.texts, solid(self._proposal.quote)
        for block in texts.blocks:
            printed = texts.of(block)
            if block.tier != "semantic" and (printed.recognised or quote in printed.solid):
                yield from reversed(self._catalog.records_of(block.blocks))

    def _supported(self, status: EvidenceStatus, quoted: _Quoted, reason: str) -> LeafEvidence:
        assert quoted.value is not None
        places = record_places(self._catalog, quoted.record, quoted.value.span)
        given = [place for place in self._proposal.places if any(_overlap(place, one) for one in places)]
        if given and places == quoted.record.places:  # the words of the block are unknown: the extractor knows better
            places = tuple(given)
        return self._evidence(status, quoted.value.agreement, quoted.record, places, reason, quoted.span)

    def _evidence(
        self,
        status: EvidenceStatus,
        match: MatchKind,
        record: EvidenceRecord,
        places: Sequence[Part],
        reason: str,
        span: TextSpan | None = None,
    ) -> LeafEvidence:
        page = places[0].page
        boxes = tuple(_boxes(places, page))
        box = around(boxes)
        cited = status == "found"
        confidence = {"extractor": self._proposal.confidence}
        if record.confidence is not None:
            confidence["ocr"] = record.confidence
        return LeafEvidence(
            path=self._proposal.path,
            status=status,
            match=match,
            confidence={**confidence, **self._proposal.signs, "total": min(confidence.values())},
            quote=record.text[slice(*span)] if span else self._proposal.quote,
            page=page,
            bboxes=boxes,
            blocks=record.blocks,
            records=self._proposal.records if cited else (record.id,),
            crop=None if box is None else picture_id(self._catalog.document, page, dpi=DPI, box=box),
            label=self._proposal.label,
            alternatives=self._alternatives(),
            derivation=self._proposal.derivation,
            extractor=self._proposal.extractor,
            reason=reason,
        )

    def _alternatives(self) -> tuple[Alternative, ...]:
        """The alternatives whose records exist, with the boxes that their extractor gave."""
        found = []
        for one in self._proposal.alternatives[:MOST_ALTERNATIVES]:
            records = [record for name in one.records if (record := self._catalog.by_id.get(name)) is not None]
            places = one.places or (records[0].places if records else ())
            if places:
                page = places[0].page
                blocks = tuple(dict.fromkeys(name for record in records for name in record.blocks))
                boxes = tuple(_boxes(places, page))
                found.append(Alternative(one.value, one.quote, page, boxes, blocks, one.confidence, one.extractor))
        return tuple(found)


def _boxes(places: Iterable[Part], page: int) -> list[BBox]:
    return [place.bbox for place in places if place.page == page and place.bbox != NO_BOX]


def _is_one(found: Sequence[_Quoted]) -> bool:
    """Whether all are the same place: a cell is also a part of its table."""
    levels = {one.record.level for one in found}
    return bool(found) and max(sum(one.record.level == level for one in found) for level in levels) == 1


def _is_on_page(box: BBox) -> bool:
    return (
        box.left >= -OUTSIDE
        and box.top >= -OUTSIDE
        and box.right <= 1 + OUTSIDE
        and box.bottom <= 1 + OUTSIDE
        and box.width >= 0
        and box.height >= 0
    )


def _overlap(first: Part, second: Part) -> bool:
    """Whether two places share a part of the page; a place without a box is its whole page."""
    if first.page != second.page or NO_BOX in (first.bbox, second.bbox):
        return first.page == second.page
    return touch(first.bbox, second.bbox, OUTSIDE)
