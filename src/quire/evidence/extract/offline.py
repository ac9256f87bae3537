"""The extractor that is used where none is named: it needs no language model and nothing that was learnt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.candidates import Candidate
from quire.evidence.extract.extractor import code_version
from quire.evidence.extract.prose import ProseExtractor, is_stated
from quire.evidence.extract.rules import RulesExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.sections import SectionExtractor
from quire.evidence.extract.statements import StatementExtractor
from quire.evidence.extract.tables import TableExtractor
from quire.evidence.extract.value_paths import part_of
from quire.evidence.extract.values import Proposal

_LONGEST_LABEL = 3
"""Words: a longer text before a value is a sentence, and sentences about agreements are read by their own rules."""
_IN_SENTENCE = re.compile(r"\b(?:of|for|to|in|at|by|with|from|the|an?|is|be|and|until|within)$", re.IGNORECASE)
"""The end of what is a part of a sentence, and no label."""


class OfflineExtractor:
    """Rules for fields with labels, sentences of agreements, tables for lists, figures of statements, and sections.

    Where a sentence states what a field of an agreement asks for, that counts. They are ways to look at one page,
    so that two of them saying different things is no conflict of the document: what does not count is an alternative.
    """

    name = "offline"

    def __init__(self) -> None:
        self._rules, self._prose, self._tables = RulesExtractor(), ProseExtractor(), TableExtractor()
        self._statements, self._sections = StatementExtractor(), SectionExtractor()

    @property
    def version(self) -> str:
        return code_version()

    def propose(
        self, catalog: SourceCatalog, schema: ExtractSchema, candidates: Sequence[Candidate] | None = None
    ) -> Sequence[Proposal]:
        """`candidates` are those of the catalog, if they were found already."""
        labelled = {one.path: one for one in self._rules.propose(catalog, schema, candidates)}
        stated = {one.path: one for one in self._prose.propose(catalog, schema)}
        for leaf in schema.leaves:
            if is_stated(leaf) and (one := labelled.get(leaf.path)) and not _is_label(one.label):
                del labelled[leaf.path]
        for path, one in stated.items():
            other = labelled.pop(path, None) or labelled.pop(part_of(path), None)
            stated[path] = one if other is None else _with_alternative(one, other)
        listed = {one.path: one for one in self._tables.propose(catalog, schema)}
        known = {**labelled, **stated, **{path: one for path, one in listed.items() if path not in stated}}
        below = {one.path: one for one in self._sections.propose(catalog, schema)}
        named = {part_of(path) for path in below}
        known = {path: one for path, one in known.items() if part_of(path) not in named} | below
        lists = {part_of(path) for path in known}
        further = (one for one in self._statements.propose(catalog, schema) if part_of(one.path) not in lists)
        return [*known.values(), *further]


def _is_label(text: str) -> bool:
    return len(text.split()) <= _LONGEST_LABEL and not _IN_SENTENCE.search(text.strip())


def _with_alternative(counts: Proposal, other: Proposal) -> Proposal:
    others = [one for one in (replace(other, alternatives=()), *other.alternatives) if one.value != counts.value]
    here = [replace(one, path=counts.path) for one in others]
    return replace(counts, alternatives=(*counts.alternatives, *here))
