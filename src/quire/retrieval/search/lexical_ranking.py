"""BM25 over some texts in memory: the passages of a document, which need no index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from quire.lexicon.terms import terms
from quire.retrieval.search.hits import Statistics
from quire.retrieval.search.query import parse_query
from quire.retrieval.search.ranking import RankOptions, bm25, weights


class LexicalRanking:
    """How much each of some texts says about a query, by words."""

    def __init__(self, texts: Sequence[str]) -> None:
        listed = [terms(text) for text in texts]
        mean = sum(map(len, listed)) / max(len(listed), 1)
        self._statistics = Statistics(len(listed), mean, Counter(term for found in listed for term in {*found}))
        self._texts = [f" {' '.join(found)} " for found in listed]
        self._options = RankOptions()

    def scores(self, words: str) -> list[float]:
        """The score of each text, at least 0: all are 0 for words that say nothing. They should have no signs, which
        would be filters of a query."""
        wanted = weights(parse_query(words), self._statistics, self._options) if terms(words) else {}
        return [bm25(wanted, text, self._statistics.mean_length, self._options) for text in self._texts]
