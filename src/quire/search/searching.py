"""One search over an index: candidates by words and by vectors, ranked together, folded to hits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from quire.errors import UsageError
from quire.search.backend import IndexBackend
from quire.search.query import Filter, Query, parse_query
from quire.search.ranking import RankOptions, bm25, cosines, selective, totals
from quire.search.terms import terms
from quire.search.values import Hit, StoredChunk
from quire.types import BBox, Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CANDIDATES = 100
"""From each source, at least."""
MOST_MATCHES = 20_000
"""Chunks that the words of a query may match together: the ranking of FTS5 takes about a microsecond for each."""
_WORD = re.compile(r"[^\W_]+(?:[-./_'’&+#:,][^\W_]+)*")


class QueryEmbedder(Protocol):
    """Embeds a query. None where the index has no vectors."""

    def __call__(self, text: str) -> NDArray[np.float32]: ...


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What a search gives back. `per_page` and `per_document` fold hits of one page or document to the best ones."""

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
    filters: Filter | None = None,
    options: SearchOptions | None = None,
) -> list[Hit]:
    """The best hits, the best first. Equal scores are in the order of the documents' ids and of the text."""
    options = options or SearchOptions()
    query = parse_query(text, filters)
    known = index.statistics(query.terms)
    vector = embed(query.text) if embed is not None and index.profile.dimension else None
    wanted = max(CANDIDATES, 4 * options.k)
    words = selective(query.terms, known, options.rank, MOST_MATCHES)
    found = index.lexical(query, words, wanted) if words else []
    near = index.dense(vector, query, wanted) if vector is not None else []
    chunks = index.load(list(dict.fromkeys([*found, *near])))
    lexical, dense = bm25(query.terms, chunks, known, options.rank), cosines(vector, chunks)
    scores = totals(lexical, dense, query, options.rank)
    ranked = sorted(
        zip(scores, lexical, dense, chunks, strict=True),
        key=lambda scored: (-scored[0], scored[3].document, scored[3].row["index"]),
    )
    hits = (
        _hit(chunk, query, {"total": score, "lexical": words, "dense": near}) for score, words, near, chunk in ranked
    )
    return _folded(hits, options)


def _folded(hits: Iterable[Hit], options: SearchOptions) -> list[Hit]:
    """The best hits of each page and document; the same text in several documents is one hit that names the others."""
    kept: dict[str, Hit] = {}
    others: dict[str, list[str]] = {}
    pages: dict[tuple[str, int], int] = {}
    documents: dict[str, int] = {}
    for hit in hits:
        said = " ".join(terms(hit.text))
        if said in kept:
            if hit.document != kept[said].document:
                others.setdefault(said, []).append(hit.name)
            continue
        page = (hit.document, hit.page)
        if pages.get(page, 0) >= options.per_page:
            continue
        if options.per_document is not None and documents.get(hit.document, 0) >= options.per_document:
            continue
        if len(kept) == options.k:
            break
        pages[page] = pages.get(page, 0) + 1
        documents[hit.document] = documents.get(hit.document, 0) + 1
        kept[said] = hit
    from dataclasses import replace

    return [
        replace(hit, also=tuple(dict.fromkeys(others[said]))) if said in others else hit for said, hit in kept.items()
    ]


def _hit(chunk: StoredChunk, query: Query, scores: dict[str, float]) -> Hit:
    row = chunk.row
    text, section = row["text"], row["section"]
    head = "".join(f"{heading}\n" for heading in section)
    body = text[len(head) :] if text.startswith(head) else text
    places = tuple(
        Part(box["page"], BBox(box["left"], box["top"], box["width"], box["height"])) for box in row["boxes"]
    )
    page = places[0].page if places else (row["pages"] or [0])[0]
    return Hit(
        document=chunk.document,
        name=chunk.name,
        path=chunk.path,
        page=page,
        bbox=places[0].bbox if places else None,
        text=body,
        marks=_marks(body, query),
        section=tuple(section),
        kinds=tuple(row["meta"]["kinds"]),
        blocks=tuple(row["blocks"]),
        places=places,
        chunk=row["chunk_id"],
        index=row["index"],
        score=round(scores["total"], 6),
        scores={name: round(score, 6) for name, score in scores.items()},
        reason=_reason(chunk, query, scores),
    )


def _marks(text: str, query: Query) -> tuple[tuple[int, int], ...]:
    """Where the words of the query are, in any of their spellings."""
    wanted = {*query.terms}
    return tuple(match.span() for match in _WORD.finditer(text) if not wanted.isdisjoint(terms(match[0])))


def _reason(chunk: StoredChunk, query: Query, scores: dict[str, float]) -> str:
    """Why it was found, in words."""
    found = [term for term in query.terms if f" {term} " in chunk.terms]
    parts = [f"has {', '.join(found)}"] if found else []
    if scores["dense"]:
        parts.append(f"similar in meaning ({scores['dense']:.2f})")
    return "; ".join(parts)


def neighbours(index: IndexBackend, hit: Hit, reach: int = 1, filters: Filter | None = None) -> Sequence[StoredChunk]:
    """The chunks around a hit, with it, in reading order."""
    return index.around(hit.document, hit.index, reach, filters or Filter())
