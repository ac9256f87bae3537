"""A guard: a test that sleeps fails, and so does one in whose process Quire sleeps, but for the functions listed here.

A fixed time is too short on a busy machine and too long on a quiet one: wait for an event, a file or an answer. Polls
may pause for `LONGEST_S`. Programs that a test starts are not watched.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Generator
from functools import wraps
from pathlib import Path
from types import FrameType

import pytest

LONGEST_S = 0.05
"""Seconds that a poll pauses at most."""

AWAY = "asks a server again that is away: tests end it and start it anew"
REPEATED = "the pause before a request is repeated, which tests of failing servers cause"
TIMER = "the timer of a workflow: tests of timers wait until it rings"
ALLOWED = {
    "ClientRun.events": REPEATED,
    "ClientRun.wait": "asks a server for the state of a run, which tells it to nobody",
    "Connections._reconnect": AWAY,
    "EngineIndex._put": "the pause after another writer was first, which tests of two writers cause",
    "LocalContext.sleep.<locals>.slept": TIMER,
    "OpenSearchEngine._bulk": REPEATED,
    "Play._pause": "the pause before a step is tried again, which tests of failing steps cause",
    "RestateRuntime._wait": AWAY,
    "RunEvents._poll": "looks for the events of other processes, beside the tests that read them",
    "RunTables.patiently": AWAY,
    "Scheduler._work": AWAY,
    "register": "asks until a load balancer has noticed a new worker, which it tells to nobody",
    "repeated": REPEATED,
    "supervised": "the pause before a task is started again, which tests of failing tasks cause",
}
"""Functions of Quire that may sleep for longer, and why. No test may."""


class SleepNoted(AssertionError):
    """A test, or Quire in its process, has waited for a fixed time."""


class SleepGuard:
    """Stands in for `time.sleep` and `asyncio.sleep`, and notes long sleeps of code below a folder, from any thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._noted: list[str] = []
        self._sleep: Callable[[float], None] = time.sleep
        self._async_sleep: Callable[[float, object], Awaitable[object]] = asyncio.sleep

    def install(self) -> None:
        @wraps(self._sleep)
        def sleep(seconds: float) -> None:
            self._sleep(seconds)
            self._note(self._too_long(seconds, sys._getframe(1)))

        @wraps(self._async_sleep)
        def async_sleep(delay: float, result: object = None) -> Awaitable[object]:
            sleeping = self._async_sleep(delay, result)
            too_long = self._too_long(delay, sys._getframe(1))
            return self._noting(sleeping, too_long) if too_long else sleeping

        time.sleep = sleep
        asyncio.sleep = async_sleep  # type: ignore[assignment]

    def take(self) -> list[str]:
        """The long sleeps since the last call."""
        noted, self._noted = self._noted, []
        return noted

    async def _noting(self, sleeping: Awaitable[object], too_long: str) -> object:
        """A timer that is cancelled has held nobody up, and is not noted."""
        result = await sleeping
        self._note(too_long)
        return result

    def _note(self, too_long: str) -> None:
        if too_long:
            self._noted.append(too_long)

    def _too_long(self, seconds: float, caller: FrameType) -> str:
        """The place of a sleep that is too long; empty when it is not, or when the caller is of another project."""
        code = caller.f_code
        if seconds <= LONGEST_S or code.co_qualname in ALLOWED:
            return ""
        path = Path(code.co_filename)
        if not any(path.is_relative_to(self._root / folder) for folder in ("src", "tests")):
            return ""
        return f"{path.relative_to(self._root)}, line {caller.f_lineno}, slept for {seconds:.3g} s"


GUARD = pytest.StashKey[SleepGuard]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[GUARD] = SleepGuard(config.rootpath)
    config.stash[GUARD].install()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    item.config.stash[GUARD].take()  # of the tests before, whose threads may have gone on
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    result = yield
    if noted := item.config.stash[GUARD].take():
        raise SleepNoted(f"{noted[0]}: wait for an event instead, or poll every {LONGEST_S} s (tests/sleeps.py)")
    return result
