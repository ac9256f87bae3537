"""Searches over an index by its embedder, and a reranker where one is wanted.

What only a reranker needs is imported there: a search from the command line would wait for it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from quire.core.embedder import Embedder, Reranker
from quire.retrieval.embed.codec import decode_dense
from quire.retrieval.embed.embedder_registry import find_embedder, find_reranker
from quire.retrieval.search.backend import IndexBackend, IndexProfile, check_embedder
from quire.retrieval.search.hits import SearchHit
from quire.retrieval.search.index_search import SearchOptions, search
from quire.retrieval.search.query import SearchFilter, parse_query
from quire.retrieval.search.reranking import TOP, rerank_hits

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


def search_index(
    index: IndexBackend,
    query: str,
    *,
    embedder: str,
    filters: SearchFilter,
    options: SearchOptions,
    reranker: str | None = None,
) -> list[SearchHit]:
    """The hits of a query, with the embedder of that name where the index has vectors. Raises UsageError for a query
    without words or an embedder that does not fit, EngineError when a model fails."""
    model = _reranker(reranker) if reranker else None
    embed = partial(query_vector, embedder, index.profile) if index.profile.dimension else None
    wanted = options if model is None else replace(options, k=max(options.k, TOP))
    hits = search(index, query, embed=embed, filters=filters, options=wanted)
    if model is None:
        return hits
    asked = parse_query(query, filters).intent.text
    return rerank_hits(asked, hits, partial(_relevances, model))[: options.k]


def query_vector(named: str, profile: IndexProfile, text: str) -> NDArray[np.float32]:
    """The vector of a query by the embedder of an index; its model is loaded here by the first call, and kept."""
    embedder = _embedder(named)
    check_embedder(profile, embedder)
    vector: NDArray[np.float32] = decode_dense(embedder.embed([text], "query"))[0]
    return vector


def _relevances(reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
    """Nothing of a query is stored."""
    from quire.retrieval.embed.batches import relevances
    from quire.retrieval.embed.families import quiet_asker
    from quire.store.temporary import TemporaryStore

    return relevances(query, texts, reranker, quiet_asker(TemporaryStore(), ""))


@lru_cache(maxsize=4)
def _embedder(named: str) -> Embedder:
    found = find_embedder(named)
    assert found is not None
    return found


@lru_cache(maxsize=4)
def _reranker(named: str) -> Reranker | None:
    return find_reranker(named)
