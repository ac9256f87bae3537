"""A document as the learner sees it: for each leaf its choices, each with its features."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.lines import lines_of
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.learn.choices import DocumentChoices, LeafChoice
from quire.evidence.learn.features import DescribedCandidates, FeatureIds, feature, nothing, ruled
from quire.evidence.learn.layouts import KnownLayout, marks_of, placed
from quire.evidence.learn.regression import scores


@dataclass(frozen=True, slots=True)
class LeafRows:
    """The choices for a leaf, and the features of each after those of the choice that there is no value."""

    choices: Sequence[LeafChoice]
    rows: Sequence[FeatureIds]

    def some(self, at: Sequence[int]) -> LeafRows:
        """Some rows, of which the first is that there is no value."""
        return LeafRows([self.choices[row - 1] for row in at[1:]], [self.rows[row] for row in at])

    def placed(self, path: str, near: tuple[float, KnownLayout] | None) -> LeafRows:
        """With the features of a layout that is known."""
        more = self.placements(path, near)
        return LeafRows(self.choices, [row + more.get(at, ()) for at, row in enumerate(self.rows)]) if more else self

    def placements(self, path: str, near: tuple[float, KnownLayout] | None) -> dict[int, FeatureIds]:
        """The features that rows have by a layout that is known."""
        if near is None or path not in near[1].places:
            return {}
        found = ((at, tuple(map(feature, placed(one, path, near)))) for at, one in enumerate(self.choices, 1))
        return {at: more for at, more in found if more}

    def best(self, weights: Mapping[int, float]) -> LeafChoice | None:
        """The likeliest choice; None for no value."""
        totals = scores(weights, self.rows)
        at = totals.index(max(totals))
        return self.choices[at - 1] if at else None

    def ranked(self, weights: Mapping[int, float]) -> list[tuple[float, LeafChoice | None]]:
        """The choices with how likely each is, the likeliest first; None stands for no value."""
        totals = scores(weights, self.rows)
        most = max(totals)
        likely = [math.exp(score - most) for score in totals]
        total = sum(likely)
        listed = zip([one / total for one in likely], (None, *self.choices), strict=True)
        return sorted(listed, key=lambda one: -one[0])


class DescribedDocument:
    def __init__(self, catalog: SourceCatalog, schema: ExtractSchema) -> None:
        lines = lines_of(catalog)
        self.found = DocumentChoices(catalog, schema, lines)
        self.marks = marks_of(lines)

    @cached_property
    def _described(self) -> DescribedCandidates:
        return DescribedCandidates(self.found.candidates)

    def rows(self, choices: Sequence[LeafChoice]) -> LeafRows:
        """The choices of a leaf with their features."""
        known = self._described
        further = DescribedCandidates([one.candidate for one in choices if one.candidate not in known])
        rows = [tuple(map(feature, nothing(choices)))]
        for one in choices:
            features = known[one.candidate] if one.candidate in known else further[one.candidate]
            rows.append((*features, *map(feature, ruled(one))))
        return LeafRows(choices, rows)
