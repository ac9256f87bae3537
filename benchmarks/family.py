"""What a process and everything it started took: workers, their guards, and the programs that those run."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from quire.system.workers.procfs import descendants

PROC = Path("/proc")
LOOK_S = 0.05


def cpu_seconds(pid: int | None = None) -> float:
    """Of all that live, and of all that have ended: their time is kept by whoever waited for them."""
    ticks = 0
    for each in _family(pid):
        with suppress(OSError):  # it ended meanwhile
            ticks += sum(map(int, _after_name(each)[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int | None = None) -> float:
    """Proportional set size: a page of memory that several of them share counts once."""
    kilobytes = 0
    for each in _family(pid):
        with suppress(OSError, IndexError):
            text = (PROC / str(each) / "smaps_rollup").read_text()
            kilobytes += int(text.partition("\nPss:")[2].split()[0])
    return kilobytes / 1024


class Peak:
    """The most memory that a process and all below it held while this was open."""

    def __init__(self, pid: int) -> None:
        self.mb = 0.0
        self._pid = pid
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Peak:
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watch.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK_S):
            self.mb = max(self.mb, memory_mb(self._pid))


def _family(pid: int | None) -> list[int]:
    first = pid or os.getpid()
    return [first, *descendants(first)]


def _after_name(pid: int) -> list[str]:
    """The fields of `stat` after the name of the program, which may hold spaces."""
    return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
