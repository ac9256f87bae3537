"""The search over the documents of a server, and the index that its tasks put them into."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock

from quire.core.context import Json
from quire.core.errors import ConfigurationError
from quire.durable.indexing.index_queue import queue_document, queue_missing
from quire.durable.indexing.read_places import ReadPlace, RecordedPlace
from quire.durable.indexing.read_search import ReadSearch, index_target
from quire.durable.runtimes import ServedRuntime
from quire.durable.tasks.task_steps import READS
from quire.reading.messages import DocumentReference, TaskArgument
from quire.retrieval.search.hits import SearchHit
from quire.retrieval.search.query import SearchFilter
from quire.service.logs import log
from quire.service.settings import ServiceSettings
from quire.store.artifacts import ArtifactStore

AGAIN_S = 30.0
"""The seconds that a search waits until a document is indexed again, as another run has read it."""

FindRead = Callable[[ReadPlace], DocumentReference | None]
"""Returns what a run of a tenant has read in a place; None if that is gone."""


class DocumentSearch:
    """Searches what runs have read. Workflows put it into the index: this only says into which."""

    def __init__(self, settings: ServiceSettings, store: ArtifactStore, runtime: ServedRuntime) -> None:
        self._settings, self._store, self._runtime = settings, store, runtime
        self._opening = Lock()
        self._search: ReadSearch | None = None
        self._target: Mapping[str, Json] | None = None

    def begin(self) -> None:
        """Queue what was read before this server had an index. Blocks."""
        if self._settings.search == "none":
            return
        try:
            self._target = index_target(self._settings.embedder, self._settings.index).to_json()
        except ConfigurationError as error:
            log.warning("documents are not indexed: %s", error)
            return
        types = None if self._settings.search == "all" else READS
        queue_missing(self._store.database, self._target, types)

    def indexed(self, argument: TaskArgument) -> TaskArgument:
        """The argument of a task, with the index for what it reads."""
        wanted = self._settings.search == "all" or argument["type"] in READS
        return {**argument, "index": self._target} if wanted and self._target is not None else argument

    def search(
        self, query: str, tenant: str, *, k: int, filters: SearchFilter, rerank: bool = False
    ) -> list[SearchHit]:
        """Raises ConfigurationError where there is no index, UsageError for a query without words or without the
        reranker that it wants."""
        return self._opened().search(query, tenant, k=k, filters=filters, rerank=rerank)

    def places(self, hit: SearchHit) -> list[RecordedPlace]:
        """The places in which the document of a hit was read, the latest first."""
        return self._opened().places.of_document(hit.document)

    def look_again(self, tenant: str, hits: Sequence[SearchHit], find: FindRead) -> None:
        """Forget places that are gone. A document that another run has read is found with that one, and indexed again
        if that has read it in another way; one that none has read is removed."""
        opened = self._opened()
        for hit in hits:
            places = opened.places.of_document(hit.document)
            references = {one.place: find(one.place) for one in places}
            opened.places.forget([place for place, reference in references.items() if reference is None])
            left = [(one, reference) for one in places if (reference := references[one.place])]
            if not left:
                opened.remove(tenant, [hit.document])
                continue
            latest, reference = left[0]
            if latest.reading != places[0].reading:
                run = queue_document(
                    self._store.database, opened.target.to_json(), reference, latest.place, latest.read
                )
                self._runtime.result(run, timeout_s=AGAIN_S)

    def close(self) -> None:
        with self._opening:
            if self._search is not None:
                self._search.close()

    def _opened(self) -> ReadSearch:
        settings = self._settings
        if settings.search == "none":
            raise ConfigurationError("this server has no search: QUIRE_SERVE_SEARCH is none")
        with self._opening:
            if self._search is None:
                self._search = ReadSearch(
                    self._store, embedder=settings.embedder, reranker=settings.reranker, engine=settings.index
                )
            return self._search
