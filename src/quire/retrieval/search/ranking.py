"""The order of candidates: BM25 and cosine of every candidate, from whichever source it came, joined to one score.

Both scores are computed for all candidates. Fusing ranks instead would treat a chunk that one source has not
returned as if that source knew nothing of it. Words are also looked for in the whole page of a chunk: a question often
names what a heading, a caption and a row of a table say together.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.core.keys import Profile
from quire.lexicon.terms import is_identifier, is_year, terms
from quire.retrieval.search.hits import PageChunk, Statistics, StoredChunk
from quire.retrieval.search.nearness import nearness, neighbouring
from quire.retrieval.search.query import Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

Weights = Mapping[str, float]
"""The weight of each term of a query: the rarer it is, the more it says."""


K1, B = 1.5, 0.75
"""Of BM25, in search and in lexical vectors."""


@dataclass(frozen=True, slots=True)
class RankOptions(Profile):
    """The options of ranking.

    Args:
        k1, b: Of BM25: how fast repetitions of a term saturate, and how much long chunks are held back.
        min_df: Terms in fewer chunks are ignored.
        max_df_ratio: Terms in a larger share of the chunks find no candidates; they still count in the score.
        dense_weight: The share of the cosine in the score, from 0 (words alone) to 1 (vectors alone).
        page_share: The share of the whole page in the score of the words; the rest is that of the chunk itself.
        near_weight: Added to the score of the words where those of the query stand together in the chunk.
        other_weight: What a word counts that was not asked for but means the same.
        statement_weight: Added for a chunk of a financial statement that is surely asked for.
        kind_weight: Added where the page has a figure or table and the query names one.
        name_weight: Added where all words of the query are in the name of the document.
        identifier_weight: Added to the cosine where all identifiers of the query are in the chunk: vectors blur them.
    """

    k1: float = K1
    b: float = B
    min_df: int = 1
    max_df_ratio: float = 0.5
    dense_weight: float = 0.65
    page_share: float = 0.8
    near_weight: float = 0.3
    other_weight: float = 0.4
    statement_weight: float = 0.6
    kind_weight: float = 0.2
    name_weight: float = 0.3
    identifier_weight: float = 0.4


class Scored(NamedTuple):
    """A chunk with its score and what it is made of: its words, those of its page, its vector, and how near to each
    other its words are. `number` is the page."""

    total: float
    lexical: float
    page: float
    dense: float
    chunk: StoredChunk
    number: int
    near: float = 0.0

    @property
    def place(self) -> tuple[str, int]:
        return self.chunk.document, self.number


def selective(terms: Sequence[str], statistics: Statistics, options: RankOptions, most: int) -> list[str]:
    """The terms that find candidates: the rarest, until they are in `most` chunks together.

    A chunk that has only common words of the query cannot be among the best.
    """
    found = [term for term in terms if statistics.frequencies.get(term, 0) >= max(1, options.min_df)]
    rare = [term for term in found if statistics.frequencies[term] <= options.max_df_ratio * statistics.chunks]
    chosen: list[str] = []
    total = 0
    for term in sorted(rare or found, key=lambda term: statistics.frequencies[term]):
        total += statistics.everywhere.get(term, statistics.frequencies[term])
        if chosen and total > most:
            break
        chosen.append(term)
    return chosen


def weights(query: Query, statistics: Statistics, options: RankOptions) -> Weights:
    """The weights of the terms of a query, and of other words for them."""
    shares = dict.fromkeys(query.intent.others, options.other_weight) | dict.fromkeys(query.terms, 1.0)
    return {
        term: weight * _rarity(term, statistics)
        for term, weight in shares.items()
        if statistics.frequencies.get(term, 0) >= max(1, options.min_df)
    }


def bm25(weights: Weights, text: str, mean_length: float, options: RankOptions) -> float:
    """The score of a text given as terms between spaces, at least 0."""
    held = options.k1 * (1 - options.b + options.b * (text.count(" ") - 1) / (mean_length or 1.0))
    score = 0.0
    for term, weight in weights.items():
        if (spaced := f" {term} ") in text:  # most are not, and counting takes several times as long
            twice = f"{spaced}{term} " in text  # the space between two equal terms is theirs
            times = text.replace(" ", "  ").count(spaced) if twice else text.count(spaced)
            score += weight * times * (options.k1 + 1) / (times + held)
    return score


def cosines(vector: NDArray[np.float32] | None, chunks: Sequence[StoredChunk]) -> list[float]:
    """The cosine of each chunk; 0 without vectors."""
    if vector is None or not chunks or any(chunk.vector is None for chunk in chunks):
        return [0.0] * len(chunks)
    stacked = np.stack([chunk.vector for chunk in chunks if chunk.vector is not None])
    return [float(score) for score in stacked @ vector]


def rank(
    query: Query,
    chunks: Sequence[StoredChunk],
    vector: NDArray[np.float32] | None,
    statistics: Statistics,
    options: RankOptions,
) -> list[Scored]:
    """Chunks by their own scores, the best first. Equal scores are in the order of documents and of the text."""
    term_weights = weights(query, statistics, options)
    lexical = [
        bm25(_beside_name(term_weights, chunk.name), chunk.terms, statistics.mean_length, options) for chunk in chunks
    ]
    dense = cosines(vector, chunks)
    best = max(lexical, default=0.0) or 1.0
    share = options.dense_weight if any(dense) else 0.0
    naming = {term: _rarity(term, statistics) for term in query.terms}
    named = {name: _named(name, naming) for name in {chunk.name for chunk in chunks}}
    scored = [
        Scored(
            (1 - share) * words / best
            + share * (near + options.identifier_weight * _meant(query, chunk))
            + _bonus(query, chunk, named[chunk.name], options),
            words,
            0.0,
            near,
            chunk,
            chunk.page,
        )
        for words, near, chunk in zip(lexical, dense, chunks, strict=True)
    ]
    return sorted(scored, key=_order)


def rank_with_pages(
    query: Query, ranked: Sequence[Scored], around: Sequence[PageChunk], statistics: Statistics, options: RankOptions
) -> list[Scored]:
    """The same chunks with the words of their whole pages, and how near to each other they are, the best first."""
    term_weights = weights(query, statistics, options)
    texts: dict[tuple[str, int], str] = defaultdict(str)
    kinds: dict[tuple[str, int], str] = defaultdict(str)
    for piece in around:
        for page in range(piece.first_page, piece.last_page + 1):
            texts[piece.document, page] += piece.terms[1:] if texts[piece.document, page] else piece.terms
            kinds[piece.document, page] += piece.kinds
    mean = sum(text.count(" ") for text in texts.values()) / max(len(texts), 1)
    names = {scored.place: scored.chunk.name for scored in ranked}
    pages = {key: bm25(_beside_name(term_weights, name), texts[key], mean, options) for key, name in names.items()}
    best, best_page = max((one.lexical for one in ranked), default=0.0) or 1.0, max(pages.values(), default=0.0) or 1.0
    share = 1 - options.dense_weight if any(one.dense for one in ranked) else 1.0
    rarity = {term: weight for term, weight in term_weights.items() if term in query.terms}
    words = () if query.intent.statements else query.terms  # a statement does not say it like a question about it
    pairs = {name: neighbouring(words, _beside_name(rarity, name)) for name in {*names.values()}}
    found = []
    for one in ranked:
        gained = options.page_share * (pages[one.place] / best_page - one.lexical / best)
        near = options.near_weight * nearness(pairs[one.chunk.name], one.chunk.terms)
        shown = options.kind_weight * any(f" {kind} " in kinds[one.place] for kind in query.intent.kinds)
        found.append(one._replace(total=one.total + share * (gained + near) + shown, page=pages[one.place], near=near))
    return sorted(_best_of_pages(found, rarity, options), key=_order)


def _best_of_pages(ranked: Sequence[Scored], term_weights: Weights, options: RankOptions) -> list[Scored]:
    """The same scores on every page, the highest on the chunk that says most of what is asked.

    By BM25 a line below a fitting headline is the best of a page, because it is short; and its vector is that of the
    headline.
    """
    pages: dict[tuple[str, int], list[Scored]] = defaultdict(list)
    for one in ranked:
        pages[one.place].append(one)
    whole = replace(options, b=0.0)
    found = []
    for chunks in pages.values():
        if len(chunks) > 1:
            lexical = [bm25(term_weights, one.chunk.terms, 0.0, whole) for one in chunks]
            share = options.dense_weight if any(one.dense for one in chunks) else 0.0
            own = [
                (1 - share) * words / (max(lexical) or 1.0) + share * one.dense + one.near
                for words, one in zip(lexical, chunks, strict=True)
            ]
            totals = sorted((one.total for one in chunks), reverse=True)
            order = sorted(range(len(chunks)), key=lambda number: (-own[number], -chunks[number].total))
            chunks = [chunks[number]._replace(total=total) for number, total in zip(order, totals, strict=True)]
        found += chunks
    return found


def _order(scored: Scored) -> tuple[float, str, int]:
    return -scored.total, scored.chunk.document, scored.chunk.position


def _rarity(term: str, statistics: Statistics) -> float:
    times = statistics.frequencies.get(term, 0)
    return math.log(1 + (statistics.chunks - times + 0.5) / (times + 0.5))


def _bonus(query: Query, chunk: StoredChunk, named: float, options: RankOptions) -> float:
    """For a statement that is asked for, and for a document that is named."""
    sure = next((sure for name, sure in query.intent.statements if name == chunk.statement), 0.0)
    return options.statement_weight * sure + options.name_weight * named


def _named(name: str, naming: Weights) -> float:
    """The share of the words of a query that are in a name."""
    return sum(naming.get(term, 0.0) for term in _name_terms(name)) / (sum(naming.values()) or 1.0)


def _meant(query: Query, chunk: StoredChunk) -> float:
    """The share of the identifiers of a query that a chunk has; 0 without any."""
    meant = [term for term in query.terms if is_identifier(term)]
    return sum(f" {term} " in chunk.terms for term in meant) / len(meant) if meant else 0.0


def _beside_name(term_weights: Weights, name: str) -> Weights:
    """The weights for a document, without the words of its name: they are true of every page of it."""
    own = _name_terms(name)
    return (
        term_weights
        if own.isdisjoint(term_weights)
        else {term: weight for term, weight in term_weights.items() if term not in own}
    )


@lru_cache(maxsize=1 << 14)
def _name_terms(name: str) -> frozenset[str]:
    """The words of a name. A year is not one: a report has figures of several."""
    return frozenset(term for term in terms(PurePath(name).stem) if not is_year(term))
