"""A Restate server for tests, and workers that it knows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import pytest

from quire.cli.devcluster.restate import RestateProgram
from quire.core.context import Workflow
from quire.database.database import Database
from quire.database.sqlite import SqliteDatabase
from quire.net.restate_server import RestateServer
from quire.runtime.restate.endpoint import Endpoint, ServiceOptions
from quire.runtime.restate.process import Worker, listen
from quire.runtime.restate.registration import register, served
from quire.runtime.restate.run_tables import RunTables
from quire.runtime.restate.runtime import RestateRuntime

ROOT = Path(__file__).parents[2]
SLOTS = 16


@cache
def program() -> Path | None:
    """The server, fetched when it is not here yet; None when it cannot be had."""
    done = subprocess.run([ROOT / "scripts" / "restate.sh"], capture_output=True, text=True, check=False, timeout=300)
    return Path(done.stdout.strip()) if done.returncode == 0 else None


@contextmanager
def running(folder: Path, *, scoped: bool = False) -> Iterator[RestateProgram]:
    """A server; missing, it fails tests where it is expected and skips them else."""
    found = program()
    if found is None:
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_RESTATE") == "1" else pytest.skip
        missing("scripts/restate.sh fetches the Restate server, which is not here")
    server = RestateProgram(folder, program=found, scoped=scoped)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def serving(
    server: RestateServer, workflows: Sequence[Workflow], database: Database, options: ServiceOptions | None = None
) -> Iterator[Worker]:
    """A worker in a thread of this process, registered."""
    slots = {workflow.pool: SLOTS for workflow in workflows}
    with listen("127.0.0.1:0") as listening:
        worker = Worker(
            listening, lambda: Endpoint(workflows, RunTables(database), slots=slots, options=options), drain_s=10
        )
        worker.start()
        try:
            register(server, f"http://127.0.0.1:{worker.port}", served(workflows, slots))
            yield worker
        finally:
            worker.stop()
            worker.wait()


@contextmanager
def runtime(folder: Path, workflows: Sequence[Workflow], *, replays: bool = False) -> Iterator[RestateRuntime]:
    """A server, a worker and a client. `replays` lets workflows leave, and be played from the start, at every wait."""
    options = ServiceOptions(waiting_s=0, working_s=0) if replays else None
    with (
        running(folder / "restate") as started,
        closing(SqliteDatabase(folder / "facts.sqlite3")) as database,
        serving(started.server, workflows, database, options),
    ):
        yield RestateRuntime(started.server, database, workflows)
