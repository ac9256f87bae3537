"""Worker processes: isolate jobs that may hang, crash or use too much memory, so that only that job is lost."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.workers.conversation import WorkerReply
    from quire.workers.errors import JobFailed, WorkerCrashed, WorkerError, WorkerOutOfMemory, WorkerTimeout
    from quire.workers.job import Work
    from quire.workers.pool import Job, WorkerPool
    from quire.workers.shared import shared_pool

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
        raise AttributeError(f"module 'quire.workers' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"quire.workers.{_HOMES.get(name, 'errors')}"), name)
    return value
