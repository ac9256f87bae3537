"""The SQLite file of an index: a connection for each thread, transactions, and errors with advice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock, local

from quire.core.errors import StoreError
from quire.retrieval.search.sqlite_memory import KeptNumbers

SCHEMA = 2
BUSY_S = 60.0


class IndexFile:
    """Connections to the file: one per thread, so that searches do not wait for each other or for a writer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = local()
        self._lock = Lock()
        self._open: list[sqlite3.Connection] = []
        self.kept: dict[int, tuple[KeptNumbers, KeptNumbers]] = {}
        """Signs and lengths in memory of each version, by its number, from one opening of it to the next."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._explained():
            self.version = self.rows("PRAGMA user_version")[0][0]
            if self.version not in (0, SCHEMA):
                raise StoreError(
                    f"{path} has schema version {self.version}, this Quire reads {SCHEMA}; "
                    "delete it, and run `quire index` again"
                )

    @property
    def place(self) -> str:
        return str(self._path)

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with self._explained():
            return self._connection().execute(statement, values).fetchall()

    def locked(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return self.rows(statement, values)  # a transaction locks the whole file

    def change(self, statement: str, values: Sequence[object] = ()) -> int:
        with self._explained():
            return self._connection().execute(statement, values).rowcount

    def change_many(self, statement: str, values: Sequence[Sequence[object]]) -> None:
        with self._explained():
            self._connection().executemany(statement, values)

    def transaction(self) -> AbstractContextManager[None]:
        """A transaction of this thread; nested ones belong to the outermost."""
        return self._within("BEGIN IMMEDIATE")

    def reading(self) -> AbstractContextManager[None]:
        """A transaction in which this thread reads the file as it is at one moment."""
        return self._within("BEGIN")

    @contextmanager
    def _within(self, begin: str) -> Iterator[None]:
        connection = self._connection()
        if connection.in_transaction:
            yield
            return
        with self._explained():
            connection.execute(begin)
            try:
                yield
                connection.commit()
            finally:
                connection.rollback()  # what an error has left; nothing after a commit

    def close(self) -> None:
        with self._lock:
            for connection in self._open:
                connection.close()
            self._open.clear()
        self._local = local()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            with self._lock:
                self._open.append(connection)
            self._local.connection = connection
        return connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"the search index {self._path}: {error}; it can be deleted, `quire index` makes it again"
            ) from error
