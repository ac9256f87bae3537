"""Quarantine: work that fails every time is skipped until it is released."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from quire.database.database import Database, in_portions
from quire.errors import Category

_COLUMNS = "key, document, source, category, reason, attempts, run, at"


@dataclass(frozen=True, slots=True)
class Quarantined:
    """Work that is skipped. The key identifies the document and the request: with other settings, or a changed
    document, it is tried again."""

    key: str
    document: str
    source: str
    category: Category
    reason: str
    attempts: int
    run: str
    at: float = 0.0


class Quarantine:
    """The table of quarantined work. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, entry: Quarantined) -> None:
        """Skip it from now on; adds to the attempts counted before."""
        values = astuple(entry if entry.at else replace(entry, at=time.time()))
        self._database.change(
            f"INSERT INTO quarantine ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
            "source = excluded.source, category = excluded.category, reason = excluded.reason, "
            "attempts = quarantine.attempts + excluded.attempts, run = excluded.run, at = excluded.at",
            values,
        )

    def entries(self) -> list[Quarantined]:
        """Everything in it, the oldest first."""
        return [_read(row) for row in self._database.rows(f"SELECT {_COLUMNS} FROM quarantine ORDER BY at, key")]

    def find(self, keys: Sequence[str]) -> dict[str, Quarantined]:
        """The entries of these keys, in few statements."""
        found = {}
        for portion, marks in in_portions(keys):
            for row in self._database.rows(f"SELECT {_COLUMNS} FROM quarantine WHERE key IN ({marks})", portion):
                found[str(row[0])] = _read(row)
        return found

    def release(self, keys: Sequence[str]) -> int:
        """Release work, so that it is tried again; returns how many entries there were."""
        return sum(
            self._database.change(f"DELETE FROM quarantine WHERE key IN ({marks})", portion)
            for portion, marks in in_portions(keys)
        )

    def clear(self) -> int:
        """Release everything; returns how many entries there were."""
        return self._database.change("DELETE FROM quarantine")


def _read(row: Sequence[object]) -> Quarantined:
    key, document, source, category, reason, attempts, run, at = row
    return Quarantined(
        str(key),
        str(document),
        str(source),
        category,  # type: ignore[arg-type]
        str(reason),
        int(str(attempts)),
        str(run),
        float(str(at)),
    )
