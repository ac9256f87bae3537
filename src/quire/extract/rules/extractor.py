"""The extractor that needs no language model: fields pick candidates by label, kind, place and the other fields."""

from __future__ import annotations

import math
from collections.abc import Sequence

from quire.catalog.records import SourceCatalog
from quire.context import Json
from quire.extract.candidates import Candidate, find_candidates
from quire.extract.rules.choosing import chosen
from quire.extract.rules.leaves import WantedLeaf, wanted_leaves
from quire.extract.rules.ranking import Ranked, Ranking
from quire.extract.schema import ExtractSchema, LeafSpec
from quire.extract.values import Proposal
from quire.types import Part

MOST_ALTERNATIVES = 5
VERSION = "1"


class RulesExtractor:
    """Proposes values for the leaves of a schema that are in no list, by rules alone."""

    @property
    def name(self) -> str:
        return "rules"

    @property
    def version(self) -> str:
        return VERSION

    def propose(
        self, catalog: SourceCatalog, schema: ExtractSchema, candidates: Sequence[Candidate] | None = None
    ) -> Sequence[Proposal]:
        """`candidates` are those of the catalog, if they were found already."""
        wanted, matcher = wanted_leaves(tuple(leaf for leaf in schema.leaves if "[]" not in leaf.path))
        ranking = Ranking(find_candidates(catalog) if candidates is None else candidates, matcher)
        found = chosen(wanted, {one.leaf.path: ranking.ranked(one) for one in wanted})
        return [_proposal(self.name, one, found[one.leaf.path]) for one in wanted if one.leaf.path in found]


def _proposal(extractor: str, wanted: WantedLeaf, ranked: Sequence[Ranked]) -> Proposal:
    best, *others = ranked
    rival = others[0].figure if others else 0.0
    alternatives = tuple(
        _made(extractor, wanted, one, _confidence(one.figure, best.figure)) for one in others[:MOST_ALTERNATIVES]
    )
    return _made(extractor, wanted, best, _confidence(best.figure, rival), alternatives)


def _made(
    extractor: str, wanted: WantedLeaf, ranked: Ranked, confidence: float, alternatives: tuple[Proposal, ...] = ()
) -> Proposal:
    candidate = ranked.candidate
    return Proposal(
        path=wanted.leaf.path,
        value=leaf_value(wanted.leaf, candidate),
        records=(candidate.record, *candidate.more),
        quote=candidate.text,
        confidence=confidence,
        extractor=extractor,
        places=(Part(candidate.page, candidate.bbox),),
        label=ranked.label,
        alternatives=alternatives,
    )


def leaf_value(leaf: LeafSpec, candidate: Candidate) -> Json:
    """The value in the type of the leaf: a number, an ISO date, the code of a currency, else the text on one line."""
    value = candidate.value
    if leaf.type in ("number", "integer") and isinstance(value, float):
        return int(value) if leaf.type == "integer" or value.is_integer() else value
    if isinstance(value, str):
        return value
    return " ".join(candidate.text.split())


def _confidence(figure: float, rival: float) -> float:
    """The share of values with such a figure, and such a distance from the next best, that are right."""
    return round(1 / (1 + math.exp(-(7 * (figure - 0.6) + 3 * min(figure - rival, 0.4)))), 3)
