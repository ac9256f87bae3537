"""Lexical vectors: the BM25 weights of the terms of each chunk, for engines that take sparse vectors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

from quire.core.keys import Profile
from quire.lexicon.terms import terms
from quire.retrieval.embed.codec import SparseVector
from quire.retrieval.embed.vector_options import LexicalOptions
from quire.system.stage_versions import stage_version

MODEL = "bm25"


@dataclass(frozen=True, slots=True)
class LexicalProfile(Profile):
    """The settings that decide the weights of the terms of a chunk."""

    k1: float
    b: float
    min_df: int
    max_df_ratio: float
    terms: str = field(default_factory=partial(stage_version, "terms"))

    @classmethod
    def of(cls, options: LexicalOptions) -> LexicalProfile:
        return cls(**asdict(options))


class TermCounts:
    """The terms of all chunks that are weighed together: a document, or a whole collection."""

    def __init__(self) -> None:
        self._chunks = 0
        self._length = 0
        self._frequencies: Counter[str] = Counter()

    def add(self, text: str) -> Counter[str]:
        """Count a chunk, and return its terms."""
        counted = Counter(terms(text))
        self._chunks += 1
        self._length += counted.total()
        self._frequencies.update(counted.keys())
        return counted

    def weights(self, counted: Mapping[str, int], options: LexicalOptions) -> SparseVector:
        """The BM25 weight of each term of a chunk, the largest first. Their sum over a query's terms is the score."""
        mean = self._length / self._chunks if self._chunks else 0.0
        length = sum(counted.values())
        spread = options.k1 * (1 - options.b + options.b * length / mean) if mean else options.k1
        weighed = {
            term: round(self._rarity(term) * times * (options.k1 + 1) / (times + spread), 6)
            for term, times in counted.items()
            if options.min_df <= self._frequencies[term] <= options.max_df_ratio * self._chunks
        }
        kept = sorted(weighed.items(), key=lambda one: (-one[1], one[0]))
        return SparseVector(tuple(term for term, _ in kept), tuple(weight for _, weight in kept))

    def _rarity(self, term: str) -> float:
        found = self._frequencies[term]
        return math.log1p((self._chunks - found + 0.5) / (found + 0.5))


def lexical_vectors(texts: Sequence[str], options: LexicalOptions | None = None) -> list[SparseVector]:
    """The weights of the terms of each text, against all of them."""
    counts, options = TermCounts(), options or LexicalOptions()
    counted = [counts.add(text) for text in texts]
    return [counts.weights(one, options) for one in counted]
