"""Times on a shared machine: what is compared is measured in turns, and the least of several rounds counts."""

from __future__ import annotations

import gc
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

QUIET = 0.15  # of the wall time: what others may take of all processors together


@dataclass(frozen=True)
class Sample:
    """Seconds of one piece of work: as the clock saw it, of all its threads, and those that other programs took."""

    wall: float
    cpu: float
    others: float = 0.0

    @property
    def quiet(self) -> bool:
        """Whether the work had the processors nearly to itself."""
        return self.others <= QUIET * self.wall


Samples = dict[str, list[Sample]]


def timed(work: Callable[[], T], cpu: Callable[[], float] = time.process_time) -> tuple[T, Sample]:
    """What `work` gives, run in this process and thread, and its times.

    `cpu` tells the seconds so far: those of this process, or of others with it.
    """
    gc.collect()
    busy, wall, before = busy_seconds(), time.perf_counter(), cpu()
    result = work()
    taken = cpu() - before
    return result, Sample(time.perf_counter() - wall, taken, max(0.0, busy_seconds() - busy - taken))


def measure(work: Callable[[], object]) -> Sample:
    """The times of `work`. What it returns is dropped outside the measurement."""
    return timed(work)[1]


def interleave(works: Mapping[str, Callable[[], Sample]], rounds: int, *, patience_s: float = 0) -> Samples:
    """Each work once per round, in turns, so that noise falls on all of them alike.

    Wall times of several threads need idle processors: with `patience_s` there are more rounds, for at most so long,
    until each work had as many quiet ones.
    """
    samples: Samples = {name: [] for name in works}
    begun, turn = time.monotonic(), 0
    while turn < rounds or (time.monotonic() - begun < patience_s and least_quiet(samples) < rounds):
        for name in list(works)[:: -1 if turn % 2 else 1]:
            samples[name].append(works[name]())
        turn += 1
    return samples


def least_quiet(samples: Samples) -> int:
    """How many quiet rounds every work had."""
    return min(sum(sample.quiet for sample in taken) for taken in samples.values())


def quietness(runs: Mapping[str, Samples]) -> str:
    """A sentence on how far the wall times of these comparisons can be believed."""
    taken = [sample for samples in runs.values() for some in samples.values() for sample in some]
    share = sum(sample.quiet for sample in taken) / len(taken)
    disturbed = [name for name, samples in runs.items() if not least_quiet(samples)]
    told = f"Other programs left the processors alone in {share:.0%} of the samples"
    return f"{told}, but **not in {', '.join(disturbed)}: run that again**." if disturbed else f"{told}."


def busy_seconds() -> float:
    """Seconds that all processors have worked so far, where the system tells."""
    try:
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except OSError:
        return 0.0
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def least_cpu(samples: Sequence[Sample]) -> float:
    return min(sample.cpu for sample in samples)


def least_wall(samples: Sequence[Sample]) -> float:
    """Of the quiet rounds, if there were any."""
    return min(sample.wall for sample in [s for s in samples if s.quiet] or samples)


def command(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[Sample, float]:
    """Run a program to its end: its times, and the seconds until the first byte on standard output."""
    begun = time.perf_counter()
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, bufsize=0
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        first = time.perf_counter() - begun
        while process.stdout.read(1 << 16):
            pass
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{arguments[0]} ended with code {process.returncode}")
    return Sample(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime), first


def as_data(samples: Samples) -> dict[str, object]:
    return {
        name: {"wall_s": [round(s.wall, 5) for s in taken], "cpu_s": [round(s.cpu, 5) for s in taken]}
        for name, taken in samples.items()
    }
