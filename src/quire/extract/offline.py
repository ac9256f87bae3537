"""The extractor that is used where none is named: it needs no language model and nothing that was learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.catalog.records import SourceCatalog
from quire.extract.candidates import Candidate
from quire.extract.prose import ProseExtractor
from quire.extract.rules import RulesExtractor
from quire.extract.schema import ExtractSchema
from quire.extract.tables import TableExtractor
from quire.extract.values import Proposal


class OfflineExtractor:
    """Rules for fields with labels, sentences of agreements, and tables for lists.

    For each path the surest proposal counts; the others are its alternatives. They are three ways to look at one page,
    so that two of them saying different things is no conflict of the document.
    """

    name = "offline"

    def __init__(self) -> None:
        self._rules = RulesExtractor()
        self._others = (ProseExtractor(), TableExtractor())

    @property
    def version(self) -> str:
        return "-".join(part.version for part in (self._rules, *self._others))

    def propose(
        self, catalog: SourceCatalog, schema: ExtractSchema, candidates: Sequence[Candidate] | None = None
    ) -> Sequence[Proposal]:
        """`candidates` are those of the catalog, if they were found already."""
        best: dict[str, Proposal] = {}
        proposed = [self._rules.propose(catalog, schema, candidates)]
        proposed += [part.propose(catalog, schema) for part in self._others]
        for those in proposed:
            for one in those:
                field = one.path.split("[")[0]
                best[one.path] = _surest(best[one.path], one) if one.path in best else one
                if one.path != field and field in best:  # one value of a field that turned out to have several
                    del best[field]
        return list(best.values())


def _surest(first: Proposal, second: Proposal) -> Proposal:
    winner, other = (first, second) if first.confidence >= second.confidence else (second, first)
    others = [one for one in (replace(other, alternatives=()), *other.alternatives) if one.value != winner.value]
    return replace(winner, alternatives=(*winner.alternatives, *others))
