"""Opens the index of a store: beside its facts."""

from __future__ import annotations

from pathlib import Path

from quire.errors import ConfigurationError
from quire.search.sqlite_index import SqliteIndexes
from quire.store.artifacts import ArtifactStore
from quire.store.deleting import SEARCH
from quire.store.local import LocalObjects


def open_indexes(store: ArtifactStore) -> SqliteIndexes:
    """The index of a store, made when it is new. Raises ConfigurationError for a place that cannot hold one."""
    if store.database.one_machine and isinstance(store.objects, LocalObjects):
        return SqliteIndexes(Path(store.objects.folder) / SEARCH)
    raise ConfigurationError(f"{store.place} cannot hold a search index; use a folder as the store")
