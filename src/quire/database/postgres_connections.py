"""A small connection pool for PostgreSQL. Needs psycopg (extra `postgres`)."""

from __future__ import annotations

import selectors
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Any, TypeAlias

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from quire.core.errors import ConfigurationError, StoreError

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Error = psycopg.Error

MAX_CONNECTIONS = 8
WAIT_S = 60.0
"""How long a thread waits for a connection, and a statement for a locked row."""
STOPPED_S = 30.0
"""How long a client may be idle in a transaction: a suspended process must not hold its locks for ever."""
RECONNECT_S = 20.0
"""How long to retry a server that has answered before: it may be restarting."""
HURRIED_S = 1.0
"""The same for a program that is stopping."""
_PAUSE_S = 0.1

_DEFAULTS: dict[str, str | int] = {
    "application_name": "quire",
    "connect_timeout": 10,
    "keepalives_idle": 30,  # seconds; detects a server that vanished
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
# Only a lasting transaction waits for the server's disk; the last of the others may be lost after a crash.
_SESSION = (
    f"SET synchronous_commit = off; SET idle_in_transaction_session_timeout = '{STOPPED_S:.0f}s'; "
    f"SET lock_timeout = '{WAIT_S:.0f}s'"
).encode()


class _Whole(Loader):
    """Sums of whole numbers are whole numbers, as in SQLite."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text or text == "NaN" else int(text)


class _Truth(Dumper):
    """True and False are 1 and 0, as in SQLite."""

    oid = psycopg.adapters.types["int8"].oid

    def dump(self, obj: bool) -> bytes:
        return b"1" if obj else b"0"


class Connections:
    """At most `MAX_CONNECTIONS`, opened lazily. Thread-safe."""

    def __init__(self, address: str) -> None:
        try:
            parts = conninfo_to_dict(address)
        except psycopg.Error:  # its message may quote a part of the password
            raise ConfigurationError(
                "the address of the database is invalid; write one like postgresql://user@host:5432/name"
            ) from None
        self._password = str(parts.get("password") or "")
        self._address = make_conninfo(**{**_DEFAULTS, **parts})  # type: ignore[arg-type]
        self.place = _shown(parts)
        self._lock = Lock()
        self._places = BoundedSemaphore(MAX_CONNECTIONS)
        self._idle: list[Connection] = []
        self._closed = False
        self._hurried = False
        self._away_since = self._failed_at = 0.0  # on the monotonic clock; written by any thread, the last one wins
        self._reached = False
        with self.explained():
            self._idle.append(self._connect())
        self._reached = True

    def take(self) -> Connection:
        """A live connection; return it with `give_back`."""
        if not self._places.acquire(timeout=WAIT_S):
            raise StoreError(
                f"all {MAX_CONNECTIONS} connections to {self.place} were busy for {WAIT_S:.0f} s; use fewer workers"
            )
        try:
            return self._alive() or self._reconnect()
        except BaseException:
            self._places.release()
            raise

    def give_back(self, connection: Connection) -> None:
        with self._lock:
            reusable = not self._closed and connection.info.transaction_status == TransactionStatus.IDLE
            if reusable:
                self._idle.append(connection)
        if not reusable:
            connection.close()
        self._places.release()

    def hurry(self) -> None:
        """Shorten the wait for an unreachable server. Takes no lock, because signal handlers call it."""
        self._hurried = True

    def close(self) -> None:
        """Connections in use are closed when they are given back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Translate errors of the server into a StoreError with the address, without the password, and advice."""
        try:
            yield
        except psycopg.Error as error:
            message = " ".join(str(error).split()) or type(error).__name__
            if self._password:
                message = message.replace(self._password, "…")
            advice = _LOST if self._reached and _is_lost(error) else _advice(error)
            raise StoreError(f"the database {self.place}: {message}; {advice}") from None

    def _alive(self) -> Connection | None:
        while True:
            with self._lock:
                if self._closed:
                    raise StoreError(f"the database {self.place} is closed")
                connection = self._idle.pop() if self._idle else None
            if connection is None or not _has_ended(connection):
                return connection
            connection.close()

    def _reconnect(self) -> Connection:
        """All threads share one deadline: after one has waited for the server in vain, the next does not wait again."""
        while True:
            try:
                return self._connect()
            except psycopg.OperationalError:
                before, self._failed_at = self._failed_at, time.monotonic()
                if self._failed_at - before > RECONNECT_S:  # a new outage
                    self._away_since = self._failed_at
                if self._failed_at - self._away_since > (HURRIED_S if self._hurried else RECONNECT_S):
                    raise
                time.sleep(_PAUSE_S)

    def _connect(self) -> Connection:
        connection = psycopg.connect(self._address, autocommit=True)
        try:
            connection.adapters.register_loader("numeric", _Whole)
            connection.adapters.register_dumper(bool, _Truth)
            connection.execute(_SESSION)
        except BaseException:
            connection.close()
            raise
        return connection


def _has_ended(connection: Connection) -> bool:
    """Whether the server has closed an idle connection: it has sent unrequested data. Sends nothing to find out."""
    if connection.closed:
        return True
    with selectors.DefaultSelector() as selector:
        selector.register(connection.fileno(), selectors.EVENT_READ)
        return bool(selector.select(0))


def _shown(parts: dict[str, Any]) -> str:
    user = f"{parts['user']}@" if parts.get("user") else ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{user}{parts.get('host', '')}{port}/{parts.get('dbname', '')}"


_LOST = "check that the server runs, or start it again, then run the command again: what is done is kept"


def _is_lost(error: psycopg.Error) -> bool:
    """Whether the server ended the connection, or cannot be reached: the classes of SQLSTATE for that, or none."""
    return isinstance(error, psycopg.OperationalError) and (error.sqlstate or "08").startswith(("08", "57P"))


def _advice(error: psycopg.Error) -> str:
    match error:
        case psycopg.errors.DiskFull():
            return "make room on the disk of the database"
        case psycopg.errors.InsufficientPrivilege():
            return "give its user the right to create and change tables, or name another user"
        case psycopg.errors.ReadOnlySqlTransaction():
            return "name the address of the primary server"
        case psycopg.errors.TooManyConnections():
            return "raise max_connections of the server, or use fewer workers"
        case psycopg.errors.DeadlockDetected() | psycopg.errors.LockNotAvailable():
            return "another process holds a lock; try again"
        case psycopg.OperationalError():
            return "check that the server runs, and the address, user and password; then try again"
    return "check which program and version wrote this database"
