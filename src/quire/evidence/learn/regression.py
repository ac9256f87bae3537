"""Choosing one of many by the sum of the weights of its features: softmax regression, with the weights learnt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from quire.evidence.learn.features import PRIOR

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

STRENGTH = 1.0
"""The strength with which weights are drawn to the assumed ones."""
ROUNDS = 80
STEP = 0.15
LEAST_WEIGHT = 0.01
MOST_WRONG = 80
"""Wrong choices of a document that are learnt from: the ones that look most like right ones."""


@dataclass(frozen=True)
class ChoiceRows:
    """The choices of one document for one leaf, the first of which is that it has no value; `right` are those that are
    right, at least one. `flat` are the features of all rows, one after the other, and `sizes` how many each has."""

    flat: Integers
    sizes: Integers
    right: Sequence[int]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], right: Sequence[int]) -> ChoiceRows:
        import numpy as np

        flat = np.fromiter(chain.from_iterable(rows), np.int64)
        return cls(flat, np.fromiter(map(len, rows), np.int64, len(rows)), right)

    def extended(self, more: Mapping[int, Sequence[int]]) -> ChoiceRows:
        """With further features of some rows."""
        import numpy as np

        if not more:
            return self
        ends, sizes = np.cumsum(self.sizes), self.sizes.copy()
        at = [int(ends[row]) for row, names in more.items() for _ in names]
        for row, names in more.items():
            sizes[row] += len(names)
        return ChoiceRows(np.insert(self.flat, at, list(chain.from_iterable(more.values()))), sizes, self.right)

    @cached_property
    def names(self) -> Integers:
        """Each feature once, in order."""
        import numpy as np

        return np.unique(self.flat)

    def some(self, rows: Sequence[int]) -> ChoiceRows:
        """Some rows, all right ones among them."""
        import numpy as np

        kept = np.zeros(len(self.sizes), bool)
        kept[rows] = True
        number = {row: at for at, row in enumerate(rows)}
        return ChoiceRows(self.flat[np.repeat(kept, self.sizes)], self.sizes[kept], [number[row] for row in self.right])


def learnt_weights(documents: Sequence[ChoiceRows]) -> dict[int, float]:
    """The weights of features, of those that occur in at least two documents."""
    import numpy as np

    common = _common(documents)
    known = np.array([PRIOR.get(name, 0.0) for name in common.tolist()] + [0.0])
    matrix = _Matrix(documents, common, known)
    prior = known[matrix.features]
    weights = prior.copy()
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for number in range(1, ROUNDS + 1):
        slope = matrix.slope(weights) + STRENGTH * (weights - prior) / len(documents)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        weights -= STEP * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.99**number)) + 1e-8)
        weights[-1] = 0.0
    found = dict(zip(common.tolist(), weights[matrix.group].tolist(), strict=False))
    return {
        name: round(weight, 3) for name, weight in sorted({**PRIOR, **found}.items()) if abs(weight) >= LEAST_WEIGHT
    }


def scores(weights: Mapping[int, float], rows: Sequence[Sequence[int]]) -> list[float]:
    known = weights.get
    return [sum([known(name, 0.0) for name in row]) for row in rows]


def hardest(documents: Sequence[ChoiceRows]) -> list[Sequence[int]]:
    """The rows of each document that are learnt from: all right ones, and of the wrong ones those with the features of
    right ones."""
    import numpy as np

    if all(len(one.sizes) <= MOST_WRONG for one in documents):
        return [range(len(one.sizes)) for one in documents]
    common = _common(documents)
    right, every = np.ones(len(common) + 1), np.ones(len(common) + 1)
    indices = [_indices(one.flat, common) for one in documents]
    for one, at in zip(documents, indices, strict=True):
        chosen = np.zeros(len(one.sizes), bool)
        chosen[one.right] = True
        right += np.bincount(at[np.repeat(chosen, one.sizes)], minlength=len(right))
        every += np.bincount(at, minlength=len(every))
    usual = sum(len(one.right) for one in documents) / sum(len(one.sizes) for one in documents)
    value = np.log(right / every / usual)
    value[-1] = 0.0
    return [_kept(one, value[at]) for one, at in zip(documents, indices, strict=True)]


def _kept(one: ChoiceRows, values: Floats) -> list[int]:
    import numpy as np

    totals = np.add.reduceat(values, np.cumsum(one.sizes) - one.sizes).tolist()
    right = {*one.right}
    wrong = sorted((at for at in range(1, len(totals)) if at not in right), key=lambda at: (-totals[at], at))
    return sorted({0, *right, *wrong[:MOST_WRONG]})


def _indices(names: Integers, common: Integers) -> Integers:
    """The positions of names in the list of the common ones; its length for others."""
    import numpy as np

    at = np.searchsorted(common, names)
    padded = np.append(common, -1)
    return np.where(padded[at] == names, at, len(common))


def _common(documents: Sequence[ChoiceRows]) -> Integers:
    """The features that occur in at least two documents, in order."""
    import numpy as np

    names, counts = np.unique(np.concatenate([one.names for one in documents]), return_counts=True)
    return names[counts > 1]


class _Matrix:
    """All choices of all documents: for each the indices of its features, one after the other. What is not among the
    common features has the last index, whose weight is always 0.

    Features that the same choices have, like the words of one label, have the same weight, if the same is assumed of
    them: they are one here. `features` is one of each such group, `group` says in which one a feature is.
    """

    def __init__(self, documents: Sequence[ChoiceRows], common: Integers, prior: Floats) -> None:
        import numpy as np

        sizes = np.concatenate([one.sizes for one in documents])
        at = _indices(np.concatenate([one.flat for one in documents]), common)
        owner = np.repeat(np.arange(len(sizes)), sizes)
        last = len(common)
        self.features, self.group = _groups(at, owner, prior)
        first = np.zeros(last + 1, bool)
        first[self.features] = True
        kept = first[at] & (at < last)
        at = np.where(kept, self.group[at], self.group[last])
        kept[np.cumsum(sizes) - sizes] = True  # no row is without an entry
        self._at, self._sizes = at[kept].astype(np.int32), np.bincount(owner[kept], minlength=len(sizes))
        self._starts = np.cumsum(self._sizes) - self._sizes
        counts = np.array([len(one.sizes) for one in documents])
        self._firsts = np.cumsum(counts) - counts
        self._document = np.repeat(np.arange(len(documents)), counts)
        self._right = np.zeros(len(sizes), bool)
        for start, one in zip(self._firsts.tolist(), documents, strict=True):
            self._right[[start + row for row in one.right]] = True
        self._times = np.bincount(self.group).astype(np.float64)

    def slope(self, weights: Floats) -> Floats:
        """Of the loss: how likely the right choices are, on average over the documents."""
        import numpy as np

        totals = np.add.reduceat((weights * self._times)[self._at], self._starts)
        likely = np.exp(totals - np.maximum.reduceat(totals, self._firsts)[self._document])
        all_of = np.add.reduceat(likely, self._firsts)[self._document]
        right = np.where(self._right, likely, 0.0)
        right_of = np.add.reduceat(right, self._firsts)[self._document]
        error = (likely / all_of - right / np.maximum(right_of, 1e-12)) / len(self._firsts)
        slope = np.bincount(self._at, np.repeat(error, self._sizes), len(self._times)).astype(np.float64)
        slope[-1] = 0.0
        return slope


def _groups(at: Integers, owner: Integers, prior: Floats) -> tuple[Integers, Integers]:
    """The first feature of each group that the same rows have, in order, and the group of each. The last feature, which
    stands for all that are not common, is the last group. Rows are compared by sums of random numbers."""
    import numpy as np

    random = np.random.default_rng(0).random((2, int(owner[-1]) + 1))
    sums = [np.bincount(at, numbers[owner], len(prior)) for numbers in random]
    sums[0][-1] = -1.0
    order = np.lexsort((np.arange(len(prior)), prior, *sums))
    keys = np.stack((prior, *sums))[:, order]
    new = np.append(True, np.any(keys[:, 1:] != keys[:, :-1], axis=0))
    firsts = order[new]
    rank = np.argsort(np.argsort(firsts))
    group = np.empty(len(prior), np.int64)
    group[order] = rank[np.cumsum(new) - 1]
    return np.sort(firsts), group
