"""The steps of the workflow `index`: a document is put into an index, and what an index lacks is found."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import NamedTuple

from quire.core.context import Json, RunStatus
from quire.core.errors import FencedError, QuireError, UsageError
from quire.database.document_rows import DocumentRows
from quire.database.paths import path_text
from quire.database.runs import Runs
from quire.database.task_sources import TASK
from quire.durable.flows.workflow import flow_output
from quire.durable.indexing.delivery import IndexDelivery, IndexOwner, IndexTarget
from quire.durable.indexing.earlier_versions import earlier_versions, has_all, replace_versions
from quire.durable.indexing.index_queue import queue_document
from quire.durable.indexing.read_places import ReadPlace, ReadPlaces, RecordedPlace
from quire.durable.indexing.store_index import open_indexes
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.views.views import DocumentViews
from quire.reading.messages import DocumentReference, IndexArgument, IndexCounts, TaskDocument, TaskResult
from quire.retrieval.chunk import ChunkOptions
from quire.retrieval.embed.embedder_registry import chosen_embedder
from quire.retrieval.search.backend import IndexBackend, Indexes
from quire.store.artifacts import ArtifactStore
from quire.store.scoped import document_in, scoped
from quire.system.workers import shared_pool

PART = "served/"
"""Before the name of each tenant: what runs have read is apart from what `quire index` puts into the same store."""
log = logging.getLogger("quire")
PORTION = 100
"""Runs looked at in one query."""


class OpenedIndex(NamedTuple):
    """A version of an index that is open for writing."""

    indexes: Indexes
    backend: IndexBackend
    delivery: IndexDelivery
    earlier: list[IndexBackend]
    """Versions of earlier code, until the documents of a server are all in this one."""


class IndexSteps:
    """Steps over one store. Thread-safe; its methods block. `close` gives up what is being indexed."""

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store
        self._places = ReadPlaces(store.database)
        self._lock = Lock()
        self._opened: dict[str, OpenedIndex] = {}
        self._views: DocumentViews | None = None
        self._closed = False

    def put(self, argument: IndexArgument) -> IndexCounts:
        """Put a document into the index, replacing what that has of it."""
        with self._leaving(argument):
            opened = self._open(argument)
            return self._put_read(opened, argument) if "reference" in argument else self._put_file(opened, argument)

    def follow(self, argument: IndexArgument) -> IndexCounts:
        """Queue what runs have read and the index, or the records of its places, lack."""
        with self._leaving(argument):
            opened, types = self._open(argument), argument.get("types")
            recorded = {one.place for one in self._places.all()}
            reads: dict[tuple[str, str], list[_Read]] = {}
            for status in self._finished():
                if types is None or status.inputs["type"] in types:
                    for read in _reads_of(self._store, status):
                        reads.setdefault((status.inputs["tenant"], read.document), []).append(read)
            indexed = {tenant: opened.backend.known(tenant=PART + tenant) for tenant, _ in reads}
            missing = [
                found
                for (tenant, document), found in reads.items()
                if document not in indexed[tenant] or any(read.place not in recorded for read in found)
            ]
            for latest, *earlier in missing:
                self._places.record([read.recorded() for read in earlier])
                queue_document(self._store.database, argument["target"], latest.reference, latest.place, latest.read)
            if not missing:
                self._drop_earlier(opened, argument, {""})  # of what else they have of a server, no run is left
            return {"following": len(missing)}

    @contextmanager
    def _leaving(self, argument: IndexArgument) -> Iterator[None]:
        """A step that `close` interrupts is left to the next process. After an error the index is opened again: its
        version may have been replaced, a connection may be broken."""
        try:
            yield
        except CancelledError as error:
            raise FencedError("the index is left to the next process") from error
        except QuireError as error:
            self._forget(argument)
            if argument["background"] and not error.retryable:  # nobody else hears of it
                name = argument["reference"]["source"]["name"] if "reference" in argument else "what was read before"
                log.warning("%s is not indexed: %s", name, error)
            raise

    def close(self) -> None:
        with self._lock:
            self._closed = True
            opened, self._opened = self._opened, {}
            views, self._views = self._views, None
        if views is not None:
            views.close()
        for one in opened.values():
            one.indexes.close()

    def _put_file(self, opened: OpenedIndex, argument: IndexArgument) -> IndexCounts:
        document, path, index = argument["document"], Path(argument["path"]), opened.backend
        rows = flow_output(self._store, argument["chunks"])["chunks"]
        count = opened.delivery.put(document, path, rows)
        below = f"{path_text(IndexTarget.from_json(argument['target']).output)}/"
        for replaced in index.at(path_text(path)):
            records = DocumentRows(self._store.database).outputs(replaced)
            others = [one for one in records if one.startswith(below) and one != path_text(argument["place"])]
            if replaced != document and not others:  # no other file has that content
                index.remove([replaced], tenant="")
        return {"chunks": count}

    def _put_read(self, opened: OpenedIndex, argument: IndexArgument) -> IndexCounts:
        """Index what a run has read, unless it was deleted meanwhile."""
        reference, views = argument["reference"], self._background()
        if not views.has(reference):
            return {"chunks": 0}
        read = _Read(reference, ReadPlace(argument["run"], argument["number"]), argument["read"])
        source, scope = reference["source"], reference.get("scope", "")
        rows = views.chunks(reference, ChunkOptions(use_markdown_tables=True))
        owner = IndexOwner(scoped(self._store, scope), read.document, PART + scope, read.read)
        count = opened.delivery.put(source["id"], PurePosixPath(read.name), rows, owner=owner)
        self._places.record([read.recorded()])
        self._drop_earlier(opened, argument)
        if not views.has(reference):  # deleted while it was indexed
            opened.backend.remove([read.document])
            self._places.forget([one.place for one in self._places.of_document(read.document)])
            return {"chunks": 0}
        return {"chunks": count}

    def _drop_earlier(self, opened: OpenedIndex, argument: IndexArgument, tenants: Collection[str] = ()) -> None:
        """Drop versions of earlier code of which the index has all documents, of some tenants or of all."""
        filled = [one for one in opened.earlier if has_all(opened.backend, one, tenants or one.tenants())]
        if filled:
            engine = IndexTarget.from_json(argument["target"]).engine
            replace_versions(self._store, opened.indexes, opened.backend, filled, engine)
            opened.earlier[:] = [one for one in opened.earlier if one not in filled]

    def _open(self, argument: IndexArgument) -> OpenedIndex:
        """The index of a target, which stays open. Raises ConfigurationError for a store that cannot hold one or an
        embedder that is not here, UsageError when its version was dropped since."""
        name = _name(argument)
        with self._lock:
            self._check_open()
            if name not in self._opened:
                self._opened[name] = self._open_target(argument)
            return self._opened[name]

    def _open_target(self, argument: IndexArgument) -> OpenedIndex:
        target = IndexTarget.from_json(argument["target"])
        embedder = chosen_embedder(target.embedder)
        indexes = open_indexes(self._store, target.engine)
        if target.version:
            version = indexes.open(name=target.version)
            if version is None:
                place = self._store.place
                raise UsageError(f"the search index of {place} has no version {target.version} any more; index again")
        else:
            version = indexes.open_or_make(target.profile(embedder))
        pool = (lambda: self._background().pool) if argument["background"] else shared_pool
        earlier = earlier_versions(indexes, version) if argument["background"] else []
        return OpenedIndex(indexes, version, IndexDelivery(self._store, version, embedder, pool=pool), earlier)

    def _forget(self, argument: IndexArgument) -> None:
        with self._lock:
            opened = self._opened.pop(_name(argument), None)
        if opened is not None:
            opened.indexes.close()

    def _background(self) -> DocumentViews:
        """Views with a worker process that is separate from those that read documents."""
        with self._lock:
            self._check_open()
            if self._views is None:
                self._views = DocumentViews(DocumentSteps(self._store, workers=1), workers=1)
            return self._views

    def _check_open(self) -> None:
        if self._closed:
            raise CancelledError

    def _finished(self) -> Iterator[RunStatus]:
        """The finished runs of a server, the latest first."""
        runs, before = Runs(self._store.database), None
        while some := runs.list(flow=TASK, state="finished", before=before, limit=PORTION):
            yield from some
            before = some[-1].run


class _Read(NamedTuple):
    """A document that was read: by which run, and when."""

    reference: DocumentReference
    place: ReadPlace
    read: float

    @property
    def document(self) -> str:
        """Its id in the index."""
        return document_in(self.reference.get("scope", ""), self.reference["source"]["id"])

    @property
    def name(self) -> str:
        return PurePosixPath(self.reference["source"]["name"]).name or "document"

    def recorded(self) -> RecordedPlace:
        return RecordedPlace(self.place, self.document, self.reference["document"], self.name, self.read)


def _reads_of(store: ArtifactStore, status: RunStatus) -> Iterator[_Read]:
    """The documents that a run has read."""
    result: TaskResult = status.result
    listed = result["documents"]
    try:
        documents: list[TaskDocument] = json.loads(store.load(listed)) if isinstance(listed, str) else [*listed]
    except QuireError:  # deleted from the store
        return
    for number, document in enumerate(documents, start=1):
        if "reference" in document:
            yield _Read(document["reference"], ReadPlace(status.run, number), status.finished or 0.0)


def _name(argument: IndexArgument) -> str:
    target: Mapping[str, Json] = argument["target"]
    return json.dumps([target, argument["background"]], sort_keys=True)
