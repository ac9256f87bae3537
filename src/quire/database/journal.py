"""The journal of the local runtime: invocations of workflows, their steps and signals, in the store's database."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from quire.core.context import Claim, Json, Workflow
from quire.core.errors import Category, RunCancelled, RunError, category_of, exit_code_of
from quire.core.events import reason_of
from quire.database.database import Database, rows_in
from quire.database.leases import ALIVE, Claims
from quire.database.runs import ENDED, HAS_ENDED, PAUSED, Runs, claim_of
from quire.database.secrets import remove_secrets

State = Literal["waiting", "running", "finished", "failed", "cancelled"]


_PROCEEDS = f"NOT EXISTS (SELECT 1 FROM runs WHERE runs.run = i.run AND runs.state = '{PAUSED}')"
"""Of an invocation `i`: its run is not paused."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The ending of an invocation or a step; `run` is the run that an invocation belongs to."""

    state: State
    result: Json = None
    message: str = ""
    category: Category = "runtime"
    run: str = ""
    exit_code: int | None = None

    @classmethod
    def of(cls, error: BaseException) -> Ending:
        """A failure with that error."""
        return cls("failed", message=reason_of(error), category=category_of(error), exit_code=exit_code_of(error))

    def value(self) -> Json:
        """Its result. Raises RunError or RunCancelled unless it finished."""
        if self.state == "cancelled":
            raise RunCancelled(self.message or "cancelled")
        if self.state == "failed":
            raise RunError(self.message, category=self.category, exit_code=self.exit_code)
        return self.result

    def error_text(self) -> str | None:
        if self.state not in ("failed", "cancelled"):
            return None
        return json.dumps({"message": self.message, "category": self.category, "exit_code": self.exit_code})


@dataclass(frozen=True, slots=True)
class Invocation:
    """A workflow started under an idempotency key."""

    key: str
    run: str
    workflow: str
    version: str
    pool: str
    argument: Json
    cancelled: bool = False
    """Whether its run was cancelled before it started."""


@dataclass(slots=True)
class JournalStep:
    """One step in the journal: its attempts, and its ending, once it has one."""

    name: str
    attempts: int = 0
    ending: Ending | None = None
    due: float | None = None
    """When a timer fires, in seconds of the wall clock."""


class Journal:
    """The tables of invocations, steps and signals. Thread-safe."""

    def __init__(self, database: Database, claims: Claims) -> None:
        self._database = database
        self._claims = claims

    def start(self, invocation: Invocation, *, number: int | None = None) -> None:
        """Add an invocation. Idempotent: an existing one with that key stays as it is, in whatever state.

        Those with the lowest numbers are claimed first; without a number it is next after those of now.
        """
        self._database.change(
            "INSERT INTO invocations "
            "(key, run, workflow, version, pool, argument, state, number, cancel) "
            "VALUES (?, ?, ?, ?, ?, ?, 'waiting', ?, coalesce((SELECT cancel FROM runs WHERE run = ?), 0)) "
            "ON CONFLICT DO NOTHING",
            (
                invocation.key,
                invocation.run,
                invocation.workflow,
                invocation.version,
                invocation.pool,
                json.dumps(invocation.argument),
                time.time_ns() if number is None else number,
                invocation.run,
            ),
        )

    def begin_again(self, invocation: Invocation, ended: Ending) -> None:
        """Retry for another run, with its argument, an invocation that failed, was cancelled or forgotten with the
        first run; does nothing if another process did already."""
        error = invocation.run, json.dumps(invocation.argument), invocation.run, invocation.key, ended.run, ended.state
        with self._database.transaction():
            begun = self._database.change(
                "UPDATE invocations SET state = 'waiting', run = ?, argument = ?, error = NULL, "
                "cancel = coalesce((SELECT cancel FROM runs WHERE run = ?), 0) WHERE key = ? AND run = ? AND state = ?",
                error,
            )
            if begun:
                self._database.change("DELETE FROM steps WHERE invocation = ?", (invocation.key,))
            self.start(invocation)

    def head(self, pool: str) -> int | None:
        """The lowest number of those that wait in a pool."""
        rows = self._database.rows(
            f"SELECT i.number FROM invocations i WHERE i.state = 'waiting' AND i.pool = ? AND {_PROCEEDS} "
            "ORDER BY i.number LIMIT 1",
            (pool,),
        )
        return int(str(rows[0][0])) if rows else None

    def claim_next(
        self,
        workflows: Mapping[str, Workflow],
        pools: Sequence[str],
        fits: Callable[[Invocation], bool] = lambda _: True,
    ) -> tuple[Invocation, Claim] | None:
        """Claim the next invocation without a living owner that fits, including one that is to be cancelled."""
        database = self._database
        if not pools:
            return None
        served, known = ", ".join("?" * len(pools)), ", ".join("?" * len(workflows))
        rows = database.rows(
            "SELECT i.key, i.run, i.workflow, i.version, i.pool, i.argument, i.cancel FROM invocations i "
            "LEFT JOIN claims ON claims.key = i.key LEFT JOIN owners ON owners.owner = claims.owner "
            f"WHERE i.state IN ('waiting', 'running') AND i.pool IN ({served}) AND i.workflow IN ({known}) "
            f"AND {_PROCEEDS} "
            f"AND (claims.owner IS NULL OR owners.owner IS NULL OR NOT ({ALIVE})) "
            "ORDER BY i.number LIMIT 8",
            (*pools, *workflows, database.now(), database.epoch),
        )
        if rows:
            self._claims.start_heartbeat()
        for key, run, workflow, version, pool, argument, cancel in rows:
            named = (str(key), str(run), str(workflow), str(version), str(pool))
            invocation = Invocation(*named, json.loads(str(argument)), cancelled=bool(cancel))
            if not fits(invocation):
                continue
            with database.transaction():
                claim = self._claims.claim(str(key))
                if claim is None:
                    continue
                begun = "UPDATE invocations SET state = 'running' WHERE key = ? AND state IN ('waiting', 'running')"
                if database.change(begun, (key,)):
                    if key == claim_of(str(run)):
                        Runs(database).set_state(str(run), "running")
                    return invocation, claim
                self._claims.release(claim)
        return None

    def ending(self, key: str) -> Ending | None:
        """The ending of an invocation; None while it goes on."""
        return self.endings([key]).get(key)

    def endings(self, keys: Sequence[str]) -> dict[str, Ending]:
        """The endings of those that have ended. One that does not exist was forgotten with the run that started it."""
        found = {key: Ending("cancelled", message=f"{key} was forgotten") for key in keys}
        query = "SELECT key, state, result, error, run FROM invocations WHERE key IN ({})"
        for key, *ending in rows_in(self._database, query, keys):
            if ending[0] in ENDED:
                found[str(key)] = _ending(*ending)
            else:
                del found[str(key)]
        return found

    def steps(self, key: str) -> dict[int, JournalStep]:
        query = "SELECT number, name, attempts, result, error, due FROM steps WHERE invocation = ?"
        return {
            int(str(number)): JournalStep(
                str(name),
                int(str(attempts)),
                None
                if result is None and error is None
                else _ending("finished" if error is None else "failed", result, error),
                None if due is None else float(str(due)),
            )
            for number, name, attempts, result, error, due in self._database.rows(query, (key,))
        }

    def record(self, claim: Claim, number: int, step: JournalStep) -> None:
        """Record the state of a step. Raises FencedError for an owner that has lost its claim."""
        ending = step.ending
        result = json.dumps(ending.result) if ending and ending.state == "finished" else None
        error = ending.error_text() if ending else None
        with self._database.transaction():
            self._claims.check(claim)
            self._database.change(
                "INSERT INTO steps (invocation, number, name, attempts, result, error, due) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (invocation, number) DO UPDATE SET "
                "attempts = excluded.attempts, result = excluded.result, error = excluded.error",
                (claim.key, number, step.name, step.attempts, result, error, step.due),
            )

    def forget_steps(self, claim: Claim, version: str) -> None:
        """Start over with new code, for which the recorded steps of the old code are useless."""
        with self._database.transaction():
            self._claims.check(claim)
            self._database.change("DELETE FROM steps WHERE invocation = ?", (claim.key,))
            self._database.change("UPDATE invocations SET version = ? WHERE key = ?", (version, claim.key))

    def end(self, claim: Claim, ending: Ending) -> None:
        """Record the end of the invocation; removes its steps, keeps its result, releases the claim."""
        with self._database.transaction():
            self._claims.check(claim)
            self._database.change(
                "UPDATE invocations SET state = ?, result = ?, error = ? WHERE key = ?",
                (ending.state, json.dumps(ending.result), ending.error_text(), claim.key),
            )
            remove_secrets(self._database, "invocations", claim.key)
            self._database.change("DELETE FROM steps WHERE invocation = ?", (claim.key,))
            self._database.change("DELETE FROM signals WHERE invocation = ?", (claim.key,))
            self._claims.release(claim)

    def give_back(self, claim: Claim) -> None:
        """Release an invocation for another process."""
        self._claims.release(claim)

    def cancel(self, run: str) -> list[str]:
        """Cancel a run: invocations without a living owner at once, running ones by a request. Returns the former."""
        database = self._database
        with database.transaction():
            database.change(f"UPDATE invocations SET cancel = 1 WHERE run = ? AND NOT {HAS_ENDED}", (run,))
            error = Ending("cancelled").error_text()
            waiting = [
                str(key)
                for (key,) in database.rows(
                    "SELECT i.key FROM invocations i LEFT JOIN claims ON claims.key = i.key "
                    "LEFT JOIN owners ON owners.owner = claims.owner WHERE i.run = ? AND i.cancel = 1 "
                    f"AND NOT i.{HAS_ENDED} AND (owners.owner IS NULL OR NOT ({ALIVE}))",
                    (run, database.now(), database.epoch),
                )
            ]
            for key in waiting:
                database.change("UPDATE invocations SET state = 'cancelled', error = ? WHERE key = ?", (error, key))
                database.change("DELETE FROM steps WHERE invocation = ?", (key,))
                remove_secrets(database, "invocations", key)
        return waiting

    def cancelled(self, runs: Sequence[str]) -> set[str]:
        """Keys of invocations of these runs that have an open request to cancel."""
        marks = ", ".join("?" * len(runs))
        query = f"SELECT key FROM invocations WHERE run IN ({marks}) AND cancel = 1 AND NOT {HAS_ENDED}"
        return {str(key) for (key,) in self._database.rows(query, runs)} if runs else set()

    def paused(self, runs: Sequence[str]) -> set[str]:
        """The subset of the runs that are paused."""
        marks = ", ".join("?" * len(runs))
        query = f"SELECT run FROM runs WHERE run IN ({marks}) AND state = '{PAUSED}'"
        return {str(run) for (run,) in self._database.rows(query, runs)} if runs else set()

    def send(self, key: str, name: str, value: Json) -> None:
        """Send a signal; the first value counts."""
        self._database.change(
            "INSERT INTO signals (invocation, name, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (key, name, json.dumps(value)),
        )

    def signals(self, key: str) -> dict[str, Json]:
        query = "SELECT name, value FROM signals WHERE invocation = ?"
        return {str(name): json.loads(str(value)) for name, value in self._database.rows(query, (key,))}


def _ending(state: object, result: object, error: object, run: object = "") -> Ending:
    failure = json.loads(str(error)) if error else {}
    return Ending(
        state,  # type: ignore[arg-type]
        json.loads(str(result)) if result is not None else None,
        failure.get("message", ""),
        failure.get("category", "runtime"),
        str(run),
        failure.get("exit_code"),
    )
