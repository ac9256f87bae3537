"""The extractor that needs no language model: fields pick candidates by label, kind, place and the other fields."""

from __future__ import annotations

import math
from collections.abc import Sequence

from quire.core.types import Part
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.candidates import Candidate, find_candidates
from quire.evidence.extract.extractor import code_version
from quire.evidence.extract.naming.plurals import rows_asked
from quire.evidence.extract.rules.candidate_ranking import LEAST, Ranked, Ranking, value_of
from quire.evidence.extract.rules.choice import chosen
from quire.evidence.extract.rules.leaves import WantedLeaf, wanted_leaves
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Proposal

MOST_ALTERNATIVES = 5


class RulesExtractor:
    """Proposes values for the leaves of a schema that are in no list, by rules alone."""

    @property
    def name(self) -> str:
        return "rules"

    @property
    def version(self) -> str:
        return code_version()

    def propose(
        self, catalog: SourceCatalog, schema: ExtractSchema, candidates: Sequence[Candidate] | None = None
    ) -> Sequence[Proposal]:
        """`candidates` are those of the catalog, if they were found already."""
        single = (leaf for leaf in schema.leaves if "[]" not in leaf.path and not rows_asked(leaf))
        wanted, matcher = wanted_leaves(tuple(single))
        ranking = Ranking(find_candidates(catalog) if candidates is None else candidates, matcher)
        found = chosen(wanted, {one.leaf.path: ranking.ranked(one) for one in wanted})
        return [_proposal(self.name, one, found[one.leaf.path]) for one in wanted if one.leaf.path in found]


def _proposal(extractor: str, wanted: WantedLeaf, ranked: Sequence[Ranked]) -> Proposal:
    best, *others = ranked
    confidence = _confidence(best, others[0].score if others else 0.0)
    alternatives = tuple(
        _made(extractor, wanted, one, round(min(_confidence(one, best.score), 1 - confidence), 3))
        for one in others[:MOST_ALTERNATIVES]
    )
    return _made(extractor, wanted, best, confidence, alternatives)


def _made(
    extractor: str, wanted: WantedLeaf, ranked: Ranked, confidence: float, alternatives: tuple[Proposal, ...] = ()
) -> Proposal:
    candidate = ranked.candidate
    return Proposal(
        path=wanted.leaf.path,
        value=value_of(wanted.leaf, candidate),
        records=(candidate.record, *candidate.more),
        quote=candidate.text,
        confidence=confidence,
        extractor=extractor,
        places=(Part(candidate.page, candidate.bbox),),
        label=ranked.label,
        alternatives=alternatives,
        signs={
            "known": float(wanted.concept is not None),
            **({"label": round(ranked.named, 3)} if ranked.label else {}),
            **({} if ranked.adds_up is None else {"arithmetic": float(ranked.adds_up)}),
        },
    )


def _confidence(ranked: Ranked, rival: float) -> float:
    """About the share of such values that are right: by their score, the distance from the next, and the OCR.

    Fitted to receipts, invoices and order forms; `python -m benchmarks extraction` shows how well it holds.
    """
    candidate = ranked.candidate
    sure = 0.4 + 2.0 * (ranked.score - LEAST) + 2.5 * max(min(ranked.score - rival, 0.4), -0.4)
    if candidate.confidence is not None:
        sure -= 2.0 * (1 - candidate.confidence) + 0.09 * len(candidate.text.split())
    return round(1 / (1 + math.exp(-sure)), 3)
