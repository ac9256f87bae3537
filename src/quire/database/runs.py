"""Runs and their events, which any process can query while another one does the work."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from secrets import token_hex

from quire.core.context import Json, RunState, RunStatus
from quire.core.errors import Category, UsageError
from quire.core.event_metrics import ended_run, metrics_of
from quire.core.events import Event
from quire.core.keys import digest_of
from quire.database.database import Database, in_portions, like_text, rows_in
from quire.database.leases import ALIVE, expire_dead_owners
from quire.database.metrics import add_metrics, keep_metrics
from quire.database.secrets import remove_secrets

ENDED: tuple[RunState, ...] = ("finished", "failed", "cancelled")
HAS_ENDED = "state IN ('finished', 'failed', 'cancelled')"
"""Of a run, and of an invocation of a workflow."""
PAUSED: RunState = "interrupted"
"""The stored state of a paused run; it still runs until its process has stopped working on it."""
BATCH = 500
"""Events fetched at a time."""

_GOING_ON = f"state IN ('waiting', 'running', '{PAUSED}')"
_COLUMNS = "run, flow, key, state, inputs, submitted, finished, result, error, sequence, reference"


def claim_of(run: str) -> str:
    """The key that the owner of a run has claimed."""
    return f"run/{run}"


class Runs:
    """The tables of runs and events. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, flow: str, inputs: Json, *, key: str | None = None) -> tuple[str, bool]:
        """The run of an idempotency key and whether it is new: a failed or cancelled one is retried as a new run."""
        key = key or token_hex(16)
        database = self._database
        with database.transaction(lasting=True):
            last = database.rows(
                "SELECT run, state, generation FROM runs WHERE flow = ? AND key = ? ORDER BY generation DESC LIMIT 1",
                (flow, key),
            )
            if last and last[0][1] not in ("failed", "cancelled"):
                return str(last[0][0]), False
            generation = int(str(last[0][2])) + 1 if last else 1
            run = run_of(flow, key, generation)
            added = database.change(
                "INSERT INTO runs (run, flow, key, generation, inputs, state, submitted) "
                "VALUES (?, ?, ?, ?, ?, 'waiting', ?) ON CONFLICT DO NOTHING",
                (run, flow, key, generation, json.dumps(inputs), time.time()),
            )
            return run, bool(added)

    def status(self, run: str) -> RunStatus:
        """Raises UsageError for an unknown run."""
        return self._read(self._known(f"SELECT {_COLUMNS} FROM runs WHERE run = ?", run))

    def glance(self, run: str) -> RunStatus | None:
        """The status as it is recorded: whether the owner of a running one is alive is not checked."""
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM runs WHERE run = ?", (run,))
        return self._read(rows[0], alive=True) if rows else None

    def list(
        self,
        *,
        flow: str | None = None,
        state: RunState | None = None,
        prefix: str = "",
        before: str | None = None,
        limit: int = 100,
    ) -> list[RunStatus]:
        """The latest runs first. Raises UsageError when `before` is unknown."""
        last = self._known("SELECT submitted FROM runs WHERE run = ?", before)[0] if before else None
        stored = ("running", "interrupted") if state in ("running", "interrupted") else (state,) if state else ()
        conditions = [
            *(["flow = ?"] if flow else []),
            *([f"state IN ({', '.join('?' * len(stored))})"] if stored else []),
            *(["run LIKE ? ESCAPE '!'"] if prefix else []),
            *(["(submitted < ? OR (submitted = ? AND run > ?))"] if before else []),
        ]
        following = (last, last, before) if before else ()
        values = (*([flow] if flow else []), *stored, *([f"{like_text(prefix)}%"] if prefix else []), *following)
        where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
        query = f"SELECT {_COLUMNS} FROM runs {where}ORDER BY submitted DESC, run LIMIT ? OFFSET ?"
        found: list[RunStatus] = []
        seen = 0
        # Whether a run has a living owner is known only after reading the row, so a page may hold too few.
        while rows := self._database.rows(query, (*values, limit, seen)):
            seen += len(rows)
            found += [run for run in map(self._read, rows) if state in (None, run.state)]
            if len(found) >= limit or len(rows) < limit:
                break
        return found[:limit]

    def ended(self, runs: Sequence[str]) -> set[str]:
        """The ids of the runs that have ended, or are unknown. Does not look for dead owners."""
        going = f"SELECT run FROM runs WHERE NOT {HAS_ENDED} AND run IN ({{}})"
        return set(runs) - {str(run) for (run,) in rows_in(self._database, going, runs)}

    def in_progress(self, flow: str, *, before: float | None = None) -> int:
        """How many runs of a flow have not ended; with `before`, those that wait and were submitted earlier."""
        query, values = f"SELECT count(*) FROM runs WHERE flow = ? AND NOT {HAS_ENDED}", (flow,)
        if before is None:
            ((count,),) = self._database.rows(query, values)
        else:
            ((count,),) = self._database.rows(f"{query} AND state = 'waiting' AND submitted < ?", (*values, before))
        return int(str(count))

    def in_progress_of(self, flow: str, tenant: str) -> int:
        """How many runs of a flow have not ended whose inputs name a tenant."""
        query = f"SELECT count(*) FROM runs WHERE flow = ? AND {_GOING_ON} AND inputs LIKE ?"
        ((count,),) = self._database.rows(query, (flow, f'%"tenant": {json.dumps(tenant)},%'))
        return int(str(count))

    def queue(self, flow: str) -> dict[str, tuple[int, float]]:
        """How many runs of a flow wait and run, each with the time when the oldest was submitted."""
        query = f"SELECT state, count(*), min(submitted) FROM runs WHERE flow = ? AND {_GOING_ON} GROUP BY state"
        rows = self._database.rows(query, (flow,))
        return {str(state): (int(str(count)), float(str(oldest))) for state, count, oldest in rows}

    def latest_inputs(self, flow: str, *, limit: int) -> Sequence[Json]:
        """The inputs of the latest runs of a flow, the latest first. Only reads, whatever state they are in."""
        query = "SELECT inputs FROM runs WHERE flow = ? ORDER BY submitted DESC, run LIMIT ?"
        return [json.loads(str(inputs)) for (inputs,) in self._database.rows(query, (flow, limit))]

    def set_state(self, run: str, state: RunState) -> None:
        """Set the state of a run, unless it has ended or is paused."""
        self._database.change(
            f"UPDATE runs SET state = ? WHERE run = ? AND state <> '{PAUSED}' AND NOT {HAS_ENDED}", (state, run)
        )

    def pause(self, run: str) -> None:
        """Start nothing more of it until `proceed`. Raises UsageError for a run that has ended."""
        state = self.status(run).state
        if not self._database.change(f"UPDATE runs SET state = '{PAUSED}' WHERE run = ? AND NOT {HAS_ENDED}", (run,)):
            raise UsageError(f"run {run} is {state}, so it cannot be paused")

    def proceed(self, run: str) -> None:
        """Let a paused run continue."""
        self._database.change(f"UPDATE runs SET state = 'waiting' WHERE run = ? AND state = '{PAUSED}'", (run,))

    def finish(
        self,
        run: str,
        state: RunState,
        *,
        result: Json = None,
        error: str = "",
        category: Category | None = None,
        exit_code: int | None = None,
    ) -> None:
        """Record the end of a run; the first end counts."""
        failure = {"message": error, "category": category, "exit_code": exit_code}
        encoded = json.dumps(failure) if error or category else None
        now, database = time.time(), self._database
        with database.transaction(lasting=True):
            if database.change(
                f"UPDATE runs SET state = ?, result = ?, error = ?, finished = ? WHERE run = ? AND NOT {HAS_ENDED}",
                (state, json.dumps(result), encoded, now, run),
            ):
                ((flow, submitted),) = database.rows("SELECT flow, submitted FROM runs WHERE run = ?", (run,))
                add_metrics(database, run, ended_run(str(flow), state, now - float(str(submitted))))
            remove_secrets(database, "runs", run)

    def request_cancel(self, run: str) -> None:
        if not self._database.change("UPDATE runs SET cancel = 1 WHERE run = ?", (run,)):
            raise _unknown(run)

    def cancel_requested(self, run: str) -> bool:
        rows = self._database.rows("SELECT cancel FROM runs WHERE run = ?", (run,))
        return bool(rows and rows[0][0])

    def refer(self, run: str, reference: str) -> None:
        """Record the id of the run on an external server."""
        self._database.change("UPDATE runs SET reference = ? WHERE run = ?", (reference, run))

    def reference(self, run: str) -> str | None:
        (found,) = self._known("SELECT reference FROM runs WHERE run = ?", run)
        return None if found is None else str(found)

    def key(self, run: str) -> str:
        """The idempotency key that it was submitted with."""
        return str(self._known("SELECT key FROM runs WHERE run = ?", run)[0])

    def generation(self, run: str) -> int:
        return int(str(self._known("SELECT generation FROM runs WHERE run = ?", run)[0]))

    def append(self, run: str, events: Sequence[Event]) -> None:
        """Store events in order. Idempotent: an event that exists is skipped. Does nothing for a forgotten run."""
        if not events:
            return
        database = self._database
        with database.transaction():
            # This update changes nothing but locks the row, so that numbers are assigned and stored in one order.
            if not database.change("UPDATE runs SET sequence = sequence WHERE run = ?", (run,)):
                return
            ((sequence,),) = database.rows("SELECT sequence FROM runs WHERE run = ?", (run,))
            number = int(str(sequence))
            added = _new(database, run, events)
            database.change_many(
                "INSERT INTO events (run, sequence, id, kind, stage, document, page, key, payload, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        run,
                        place,
                        event.id,
                        event.kind,
                        event.stage,
                        event.document,
                        event.page,
                        event.key,
                        json.dumps(dict(event.payload), default=str),
                        event.at,
                    )
                    for place, event in enumerate(added, number + 1)
                ],
            )
            database.change("UPDATE runs SET sequence = ? WHERE run = ?", (number + len(added), run))
            add_metrics(database, run, metrics_of(added))

    def events(self, run: str, *, after: int = 0) -> Iterator[Event]:
        """Stored events in order."""
        self._known("SELECT run FROM runs WHERE run = ?", run)
        while rows := self._database.rows(
            "SELECT id, sequence, kind, stage, document, page, key, payload, at FROM events "
            "WHERE run = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            (run, after, BATCH),
        ):
            for name, sequence, kind, stage, document, page, key, payload, at in rows:
                after = int(str(sequence))
                failure = json.loads(str(payload))
                yield Event(str(name), run, after, kind, str(stage), document, page, key, failure, at)  # type: ignore[arg-type]

    def forget(self, run: str) -> None:
        """Remove a run that has ended, with its journal and events."""
        state = self.status(run).state
        if state not in ENDED:
            raise UsageError(f"run {run} is {state}; cancel it before you forget it")
        with self._database.transaction():
            forget_runs(self._database, "run = ?", (run,))

    def ended_before(self, flow: str, until: float, *, limit: int) -> Iterator[Sequence[tuple[str, Json]]]:
        """The runs of a flow that ended before a time, with their inputs, the oldest first: at most so many at a time.

        Each is listed once, also when it is still there afterwards.
        """
        query = f"SELECT run, inputs, finished FROM runs WHERE flow = ? AND {HAS_ENDED} AND finished <= ?"
        following = "AND (finished > ? OR (finished = ? AND run > ?)) ORDER BY finished, run LIMIT ?"
        last: tuple[object, object] = (-1.0, "")
        while rows := self._database.rows(f"{query} {following}", (flow, until, last[0], *last, limit)):
            yield [(str(run), json.loads(str(inputs))) for run, inputs, _ in rows]
            last = (rows[-1][2], rows[-1][0])

    def forget_ended(self, runs: Sequence[str]) -> None:
        """Remove those that have ended, with their journal and events, in one transaction."""
        with self._database.transaction():
            for some, marks in in_portions(runs):
                forget_runs(self._database, f"{HAS_ENDED} AND run IN ({marks})", some)

    def _known(self, statement: str, run: str) -> tuple[object, ...]:
        rows = self._database.rows(statement, (run,))
        if not rows:
            raise _unknown(run)
        return rows[0]

    def _read(self, row: Sequence[object], *, alive: bool = False) -> RunStatus:
        run, flow, key, state, inputs, submitted, finished, result, error, sequence, reference = row
        # The state of a run on an external server is known there.
        if state in ("running", PAUSED) and reference is None and not alive:
            state = "running" if self._alive(str(run)) else "interrupted"
        failure = json.loads(str(error)) if error else {}
        return RunStatus(
            run=str(run),
            flow=str(flow),
            key=str(key),
            state=state,  # type: ignore[arg-type]
            inputs=json.loads(str(inputs)),
            submitted=float(str(submitted)),
            finished=None if finished is None else float(str(finished)),
            result=json.loads(str(result)) if result else None,
            error=failure.get("message"),
            category=failure.get("category"),
            exit_code=failure.get("exit_code"),
            last_event=int(str(sequence)),
        )

    def _alive(self, run: str) -> bool:
        database = self._database
        expire_dead_owners(database)
        return bool(
            database.rows(
                f"SELECT 1 FROM claims JOIN owners ON owners.owner = claims.owner WHERE claims.key = ? AND {ALIVE}",
                (claim_of(run), database.now(), database.epoch),
            )
        )


def run_of(flow: str, key: str, generation: int = 1) -> str:
    """The id of the run of an idempotency key; a retry is the next generation."""
    return f"{digest_of([flow, key])[:12]}-{generation}"


def forget_runs(database: Database, condition: str, values: Sequence[object]) -> int:
    """Remove the runs that match a condition, with their journal and events, in the caller's transaction."""
    keep_metrics(database, condition, values)
    of_runs = f"run IN (SELECT run FROM runs WHERE {condition})"
    forget_invocations(database, of_runs, values)
    database.change(f"DELETE FROM events WHERE {of_runs}", values)
    return database.change(f"DELETE FROM runs WHERE {condition}", values)


def forget_invocations(database: Database, condition: str, values: Sequence[object]) -> None:
    """Remove the invocations of workflows that match a condition, with their journal, in the caller's transaction."""
    for table in ("steps", "signals"):
        database.change(
            f"DELETE FROM {table} WHERE invocation IN (SELECT key FROM invocations WHERE {condition})", values
        )
    database.change(f"DELETE FROM invocations WHERE {condition}", values)


def forget_ended_runs(database: Database, *, before: float) -> int:
    """Remove the runs that ended before a time, in the caller's transaction; returns how many."""
    return forget_runs(database, f"{HAS_ENDED} AND finished < ?", (before,))


def _new(database: Database, run: str, events: Sequence[Event]) -> list[Event]:
    """The events that the run does not have yet, each once."""
    by_id = {event.id: event for event in reversed(events)}
    for (known,) in rows_in(database, "SELECT id FROM events WHERE run = ? AND id IN ({})", [*by_id], (run,)):
        del by_id[str(known)]
    return [event for event in events if by_id.pop(event.id, None) is not None]


def _unknown(run: str) -> UsageError:
    return UsageError(f"there is no run {run}; `quire runs` lists the runs of this store")
