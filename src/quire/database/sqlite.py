"""SQLite as the database of a store."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock

from quire.core.errors import StoreError, too_few_descriptors
from quire.database import schema
from quire.database.database import boot
from quire.database.log_sync import LogSync

BUSY_S = 30.0
"""How long a statement waits for the lock of another process."""
RETRY_S = 0.01
_MOVED = "it was moved or deleted while it was in use; run the command again"
_ADVICE = {
    sqlite3.SQLITE_FULL: "its disk is full: make room there",
    sqlite3.SQLITE_IOERR: "check its disk: make room if it is full; it may also be failing or gone",
    sqlite3.SQLITE_BUSY: "another process holds its lock: wait for it and try again",
    sqlite3.SQLITE_LOCKED: "another process holds its lock: wait for it and try again",
    sqlite3.SQLITE_READONLY: "check that this user may write to it and to its folder",
    sqlite3.SQLITE_READONLY_DBMOVED: _MOVED,
    sqlite3.SQLITE_CANTOPEN: "check that its folder exists and that this user may write there",
    sqlite3.SQLITE_PERM: "check that this user may write to it and to its folder",
    sqlite3.SQLITE_PROTOCOL: "another process holds its lock: wait for it and try again",
    sqlite3.SQLITE_ERROR: "it was not written by this version of Quire; choose another store, or move it away",
}
"""Advice by SQLite's result code: the extended code, or its primary code."""
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR_SHORT_READ}


class SqliteDatabase:
    """One file, shared by threads and processes of one machine; `None` for an in-memory database.

    `boundary` is called before and after every durable write, so that a test can kill the process there.
    With `read_only` nothing is written, also where nothing could be; the file must be there.
    """

    one_machine = True

    def __init__(
        self, path: str | Path | None, *, boundary: Callable[[str], None] | None = None, read_only: bool = False
    ) -> None:
        self._path = path
        self._boundary = boundary or (lambda _: None)
        self._lock = RLock()
        self._depth = 0
        self._sync = None if path is None or read_only else LogSync(Path(f"{path}-wal"))
        file = ":memory:" if path is None else _read_only(Path(path)) if read_only else path
        try:
            self._connection = _connect(file, uri=read_only)
        except sqlite3.Error as error:
            raise self._explained(error) from error
        try:
            if read_only:
                self._prepare_reading()
            else:
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    @property
    def place(self) -> str:
        return "memory" if self._path is None else str(self._path)

    @property
    def epoch(self) -> str:
        return boot()

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with self._lock:
            try:
                return self._connection.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise self._explained(error) from error

    def locked(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return self.rows(statement, values)  # a transaction locks the whole database

    def change(self, statement: str, values: Sequence[object] = ()) -> int:
        with self._lock:
            if self._depth:
                return self._execute(statement, values).rowcount
        with self.transaction():
            return self._execute(statement, values).rowcount

    def change_many(self, statement: str, values: Sequence[Sequence[object]]) -> None:
        with self.transaction():
            try:
                self._connection.executemany(statement, values)
            except sqlite3.Error as error:
                raise self._explained(error) from error

    @contextmanager
    def transaction(self, *, lasting: bool = False) -> Iterator[None]:
        with self._lock:
            if self._depth:
                yield
                return
            self._boundary("before")
            try:
                self._execute("BEGIN IMMEDIATE")
                self._depth = 1
                yield
                self._execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # the first error is what matters
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth = 0
        if lasting and self._sync is not None:
            self._sync()  # not under the lock: the others go on meanwhile, and the next sync serves all of them
        self._boundary("after")

    def now(self) -> float:
        """Seconds since boot, which changes of the wall clock do not affect."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.time()

    def hurry(self) -> None:
        pass  # a file is never unreachable

    def overwrite_deleted(self) -> None:
        """From now on overwrite deleted rows, which otherwise stay readable in the file."""
        self.rows("PRAGMA secure_delete = ON")

    def remove_traces(self) -> None:
        """Rewrite the file: rows changed or deleted earlier are still readable in its free pages and its log."""
        self.rows("VACUUM")
        ((busy, *_),) = self.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            raise StoreError(
                f"the document is deleted, but another process keeps reading {self.place}: deleted rows stay in "
                "its log until that process ends; delete the document again then"
            )

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _prepare(self) -> None:
        self._begin_log()
        self._execute("PRAGMA synchronous = NORMAL")
        self._migrate()

    def _prepare_reading(self) -> None:
        """The tables of an older version are brought up to date in a copy in memory."""
        if self._version() < schema.VERSION:
            copy = _connect(":memory:")
            with closing(self._connection) as original:
                original.backup(copy)
            self._connection = copy
        self._migrate()

    def _migrate(self) -> None:
        for version in range(self._version(), schema.VERSION):
            with self.transaction():
                if self._version() == version:  # otherwise another process was faster
                    for statement in schema.migration(version, dialect="sqlite"):
                        self._execute(statement)
        schema.check(self._version(), self.place)

    def _begin_log(self) -> None:
        """Switch to write-ahead logging. When two processes open a new file, SQLite refuses one despite its timeout."""
        until = time.monotonic() + BUSY_S
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() >= until:
                    raise self._explained(error) from error
            except sqlite3.Error as error:
                raise self._explained(error) from error
            time.sleep(RETRY_S)

    def _version(self) -> int:
        found = self._execute("SELECT count(*) FROM sqlite_master WHERE name = 'schema_version'")
        if not found.fetchone()[0]:
            return 0
        (version,) = self._execute("SELECT version FROM schema_version").fetchone()
        return int(version)

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: sqlite3.Error) -> Exception:
        """Translate an error of SQLite into a StoreError with advice; programming errors stay as they are."""
        if isinstance(error, sqlite3.ProgrammingError):
            return StoreError(f"the database {self.place} is closed") if "closed" in str(error) else error
        code = getattr(error, "sqlite_errorcode", 0)  # absent in errors raised by Python's module itself
        if code in _DAMAGED or code & 0xFF in _DAMAGED:
            return StoreError(
                f"the database {self.place} is damaged ({error}); restore a backup, or move it away with the "
                "-wal and -shm files next to it: everything is then read again"
            )
        if advice := _ADVICE.get(code) or _ADVICE.get(code & 0xFF):
            return too_few_descriptors(error) or StoreError(f"cannot use the database {self.place}: {error}; {advice}")
        return error


def _connect(file: str | Path, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=BUSY_S, isolation_level=None, check_same_thread=False, uri=uri)


def _read_only(path: Path) -> str:
    """The address of a database that is only read. Without a log beside it no process is writing, and reading needs
    neither locks nor files of its own."""
    log = Path(f"{path}-wal")
    return f"{path.absolute().as_uri()}?mode=ro{'' if log.exists() else '&immutable=1'}"
