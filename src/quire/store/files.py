"""The store in a folder: artifacts in packs, facts in SQLite."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from quire.database.leases import LEASE_S
from quire.database.paths import DATABASE
from quire.database.sqlite import SqliteDatabase
from quire.store.artifacts import ArtifactStore
from quire.store.local import LocalObjects


class FileStore(ArtifactStore):
    """Artifacts in `packs/…`, facts in `facts.sqlite3`. Safe for several threads and processes of one machine.

    `lease_s` is how long a process without a heartbeat keeps its claims.
    """

    def __init__(self, folder: str | Path, *, lease_s: float = LEASE_S, clock: Callable[[], float] = time.time) -> None:
        self.folder = Path(folder)
        objects = LocalObjects(self.folder)
        database = SqliteDatabase(self.folder / DATABASE)
        super().__init__(objects, database, reopen=self._open_again, lease_s=lease_s, clock=clock)

    def _open_again(self) -> SqliteDatabase:
        return SqliteDatabase(self.folder / DATABASE)
