"""Worker programs: jobs that may hang, crash or eat memory, run where that costs one job and nothing else."""

from __future__ import annotations

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
