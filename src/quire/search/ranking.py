"""The order of candidates: BM25 and cosine of every candidate, from whichever source it came, joined to one score.

Both scores are computed for all candidates. Fusing ranks instead would treat a chunk that one source has not
returned as if that source knew nothing of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quire.keys import Profile
from quire.search.query import Query
from quire.search.values import Statistics, StoredChunk

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RankOptions(Profile):
    """How candidates are ranked.

    Args:
        k1, b: Of BM25: how fast repetitions of a term saturate, and how much long chunks are held back.
        min_df: Terms in fewer chunks are ignored.
        max_df_ratio: Terms in a larger share of the chunks find no candidates; they still count in the score.
        dense_weight: The share of the cosine in the score, from 0 (words alone) to 1 (vectors alone).
    """

    k1: float = 1.5
    b: float = 0.75
    min_df: int = 1
    max_df_ratio: float = 0.5
    dense_weight: float = 0.6


def selective(terms: Sequence[str], known: Statistics, options: RankOptions, most: int) -> list[str]:
    """The terms that find candidates: the rarest, until they are in `most` chunks together.

    A chunk that has only common words of the query cannot be among the best.
    """
    found = [term for term in terms if known.frequencies.get(term, 0) >= max(1, options.min_df)]
    rare = [term for term in found if known.frequencies[term] <= options.max_df_ratio * known.chunks]
    chosen: list[str] = []
    total = 0
    for term in sorted(rare or found, key=lambda term: known.frequencies[term]):
        total += known.frequencies[term]
        if chosen and total > most:
            break
        chosen.append(term)
    return chosen


def bm25(terms: Sequence[str], chunks: Sequence[StoredChunk], known: Statistics, options: RankOptions) -> list[float]:
    """The scores of chunks, each at least 0."""
    weights = {
        term: math.log(1 + (known.chunks - times + 0.5) / (times + 0.5))
        for term in terms
        if (times := known.frequencies.get(term, 0)) >= max(1, options.min_df)
    }
    mean, scores = known.mean_length or 1.0, []
    for chunk in chunks:
        held = options.k1 * (1 - options.b + options.b * (chunk.terms.count(" ") - 1) / mean)
        score = 0.0
        for term, weight in weights.items():
            times = chunk.terms.count(f" {term} ")
            score += weight * times * (options.k1 + 1) / (times + held) if times else 0.0
        scores.append(score)
    return scores


def cosines(vector: NDArray[np.float32] | None, chunks: Sequence[StoredChunk]) -> list[float]:
    """The cosine of each chunk; 0 without vectors."""
    if vector is None or not chunks or any(chunk.vector is None for chunk in chunks):
        return [0.0] * len(chunks)
    stacked = np.stack([chunk.vector for chunk in chunks if chunk.vector is not None])
    return [float(score) for score in stacked @ vector]


def totals(lexical: Sequence[float], dense: Sequence[float], query: Query, options: RankOptions) -> list[float]:
    """One score for each: BM25 relative to the best one, and the cosine as it is."""
    best = max(lexical, default=0.0) or 1.0
    if not any(dense):
        return [score / best for score in lexical]
    share = options.dense_weight
    return [(1 - share) * words / best + share * near for words, near in zip(lexical, dense, strict=True)]
