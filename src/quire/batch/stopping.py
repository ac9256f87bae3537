"""Asking work to stop: at first nothing new is started, then everything ends."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import FrameType


class Stop:
    """A request to stop. Any thread may make it, and so may a handler of signals: it takes no lock.

    `reason` is empty until somebody asks. After `request` what is under way finishes; after `now` it
    is given up.
    """

    def __init__(self) -> None:
        self.reason = ""
        self.at_once = False
        self._listeners: list[Callable[[], None]] = []

    @property
    def requested(self) -> bool:
        return bool(self.reason)

    def request(self, reason: str) -> None:
        """Start nothing new."""
        self.reason = self.reason or reason
        self.wake()

    def now(self, reason: str) -> None:
        """Give up what is under way, too."""
        self.at_once = True
        self.request(reason)

    def listen(self, listener: Callable[[], None]) -> None:
        """Call it on every request, in the thread that makes it. It must not block."""
        self._listeners.append(listener)

    def unlisten(self, listener: Callable[[], None]) -> None:
        self._listeners.remove(listener)

    def wake(self) -> None:
        """Have everybody who waits look again."""
        for listener in list(self._listeners):
            listener()


@contextmanager
def stop_on_signals(stop: Stop | None = None, on_signal: Callable[[Stop], None] | None = None) -> Iterator[Stop]:
    """While it lasts, SIGINT and SIGTERM ask to stop; the second one at once, and the third does what it always did.

    `on_signal` is called after each, in the main thread, in which this must be used.
    """
    stop = stop or Stop()
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def ask(number: int, frame: FrameType | None) -> None:
        name = signal.Signals(number).name
        if stop.requested:
            _restore(usual)
            stop.now(name)
        else:
            stop.request(name)
        if on_signal is not None:
            on_signal(stop)

    try:
        for number in usual:
            signal.signal(number, ask)
        with _waking(stop.wake):
            yield stop
    finally:
        _restore(usual)


@contextmanager
def _waking(wake: Callable[[], None]) -> Iterator[None]:
    """Call `wake` in a thread on every signal.

    A signal that comes right before the main thread begins to wait does not interrupt the wait, and its handler runs
    when that is over: somebody else has to end it.
    """
    reading, writing = socket.socketpair()
    writing.setblocking(False)

    def listen() -> None:
        with reading:
            while reading.recv(64):
                wake()

    listener = Thread(target=listen, name="quire-signals", daemon=True)
    listener.start()
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        writing.close()
        listener.join()


def _restore(handlers: dict[signal.Signals, Callable[[int, FrameType | None], object] | int | None]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)
