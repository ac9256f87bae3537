"""The extractor that is used where none is named: it needs no language model and nothing that was learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.catalog.records import SourceCatalog
from quire.extract.candidates import Candidate
from quire.extract.prose import ProseExtractor, is_stated
from quire.extract.rules import RulesExtractor
from quire.extract.schema import ExtractSchema
from quire.extract.tables import TableExtractor
from quire.extract.values import Proposal

LONGEST_LABEL = 3
"""Words: a longer text before a value is a sentence, and sentences about agreements are read by their own rules."""


class OfflineExtractor:
    """Rules for fields with labels, sentences of agreements, and tables for lists.

    Where a sentence states what a field of an agreement asks for, that counts. They are three ways to look at one page,
    so that two of them saying different things is no conflict of the document: what does not count is an alternative.
    """

    name = "offline"

    def __init__(self) -> None:
        self._rules, self._prose, self._tables = RulesExtractor(), ProseExtractor(), TableExtractor()

    @property
    def version(self) -> str:
        return "-".join(part.version for part in (self._rules, self._prose, self._tables))

    def propose(
        self, catalog: SourceCatalog, schema: ExtractSchema, candidates: Sequence[Candidate] | None = None
    ) -> Sequence[Proposal]:
        """`candidates` are those of the catalog, if they were found already."""
        labelled = {one.path: one for one in self._rules.propose(catalog, schema, candidates)}
        stated = {one.path: one for one in self._prose.propose(catalog, schema)}
        for leaf in schema.leaves:
            if is_stated(leaf) and (one := labelled.get(leaf.path)) and len(one.label.split()) > LONGEST_LABEL:
                del labelled[leaf.path]
        for path, one in stated.items():
            other = labelled.pop(path, None) or labelled.pop(path.split("[")[0], None)
            stated[path] = one if other is None else _with_alternative(one, other)
        listed = {one.path: one for one in self._tables.propose(catalog, schema)}
        return [*labelled.values(), *stated.values(), *(one for path, one in listed.items() if path not in stated)]


def _with_alternative(counts: Proposal, other: Proposal) -> Proposal:
    others = [one for one in (replace(other, alternatives=()), *other.alternatives) if one.value != counts.value]
    here = [replace(one, path=counts.path) for one in others]
    return replace(counts, alternatives=(*counts.alternatives, *here))
