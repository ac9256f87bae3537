"""Restarts of programs that end: each after a back-off, for as long as the cluster runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from quire.cli.devcluster.program import ServerProgram
from quire.system.supervisor import FIRST_S, HEALTHY_S, LONGEST_S


@dataclass(slots=True)
class _Life:
    """The last start of a program, and the next one, once it has ended."""

    began: float
    wait_s: float = 0.0
    due: float | None = None


class Restarts:
    """Looks after programs that were started. One that ends again soon after its restart waits twice as long."""

    def __init__(self, programs: Sequence[ServerProgram], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lives = {program.name: (program, _Life(clock())) for program in programs}

    def look(self) -> Iterator[str]:
        """Restart what has ended and is due, without waiting for it; yields what to tell about each that has ended."""
        for program, life in self._lives.values():
            if program.running:
                continue
            now = self._clock()
            if life.due is None:
                soon = life.wait_s and now - life.began < HEALTHY_S
                life.wait_s = min(2 * life.wait_s, LONGEST_S) if soon else FIRST_S
                life.due = now + life.wait_s
                yield f"{program.name} has ended and is restarted in {life.wait_s:g} s; its log is {program.log}"
            if now >= life.due:
                program.launch()
                life.began, life.due = now, None
