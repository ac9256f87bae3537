"""The choices of a document for a leaf: its candidates, and what is proposed without anything learnt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from quire.core.context import Json
from quire.core.types import NO_BOX, BBox
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.candidates import Candidate, find_candidates
from quire.evidence.extract.candidates.document_candidates import CONTEXT
from quire.evidence.extract.lines import PlacedLine
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.rules.candidate_ranking import value_of
from quire.evidence.extract.schema import ExtractSchema, LeafSpec
from quire.evidence.extract.value_paths import list_of
from quire.evidence.extract.values import Proposal
from quire.lexicon.phrases import solid
from quire.pages.geometry.extents import shared_area


class LeafChoice(NamedTuple):
    """A candidate for a leaf. `rank` is its place among what is proposed without anything learnt, from 0; None if it
    is not among it."""

    candidate: Candidate
    value: Json
    rank: int | None = None
    proposal: Proposal | None = None
    echoes: int | None = None
    """The rank of a proposal that stands elsewhere and says the same."""


class DocumentChoices:
    """The choices of one document for the leaves of one schema."""

    def __init__(self, catalog: SourceCatalog, schema: ExtractSchema, lines: Sequence[PlacedLine]) -> None:
        """`lines` are those of the catalog."""
        self._blocks = {block.id: block.text for block in catalog.blocks}
        self.candidates = find_candidates(catalog, lines)
        self.proposals: Sequence[Proposal] = OfflineExtractor().propose(catalog, schema, self.candidates)

    @cached_property
    def _by_leaf(self) -> Mapping[str, Sequence[Proposal]]:
        found: dict[str, list[Proposal]] = defaultdict(list)
        for one in self.proposals:
            found[list_of(one.path)].append(one)
        return found

    def proposed(self, leaf: LeafSpec) -> Sequence[Proposal]:
        """The proposals for a leaf without anything learnt: one value, or several."""
        return self._by_leaf.get(leaf.path, ())

    @cached_property
    def _places(self) -> Mapping[tuple[int, str], Sequence[int]]:
        found: dict[tuple[int, str], list[int]] = defaultdict(list)
        for at, one in enumerate(self.candidates):
            found[one.page, solid(one.text)].append(at)
        return found

    def of(self, leaf: LeafSpec, kinds: frozenset[str] | None = None) -> list[LeafChoice]:
        """Every candidate of the document, in reading order, then what is proposed and is no candidate; with `kinds`
        without candidates of other kinds, unless they are proposed."""
        ranked = [
            option
            for one in self.proposed(leaf)
            for option in (replace(one, alternatives=()), *one.alternatives)
            if option.places
        ]
        known: dict[int, tuple[int, Proposal]] = {}
        added: list[LeafChoice] = []
        says: dict[str, int] = {}
        for rank, one in enumerate(ranked):
            says.setdefault(solid(str(one.value)), rank)
            page, box = one.places[0].page, BBox.union(place.bbox for place in one.places)
            there = [
                at for at in self._places.get((page, solid(one.quote)), ()) if _touch(self.candidates[at].bbox, box)
            ]
            for at in there:
                known.setdefault(at, (rank, one))
            if not there:
                made = self._candidate(leaf, one, page, box)
                added.append(LeafChoice(made, one.value, rank, one))
        choices: list[LeafChoice] = []
        for at, candidate in enumerate(self.candidates):
            if at in known:
                rank, one = known[at]
                choices.append(LeafChoice(candidate, one.value, rank, one))
                continue
            if kinds is not None and candidate.kind not in kinds:
                continue
            value = value_of(leaf, candidate)
            choices.append(LeafChoice(candidate, value, echoes=says.get(solid(str(value))) if says else None))
        return choices + added

    def _candidate(self, leaf: LeafSpec, one: Proposal, page: int, box: BBox) -> Candidate:
        """A proposal that is no candidate, with the sentence that it stands in."""
        block = one.records[0].split(":")[0] if one.records else ""
        text = self._blocks.get(block, "")
        at = text.find(one.quote)
        before, after = ("", "") if at < 0 else (text[max(at - CONTEXT, 0) : at], text[at + len(one.quote) :])
        return Candidate(
            kind=leaf.kind or "text",
            text=one.quote,
            value=one.value,
            page=page,
            bbox=box,
            record=one.records[0] if one.records else "",
            block=block if block in self._blocks else "",
            origin="span",
            order=next((candidate.order for candidate in self.candidates if candidate.record in one.records), 0),
            before=before.strip(),
            after=after[:CONTEXT].strip(),
            more=one.records[1:],
        )


def _touch(one: BBox, other: BBox) -> bool:
    if NO_BOX in (one, other):
        return True
    return shared_area(one, other) > 0
