"""What workers and callers on Restate keep in the database: how a run goes, its events, and who waits for signals."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from quire.context import Json
from quire.errors import StoreError
from quire.events import Event
from quire.records.database import Database
from quire.records.runs import ENDED, Runs
from quire.runtime.restate.messages import Failure

PATIENCE_S = 60.0
"""How long a worker waits for a database that does not answer, before it leaves the invocation to a later attempt."""
PAUSE_S = 0.2
T = TypeVar("T")
log = logging.getLogger("quire.worker")


class RunRecords:
    """The runs of a database, and the signals of those that Restate plays. Any thread may use it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.runs = Runs(database)

    def tell(self, run: str, events: Sequence[Event]) -> None:
        """Store events. A database that does not answer is waited for."""
        self.patiently(lambda: self.runs.append(run, events))

    def wait_until_there(self) -> None:
        """Return when the database answers, or after a while."""
        with suppress(StoreError):
            self.patiently(lambda: self._database.rows("SELECT 1"))

    def patiently(self, ask: Callable[[], T]) -> T:
        """Ask the database until it answers. Raises StoreError when it does not for long."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return ask()
            except StoreError as error:
                if time.monotonic() > deadline:
                    raise
                log.warning("the database does not answer, trying again: %s", error)
                time.sleep(PAUSE_S)

    def started(self, run: str) -> bool:
        """Note that a worker plays the run; False when it has ended already, cancelled before it began."""
        self.runs.set_state(run, "running")
        return self.runs.status(run).state not in ENDED

    def ended(self, run: str, outcome: bytes | Failure) -> None:
        """Note the end of a run; the first end counts."""
        if not isinstance(outcome, Failure):
            self.runs.finish(run, "finished", result=json.loads(outcome))
        elif outcome.cancelled:
            self.runs.finish(
                run, "cancelled", error=outcome.message, category=outcome.category, exit_code=outcome.exit_code
            )
        else:
            self.runs.finish(
                run, "failed", error=outcome.message, category=outcome.category, exit_code=outcome.exit_code
            )

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
        """Remove a run that has ended, with its events and signals."""
        with self._database.transaction():
            self.runs.forget(run)
            self._database.change("DELETE FROM signals WHERE invocation = ?", (run,))
            self._database.change("DELETE FROM signals WHERE invocation LIKE ?", (_wishes(run, "%"),))


def _wishes(run: str, name: str) -> str:
    return f"{run}/{name}"
