"""The tables that workers and callers on Restate share: the state of runs, their events, and awaited signals."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal, TypeVar

from quire.core.errors import StoreError
from quire.core.events import Event
from quire.database.database import Database
from quire.database.runs import ENDED, Runs
from quire.database.signals import Signals
from quire.runtime.restate.messages import RunFailure

PATIENCE_S = 60.0
"""How long a worker retries a database that does not answer, before it leaves the invocation to a later attempt."""
PAUSE_S = 0.2
T = TypeVar("T")
log = logging.getLogger("quire.worker")


class RunTables:
    """The runs of a database, and the signals of those on Restate. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.runs = Runs(database)
        self.signals = Signals(database)

    def tell(self, run: str, events: Sequence[Event]) -> None:
        """Store events. Retries while the database does not answer."""
        self.patiently(lambda: self.runs.append(run, events))

    def wait_until_there(self) -> None:
        """Wait until the database answers, for a limited time."""
        with suppress(StoreError):
            self.patiently(lambda: self._database.rows("SELECT 1"))

    def patiently(self, ask: Callable[[], T]) -> T:
        """Retry a database operation until it succeeds. Raises StoreError when the database stays away for too long."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return ask()
            except StoreError as error:
                if time.monotonic() > deadline:
                    raise
                log.warning("the database does not answer, retrying: %s", error)
                time.sleep(PAUSE_S)

    def started(self, run: str) -> bool:
        """Record that a worker runs it; False when it has ended already, cancelled before it started."""
        self.runs.set_state(run, "running")
        return self.runs.status(run).state not in ENDED

    def ended(self, run: str, outcome: bytes | RunFailure) -> None:
        """Record the end of a run; the first end counts."""
        if not isinstance(outcome, RunFailure):
            self.runs.finish(run, "finished", result=json.loads(outcome))
            return
        state: Literal["cancelled", "failed"] = "cancelled" if outcome.cancelled else "failed"
        self.runs.finish(run, state, error=outcome.message, category=outcome.category, exit_code=outcome.exit_code)

    def forget(self, run: str) -> None:
        """Remove a run that has ended, with its events and signals."""
        with self._database.transaction():
            self.runs.forget(run)
            self.signals.forget(run)
