"""Opens the index of a store: where its facts are, or in a search engine."""

from __future__ import annotations

from quire.core.errors import ConfigurationError
from quire.retrieval.search.backend import Indexes
from quire.retrieval.search.engine_places import open_engine, remember
from quire.retrieval.search.index_location import indexes_of
from quire.store.artifacts import ArtifactStore
from quire.store.local import LocalObjects


def open_indexes(store: ArtifactStore, engine: str | None = None) -> Indexes:
    """The index of a store, made when it is new; with the address of an engine the one there, which is remembered.

    Raises ConfigurationError for a place that cannot hold one.
    """
    if engine:
        opened = open_engine(engine)
        remember(store.database, engine)
        return opened
    folder = store.objects.folder if isinstance(store.objects, LocalObjects) else None
    found = indexes_of(store.database, folder, make=True)
    if found is None:
        raise ConfigurationError(
            f"{store.place} cannot hold a search index; use a folder as the store, facts in PostgreSQL, or a search "
            "engine (--index, QUIRE_INDEX)"
        )
    return found
