"""How many processors this process may use."""

from __future__ import annotations

import os
from pathlib import Path


def cpu_budget(cgroup: Path = Path("/sys/fs/cgroup")) -> int:
    """Processors allowed by affinity and by the container's limit (cgroup v2 or v1), at least one."""
    try:
        allowed = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        allowed = os.cpu_count() or 1
    limit = _quota(cgroup)
    return max(1, min(allowed, limit)) if limit else allowed


def _quota(cgroup: Path) -> int | None:
    try:
        quota, period = (cgroup / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (cgroup / "cpu" / "cpu.cfs_quota_us").read_text().strip()
            period = (cgroup / "cpu" / "cpu.cfs_period_us").read_text().strip()
        except OSError:
            return None
    if not quota.isdigit() or not period.isdigit() or int(period) == 0:
        return None  # "max" and -1 mean no limit
    return max(1, -(-int(quota) // int(period)))
