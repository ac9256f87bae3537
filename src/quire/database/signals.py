"""Signals of runs on Restate: which awakeables wait for one, and how it was answered."""

from __future__ import annotations

import json

from quire.context import Json
from quire.database.database import Database


class Signals:
    """The table of signals. Any thread may use it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def want(self, run: str, name: str, awakeable: str) -> Json:
        """Note who waits for a signal; what it was answered already as `{"value": …}`, None when it was not.

        The wish is stored before the answer is looked for, and `answer` does the reverse: one of the two sees both.
        """
        self._database.change(
            "INSERT INTO signals (invocation, name, value) VALUES (?, ?, '') ON CONFLICT DO NOTHING",
            (_wishes(run, name), awakeable),
        )
        rows = self._database.rows("SELECT value FROM signals WHERE invocation = ? AND name = ?", (run, name))
        return {"value": json.loads(str(rows[0][0]))} if rows else None

    def answer(self, run: str, name: str, value: Json) -> tuple[list[str], Json]:
        """Keep the answer to a signal, the first one counts; who waits for it, and the answer that they get."""
        self._database.change(
            "INSERT INTO signals (invocation, name, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (run, name, json.dumps(value)),
        )
        ((kept,),) = self._database.rows("SELECT value FROM signals WHERE invocation = ? AND name = ?", (run, name))
        rows = self._database.rows("SELECT name FROM signals WHERE invocation = ?", (_wishes(run, name),))
        return [str(awakeable) for (awakeable,) in rows], json.loads(str(kept))

    def forget(self, run: str) -> None:
        """Remove the signals of a run, in the caller's transaction."""
        self._database.change("DELETE FROM signals WHERE invocation = ?", (run,))
        self._database.change("DELETE FROM signals WHERE invocation LIKE ?", (_wishes(run, "%"),))


def _wishes(run: str, name: str) -> str:
    return f"{run}/{name}"
