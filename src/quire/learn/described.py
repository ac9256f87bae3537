"""A document as the learner sees it: for each leaf its choices, each with its features."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from quire.catalog.records import SourceCatalog
from quire.extract.schema import ExtractSchema, LeafSpec
from quire.learn.choices import DocumentChoices, LeafChoice
from quire.learn.features import FeatureIds, described, feature, nothing, ruled
from quire.learn.layouts import KnownLayout, marks_of, placed
from quire.learn.regression import scores


@dataclass(frozen=True, slots=True)
class LeafRows:
    """The choices for a leaf, and the features of each after those of the choice that there is no value."""

    choices: Sequence[LeafChoice]
    rows: Sequence[FeatureIds]

    def of_kinds(self, kinds: frozenset[str]) -> LeafRows:
        """Without candidates of other kinds, unless they are proposed."""
        kept = [at for at, one in enumerate(self.choices) if one.candidate.kind in kinds or one.rank is not None]
        return LeafRows([self.choices[at] for at in kept], [self.rows[0], *(self.rows[at + 1] for at in kept)])

    def some(self, at: Sequence[int]) -> LeafRows:
        """Some rows, of which the first is that there is no value."""
        return LeafRows([self.choices[row - 1] for row in at[1:]], [self.rows[row] for row in at])

    def placed(self, path: str, near: tuple[float, KnownLayout] | None) -> LeafRows:
        """With the features of a layout that is known."""
        if near is None or path not in near[1].places:
            return self
        rows = [self.rows[0]]
        for choice, row in zip(self.choices, self.rows[1:], strict=True):
            more = [feature(name) for name in placed(choice, path, near)]
            rows.append([*row, *more] if more else row)
        return LeafRows(self.choices, rows)

    def ranked(self, weights: Mapping[int, float]) -> list[tuple[float, LeafChoice | None]]:
        """The choices with how likely each is, the likeliest first; None stands for no value."""
        figures = scores(weights, self.rows)
        most = max(figures)
        likely = [math.exp(figure - most) for figure in figures]
        total = sum(likely)
        listed = zip([one / total for one in likely], (None, *self.choices), strict=True)
        return sorted(listed, key=lambda one: -one[0])


class DescribedDocument:
    def __init__(self, catalog: SourceCatalog, schema: ExtractSchema) -> None:
        self.found = DocumentChoices(catalog, schema)
        self.marks = marks_of(catalog)

    @cached_property
    def _described(self) -> list[FeatureIds]:
        return described(self.found.candidates)

    def rows(self, leaf: LeafSpec) -> LeafRows:
        choices = self.found.of(leaf)
        known = [*self._described, *described([one.candidate for one in choices[len(self._described) :]])]
        rows = [[feature(name) for name in nothing(choices)]]
        for choice, features in zip(choices, known, strict=True):
            more = [feature(name) for name in ruled(choice)]
            rows.append([*features, *more] if more else features)
        return LeafRows(choices, rows)
