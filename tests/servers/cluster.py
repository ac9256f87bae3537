"""A cluster on this machine for tests, and the processes of its workers."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from quire.cli.devcluster import haproxy, postgres
from quire.cli.devcluster.cluster import ClusterOptions, LocalCluster
from quire.cli.devcluster.program import ServerProgram
from tests.servers import restate

LEASE_S = 1.0
"""Short, so that what a dead worker had is taken over soon."""


def check_parts() -> None:
    """What is missing fails tests where it is expected and skips them else."""
    for name, there in (
        ("POSTGRESQL", postgres.find_programs()),
        ("RESTATE", restate.program()),
        ("HAPROXY", haproxy.find_program()),
    ):
        if there is None:
            missing = pytest.fail if os.environ.get(f"QUIRE_EXPECT_{name}") == "1" else pytest.skip
            missing(f"{name.capitalize()} is not here; `make test` says how to get it")


@contextmanager
def running(
    environment: Mapping[str, str], *, workers: int = 2, pages: int = 1, store: str | None = None
) -> Iterator[LocalCluster]:
    """PostgreSQL, Restate, HAProxy and workers."""
    check_parts()
    folder = Path(tempfile.mkdtemp(prefix="quire-cluster-"))
    folder.chmod(0o755)  # the user of PostgreSQL must get there
    options = ClusterOptions(
        workers=workers,
        pages=pages,
        lease_s=LEASE_S,
        restate_program=restate.program(),
        environment=environment,
        store=store,
    )
    try:
        with LocalCluster(folder, options) as cluster:
            yield cluster
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def worker_of(cluster: LocalCluster, pid: int) -> ServerProgram:
    """The worker that a process belongs to."""
    workers = {worker.pid: worker for worker in cluster.workers}
    while pid not in workers:
        assert pid > 1, "it belongs to no worker"
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])
    return workers[pid]
