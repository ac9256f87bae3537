"""What steps really did, seen from outside: a file with a line for every execution, and gates that hold them.

Everything is a file, so that it is the same for a step in this process, in another one, and in one that was killed.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 120.0
"""How long anything may take before a test gives up. Nothing waits this long unless something is wrong."""
SOONEST_S, LATEST_S = 0.005, 0.03
"""Until a test looks again: at first, and after a while. Looking takes CPU time from what it waits for."""


@dataclass(frozen=True)
class Track:
    """The folder in which the steps of one test leave their traces."""

    folder: Path

    def note(self, line: str) -> None:
        """Add a line, in one write to the end: lines of several processes do not mix."""
        file = os.open(self.folder / "track", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(file, f"{line} by {os.getpid()}\n".encode())
        finally:
            os.close(file)

    @property
    def noted(self) -> list[tuple[str, int]]:
        """Each execution and the process that did it, in their order."""
        path = self.folder / "track"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(line, int(pid)) for line, _, pid in (line.rpartition(" by ") for line in lines)]

    @property
    def lines(self) -> list[str]:
        return [line for line, _ in self.noted]

    @property
    def counts(self) -> dict[str, int]:
        return dict(Counter(self.lines))

    @property
    def processes(self) -> set[int]:
        return {pid for _, pid in self.noted}

    def hold(self, gate: str) -> None:
        """Wait, in a step, until the test opens the gate."""
        wait_until(self.is_open(gate), f"gate {gate} was never opened")

    def open(self, gate: str) -> None:
        (self.folder / f"gate-{gate}").touch()

    def open_all(self) -> None:
        """At the end of a test: release all that wait."""
        (self.folder / "all gates").touch()

    def is_open(self, gate: str) -> Callable[[], bool]:
        return lambda: (self.folder / f"gate-{gate}").exists() or (self.folder / "all gates").exists()

    def until(self, line: str, times: int = 1) -> None:
        """Wait, in the test, until a step has noted that line so often."""
        wait_until(lambda: self.lines.count(line) >= times, f"nobody did {line!r} {times} times")


def wait_until(true: Callable[[], bool], otherwise: str, within_s: float = PATIENCE_S) -> None:
    """Look again and again; raises AssertionError after a time that only a broken program needs."""
    deadline, pause_s = time.monotonic() + within_s, SOONEST_S
    while not true():
        assert time.monotonic() < deadline, otherwise
        time.sleep(pause_s)
        pause_s = min(1.2 * pause_s, LATEST_S)
