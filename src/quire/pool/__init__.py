"""Worker programs: jobs that may hang, crash or eat memory, run where that costs one job and nothing else."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.pool.conversation import Answer
    from quire.pool.errors import JobFailed, WorkerCrashed, WorkerError, WorkerOutOfMemory, WorkerTimeout
    from quire.pool.pool import Job, Pool
    from quire.pool.shared import shared_pool
    from quire.pool.work import Work

__all__ = [
    "Answer",
    "Job",
    "JobFailed",
    "Pool",
    "Work",
    "WorkerCrashed",
    "WorkerError",
    "WorkerOutOfMemory",
    "WorkerTimeout",
    "shared_pool",
]

_HOMES = {"Answer": "conversation", "Job": "pool", "Pool": "pool", "Work": "work", "shared_pool": "shared"}


def __getattr__(name: str) -> object:
    """Import a name when it is first used: the worker program, which lives in this package, needs few of them."""
    if name not in __all__:
        raise AttributeError(f"module 'quire.pool' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"quire.pool.{_HOMES.get(name, 'errors')}"), name)
    return value
