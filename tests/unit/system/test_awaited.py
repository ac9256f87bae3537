"""Coroutines of others, run to their end wherever they are met."""

from __future__ import annotations

import asyncio
import signal
import threading
from contextvars import ContextVar

import pytest

from quire.system.awaited import settled

name: ContextVar[str] = ContextVar("name", default="")


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def failing() -> None:
    raise ValueError("no")


async def seen_name() -> str:
    return name.get()


def in_a_running_loop(call):
    async def cell():
        return call()

    return asyncio.run(cell())


def test_a_plain_value_is_given_back():
    assert settled(3) == 3


def test_a_coroutine_is_run_to_its_end():
    assert settled(double(4)) == 8


def test_a_coroutine_is_run_also_where_an_event_loop_is_running():
    assert in_a_running_loop(lambda: settled(double(4))) == 8


def test_its_error_is_raised_also_where_an_event_loop_is_running():
    with pytest.raises(ValueError, match="no"):
        in_a_running_loop(lambda: settled(failing()))


def test_it_sees_the_context_of_its_caller():
    def cell():
        name.set("quire")
        return settled(seen_name())

    assert in_a_running_loop(cell) == "quire"


def test_an_interrupt_cancels_the_coroutine_before_it_is_raised():
    ended = []

    async def endless():
        try:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            in_a_running_loop(lambda: settled(endless()))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ended == [True]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("quire-await")]
