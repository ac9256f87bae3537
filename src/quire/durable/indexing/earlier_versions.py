"""Versions of an index that earlier code has filled: searched until a later one has their documents, then dropped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from quire.database.outputs import Outputs
from quire.durable.indexing.delivery import records_of
from quire.retrieval.search.backend import IndexBackend, Indexes, IndexProfile
from quire.store.artifacts import ArtifactStore


def earlier_versions(indexes: Indexes, index: IndexBackend) -> list[IndexBackend]:
    """The versions that were made before one, and differ from it at most in the code that made their contents."""
    alike = [version.name for version in indexes.versions() if is_alike(version.profile, index.profile)]
    before = alike[: alike.index(index.name)] if index.name in alike else []
    return [opened for name in before if (opened := indexes.open(name=name))]


def is_alike(one: IndexProfile, other: IndexProfile) -> bool:
    """Whether two versions differ at most in the code that made their contents."""
    return replace(one, terms=other.terms) == other


def has_all(index: IndexBackend, earlier: IndexBackend, tenants: Iterable[str]) -> bool:
    """Whether an index has all documents that an earlier version has of tenants."""
    return all(earlier.known(tenant=tenant).keys() <= index.known(tenant=tenant).keys() for tenant in tenants)


def replace_versions(
    store: ArtifactStore, indexes: Indexes, index: IndexBackend, earlier: Iterable[IndexBackend], engine: str
) -> None:
    """Search a version from now on, and drop earlier ones with the records of what is in them."""
    indexes.switch(index.name)
    outputs = Outputs(store.database)
    for one in earlier:
        indexes.drop(one.name)
        outputs.forget([output.place for output in outputs.below(records_of(one.name, engine))])
