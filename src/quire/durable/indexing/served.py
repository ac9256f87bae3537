"""The index of a service: the documents that its runs have read, by tenant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from quire.core.errors import UsageError
from quire.durable.indexing.delivery import IndexDelivery, IndexOwner, IndexTarget
from quire.durable.indexing.searcher import search_index
from quire.durable.indexing.store_index import open_indexes
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.views.views import DocumentViews
from quire.reading.messages import DocumentReference
from quire.retrieval.chunk import ChunkOptions
from quire.retrieval.embed.embedder_registry import AUTO, NONE, chosen_embedder
from quire.retrieval.search.hits import SearchHit
from quire.retrieval.search.index_search import SearchOptions
from quire.retrieval.search.query import SearchFilter
from quire.store.artifacts import ArtifactStore
from quire.store.scoped import document_in, scoped

PART = "served/"
"""Before the name of each tenant: what runs have read is apart from what `quire index` puts into the same store."""


MOST_PLACES = 20
"""Runs that have read the same document, of which an index knows: the latest."""


class ServedPlace(NamedTuple):
    """A source of a run. The path of an indexed document has all that have read it: `run/number/run/number/name`."""

    run: str
    number: int

    @classmethod
    def all_in(cls, path: str) -> list[ServedPlace]:
        """Those of a path, the latest first."""
        *parts, _ = PurePosixPath(path).parts
        return [cls(run, int(number)) for run, number in zip(parts[::2], parts[1::2], strict=True)]


class ServedIndex:
    """Puts what was read into the index of its store, and searches it. Thread-safe; its methods block.

    Its worker process is separate from those that read documents and make views. Raises ConfigurationError for a store
    that cannot hold an index, or an embedder that is not here.
    """

    def __init__(
        self, store: ArtifactStore, *, embedder: str = AUTO, reranker: str = NONE, engine: str | None = None
    ) -> None:
        found = chosen_embedder(embedder)
        target = IndexTarget(NONE if found is None else embedder)
        profile = target.profile(found)
        self._store, self._embedder = store, found.name if found is not None and embedder == AUTO else embedder
        self._reranker = reranker
        self._indexes = open_indexes(store, engine)
        self._index = self._indexes.open_or_make(profile)
        self._views = DocumentViews(DocumentSteps(store, workers=1), workers=1)
        self._delivery = IndexDelivery(store, self._index, found, pool=lambda: self._views.pool)

    def put(self, reference: DocumentReference, places: Sequence[ServedPlace], *, read: float | None) -> bool:
        """Index a document that was read at a time, the last one in the first of these places; False for one that was
        deleted meanwhile."""
        if not self._views.has(reference):
            return False
        rows = self._views.chunks(reference, ChunkOptions(use_markdown_tables=True))
        source = reference["source"]
        owner = self._owner(reference, read)
        parts = [part for place in places[:MOST_PLACES] for part in (place.run, str(place.number))]
        path = PurePosixPath(*parts, PurePosixPath(source["name"]).name or "document")
        self._delivery.put(source["id"], path, rows, owner=owner)
        if not self._views.has(reference):  # deleted while it was indexed
            self._index.remove([owner.document])
            return False
        return True

    def known(self, tenant: str) -> dict[str, list[ServedPlace]]:
        """The indexed documents of a tenant, by their ids in the store, with their places."""
        found = self._index.known(tenant=PART + tenant)
        return {document: ServedPlace.all_in(path) for document, (path, _) in found.items()}

    def places(self, reference: DocumentReference) -> list[ServedPlace]:
        """Those in which the index knows a document, the latest first."""
        owner = self._owner(reference, None)
        first = self._index.around(owner.document, 0, 0, SearchFilter(tenant=owner.tenant))
        return ServedPlace.all_in(first[0].path) if first else []

    def id_of(self, reference: DocumentReference) -> str:
        """The id of a document in the store."""
        return self._owner(reference, None).document

    def search(
        self, query: str, tenant: str, *, k: int, filters: SearchFilter, rerank: bool = False
    ) -> list[SearchHit]:
        """Hits among the documents of a tenant. Raises UsageError for a query without words, or where they should be
        reranked and there is no reranker."""
        if rerank and self._reranker == NONE:
            raise UsageError("this server has no reranker: QUIRE_SERVE_RERANKER is none")
        own = replace(filters, tenant=PART + tenant)
        reranker = self._reranker if rerank else None
        options = SearchOptions(k=k)
        return search_index(
            self._index, query, embedder=self._embedder, filters=own, options=options, reranker=reranker
        )

    def remove(self, tenant: str, hits: Sequence[SearchHit]) -> None:
        """Remove the documents of hits, unless another run has put them into the index meanwhile."""
        known = self._index.known(tenant=PART + tenant)
        same = {hit.document for hit in hits if known.get(hit.document, ("",))[0] == hit.path}
        self._index.remove(sorted(same), tenant=PART + tenant)

    def stop(self) -> None:
        """End its workers: what is being indexed in another thread is given up."""
        self._views.close()

    def close(self) -> None:
        self.stop()
        self._indexes.close()

    def _owner(self, reference: DocumentReference, read: float | None) -> IndexOwner:
        scope, document = reference.get("scope", ""), reference["source"]["id"]
        return IndexOwner(scoped(self._store, scope), document_in(scope, document), PART + scope, read)
