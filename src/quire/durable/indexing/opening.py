"""Opens the index of a store: where its facts are."""

from __future__ import annotations

from quire.errors import ConfigurationError
from quire.search.backend import Indexes
from quire.search.opening import indexes_of
from quire.store.artifacts import ArtifactStore
from quire.store.local import LocalObjects


def open_indexes(store: ArtifactStore) -> Indexes:
    """The index of a store, made when it is new. Raises ConfigurationError for a place that cannot hold one."""
    folder = store.objects.folder if isinstance(store.objects, LocalObjects) else None
    found = indexes_of(store.database, folder, make=True)
    if found is None:
        raise ConfigurationError(
            f"{store.place} cannot hold a search index; use a folder as the store, or facts in PostgreSQL"
        )
    return found
