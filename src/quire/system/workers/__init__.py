"""Worker processes: isolate jobs that may hang, crash or use too much memory, so that only that job is lost."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.system.workers.conversation import WorkerReply
    from quire.system.workers.job import Work
    from quire.system.workers.job_errors import JobFailed, WorkerCrashed, WorkerError, WorkerOutOfMemory, WorkerTimeout
    from quire.system.workers.pool import Job, WorkerPool
    from quire.system.workers.shared import shared_pool

__all__ = [
    "Job",
    "JobFailed",
    "Work",
    "WorkerCrashed",
    "WorkerError",
    "WorkerOutOfMemory",
    "WorkerPool",
    "WorkerReply",
    "WorkerTimeout",
    "shared_pool",
]

_HOMES = {"WorkerReply": "conversation", "Job": "pool", "WorkerPool": "pool", "Work": "job", "shared_pool": "shared"}


def __getattr__(name: str) -> object:
    """Lazy imports: the worker program, which is part of this package, needs few of these names."""
    if name not in __all__:
        raise AttributeError(f"module 'quire.system.workers' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"quire.system.workers.{_HOMES.get(name, 'job_errors')}"), name)
    return value
