"""A guard: a thread or task that ends with an error fails the test in which it does, unless the test expects it.

It looks at the restarts that the supervisor counts in this process, at what programs write to the test's standard
error, and at the logs of servers, also of those that serve many tests. `restarts` is the mark of tests that expect it.
Threads without a supervisor need no guard here: pytest warns of their errors, and warnings are errors.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path

import pytest

from quire.system.supervisor import restarts

FAILED = re.compile(
    ".*(?:failed, and starts again in"
    "|Exception in (?:thread|ASGI application|callback)|exception was never retrieved).*"
)
"""Lines of the supervisor, of Python, of asyncio and of the web server, each about work that nobody watches."""

CANCELLED = "timeout graceful shutdown exceeded"
"""The web server says so when it ends while requests are open."""
SHOWN = 4000
"""Characters of the logs in the failure of a test: their end."""


class ThreadFailed(AssertionError):
    """A thread, a task or a server met an error that no test expects."""


class ServerLogs:
    """The logs of servers of this process's tests, and how far each was looked through."""

    def __init__(self) -> None:
        self._seen: dict[Path, int] = {}

    def add(self, log: Path) -> None:
        self._seen.setdefault(log, 0)

    def news(self) -> str:
        """What was written since the last look."""
        return "".join(self._read(log) for log in self._seen)

    def _read(self, log: Path) -> str:
        if not log.exists():
            return ""
        with log.open("rb") as file:
            file.seek(self._seen[log])
            written = file.read()
        self._seen[log] += len(written)
        return written.decode(errors="replace")


LOGS = ServerLogs()
BEFORE = pytest.StashKey[dict[str, int]]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[BEFORE] = restarts()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """After the fixtures: their servers have ended, or will serve the next test."""
    result = yield
    before = item.stash[BEFORE]
    again = [name for name, count in restarts().items() if count > before.get(name, 0)]
    written = LOGS.news() + "".join(text for _, kind, text in item._report_sections if kind == "stderr")
    failed = [f"{name} was started again" for name in again] + failures(written)
    if failed and item.get_closest_marker("restarts") is None:
        raise ThreadFailed(f"{failed[0]} (a test that expects this has the mark `restarts`)\n{written[-SHOWN:]}")
    return result


def failures(written: str) -> list[str]:
    """The lines about work that failed, but for requests that a server cancels because they do not end with it."""
    before, _, after = written.partition(CANCELLED)
    return FAILED.findall(before) + [line for line in FAILED.findall(after) if "ASGI" not in line]
