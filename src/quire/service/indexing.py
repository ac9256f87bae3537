"""Indexes documents after they were read, in a thread: no answer waits for it.

The runs of this process are followed as they are submitted; those of earlier processes that are not in the index are
looked up once at the start. So nothing is lost by a crash, and no list of what is left to do is kept. What could not be
indexed because the index or the database was away, or because another process indexes that document, is tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from threading import Condition, Event, Lock
from typing import NamedTuple

from quire.core.context import RunStatus
from quire.core.errors import ConfigurationError, QuireError
from quire.core.keys import ArtifactKey
from quire.database.runs import Runs
from quire.durable.indexing.served import MOST_PLACES, ServedIndex, ServedPlace
from quire.durable.runtimes import ServedRuntime
from quire.durable.tasks.task_steps import READS
from quire.reading.messages import DocumentReference, TaskDocument
from quire.retrieval.search.hits import SearchHit
from quire.retrieval.search.query import SearchFilter
from quire.service.logs import log
from quire.service.settings import ServiceSettings
from quire.store.artifacts import ArtifactStore
from quire.system.supervisor import SupervisedThread

LOOK_S = 0.5
"""How long the thread waits for the end of runs before it looks for newly submitted ones."""
PORTION = 100


class DocumentIndexer:
    """Follows runs, and searches what they have read. `begin` starts its thread."""

    def __init__(
        self,
        settings: ServiceSettings,
        store: ArtifactStore,
        runtime: ServedRuntime,
        flow: str,
        documents: Callable[[RunStatus], Sequence[TaskDocument]],
    ) -> None:
        self._settings, self._store, self._runtime = settings, store, runtime
        self._flow, self._documents = flow, documents
        self._runs = Runs(store.database)
        self._opening = Lock()
        self._index: ServedIndex | None = None
        self._changed = Condition()
        self._awaited: set[str] = set()
        """Runs that are not indexed yet."""
        self._behind = settings.search != "none"
        """Whether it still looks for what was read before the start."""
        self._closed = False
        self._thread: SupervisedThread | None = None

    def begin(self) -> None:
        if self._settings.search != "none" and self._thread is None:
            self._thread = SupervisedThread("quire-indexer", self._follow)
            self._thread.start()

    def follow(self, status: RunStatus) -> None:
        """Index what a run reads, once it has ended."""
        if self._thread is not None and self._is_wanted(status):
            with self._changed:
                self._awaited.add(status.run)
                self._changed.notify_all()

    def settled(self, timeout_s: float) -> bool:
        """Whether everything that was submitted is indexed, within a timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._awaited or self._behind), timeout_s)

    def search(
        self, query: str, tenant: str, *, k: int, filters: SearchFilter, rerank: bool = False
    ) -> list[SearchHit]:
        """Raises ConfigurationError where there is no index, UsageError for a query without words or without the
        reranker that it wants."""
        return self._opened().search(query, tenant, k=k, filters=filters, rerank=rerank)

    def look_again(self, tenant: str, hits: Sequence[SearchHit]) -> None:
        """Remove the documents of hits whose runs are gone. One that another run has read is found with that one."""
        index = self._opened()
        for hit in hits:
            reads = [read for place in ServedPlace.all_in(hit.path) if (read := self._read_in(place, tenant))]
            for number, read in enumerate(reads):
                if index.put(read.reference, [one.place for one in reads[number:]], read=read.finished):
                    break
            else:
                index.remove(tenant, [hit])

    def close(self) -> None:
        """What is being indexed is given up: the next start looks for it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._index is not None:
            self._index.stop()
        if self._thread is not None:
            self._thread.stop()
            self._thread.join()
        if self._index is not None:
            self._index.close()

    def _opened(self) -> ServedIndex:
        if self._settings.search == "none":
            raise ConfigurationError("this server has no search: QUIRE_SERVE_SEARCH is none")
        with self._opening:
            if self._index is None:
                settings = self._settings
                self._index = ServedIndex(
                    self._store, embedder=settings.embedder, reranker=settings.reranker, engine=settings.index
                )
            return self._index

    def _is_wanted(self, status: RunStatus) -> bool:
        return self._settings.search == "all" or status.inputs["type"] in READS

    def _follow(self, _: Event) -> None:
        """In the thread; again after an error."""
        if self._behind:
            try:
                self._catch_up(self._opened())
            except ConfigurationError as error:  # it cannot be opened
                log.warning("documents are not indexed: %s", error)
            self._set_done(behind=False)
        while (awaited := self._next()) is not None:
            ended = self._runtime.wait_ended(awaited, timeout_s=LOOK_S)
            try:
                index = self._opened()
            except ConfigurationError:  # as was logged
                self._set_done(awaited)
                continue
            self._index_runs(index, ended)

    def _index_runs(self, index: ServedIndex, ended: Iterable[str]) -> None:
        """Index what some runs have read. Those that fail stay awaited; the others do not wait for them."""
        failures: list[QuireError] = []
        left = set()
        for run in sorted(ended):
            try:
                status = self._runs.glance(run)
                if status is not None and not self._index_run(index, status):
                    left.add(run)
                else:
                    self._set_done([run])
            except QuireError as error:
                failures.append(error)
        if failures:
            raise failures[0]
        if left:
            self._wait(LOOK_S)

    def _next(self) -> list[str] | None:
        """The runs to wait for, once there are some; None when it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._awaited or self._closed)
            return None if self._closed else sorted(self._awaited)

    def _set_done(self, runs: Iterable[str] = (), *, behind: bool | None = None) -> None:
        with self._changed:
            self._awaited -= {*runs}
            self._behind = self._behind if behind is None else behind
            self._changed.notify_all()

    def _wait(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed, seconds)

    def _catch_up(self, index: ServedIndex) -> None:
        reads: dict[tuple[str, str], list[_Read]] = {}
        for status in self._earlier():
            for read in self._reads(status):
                reads.setdefault((status.inputs["tenant"], index.id_of(read.reference)), []).append(read)
        known = {tenant: index.known(tenant) for tenant, _ in reads}
        for (tenant, own), found in reads.items():
            places = [read.place for read in found[:MOST_PLACES]]
            if self._closed:
                return
            if not {*places} <= {*known[tenant].get(own, ())} and not self._put(index, found[0], places):
                with self._changed:
                    self._awaited.add(found[0].place.run)

    def _earlier(self) -> Iterator[RunStatus]:
        """The finished runs, the latest first."""
        before = None
        while not self._closed:
            some = self._runtime.runs(flow=self._flow, state="finished", before=before, limit=PORTION)
            yield from (status for status in some if self._is_wanted(status))
            if len(some) < PORTION:
                return
            before = some[-1].run

    def _index_run(self, index: ServedIndex, status: RunStatus) -> bool:
        """Index the documents of a run; False if some are left to do."""
        return not [read for read in self._reads(status) if not self._put(index, read, [read.place])]

    def _reads(self, status: RunStatus) -> Iterator[_Read]:
        """The documents that a run has read."""
        if status.state != "finished":
            return
        try:
            documents = self._documents(status)
        except QuireError:  # deleted from the store
            return
        for number, document in enumerate(documents, start=1):
            if "reference" in document:
                yield _Read(document["reference"], ServedPlace(status.run, number), status.finished)

    def _read_in(self, place: ServedPlace, tenant: str) -> _Read | None:
        """What a run of a tenant has read in a place; None if it was forgotten."""
        status = self._runs.glance(place.run)
        if status is None or status.flow != self._flow or status.inputs["tenant"] != tenant:
            return None
        return next((read for read in self._reads(status) if read.place == place), None)

    def _put(self, index: ServedIndex, read: _Read, places: Sequence[ServedPlace]) -> bool:
        """Add places to a document in the index; False while another process does so.

        A document that cannot be indexed at all is logged. Raises what may pass: the index or the database is away.
        """
        if self._closed:
            return False
        claim = self._store.claim(ArtifactKey(f"indexing/{index.id_of(read.reference)}"))
        if claim is None:
            return False
        try:
            earlier = [place for place in index.places(read.reference) if place not in places]
            index.put(read.reference, [*places, *earlier], read=read.finished)
        except CancelledError:  # by `close`
            return False
        except QuireError as error:
            if error.retryable:
                raise
            log.warning("%s of run %s is not indexed: %s", read.reference["source"]["name"], read.place.run, error)
        finally:
            self._store.release(claim)
        return True


class _Read(NamedTuple):
    """A document that was read: by which run, and when that ended."""

    reference: DocumentReference
    place: ServedPlace
    finished: float | None
