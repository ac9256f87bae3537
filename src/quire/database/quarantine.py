"""Quarantine: work that fails every time is not tried again until its reason has changed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from quire.core.errors import Category, PasswordError
from quire.database.database import Database, change_in, rows_in

_COLUMNS = "key, document, source, category, reason, attempts, run, at, exit_code"


@dataclass(frozen=True, slots=True)
class Quarantined:
    """Work that is not tried again. The key stands for the document and the settings: when either changes, so does
    the key, and the work is tried."""

    key: str
    document: str
    source: str
    category: Category
    reason: str
    attempts: int
    run: str
    at: float = 0.0
    exit_code: int = 0

    @property
    def locked(self) -> bool:
        """Whether the document is encrypted and the password was missing or wrong."""
        return self.exit_code == PasswordError.exit_code


class Quarantine:
    """The table of quarantined work. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, entry: Quarantined) -> None:
        """Do not try it again from now on; earlier attempts count as well. Replaces what is known of an earlier
        content of the source."""
        values = astuple(entry if entry.at else replace(entry, at=time.time()))
        with self._database.transaction():
            self._forget_earlier(entry.source, entry.document)
            self._database.change(
                f"INSERT INTO quarantine ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE "
                "SET source = excluded.source, category = excluded.category, reason = excluded.reason, "
                "attempts = quarantine.attempts + excluded.attempts, run = excluded.run, at = excluded.at, "
                "exit_code = excluded.exit_code",
                values,
            )

    def succeeded(self, key: str, document: str, source: str) -> None:
        """The work was done after all: forget it, and what is known of an earlier content of the source."""
        with self._database.transaction():
            self._forget_earlier(source, document)
            self._database.change("DELETE FROM quarantine WHERE key = ?", (key,))

    def entries(self) -> list[Quarantined]:
        """Everything in it, the oldest first."""
        return [_read(row) for row in self._database.rows(f"SELECT {_COLUMNS} FROM quarantine ORDER BY at, key")]

    def find(self, keys: Sequence[str]) -> dict[str, Quarantined]:
        """The entries of these keys, in few statements."""
        rows = rows_in(self._database, f"SELECT {_COLUMNS} FROM quarantine WHERE key IN ({{}})", keys)
        return {str(row[0]): _read(row) for row in rows}

    def release(self, keys: Sequence[str]) -> int:
        """Let work be tried again; returns how many there were."""
        return change_in(self._database, "DELETE FROM quarantine WHERE key IN ({})", keys)

    def _forget_earlier(self, source: str, document: str) -> None:
        self._database.change("DELETE FROM quarantine WHERE source = ? AND document <> ?", (source, document))


def _read(row: Sequence[object]) -> Quarantined:
    key, document, source, category, reason, attempts, run, at, exit_code = row
    return Quarantined(
        str(key),
        str(document),
        str(source),
        category,  # type: ignore[arg-type]
        str(reason),
        int(str(attempts)),
        str(run),
        float(str(at)),
        int(str(exit_code)),
    )
