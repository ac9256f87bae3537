"""The interface of an index: what SQLite, PostgreSQL and other engines implement, so that one search serves all.

An index has versions, one for each way to cut and embed documents, side by side; searches use the current one. A
version is a projection of artifacts: it can be built anew from the store at any time, with the same content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from quire.core.embedder import Embedder
from quire.core.errors import UsageError
from quire.core.keys import Digest, Profile, digest_of
from quire.retrieval.search.hits import IndexedDocument, PageChunk, Statistics, StoredChunk
from quire.retrieval.search.query import Query, SearchFilter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class IndexProfile(Profile):
    """The way in which documents of a version were cut and embedded. `dimension` is 0 in an index of words alone."""

    chunks: Digest
    terms: str
    embedder: str = ""
    embedder_version: str = ""
    dimension: int = 0


@dataclass(frozen=True, slots=True)
class IndexVersion:
    """One version of an index. `name` is unique in it; of several with the same profile the latest counts."""

    name: str
    profile: IndexProfile
    is_current: bool
    documents: int
    chunks: int


def embedder_version(embedder: Embedder) -> str:
    """The version of an embedder in the profile of an index: changes whenever its vectors may."""
    return digest_of([embedder.version, embedder.profile.digest()])


def check_embedder(profile: IndexProfile, embedder: Embedder | None) -> None:
    """Raises UsageError when vectors of an embedder do not fit an index: before a text is embedded or written."""
    if embedder is None:
        if profile.dimension:
            raise UsageError(f"the index has vectors of {profile.embedder}; name that embedder")
        return
    if embedder.family != "dense":
        raise UsageError(f"{embedder.name} gives {embedder.family} vectors, and an index takes dense ones")
    if embedder.dimension != profile.dimension:
        raise UsageError(
            f"{embedder.name} gives vectors of {embedder.dimension} dimensions, the index has {profile.dimension}; "
            f"use the embedder of the index ({profile.embedder or 'none'}), or make another version"
        )
    if (embedder.name, embedder_version(embedder)) != (profile.embedder, profile.embedder_version):
        raise UsageError(
            f"the index has vectors of {profile.embedder}, and those of {embedder.name} with its settings do not "
            "compare with them: use that embedder with the same settings, or make another version"
        )


class IndexBackend(Protocol):
    """One version of an index, open. Thread-safe. Raises StoreError when it cannot be read or written."""

    @property
    def name(self) -> str: ...

    @property
    def profile(self) -> IndexProfile: ...

    def put(self, documents: Sequence[IndexedDocument]) -> None:
        """Add documents, or replace them, in one transaction."""
        ...

    def remove(self, documents: Sequence[str], *, tenant: str | None = None) -> int:
        """Remove documents by their ids, of one tenant or of all; returns how many there were."""
        ...

    def known(self, *, tenant: str = "") -> Mapping[str, tuple[str, str]]:
        """The documents in it: path and digest by id."""
        ...

    def tenants(self) -> list[str]:
        """The tenants with documents in it."""
        ...

    def at(self, path: str, *, tenant: str = "") -> list[str]:
        """The ids of the documents that were put with a path."""
        ...

    def statistics(self, terms: Sequence[str], *, tenant: str = "") -> Statistics: ...

    def lexical(self, query: Query, terms: Sequence[str], most: int) -> list[int]:
        """Ids of chunks with any of the terms, the best first; all conditions of the query hold for them."""
        ...

    def dense(self, vector: NDArray[np.float32], query: Query, most: int) -> list[int]:
        """Ids of the chunks nearest to a vector, the nearest first; all conditions of the query hold for them."""
        ...

    def load(self, ids: Sequence[int]) -> list[StoredChunk]:
        """The chunks that still exist, in the order of the ids."""
        ...

    def on_pages(self, pages: Sequence[tuple[str, int]], filter: SearchFilter) -> list[PageChunk]:
        """The chunks on pages, each given by its document and number, in no order."""
        ...

    def around(self, document: str, position: int, reach: int, filter: SearchFilter) -> list[StoredChunk]:
        """The chunks of a document around one of them, with it, in reading order."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """All that this thread looks up within it is of one moment, whatever others write meanwhile."""
        ...

    def close(self) -> None: ...


class Indexes(Protocol):
    """The versions of an index, side by side. Thread-safe. Raises StoreError when they cannot be read or written."""

    def versions(self) -> list[IndexVersion]: ...

    def open(self, profile: IndexProfile | None = None, *, name: str | None = None) -> IndexBackend | None:
        """The version of a name, or with a profile, or the current one. None when there is none.

        Of several versions with a profile it is the current one if that is among them, else the latest.
        """
        ...

    def open_or_make(self, profile: IndexProfile) -> IndexBackend:
        """The version with a profile; two processes that need a new one get the same."""
        ...

    def make(self, profile: IndexProfile, *, name: str | None = None) -> IndexBackend:
        """A new, empty version; the first one is current at once."""
        ...

    def switch(self, name: str) -> None:
        """Make a version the one that searches use, in one step. Raises UsageError when there is none of that name."""
        ...

    def drop(self, name: str) -> None:
        """Remove a version with everything in it."""
        ...

    def remove(self, documents: Sequence[str]) -> None:
        """Remove documents from every version, in one transaction."""
        ...

    def remove_traces(self) -> None:
        """Overwrite what the files of the engine still hold of removed documents, where that is not up to a server."""
        ...

    def close(self) -> None: ...
