"""The descendants of a process, from /proc on Linux. Results are empty on other systems."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable

_PROC = "/proc"  # without pathlib, whose import would slow the start of every worker


def descendants(pid: int) -> list[int]:
    """Children, their children and so on, regardless of session and process group."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        children = _children(waiting.pop())
        found += children
        waiting += children
    return found


def resident_bytes(pids: Iterable[int]) -> int:
    """Resident memory of the processes; shared pages count for each."""
    page, total = os.sysconf("SC_PAGE_SIZE"), 0
    for pid in pids:
        with contextlib.suppress(OSError):  # it ended meanwhile
            total += int(_read(f"{_PROC}/{pid}/statm").split()[1]) * page
    return total


def kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"{_PROC}/{pid}/task"):  # noqa: PTH208
            with contextlib.suppress(OSError):
                children += map(int, _read(f"{_PROC}/{pid}/task/{thread}/children").split())
    return children


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read()
