"""The end of the server: streams end and new tasks are refused as soon as it is asked to stop."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def noticing_signals(notice: Callable[[], None]) -> Iterator[None]:
    """Call `notice` when a signal asks this process to stop, before the handler of the server that runs it.

    uvicorn waits for requests in progress first and tells the application afterwards, which is too late for streams.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        notice()
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for number in SIGNALS:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
