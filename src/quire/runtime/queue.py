"""Runs that are queued without a runtime: for code that only has the database."""

from __future__ import annotations

from quire.core.context import Json
from quire.database.database import Database
from quire.database.journal import Invocation, Journal
from quire.database.leases import Claims
from quire.database.runs import Runs, claim_of


def enqueue(database: Database, flow: str, inputs: Json, *, pool: str, version: str, key: str) -> str:
    """Record a run of a workflow, which the next process that serves its pool takes up; returns its id."""
    with database.transaction(lasting=True):
        run, new = Runs(database).begin(flow, inputs, key=key)
        if new:
            Journal(database, Claims(database)).start(Invocation(claim_of(run), run, flow, version, pool, inputs))
    return run
