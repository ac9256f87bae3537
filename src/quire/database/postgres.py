"""PostgreSQL as the database of a store, for several machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import local
from typing import TYPE_CHECKING, TypeVar

from quire.core.errors import ConfigurationError, install_advice
from quire.database import schema

if TYPE_CHECKING:
    from quire.database.postgres_connections import Connection

R = TypeVar("R")

_MIGRATING = 0x7175697265  # "quire"
"""The advisory lock held during a migration."""

_BEGIN = b"BEGIN"
_BEGIN_LASTING = b"BEGIN; SET LOCAL synchronous_commit = on"


class PostgresDatabase:
    """The tables in a database by URL, `postgresql://user@host/name`. Thread-safe, from any machine.

    Transactions see what others commit meanwhile (READ COMMITTED): read-then-write code locks the row first, by
    updating it. The next statement reconnects to a restarted server. When a connection breaks, a read outside a
    transaction is retried; otherwise a StoreError is raised, and nothing was changed or, if the connection broke during
    the commit, possibly all of it.
    """

    one_machine = False
    epoch = ""  # the clock is the server's: a reboot of a client says nothing about owners

    def __init__(self, url: str) -> None:
        try:
            from quire.database.postgres_connections import Connections, Error
        except ImportError as error:
            raise ConfigurationError(
                f"facts in PostgreSQL need psycopg ({error}): {install_advice('postgres')}"
            ) from error
        self._failure = Error
        self._connections = Connections(url)
        self._held = _Held()
        try:
            self._migrate()
        except BaseException:
            self.close()
            raise

    @property
    def place(self) -> str:
        return self._connections.place

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        query = translated(statement)
        reads = statement.lstrip()[:6].upper() == "SELECT"
        return self._do(lambda connection: connection.execute(query, values).fetchall(), repeatable=reads)

    def locked(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        query = translated(f"{statement} FOR UPDATE")
        return self._do(lambda connection: connection.execute(query, values).fetchall())

    def change(self, statement: str, values: Sequence[object] = ()) -> int:
        query = translated(statement)
        return self._do(lambda connection: connection.execute(query, values).rowcount)

    def change_many(self, statement: str, values: Sequence[Sequence[object]]) -> None:
        query = translated(statement)
        with self.transaction():
            self._do(lambda connection: connection.cursor().executemany(query, values))

    @contextmanager
    def transaction(self, *, lasting: bool = False) -> Iterator[None]:
        if self._held.connection is not None:
            if lasting:
                self.change("SET LOCAL synchronous_commit = on")
            yield
            return
        self._held.connection = connection = self._begun(_BEGIN_LASTING if lasting else _BEGIN)
        try:
            yield
            with self._connections.explained():
                connection.execute(b"COMMIT")
        except BaseException:
            with suppress(self._failure):
                connection.execute(b"ROLLBACK")
            raise
        finally:
            self._held.connection = None
            self._connections.give_back(connection)

    def now(self) -> float:
        ((seconds,),) = self.rows("SELECT extract(epoch FROM clock_timestamp())::float8")
        return float(str(seconds))

    def hurry(self) -> None:
        self._connections.hurry()

    def close(self) -> None:
        self._connections.close()

    def _do(self, work: Callable[[Connection], R], *, repeatable: bool = False) -> R:
        """Run it in the transaction of this thread, or on any connection; there a broken connection is retried once."""
        with self._connections.explained():
            if self._held.connection is not None:
                return work(self._held.connection)
            connection = self._connections.take()
            try:
                return work(connection)
            except self._failure:
                if not (repeatable and connection.closed):
                    raise
            finally:
                self._connections.give_back(connection)
            connection = self._connections.take()
            try:
                return work(connection)
            finally:
                self._connections.give_back(connection)

    def _begun(self, begin: bytes) -> Connection:
        """A connection in a new transaction; nothing has happened in it, so a broken connection is simply replaced."""
        with self._connections.explained():
            for last in (False, True):
                connection = self._connections.take()
                try:
                    connection.execute(begin)
                    return connection
                except BaseException as error:
                    again = isinstance(error, self._failure) and connection.closed and not last
                    self._connections.give_back(connection)
                    if not again:
                        raise
        raise AssertionError("unreachable")

    def _migrate(self) -> None:
        if self._version() != schema.VERSION:
            with self.transaction(lasting=True):
                self.rows("SELECT pg_advisory_xact_lock(?)", (_MIGRATING,))
                for version in range(self._version(), schema.VERSION):
                    for statement in schema.migration(version, dialect="postgresql"):
                        self.change(statement)
        schema.check(self._version(), self.place)

    def _version(self) -> int:
        # Reads the catalogue itself: `to_regclass` may return the state from before another process made the tables.
        known = "SELECT 1 FROM pg_class WHERE relname = 'schema_version' AND pg_table_is_visible(oid)"
        if not self.rows(known):
            return 0
        ((version,),) = self.rows("SELECT version FROM schema_version")
        return int(str(version))


class _Held(local):
    """The connection whose transaction this thread is in."""

    connection: Connection | None = None


@lru_cache(maxsize=512)
def translated(statement: str) -> bytes:
    """A statement in psycopg's syntax: `%s` for `?` outside quotes, and every `%` doubled."""
    pieces = statement.replace("%", "%%").split("'")  # a doubled quote inside a literal makes an empty piece outside
    pieces[::2] = [piece.replace("?", "%s") for piece in pieces[::2]]
    return "'".join(pieces).encode()
