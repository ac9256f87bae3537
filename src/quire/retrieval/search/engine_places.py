"""The search engines that hold documents of a store: its facts remember them, so that a deletion reaches them all."""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.errors import StoreError, UsageError
from quire.database.database import Database
from quire.net.search_engine import EngineAddress, EngineClient
from quire.retrieval.search.backend import Indexes
from quire.retrieval.search.engine_index import EngineIndexes

_MAKING = 0x71756972656970  # "quireip"
"""The advisory lock held in PostgreSQL while the table is made."""


def open_engine(address: str) -> Indexes:
    """The index at an address like `opensearch+http://localhost:9200/quire`.

    Raises ConfigurationError when there is no such engine, StoreError when it does not answer.
    """
    client = EngineClient(EngineAddress.parse(address))
    if client.address.speaks == "qdrant":
        from quire.retrieval.search.qdrant_engine import QdrantEngine

        return EngineIndexes(QdrantEngine(client))
    from quire.retrieval.search.opensearch_engine import OpenSearchEngine

    return EngineIndexes(OpenSearchEngine(client))


def remember(database: Database, address: str) -> None:
    """That an engine holds documents of the store of these facts."""
    with database.transaction():
        if not database.one_machine:
            database.rows("SELECT pg_advisory_xact_lock(?)", (_MAKING,))
        database.change("CREATE TABLE IF NOT EXISTS search_engines (address TEXT PRIMARY KEY)")
        found = str(EngineAddress.parse(address))
        database.change("INSERT INTO search_engines VALUES (?) ON CONFLICT (address) DO NOTHING", (found,))


def remembered(database: Database) -> list[str]:
    """The addresses of the engines that hold documents of the store of these facts."""
    exists = (
        "SELECT 1 FROM sqlite_master WHERE name = 'search_engines'"
        if database.one_machine
        else "SELECT 1 FROM pg_class WHERE relname = 'search_engines' AND pg_table_is_visible(oid)"
    )
    if not database.rows(exists):
        return []
    return [str(address) for (address,) in database.rows("SELECT address FROM search_engines ORDER BY address")]


def forget(database: Database, address: str) -> None:
    """An engine that is gone for good. Raises UsageError when the facts do not know it."""
    known, found = remembered(database), str(EngineAddress.parse(address))
    if found not in known:
        raise UsageError(f"{database.place} knows no search index in {found}; it knows {', '.join(known) or 'none'}")
    database.change("DELETE FROM search_engines WHERE address = ?", (found,))


def remove_everywhere(database: Database, documents: Sequence[str]) -> None:
    """Remove documents from the indexes in all engines that hold some of the store of these facts."""
    for address in remembered(database):
        try:
            open_engine(address).remove(documents)
        except StoreError as error:
            raise StoreError(
                f"{error} Nothing was deleted from the store; if that engine is gone for good, "
                f"add --forget-index {address}"
            ) from None
