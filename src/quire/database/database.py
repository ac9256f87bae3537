"""The interface of a database. SQLite and PostgreSQL implement it.

Statements are written once, in the SQL that both share, with `?` for values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

AT_ONCE = 500
"""Parameters of one statement: well below the limit of either database."""

T = TypeVar("T")


class Database(Protocol):
    """Thread-safe; a transaction belongs to the thread that began it.

    Raises StoreError, with advice, when it cannot be written or read.
    """

    @property
    def place(self) -> str:
        """Its name in messages: a path, or an address without its password."""
        ...

    @property
    def one_machine(self) -> bool:
        """Whether all its clients are on one machine, and so see the same files."""
        ...

    @property
    def epoch(self) -> str:
        """Leases of another epoch are void, because the machine has restarted. "" where restarts do not matter."""
        ...

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """Run a statement and return its rows. Outside a transaction it is a transaction by itself."""
        ...

    def locked(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """The rows of a SELECT, in its order, locked one after the other until the end of the caller's transaction.

        An UPDATE of many rows locks them in any order; two processes that lock the same rows in one order cannot
        deadlock.
        """
        ...

    def change(self, statement: str, values: Sequence[object] = ()) -> int:
        """Run a statement; returns how many rows it changed."""
        ...

    def change_many(self, statement: str, values: Sequence[Sequence[object]]) -> None: ...

    def transaction(self, *, lasting: bool = False) -> AbstractContextManager[None]:
        """An atomic transaction; with `lasting`, a commit survives a power failure right after it.

        May be nested: the outermost transaction decides about commit, rollback and `lasting`.
        """
        ...

    def now(self) -> float:
        """Seconds on a clock that all clients of the database share and that cannot be set back."""
        ...

    def hurry(self) -> None:
        """The program is stopping: do not wait for a server that does not answer. Safe to call in a signal handler."""
        ...

    def close(self) -> None: ...


def in_portions(values: Collection[T]) -> Iterator[tuple[list[T], str]]:
    """Split values into portions, each with as many question marks."""
    every = list(values)
    for begin in range(0, len(every), AT_ONCE):
        portion = every[begin : begin + AT_ONCE]
        yield portion, ", ".join("?" * len(portion))


def rows_in(
    database: Database, statement: str, values: Collection[object], before: Sequence[object] = ()
) -> Iterator[tuple[object, ...]]:
    """The rows of a SELECT with `IN ({})`, of many values, in few statements. `before` are values for what precedes."""
    for portion, marks in in_portions(values):
        yield from database.rows(statement.format(marks), (*before, *portion))


def change_in(database: Database, statement: str, values: Collection[object]) -> int:
    """Run a statement with `IN ({})` for many values; returns how many rows it changed."""
    return sum(database.change(statement.format(marks), portion) for portion, marks in in_portions(values))


def upsert(table: str, key: str, columns: str) -> str:
    """An INSERT that replaces the other columns of a row whose key is there already."""
    names = columns.split(", ")
    changed = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key.split(", "))
    marks = ", ".join("?" * len(names))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {changed}"


def like_text(text: str) -> str:
    """A text in a pattern of LIKE, for a statement with `ESCAPE '!'`."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


@cache
def boot() -> str:
    """The id of this boot of the machine: a lease from before the last restart is void."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
