"""The budget of this process: threads and worker processes that CPUs and memory allow."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from quire.core.errors import ConfigurationError, UsageError

WORKER_BYTES = 900_000_000
"""Memory that a worker with its models needs for a typical page."""


_OWN_DESCRIPTORS, _WORKER_DESCRIPTORS = 24, 6
"""Files that a process with workers has open at once: a store, a runtime, a document; and for each of them."""


class WorkerCount(NamedTuple):
    """The number of workers to use, and a notice to show when CPUs or memory are too few for the requested number."""

    workers: int
    notice: str | None = None


def cpu_budget(environment: Mapping[str, str] = os.environ, root: Path = Path("/")) -> int:
    """CPUs that this process may use: `QUIRE_THREADS`, or the least of affinity and cgroup limit; at least 1."""
    setting = environment.get("QUIRE_THREADS", "")
    if setting.isdecimal() and int(setting) > 0:
        return int(setting)
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(available, *(math.ceil(limit) for limit in _limits(root)), available))


def worker_count(
    asked: int | None = None,
    environment: Mapping[str, str] = os.environ,
    available: int | None = None,
    root: Path = Path("/"),
) -> WorkerCount:
    """The number of workers: `asked`, or `QUIRE_WORKERS`, or one for each CPU; no more than CPUs and memory allow.

    `available` is the memory in bytes to assume instead of what the machine reports. Raises UsageError for a
    number below 1 or a `QUIRE_WORKERS` that is not a number.
    """
    cpus = cpu_budget(environment, root)
    requested = _wanted(asked, environment.get("QUIRE_WORKERS", "").strip())
    count = min(requested or cpus, cpus)
    available = memory_budget(root) if available is None else available
    if available is not None and available < count * WORKER_BYTES:
        fitting = max(1, available // WORKER_BYTES)
        need = "1 worker needs" if count == 1 else f"{count} workers need"
        using = "1 anyway" if count == 1 else str(fitting)
        memory = f"about {count * WORKER_BYTES / 1e9:.1f} GB; {available / 1e9:.1f} GB are available"
        return WorkerCount(fitting, f"{need} {memory}: using {using}")
    if requested and count < requested:
        cpu = "1 CPU is" if cpus == 1 else f"{cpus} CPUs are"
        return WorkerCount(count, f"{requested} workers were requested; {cpu} available: using {count}")
    return WorkerCount(count)


def memory_budget(root: Path = Path("/")) -> int | None:
    """Bytes of memory that are still free for this process, by the machine and its cgroups."""
    machine = [
        int(line.split()[1]) * 1024 for line in _lines(root / "proc/meminfo") if line.startswith("MemAvailable:")
    ]
    groups = root / "sys/fs/cgroup"
    newer = [
        _free(folder, "memory.max", "memory.current", "inactive_file") for folder in _folders(groups, _group(root, ""))
    ]
    older = [
        _free(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        for folder in _folders(groups / "memory", _group(root, "memory"))
    ]
    return min([*machine, *(free for free in [*newer, *older] if free is not None)], default=None)


def check_descriptors(workers: int) -> None:
    """Raise this process's limit of open files (`RLIMIT_NOFILE`) if this many workers need more and it is allowed.

    Raises ConfigurationError if it is not: running out of file descriptors fails in ways that are hard to diagnose.
    """
    import resource  # not on every system that can read documents without workers

    needed = _OWN_DESCRIPTORS + _WORKER_DESCRIPTORS * workers
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise ConfigurationError(
            f"{hard} file descriptors are too few for {workers} workers, which need {needed}: raise the limit "
            "(`ulimit -n 1024`), or use fewer workers"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def _wanted(asked: int | None, setting: str) -> int | None:
    if asked is not None:
        if asked < 1:
            raise UsageError(f"the number of workers must be at least 1, not {asked}")
        return asked
    if not setting:
        return None
    if not (setting.isdecimal() and int(setting) > 0):
        raise UsageError(f"QUIRE_WORKERS must be a number of workers, at least 1, not {setting!r}")
    return int(setting)


def _free(folder: Path, limit: str, usage: str, cache: str) -> int | None:
    """The memory that a cgroup leaves; reclaimable page cache counts as free."""
    most, used = "".join(_words(folder / limit)), "".join(_words(folder / usage))
    if not (most.isdecimal() and used.isdecimal()):
        return None
    droppable = [int(line.split()[1]) for line in _lines(folder / "memory.stat") if line.startswith(f"{cache} ")]
    return max(0, int(most) - int(used) + sum(droppable))


def _limits(root: Path) -> list[float]:
    """CPU limits of the cgroups above this process: version 2 (`cpu.max`) and version 1 (CFS quota)."""
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
