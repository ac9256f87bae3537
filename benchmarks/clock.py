"""Times on a shared machine: what is compared is measured in turns, and the least of several rounds counts."""

from __future__ import annotations

import gc
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sample:
    """Seconds of one piece of work: as the clock saw it, and of all threads of the process."""

    wall: float
    cpu: float


Samples = dict[str, list[Sample]]


def measure(work: Callable[[], object]) -> Sample:
    """Run `work` in this process and thread. What it returns is dropped outside the measurement."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    sample = Sample(time.perf_counter() - wall, time.process_time() - cpu)
    del result
    return sample


def interleave(works: Mapping[str, Callable[[], Sample]], rounds: int, *, patience_s: float = 0) -> Samples:
    """Each work once per round, in turns, so that noise falls on all of them alike.

    `patience_s` is how long each may wait for a quiet machine: wall times of several threads need idle cores.
    """
    samples: Samples = {name: [] for name in works}
    for turn in range(rounds):
        names = list(works) if turn % 2 == 0 else list(works)[::-1]
        for name in names:
            wait_for_quiet(patience_s)
            samples[name].append(works[name]())
    return samples


def wait_for_quiet(patience_s: float, *, busy_share: float = 0.1, look_s: float = 0.1) -> bool:
    """Wait until nobody else uses the processors. False when they never did, or where that cannot be told."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        busy, total = _processor_ticks()
        time.sleep(look_s)
        later, end = _processor_ticks()
        if end > total and (later - busy) / (end - total) <= busy_share:
            return True
    return False


def _processor_ticks() -> tuple[int, int]:
    """Busy and all ticks of the machine so far."""
    try:
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except OSError:
        return 0, 0
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def least_cpu(samples: Sequence[Sample]) -> float:
    return min(sample.cpu for sample in samples)


def least_wall(samples: Sequence[Sample]) -> float:
    return min(sample.wall for sample in samples)


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
