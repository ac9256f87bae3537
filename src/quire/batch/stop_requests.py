"""Requests to stop: first gracefully (nothing new starts), then immediately."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from quire.system.supervisor import SupervisedThread


class Stop:
    """A request to stop. Safe to make in any thread and in a signal handler: it takes no lock.

    `reason` is empty until a request. After `request` running work finishes; after `now` it is abandoned.
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
        """Abandon running work, too."""
        self.at_once = True
        self.request(reason)

    def listen(self, listener: Callable[[], None]) -> None:
        """Add a callback for every request, called in the requesting thread. It must not block."""
        self._listeners.append(listener)

    def unlisten(self, listener: Callable[[], None]) -> None:
        self._listeners.remove(listener)

    def wake(self) -> None:
        """Wake all listeners."""
        for listener in list(self._listeners):
            listener()


@contextmanager
def stop_on_signals(stop: Stop | None = None, on_signal: Callable[[Stop], None] | None = None) -> Iterator[Stop]:
    """Context in which SIGINT and SIGTERM request a stop: the first gracefully, the second immediately, and the third
    goes to the previous handler.

    `on_signal` is called after each, in the main thread, in which this must be used.
    """
    stop = stop or Stop()
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, frame: FrameType | None) -> None:
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
            signal.signal(number, handle)
        with _waking(stop.wake):
            yield stop
    finally:
        _restore(usual)


@contextmanager
def _waking(wake: Callable[[], None]) -> Iterator[None]:
    """Call `wake` in a thread on every signal.

    A signal that arrives right before the main thread starts to wait does not interrupt the wait, and its handler
    runs only afterwards: another thread has to end the wait.
    """
    reading, writing = socket.socketpair()
    writing.setblocking(False)

    def listen(_: Event) -> None:
        while reading.recv(64):
            wake()

    listener = SupervisedThread("quire-signals", listen)
    listener.start()
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        writing.close()
        listener.stop()
        listener.join()
        reading.close()


def _restore(handlers: dict[signal.Signals, Callable[[int, FrameType | None], object] | int | None]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)
