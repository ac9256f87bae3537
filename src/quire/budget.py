"""How many threads this process may keep busy."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path


def cpu_budget(environment: Mapping[str, str] = os.environ, root: Path = Path("/")) -> int:
    """CPUs that this process may use: `QUIRE_THREADS`, or the least of affinity and cgroup limit; at least 1."""
    asked = environment.get("QUIRE_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(available, *(math.ceil(limit) for limit in _limits(root)), available))


def _limits(root: Path) -> list[float]:
    """CPU limits of the control groups above this process: version 2 (`cpu.max`) and version 1 (CFS quota)."""
    groups = root / "sys/fs/cgroup"
    found = [_ratio(*_words(folder / "cpu.max")) for folder in _folders(groups, _group(root, ""))]
    for name in ("cpu,cpuacct", "cpu"):
        for folder in _folders(groups / name, _group(root, "cpu")):
            found.append(_ratio(*_words(folder / "cpu.cfs_quota_us"), *_words(folder / "cpu.cfs_period_us")))
    return [limit for limit in found if limit is not None]


def _folders(base: Path, group: str) -> list[Path]:
    """The group's folder and those above it. Inside a container the group's own path may not exist."""
    inner = base / group.lstrip("/")
    return [base, *(folder for folder in [inner, *inner.parents] if base in folder.parents)]


def _group(root: Path, controller: str) -> str:
    """The path of this process in the hierarchy of a controller; "" is that of version 2."""
    for line in _lines(root / "proc/self/cgroup"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controller in controllers.split(","):
            return path
    return "/"


def _words(path: Path) -> list[str]:
    return " ".join(_lines(path)).split()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _ratio(quota: str = "", period: str = "") -> float | None:
    """None for no limit: a quota of `max` or -1."""
    if quota.isdecimal() and period.isdecimal() and int(quota) > 0 and int(period) > 0:
        return int(quota) / int(period)
    return None
