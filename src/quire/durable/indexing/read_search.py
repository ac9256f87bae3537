"""The search among the documents that runs of a server have read, each tenant in its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from quire.core.errors import StoreError, UsageError
from quire.durable.indexing.delivery import IndexTarget
from quire.durable.indexing.earlier_versions import earlier_versions
from quire.durable.indexing.index_steps import PART
from quire.durable.indexing.read_places import ReadPlaces, RecordedPlace
from quire.durable.indexing.searcher import search_index
from quire.durable.indexing.store_index import open_indexes
from quire.net.search_engine import EngineAddress
from quire.retrieval.embed.embedder_registry import AUTO, NONE, chosen_embedder
from quire.retrieval.search.hits import SearchHit
from quire.retrieval.search.index_search import SearchOptions
from quire.retrieval.search.query import SearchFilter, parse_query
from quire.store.artifacts import ArtifactStore


def index_target(embedder: str, engine: str | None) -> IndexTarget:
    """The index of a server; neither its embedder nor its engine is asked. Raises ConfigurationError for an address
    that is none."""
    found = chosen_embedder(embedder) if embedder == AUTO else None
    named = embedder if embedder != AUTO else NONE if found is None else found.name
    return IndexTarget(named, engine=str(EngineAddress.parse(engine)) if engine else "")


class ReadSearch:
    """Searches what was read in the index of its store. Thread-safe; its methods block.

    Raises ConfigurationError for a store that cannot hold an index, or an embedder that is not here.
    """

    def __init__(
        self, store: ArtifactStore, *, embedder: str = AUTO, reranker: str = NONE, engine: str | None = None
    ) -> None:
        self.places, self._reranker = ReadPlaces(store.database), reranker
        self.target = index_target(embedder, engine)
        """The index, for those that put documents into it."""
        self._indexes = open_indexes(store, self.target.engine)
        self._index = self._indexes.open_or_make(self.target.profile(chosen_embedder(embedder)))
        self._earlier = earlier_versions(self._indexes, self._index)

    def search(
        self, query: str, tenant: str, *, k: int, filters: SearchFilter, rerank: bool = False
    ) -> list[SearchHit]:
        """Hits among the documents of a tenant. Raises UsageError for a query without words, or where they should be
        reranked and there is no reranker."""
        if rerank and self._reranker == NONE:
            raise UsageError("this server has no reranker: QUIRE_SERVE_RERANKER is none")
        query, own = self._in_runs(query, replace(filters, tenant=PART + tenant))
        search = partial(
            search_index,
            query=query,
            embedder=self.target.embedder,
            filters=own,
            options=SearchOptions(k=k),
            reranker=self._reranker if rerank else None,
        )
        hits = search(self._index)
        for earlier in [*self._earlier]:
            try:
                before = search(earlier)
            except StoreError:  # dropped: its documents are in this one
                self._earlier.remove(earlier)
                hits = search(self._index)
                continue
            indexed = self._index.known(tenant=own.tenant)
            hits += [hit for hit in before if hit.document not in indexed]
        return sorted(hits, key=lambda hit: -hit.score)[:k] if self._earlier else hits

    def remove(self, tenant: str, documents: Collection[str]) -> None:
        """Remove documents, unless a run has put them into the index meanwhile."""
        gone = [document for document in documents if not self.places.of_document(document)]
        self._index.remove(sorted(gone), tenant=PART + tenant)

    def close(self) -> None:
        self._indexes.close()

    def _in_runs(self, query: str, filters: SearchFilter) -> tuple[str, SearchFilter]:
        """A query and its filter, with the documents of a run where one was named as the place to search in."""
        places = parse_query(query, filters).filter.folders
        read: dict[str, Sequence[RecordedPlace]] = {place: self.places.of_run(place) for place in places}
        if not any(read.values()):
            return query, filters
        named = {f"in:{place}" for place in places}
        words = " ".join(part for part in query.split() if part not in named)
        documents = [one.document for recorded in read.values() for one in recorded]
        names = [place for place, recorded in read.items() if not recorded]
        return words, replace(filters, folders=(), documents=(*filters.documents, *documents, *names))
