"""Threads and tasks that meet an error: logged, counted, started again, and ended by their owner."""

from __future__ import annotations

import asyncio
import logging
from threading import Event

import pytest

from quire.core.errors import StoreError
from quire.system import supervisor
from quire.system.supervisor import SupervisedThread, restarts, supervised

pytestmark = pytest.mark.restarts


def test_a_thread_goes_on_after_errors_that_are_logged_and_counted(monkeypatch, caplog):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)
    tries = []

    def work(_: Event) -> None:
        tries.append(len(tries))
        if len(tries) < 3:
            raise OSError("the disk is full")

    with caplog.at_level(logging.WARNING, logger="quire"):
        thread = SupervisedThread("test-thread", work)
        thread.start()
        thread.join(60)
    assert tries == [0, 1, 2] and not thread.is_alive()
    assert restarts()["test-thread"] == 2
    waits = [record.getMessage() for record in caplog.records]
    assert waits == [f"test-thread failed, and starts again in {s:g} s: the disk is full" for s in (0.001, 0.002)]


@pytest.mark.parametrize(
    ("error", "traced"),
    [(StoreError("the database is away; check that the server runs"), False), (KeyError("lost"), True)],
    ids=["explained", "unexpected"],
)
def test_an_error_that_says_what_happened_is_logged_without_its_traceback(monkeypatch, caplog, error, traced):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)
    errors = [error]

    def work(_: Event) -> None:
        if errors:
            raise errors.pop()

    with caplog.at_level(logging.WARNING, logger="quire"):
        thread = SupervisedThread("test-traced", work)
        thread.start()
        thread.join(60)
    assert str(error) in caplog.text
    assert ("Traceback" in caplog.text) == traced


def test_the_back_off_is_bounded_and_ends_with_the_thread(monkeypatch, caplog):
    monkeypatch.setattr(supervisor, "FIRST_S", 3600.0)
    failed = Event()

    def work(_: Event) -> None:
        failed.set()
        raise ValueError("always")

    with caplog.at_level(logging.WARNING, logger="quire"):
        thread = SupervisedThread("test-bound", work, longest_s=1800.0)
        thread.start()
        assert failed.wait(60)
        thread.stop()
        thread.join(60)
    assert not thread.is_alive()
    assert "in 1800 s" in caplog.text


def test_a_task_goes_on_too_and_can_be_cancelled(monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)
    tries = []

    async def work() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise KeyError("once")
        await asyncio.Event().wait()

    async def main() -> None:
        task = asyncio.ensure_future(supervised("test-task", work))
        while len(tries) < 2:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(main(), 60))
    assert restarts()["test-task"] == 1


def test_an_error_after_the_owner_has_closed_is_not_one(caplog):
    def work(stopped: Event) -> None:
        assert stopped.wait(60)
        raise OSError("it is closed")

    with caplog.at_level(logging.WARNING, logger="quire"):
        thread = SupervisedThread("test-closed", work)
        thread.start()
        thread.stop()
        thread.join(60)
    assert not thread.is_alive() and not caplog.records and "test-closed" not in restarts()
