"""The extractor that uses what was learnt from samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from quire.core.errors import UsageError
from quire.core.types import Part
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import ExtractSchema, LeafSpec
from quire.evidence.extract.values import Proposal
from quire.evidence.learn.choices import LeafChoice
from quire.evidence.learn.described import DescribedDocument
from quire.evidence.learn.layouts import nearest
from quire.evidence.learn.model import LearnedLeaf, LearnedModel
from quire.evidence.learn.written_forms import written
from quire.lexicon.phrases import solid
from quire.system.stage_versions import stage_version

MOST_ALTERNATIVES = 5
LEAST_LIKELY = 0.001


class LearnedExtractor:
    """Chooses among candidates by what was learnt; leaves that nothing was learnt about are left to the rules."""

    name = "learned"

    def __init__(self, model: LearnedModel | Path | str = "") -> None:
        """From a model, or the path of its file. Raises UsageError if that is no model."""
        if not model:
            raise UsageError("no model is named; write learned:FILE, with a file that `quire learn` wrote")
        self.model = model if isinstance(model, LearnedModel) else LearnedModel.load(model)

    @property
    def version(self) -> str:
        return f"{self.model.digest[:16]}-{stage_version('learned')[:12]}"

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        document = DescribedDocument(catalog, schema)
        near = nearest(document.marks, self.model.layouts)
        found: list[Proposal] = []
        for leaf in schema.leaves:
            learned = self.model.leaves.get(leaf.path)
            if learned is None or not (learned.weights or learned.spellings):
                found += document.found.proposed(leaf)
                continue
            if not learned.weights:
                found += self._spelt(leaf, learned, document)
                continue
            choices = document.found.of(leaf, frozenset(learned.kinds))
            rows = document.rows(choices).placed(leaf.path, near)
            found += self._chosen(leaf, learned, rows.ranked(learned.weights))
        return found

    def _spelt(self, leaf: LeafSpec, learned: LearnedLeaf, document: DescribedDocument) -> Iterator[Proposal]:
        """The proposals of the rules, as samples spell them."""
        proposed = document.found.proposed(leaf)
        first = next((one for one in document.found.of(leaf) if one.rank == 0), None)
        if len(proposed) != 1 or first is None or first.value != proposed[0].value:
            yield from proposed
        else:
            yield replace(proposed[0], value=learned.spellings.of_choice(first), extractor=self.name)

    def _chosen(
        self, leaf: LeafSpec, learned: LearnedLeaf, ranked: Sequence[tuple[float, LeafChoice | None]]
    ) -> Iterator[Proposal]:
        best = ranked[0][1]
        if best is None:
            return
        said: dict[str, Proposal] = {}
        sure: dict[str, float] = {}
        for likely, choice in ranked:
            if choice is not None and likely >= LEAST_LIKELY:
                value = solid(str(choice.value))
                sure[value] = sure.get(value, 0.0) + likely  # other places may say the same
                said.setdefault(value, self._proposal(leaf, learned, choice))
        first, *others = (replace(one, confidence=round(min(sure[value], 1.0), 3)) for value, one in said.items())
        yield replace(first, alternatives=tuple(others[:MOST_ALTERNATIVES]))

    def _proposal(self, leaf: LeafSpec, learned: LearnedLeaf, choice: LeafChoice) -> Proposal:
        candidate = choice.candidate
        value = written(learned.way, learned.spellings.of_choice(choice), candidate.text)
        if choice.proposal is not None:
            return replace(choice.proposal, path=leaf.path, value=value, extractor=self.name, alternatives=())
        return Proposal(
            path=leaf.path,
            value=value,
            records=(candidate.record, *candidate.more),
            quote=candidate.text,
            confidence=0.0,
            extractor=self.name,
            places=(Part(candidate.page, candidate.bbox),),
            label=candidate.before or candidate.left or candidate.row_head or candidate.column_head,
        )
