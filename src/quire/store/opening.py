"""Opens a store by its place: a folder, or a bucket plus a database."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from quire.core.errors import ConfigurationError
from quire.database.database import Database
from quire.database.leases import LEASE_S
from quire.database.paths import DATABASE
from quire.database.sqlite import SqliteDatabase
from quire.store.artifacts import ArtifactStore
from quire.store.files import FileStore
from quire.store.local import LocalObjects
from quire.store.objects import Objects


def open_store(place: str | os.PathLike[str], facts: str | None = None, *, lease_s: float = LEASE_S) -> ArtifactStore:
    """The store at a place: `open_store("s3://bucket/folder", "postgresql://user@host/name")`.

    A folder holds artifacts and facts. `s3://`, `gs://` and `az://` hold artifacts only: `facts` names their database,
    `postgresql://…` for several machines or the path of an SQLite file for one. A folder that several machines share
    needs a database as well. `lease_s` is how long a process without a heartbeat keeps its claims.

    Raises ConfigurationError when something is missing or misspelt, and StoreError when the place is unavailable.
    """
    folder = _folder(place)
    if facts is None:
        if folder is None:
            raise ConfigurationError(
                f"{place} keeps artifacts but no facts: name their database too, postgresql://user@host/name or the "
                "path of an SQLite file (facts=…, --facts, QUIRE_FACTS)"
            )
        return FileStore(folder, lease_s=lease_s)
    objects = _objects(str(place)) if folder is None else LocalObjects(folder)
    return ArtifactStore(objects, open_facts(facts), reopen=lambda: open_facts(facts), lease_s=lease_s)


def read_facts(place: str | os.PathLike[str], facts: str | None = None) -> Database:
    """The facts of a store, to look at: nothing is made or written. They are empty where there is no store yet.

    Takes and raises what `open_store` does. A PostgreSQL database is opened as usual.
    """
    folder = _folder(place)
    if facts is not None and "://" in facts:
        return open_facts(facts)
    if facts is None and folder is None:
        return open_store(place).database  # raises: it says what is missing
    file = Path(facts) if facts is not None else Path(folder or "", DATABASE)
    return SqliteDatabase(file, read_only=True) if file.is_file() else SqliteDatabase(None)


def open_facts(place: str) -> Database:
    """The database by its URL, `postgresql://…`, or by the path of an SQLite file."""
    if place.startswith(("postgresql://", "postgres://")):
        from quire.database.postgres import PostgresDatabase

        return PostgresDatabase(place)
    if "://" in place:
        kind = place.partition(":")[0]
        raise ConfigurationError(f"facts are kept in postgresql://… or an SQLite file, not in {kind}://…")
    path = Path(place)
    if path.is_dir():
        raise ConfigurationError(f"facts are kept in a file, and {path} is a folder; name a file in it")
    with suppress(OSError):  # opening the file reports what is wrong
        path.parent.mkdir(parents=True, exist_ok=True)
    return SqliteDatabase(path)


def _folder(place: str | os.PathLike[str]) -> Path | None:
    """The folder of a place; None for a remote address."""
    if not isinstance(place, str) or "://" not in place:
        return Path(place)
    return Path(url2pathname(urlsplit(place).path)) if place.startswith("file://") else None


def _objects(url: str) -> Objects:
    from quire.store.remote import RemoteObjects

    return RemoteObjects(url)
