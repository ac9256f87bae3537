"""Choosing one of many by the sum of the weights of its features: softmax regression, with the weights learnt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from quire.learn.features import PRIOR

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

STRENGTH = 1.0
"""How much weights are drawn to what is assumed before anything is learnt."""
ROUNDS = 80
STEP = 0.15
LEAST_WEIGHT = 0.01
MOST_WRONG = 80
"""Wrong choices of a document that are learnt from: the ones that look most like right ones."""


@dataclass(frozen=True, slots=True)
class ChoiceRows:
    """The choices of one document for one leaf, the first of which is that it has no value; `right` are those that are
    right, at least one."""

    rows: Sequence[Sequence[int]]
    right: Sequence[int]


def learnt_weights(documents: Sequence[ChoiceRows]) -> dict[int, float]:
    """The weights of features, of those that occur in at least two documents."""
    import numpy as np

    common = _common(documents)
    prior = np.array([PRIOR.get(name, 0.0) for name in common.tolist()] + [0.0])
    matrix = _Matrix(documents, common)
    weights = prior.copy()
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for number in range(1, ROUNDS + 1):
        slope = matrix.slope(weights) + STRENGTH * (weights - prior) / len(documents)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        weights -= STEP * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.99**number)) + 1e-8)
        weights[-1] = 0.0
    found = dict(zip(common.tolist(), weights.tolist(), strict=False))
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

    if all(len(one.rows) <= MOST_WRONG for one in documents):
        return [range(len(one.rows)) for one in documents]
    common = _common(documents)
    right, every = np.ones(len(common) + 1), np.ones(len(common) + 1)
    for one in documents:
        chosen = [name for at in one.right for name in one.rows[at]]
        right += np.bincount(_indices(np.array(chosen, np.int64), common), minlength=len(right))
        flat = np.fromiter(chain.from_iterable(one.rows), np.int64)
        every += np.bincount(_indices(flat, common), minlength=len(every))
    usual = sum(len(one.right) for one in documents) / sum(len(one.rows) for one in documents)
    value = dict(zip(common.tolist(), np.log(right / every / usual).tolist(), strict=False))
    return [_kept(one, scores(value, one.rows)) for one in documents]


def _kept(one: ChoiceRows, figures: Sequence[float]) -> list[int]:
    right = {*one.right}
    wrong = sorted((at for at in range(1, len(one.rows)) if at not in right), key=lambda at: (-figures[at], at))
    return sorted({0, *right, *wrong[:MOST_WRONG]})


def _indices(names: Integers, common: Integers) -> Integers:
    """Where names are in the list of the common ones; its length for others."""
    import numpy as np

    at = np.searchsorted(common, names)
    padded = np.append(common, -1)
    return np.where(padded[at] == names, at, len(common))


def _common(documents: Sequence[ChoiceRows]) -> Integers:
    """The features that occur in at least two documents, in order."""
    import numpy as np

    each = [np.unique(np.fromiter(chain.from_iterable(one.rows), np.int64)) for one in documents]
    names, counts = np.unique(np.concatenate(each), return_counts=True)
    return names[counts > 1]


class _Matrix:
    """All choices of all documents: for each the indices of its features, one after the other. What is not among the
    common features has the last index, whose weight is always 0."""

    def __init__(self, documents: Sequence[ChoiceRows], common: Integers) -> None:
        import numpy as np

        rows = [row for one in documents for row in one.rows]
        flat = np.fromiter(chain.from_iterable(rows), np.int64)
        at = _indices(flat, common)
        sizes = np.array([len(row) for row in rows])
        kept = at < len(common)
        kept[np.cumsum(sizes) - sizes] = True  # no row is without an entry
        owner = np.repeat(np.arange(len(rows)), sizes)[kept]
        self._at, self._sizes = at[kept].astype(np.int32), np.bincount(owner, minlength=len(rows))
        self._starts = np.cumsum(self._sizes) - self._sizes
        counts = np.array([len(one.rows) for one in documents])
        self._firsts = np.cumsum(counts) - counts
        self._document = np.repeat(np.arange(len(documents)), counts)
        self._right = np.zeros(len(rows), bool)
        for first, one in zip(self._firsts.tolist(), documents, strict=True):
            self._right[[first + at for at in one.right]] = True
        self._length = len(common) + 1

    def slope(self, weights: Floats) -> Floats:
        """Of the loss: how likely the right choices are, on average over the documents."""
        import numpy as np

        figures = np.add.reduceat(weights[self._at], self._starts)
        likely = np.exp(figures - np.maximum.reduceat(figures, self._firsts)[self._document])
        all_of = np.add.reduceat(likely, self._firsts)[self._document]
        right = np.where(self._right, likely, 0.0)
        right_of = np.add.reduceat(right, self._firsts)[self._document]
        error = (likely / all_of - right / np.maximum(right_of, 1e-12)) / len(self._firsts)
        slope = np.bincount(self._at, np.repeat(error, self._sizes), self._length).astype(np.float64)
        slope[-1] = 0.0
        return slope
