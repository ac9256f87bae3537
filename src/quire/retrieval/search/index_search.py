"""One search over an index: candidates by words and by vectors, ranked together, folded to hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from quire.core.errors import UsageError
from quire.core.types import BBox, Part
from quire.lexicon.finance.statement_kinds import NAMES
from quire.lexicon.terms import places_of
from quire.retrieval.search.backend import IndexBackend
from quire.retrieval.search.hits import SearchHit, Statistics, StoredChunk
from quire.retrieval.search.query import Query, SearchFilter, parse_query
from quire.retrieval.search.ranking import RankOptions, Scored, rank, rank_with_pages, selective

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CANDIDATES = 60
"""From words and from vectors, at least."""
STATED = 30
"""From the statements that a question is about."""
PAGES = 30
"""Pages that are looked at as a whole, at least."""
MOST_MATCHES = 6_000
"""Chunks that the words of a query may match together: the ranking of FTS5 takes about a microsecond for each."""


class QueryEmbedder(Protocol):
    """Embeds a query. None where the index has no vectors."""

    def __call__(self, text: str) -> NDArray[np.float32]: ...


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The options of a search. `per_page` and `per_document` fold hits of one page or document to the best ones."""

    k: int = 10
    per_page: int = 1
    per_document: int | None = None
    rank: RankOptions = field(default_factory=RankOptions)

    def __post_init__(self) -> None:
        if not 1 <= self.k <= 1000:
            raise UsageError(f"k is {self.k}; choose a number of hits from 1 to 1000")


def search(
    index: IndexBackend,
    text: str,
    *,
    embed: QueryEmbedder | None = None,
    filters: SearchFilter | None = None,
    options: SearchOptions | None = None,
) -> list[SearchHit]:
    """The best hits, the best first. Equal scores are in the order of the documents' ids and of the text."""
    options = options or SearchOptions()
    query = parse_query(text, filters)
    vector = embed(query.intent.text) if embed is not None and index.profile.dimension else None
    with index.snapshot():
        hits = _search(index, query, vector, options)
        if not hits and query.phrases and query.intent.is_whole:
            hits = _search(index, replace(query, phrases=()), vector, options)  # a question quotes, it requires nothing
    return hits


def _search(
    index: IndexBackend, query: Query, vector: NDArray[np.float32] | None, options: SearchOptions
) -> list[SearchHit]:
    statistics = index.statistics([*query.terms, *query.intent.others], tenant=query.filter.tenant)
    chunks = index.load(_candidates(index, query, vector, statistics, options))
    ranked = rank(query, chunks, vector, statistics, options.rank)
    pages: dict[tuple[str, int], None] = {}
    kept = []
    for scored in ranked:
        if scored.place in pages or len(pages) < max(PAGES, 3 * options.k):
            pages[scored.place] = None
            kept.append(scored)
    around = index.on_pages(list(pages), query.filter)
    return _folded(rank_with_pages(query, kept, around, statistics, options.rank), query, options)


def neighbours(
    index: IndexBackend, hit: SearchHit, reach: int = 1, filters: SearchFilter | None = None
) -> Sequence[StoredChunk]:
    """The chunks around a hit, with it, in reading order."""
    return index.around(hit.document, hit.index, reach, filters or SearchFilter())


def _candidates(
    index: IndexBackend,
    query: Query,
    vector: NDArray[np.float32] | None,
    statistics: Statistics,
    options: SearchOptions,
) -> list[int]:
    """Chunks by words, by vectors, and of the statements that are asked for."""
    most = max(CANDIDATES, 4 * options.k)
    words = selective([*query.terms, *query.intent.others], statistics, options.rank, MOST_MATCHES)
    found = index.lexical(query, words, most) if words else []
    near = index.dense(vector, query, most) if vector is not None else []
    stated: list[int] = []
    if query.intent.statements and words and not query.filter.statements:
        names = tuple(name for name, _ in query.intent.statements)
        stated = index.lexical(
            replace(query, filter=replace(query.filter, statements=names)), [*statistics.frequencies], STATED
        )
    return list(dict.fromkeys([*found, *near, *stated]))


def _folded(ranked: Iterable[Scored], query: Query, options: SearchOptions) -> list[SearchHit]:
    """The best hits of each page and document; the same text in several documents is one hit that names the others."""
    kept: dict[str, SearchHit] = {}
    others: dict[str, list[str]] = {}
    pages: Counter[tuple[str, int]] = Counter()
    documents: Counter[str] = Counter()
    for scored in ranked:
        chunk = scored.chunk
        if chunk.terms in kept:
            if chunk.document != kept[chunk.terms].document:
                others.setdefault(chunk.terms, []).append(chunk.name)
            continue
        if len(kept) == options.k or pages[scored.place] >= options.per_page:
            continue
        if options.per_document is not None and documents[chunk.document] >= options.per_document:
            continue
        pages[scored.place] += 1
        documents[chunk.document] += 1
        kept[chunk.terms] = _hit(scored, query)
    return [
        replace(hit, also=tuple(dict.fromkeys(others[terms]))) if terms in others else hit
        for terms, hit in kept.items()
    ]


def _hit(scored: Scored, query: Query) -> SearchHit:
    chunk = scored.chunk
    row = chunk.row
    text, section = row["text"], row["section"]
    head = "".join(f"{heading}\n" for heading in section)
    body = text[len(head) :] if text.startswith(head) else text
    places = tuple(
        Part(box["page"], BBox(box["left"], box["top"], box["width"], box["height"])) for box in row["boxes"]
    )
    here = [place.bbox for place in places if place.page == scored.number]
    scores = {"total": scored.total, "lexical": scored.lexical, "page": scored.page, "dense": scored.dense}
    return SearchHit(
        document=chunk.document,
        name=chunk.name,
        path=chunk.path,
        page=scored.number,
        bbox=BBox.union(here) if here else None,
        text=body,
        marks=tuple(places_of({*query.terms, *query.intent.others}, body)),
        section=tuple(section),
        kinds=tuple(row["meta"]["kinds"]),
        blocks=tuple(row["blocks"]),
        places=places,
        chunk=row["chunk_id"],
        index=row["index"],
        score=round(scored.total, 6),
        scores={name: round(score, 6) for name, score in scores.items()},
        reason=_reason(scored, query),
    )


def _reason(scored: Scored, query: Query) -> str:
    """Why it was found, in words."""
    chunk = scored.chunk
    found = [term for term in query.terms if f" {term} " in chunk.terms]
    similar = [term for term in query.intent.others if f" {term} " in chunk.terms]
    parts = [f"has {', '.join(found)}"] if found else []
    parts += [f"has words with the same meaning: {', '.join(similar)}"] if similar else []
    parts += ["its page has words of the query"] if scored.page and not found and not similar else []
    if chunk.statement and chunk.statement in dict(query.intent.statements):
        parts.append(f"is part of the {NAMES[chunk.statement]}")
    if scored.dense > 0:
        parts.append(f"similar in meaning ({scored.dense:.2f})")
    return "; ".join(parts)
