"""An index in a search engine that is there already: OpenSearch, Elasticsearch or Qdrant.

Such engines have no transactions over several items. So the chunks of a document are written first, as a generation
that no search sees; then its record (`engine_fields.DocumentRecord`) is switched to that generation, in one step that
fails if the record has changed meanwhile; then the chunks of the generation before are erased. A search reads the
records of what it has found, and drops chunks of other generations: also those of a writer that was killed, which the
next writer or the removal of the document erases. Each document is put in one step; several documents are not.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import local
from typing import TYPE_CHECKING, Protocol, TypeVar

from quire.core.errors import StoreError, UsageError
from quire.retrieval.search.backend import IndexProfile, IndexVersion
from quire.retrieval.search.engine_conditions import AnyOf, Between, Condition, Conditions, conditions_on, on_pages
from quire.retrieval.search.engine_fields import (
    KNOWN,
    LOADED,
    OF_PAGES,
    DocumentRecord,
    EngineItem,
    Fields,
    items_of,
    number_of,
    page_chunk_of,
    stored_of,
)
from quire.retrieval.search.entries import DocumentEntry, entry_of
from quire.retrieval.search.hits import IndexedDocument, PageChunk, Statistics, StoredChunk
from quire.retrieval.search.query import Query, SearchFilter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_ONCE = 300
"""Items that are asked for in one request by their ids."""
PAGES_AT_ONCE = 100
TRIES = 12
"""Of a writer, while others write the same document."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """A version in an engine. `maker` tells versions of one name apart that were made at the same time."""

    name: str
    number: int
    profile: IndexProfile
    maker: str
    is_current: bool = False


class SearchEngine(Protocol):
    """A search engine that can hold an index; `version` names one of its versions. Thread-safe. Raises StoreError.

    What was written is found by its id at once, and by conditions and searches after `settle`.
    """

    @property
    def place(self) -> str: ...

    def versions(self) -> list[EngineVersion]: ...

    def create(self, version: EngineVersion) -> bool:
        """Make an empty version. False if another has made one of that name."""
        ...

    def switch(self, version: str) -> None:
        """Let the alias lead to a version instead of the present one, in one step."""
        ...

    def drop(self, version: str) -> None: ...

    def write(self, version: str, items: Sequence[EngineItem]) -> None: ...

    def settle(self, version: str) -> None:
        """Wait until searches find everything that was written before."""
        ...

    def erase(self, version: str, generations: Sequence[str]) -> None:
        """Remove chunks of generations; they are in no search when this returns."""
        ...

    def record(self, version: str, id: int) -> tuple[DocumentRecord, object] | None:
        """A record, and a token of how it was then."""
        ...

    def swap(self, version: str, record: DocumentRecord, token: object | None) -> bool:
        """Write a record if it is as it was with that token, or not there without one. False if it is not."""
        ...

    def forget(self, version: str, record: DocumentRecord, token: object) -> None:
        """Remove a record if it is as it was with that token."""
        ...

    def get(self, version: str, ids: Sequence[int], fields: Sequence[str]) -> dict[int, Fields]: ...

    def find(self, version: str, conditions: Conditions, fields: Sequence[str]) -> Iterator[tuple[int, Fields]]:
        """Everything that fits, in no order."""
        ...

    def count(self, version: str, conditions: Conditions | None) -> int:
        """The number of items that fit; without conditions, that of all chunks."""
        ...

    def statistics(self, version: str, terms: Sequence[str], tenant: str) -> Statistics: ...

    def lexical(self, version: str, terms: Sequence[str], wanted: Conditions, most: int) -> list[int]: ...

    def dense(self, version: str, vector: NDArray[np.float32], conditions: Conditions, most: int) -> list[int]: ...


class EngineIndexes:
    """The versions of an index in an engine. See `quire.retrieval.search.backend.Indexes`."""

    def __init__(self, engine: SearchEngine) -> None:
        self._engine = engine

    def versions(self) -> list[IndexVersion]:
        known = Conditions([AnyOf("state", [KNOWN])])
        count = self._engine.count
        return [
            IndexVersion(one.name, one.profile, one.is_current, count(one.name, known), count(one.name, None))
            for one in self._listed()
        ]

    def open(self, profile: IndexProfile | None = None, *, name: str | None = None) -> EngineIndex | None:
        for version in sorted(self._listed(), key=lambda one: (one.is_current, one.number), reverse=True):
            if (name == version.name) if name else (profile == version.profile) if profile else version.is_current:
                return EngineIndex(self._engine, version.name, version.profile)
        return None

    def open_or_make(self, profile: IndexProfile) -> EngineIndex:
        while True:
            present = self._listed()
            if any(version.profile == profile for version in present):
                found = self.open(profile)
            else:
                found = self._made(profile, _next_name(profile, present), present)
            if found is not None:
                return found  # else another process has made or dropped it since

    def make(self, profile: IndexProfile, *, name: str | None = None) -> EngineIndex:
        while True:
            present = self._listed()
            made = self._made(profile, name or _next_name(profile, present), present)
            if made is not None:
                return made
            if name is not None:
                raise UsageError(f"the index in {self._engine.place} has a version {name} already")

    def switch(self, name: str) -> None:
        known = [version.name for version in self._listed()]
        if name not in known:
            raise UsageError(f"the index in {self._engine.place} has no version {name}; choose from {', '.join(known)}")
        self._engine.switch(name)

    def drop(self, name: str) -> None:
        self._engine.drop(name)

    def remove(self, documents: Sequence[str]) -> None:
        """From one version after the other: an engine has no transactions."""
        for version in self._listed():
            EngineIndex(self._engine, version.name, version.profile).remove(documents)

    def remove_traces(self) -> None:
        """The engine does, when it merges its files."""

    def close(self) -> None:
        """Every request has a connection of its own."""

    def _listed(self) -> list[EngineVersion]:
        return sorted(self._engine.versions(), key=lambda version: version.number)

    def _made(self, profile: IndexProfile, name: str, present: Sequence[EngineVersion]) -> EngineIndex | None:
        """None when there is a version of that name by now."""
        number = max((version.number for version in present), default=0) + 1
        first = not any(version.is_current for version in present)
        if not self._engine.create(EngineVersion(name, number, profile, secrets.token_hex(8), is_current=first)):
            return None
        return EngineIndex(self._engine, name, profile)


class EngineIndex:
    """One version. See `quire.retrieval.search.backend.IndexBackend`."""

    def __init__(self, engine: SearchEngine, name: str, profile: IndexProfile) -> None:
        self._engine, self._name, self._profile = engine, name, profile
        self._moment = local()

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> IndexProfile:
        return self._profile

    def put(self, documents: Sequence[IndexedDocument]) -> None:
        """Each document in one step, one after the other. None is written if a vector of one does not fit."""
        for document, entry in [(document, entry_of(document, self._profile)) for document in documents]:
            self._put(document, entry)

    def remove(self, documents: Sequence[str], *, tenant: str | None = None) -> int:
        owner = [] if tenant is None else [AnyOf("tenant", [tenant])]
        removed = 0
        for some in _portions(documents, AT_ONCE):
            self._engine.settle(self._name)  # the record of a writer that has only begun is found too
            recorded = AnyOf("state", [KNOWN, "begun"])
            found = list(
                self._engine.find(
                    self._name, Conditions([AnyOf("document", some), recorded, *owner]), ("tenant", "document")
                )
            )
            removed += sum(self._remove(fields["tenant"], fields["document"]) for _, fields in found)
        return removed

    def known(self, *, tenant: str = "") -> Mapping[str, tuple[str, str]]:
        conditions = Conditions([AnyOf("state", [KNOWN]), AnyOf("tenant", [tenant])])
        found = self._engine.find(self._name, conditions, ("document", "path", "digest"))
        return {fields["document"]: (fields["path"], fields["digest"]) for _, fields in found}

    def tenants(self) -> list[str]:
        found = self._engine.find(self._name, Conditions([AnyOf("state", [KNOWN])]), ("tenant",))
        return sorted({fields["tenant"] for _, fields in found})

    def at(self, path: str, *, tenant: str = "") -> list[str]:
        conditions = Conditions([AnyOf("state", [KNOWN]), AnyOf("tenant", [tenant]), AnyOf("path", [path])])
        return [fields["document"] for _, fields in self._engine.find(self._name, conditions, ("document",))]

    def statistics(self, terms: Sequence[str], *, tenant: str = "") -> Statistics:
        return self._engine.statistics(self._name, list(dict.fromkeys(terms)), tenant)

    def lexical(self, query: Query, terms: Sequence[str], most: int) -> list[int]:
        wanted = list(dict.fromkeys(terms))
        return self._engine.lexical(self._name, wanted, conditions_on(query), most) if wanted else []

    def dense(self, vector: NDArray[np.float32], query: Query, most: int) -> list[int]:
        if not self._profile.dimension or not vector.any():
            return []
        return self._engine.dense(self._name, vector, conditions_on(query), most)

    def load(self, ids: Sequence[int]) -> list[StoredChunk]:
        found: dict[int, Fields] = {}
        for some in _portions(ids, AT_ONCE):
            found |= self._engine.get(self._name, some, LOADED)
        return [stored_of(id, fields) for id, fields in self._seen((id, found[id]) for id in ids if id in found)]

    def on_pages(self, pages: Sequence[tuple[str, int]], filter: SearchFilter) -> list[PageChunk]:
        found: dict[int, Fields] = {}
        for some in _portions(pages, PAGES_AT_ONCE):
            found |= dict(self._engine.find(self._name, on_pages(some, filter.tenant), OF_PAGES))
        return [page_chunk_of(fields) for _, fields in self._seen(found.items())]

    def around(self, document: str, position: int, reach: int, filter: SearchFilter) -> list[StoredChunk]:
        conditions: list[Condition] = [
            AnyOf("document", [document]),
            AnyOf("tenant", [filter.tenant]),
            Between("position", position - reach, position + reach),
        ]
        found = self._seen(self._engine.find(self._name, Conditions(conditions), LOADED))
        return sorted((stored_of(id, fields) for id, fields in found), key=lambda chunk: chunk.position)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Of each document, one generation is seen, whatever is written meanwhile. A document that is replaced or
        removed just then may be missed: an engine does not keep what was."""
        self._moment.records = {}
        try:
            yield
        finally:
            del self._moment.records

    def close(self) -> None:
        """Every request has a connection of its own."""

    def _seen(self, chunks: Iterable[tuple[int, Fields]]) -> list[tuple[int, Fields]]:
        """The chunks whose generation is the one that the record of their document names."""
        found = list(chunks)
        owners = {id: number_of(fields["tenant"], fields["document"]) for id, fields in found}
        generations: dict[int, str] = getattr(self._moment, "records", {})
        unread = [id for id in dict.fromkeys(owners.values()) if id not in generations]
        for some in _portions(unread, AT_ONCE):
            records = self._engine.get(self._name, some, ("current",))
            generations |= {id: str(records[id]["current"]) if id in records else "" for id in some}
        return [(id, fields) for id, fields in found if fields["generation"] == generations[owners[id]]]

    def _put(self, document: IndexedDocument, entry: DocumentEntry) -> None:
        wait_s = 0.01
        for _ in range(TRIES):
            generation = self._begin(document)
            self._engine.write(self._name, items_of(document, entry, generation))
            self._engine.settle(self._name)
            if self._finish(document, entry, generation):
                return
            self._engine.erase(self._name, [generation])
            time.sleep(random.uniform(0, wait_s))
            wait_s *= 2
        raise StoreError(
            f"{self._engine.place}: other processes kept writing {document.name} at the same time; index it again"
        )

    def _begin(self, document: IndexedDocument) -> str:
        """Announce a generation, instead of one that another writer has announced and not finished, or never will."""
        announced = ""
        while True:
            before = self._engine.record(self._name, number_of(document.tenant, document.document))
            record, token = before or (DocumentRecord(document.tenant, document.document), None)
            if announced and record.writing == announced:
                return announced  # the answer was lost
            announced, stale = secrets.token_hex(8), record.with_stale(record.writing)
            if self._engine.swap(self._name, record.changed(writing=announced, stale=stale), token):
                if stale:
                    self._engine.erase(self._name, stale)
                return announced

    def _finish(self, document: IndexedDocument, entry: DocumentEntry, generation: str) -> bool:
        """Let searches see a generation. False if another writer has begun since, or the document was removed."""
        while True:
            before = self._engine.record(self._name, number_of(document.tenant, document.document))
            if before is None:
                return False
            record, token = before
            if record.current == generation:
                after = record  # it was written, but the answer was lost
            elif record.writing != generation:
                return False
            else:
                after = record.changed(
                    path=entry.columns[3],
                    digest=document.digest,
                    current=generation,
                    writing="",
                    stale=record.with_stale(record.current),
                )
                if not self._engine.swap(self._name, after, token):
                    continue
            if after.stale:
                self._clean(after.id)
            self._engine.settle(self._name)
            return True

    def _clean(self, id: int) -> None:
        """Erase the stale generations of a document. Where another writer has begun meanwhile, that one does."""
        before = self._engine.record(self._name, id)
        if before is not None and before[0].stale:
            record, token = before
            self._engine.erase(self._name, record.stale)
            self._engine.swap(self._name, record.changed(stale=()), token)

    def _remove(self, tenant: str, document: str) -> bool:
        """Returns whether searches saw it."""
        seen = False
        while (before := self._engine.record(self._name, number_of(tenant, document))) is not None:
            record, token = before
            seen = seen or bool(record.current)
            gone = DocumentRecord(tenant, document).changed(stale=record.with_stale(record.current, record.writing))
            if (record.current or record.writing) and not self._engine.swap(self._name, gone, token):
                continue
            if gone.stale:
                self._engine.erase(self._name, gone.stale)
            after = self._engine.record(self._name, record.id)
            if after is not None and not (after[0].current or after[0].writing):
                self._engine.forget(self._name, *after)
            break
        self._engine.settle(self._name)
        return seen


def _next_name(profile: IndexProfile, present: Sequence[EngineVersion]) -> str:
    """By the profile and the versions that have it alone: so two that make the first one choose the same name."""
    begin = f"{profile.digest()[:12]}-"
    taken = [version.name.removeprefix(begin) for version in present if version.name.startswith(begin)]
    return f"{begin}{max((int(suffix) for suffix in taken if suffix.isdecimal()), default=0) + 1}"


def _portions(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for begin in range(0, len(values), size):
        yield values[begin : begin + size]
