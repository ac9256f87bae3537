"""A worker started before the pool exists: it imports what its first job needs while its parent gets ready.

Imports little: both processes wait for whatever is imported before the worker starts.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from typing import NamedTuple

from quire.system.workers.process import WorkerProcess

MOST_MEMORY = 4 << 30
LEAST_MEMORY = 1 << 30
"""Memory limit of one worker and its children: a bound for a runaway page, not a share for ordinary ones."""


class Early(NamedTuple):
    """The worker, and the size of the pool and the memory limit that it was started for."""

    worker: WorkerProcess
    workers: int
    memory_limit: int
    owner: int


_started: list[Early] = []


def start_worker(modules: Sequence[str]) -> None:
    """Start the first worker of the shared pool, which imports the modules. Called once, by the main thread.

    Raises the errors of WorkerProcess. A worker that no pool takes ends with this process.
    """
    worker = WorkerProcess()
    from quire.system.budget import memory_budget, worker_count  # while the worker starts

    workers = worker_count().workers
    limit = memory_limit(workers, memory_budget())
    atexit.register(_end_unused)
    _started.append(Early(worker, workers, limit, os.getpid()))
    worker.begin(limit, modules)


def take_worker(workers: int) -> Early | None:
    """The worker started for a pool of this size; returned once. One started for another size is ended."""
    if not _started or _started[0].owner != os.getpid():
        return None
    if _started[0].workers == workers:
        return _started.pop()
    _end_unused()
    return None


def memory_limit(workers: int, available: int | None) -> int:
    """The memory limit of each worker, so that all of them together fit into the available memory."""
    if available is None:
        return MOST_MEMORY
    return min(MOST_MEMORY, max(LEAST_MEMORY, available // workers))


def _end_unused() -> None:
    while _started:
        early = _started.pop()
        if early.owner == os.getpid():  # a copy made by a fork is left alone
            early.worker.end()
