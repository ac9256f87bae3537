"""What the tests of the pool need to see: which processes live, and when they end."""

from __future__ import annotations

import contextlib
import os
import select
from pathlib import Path
from queue import Queue

from quire.system.workers import Job

HANG = Job("tests.fakes.jobs:hang", "politely")


def living(pids):
    """Those that run; one that is only waiting to be collected does not."""
    return [pid for pid in pids if (state := _state(pid)) and state != "Z"]


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


@contextlib.contextmanager
def ended_within(seconds, pids):
    """Everything in the block, and then each of the processes ends in time."""
    watched = [os.pidfd_open(pid) for pid in pids]
    try:
        yield
        for number in watched:
            ready, _, _ = select.select([number], [], [], seconds)
            assert ready, "a process is still running"
    finally:
        for number in watched:
            os.close(number)


class Hanging:
    """Jobs that hang, and what they hold."""

    def __init__(self, pool, *, timeout_s=600.0, jobs=1, job=HANG):
        told = Queue()
        listen = {"timeout_s": timeout_s, "on_event": lambda kind, payload: told.put(payload)}
        self.futures = [pool.submit(job, **listen) for _ in range(jobs)]
        self.holding = [told.get(timeout=60) for _ in range(jobs)]
        self.pids = [pid for held in self.holding for pid in [*held["pids"], held["guard"]]]
        assert len(self.pids) == 5 * jobs
        assert living(self.pids) == self.pids
