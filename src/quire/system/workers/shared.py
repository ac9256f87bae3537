"""The one pool of this process."""

from __future__ import annotations

import os
import threading

from quire.system.budget import memory_budget, worker_count
from quire.system.workers.early import memory_limit, take_worker
from quire.system.workers.pool import WorkerPool

_lock = threading.Lock()
_pools: dict[int, WorkerPool] = {}


def shared_pool(workers: int | None = None) -> WorkerPool:
    """The pool of this process, created on first use; a different number of workers resizes it.

    Without a number it keeps its size, initially `worker_count`.
    """
    with _lock:
        pool = _pools.get(os.getpid())
        if pool is None or pool.closed:
            count = workers or worker_count().workers
            early = take_worker(count)
            limit = early.memory_limit if early else memory_limit(count, memory_budget())
            pool = WorkerPool(count, memory_limit=limit, first=early.worker if early else None)
            _pools.clear()  # the pool of the parent of a forked process is not ours to close
            _pools[os.getpid()] = pool
        elif workers is not None and workers != pool.workers:
            pool.resize(workers)
        return pool


def close_shared_pool() -> None:
    """Cancel its jobs and end its workers, if any. Otherwise threads that wait for a job would delay the exit of the
    program until its deadline."""
    with _lock:
        pool = _pools.get(os.getpid())
    if pool is not None:
        pool.close()


def _forget_in_child() -> None:
    """The lock may have been held by a thread that the child does not have."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_forget_in_child)
