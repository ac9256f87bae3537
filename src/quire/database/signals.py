"""Signals of runs on Restate: the awakeables that wait for each, and the values."""

from __future__ import annotations

import json

from quire.core.context import Json
from quire.database.database import Database


class Signals:
    """The table of signals. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def want(self, run: str, name: str, awakeable: str) -> Json:
        """Register an awakeable for a signal; returns an existing value as `{"value": …}`, otherwise None.

        The awakeable is stored before the value is looked up, and `answer` does the reverse: no race, because one of
        the two sees both.
        """
        self._database.change(
            "INSERT INTO signals (invocation, name, value) VALUES (?, ?, '') ON CONFLICT DO NOTHING",
            (_awakeables(run, name), awakeable),
        )
        rows = self._database.rows("SELECT value FROM signals WHERE invocation = ? AND name = ?", (run, name))
        return {"value": json.loads(str(rows[0][0]))} if rows else None

    def answer(self, run: str, name: str, value: Json) -> tuple[list[str], Json]:
        """Store the value of a signal, the first one counts; returns the waiting awakeables and the value they get."""
        self._database.change(
            "INSERT INTO signals (invocation, name, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (run, name, json.dumps(value)),
        )
        ((kept,),) = self._database.rows("SELECT value FROM signals WHERE invocation = ? AND name = ?", (run, name))
        rows = self._database.rows("SELECT name FROM signals WHERE invocation = ?", (_awakeables(run, name),))
        return [str(awakeable) for (awakeable,) in rows], json.loads(str(kept))

    def forget(self, run: str) -> None:
        """Remove the signals of a run, in the caller's transaction."""
        self._database.change("DELETE FROM signals WHERE invocation = ?", (run,))
        self._database.change("DELETE FROM signals WHERE invocation LIKE ?", (_awakeables(run, "%"),))


def _awakeables(run: str, name: str) -> str:
    return f"{run}/{name}"
