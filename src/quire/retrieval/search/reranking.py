"""The first hits of a search in a better order, by a model that reads the query and each passage together.

Such models were made for prose. Of a table they see names without a sentence around them, and are often wrong; so what
they say of a table counts less, and the rest of it is what they say of all hits on average. And the score of the search
still counts: the model alone puts prose about a figure before the table that has it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from quire.retrieval.search.hits import SearchHit
from quire.retrieval.search.passages import passage_text

TOP = 16
"""Hits that are looked at. Each costs about 50 ms of CPU; with 24 of them the first ten are the same."""
WEIGHT = 0.1
"""Added to the score of a passage that surely answers the query."""
TABLE_TRUST = 0.75
"""The share of the score of a model that counts for a table."""

Relevance = Callable[[str, Sequence[str]], Sequence[float]]
"""Scores texts as answers to a query: the logits of probabilities."""


def rerank_hits(query: str, hits: Sequence[SearchHit], relevance: Relevance) -> list[SearchHit]:
    """The hits with the first `TOP` in another order. Their `scores` have `rerank`, from 0 to 1."""
    first = hits[:TOP]
    if not first:
        return []
    logits = relevance(query, [passage_text("\n".join([*hit.section, hit.text])) for hit in first])
    sure = [1 / (1 + math.exp(-max(-60.0, min(60.0, score)))) for score in logits]
    mean = sum(sure) / len(sure)
    ranked = [
        _reranked(hit, one, mean + TABLE_TRUST * (one - mean) if "table" in hit.kinds else one)
        for hit, one in zip(first, sure, strict=True)
    ]
    return [*sorted(ranked, key=lambda hit: -hit.score), *hits[TOP:]]


def _reranked(hit: SearchHit, probability: float, counted: float) -> SearchHit:
    total = round(hit.score + WEIGHT * counted, 6)
    reason = f"the reranker says {probability:.2f}"
    return replace(
        hit,
        score=total,
        scores={**hit.scores, "total": total, "rerank": round(probability, 6)},
        reason=f"{hit.reason}; {reason}" if hit.reason else reason,
    )
