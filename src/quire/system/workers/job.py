"""The interface of a job to its worker."""

from __future__ import annotations

import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Protocol, TypeVar, cast

T = TypeVar("T")

KEPT = 8


class JobChannel(Protocol):
    """The worker's end of the pipe."""

    def tell(self, kind: str, payload: Mapping[str, object]) -> None: ...

    def ask(self, name: str, header: Mapping[str, object], data: bytes) -> tuple[Mapping[str, object], bytes]: ...


class Kept:
    """An LRU cache of 8 objects that stay loaded between jobs: engines with their models, open documents."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._things: OrderedDict[Hashable, object] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._things:
            self._things[key] = make()
        self._things.move_to_end(key)
        return cast(T, self._things[key])

    def trim(self, most: int | None = None) -> None:
        """Close the least recently used objects. Called between jobs, so that nothing in use is closed."""
        while len(self._things) > (self._most if most is None else most):
            key, thing = self._things.popitem(last=False)
            close = getattr(thing, "close", None)
            if close is None:
                continue
            try:
                close()
            except Exception as error:
                print(f"{key} could not be closed: {error!r}", file=sys.stderr)


class Work:
    """The second argument of every job. Its methods run in the worker and are thread-safe, except that only one thread
    at a time may call `request`."""

    cancelled = False
    """Always False: a cancelled job is killed and never sees it."""

    def __init__(self, line: JobChannel, kept: Kept, timeout_s: float) -> None:
        self._line: JobChannel | None = line
        self._kept = kept
        self.deadline = time.monotonic() + timeout_s
        """When the job will be killed, on the clock of `time.monotonic`."""

    def emit(self, kind: str, payload: Mapping[str, object]) -> None:
        """Emit an event to the parent at once. The payload is JSON."""
        self._open_line().tell(kind, payload)

    def request(self, name: str, header: Mapping[str, object], data: bytes = b"") -> tuple[Mapping[str, object], bytes]:
        """Send a request to the parent and wait for the response. Raises the QuireError of the parent."""
        return self._open_line().ask(name, header, data)

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """The cached object of that key, made now or by an earlier job of this worker."""
        return self._kept.get(key, make)

    def finish(self) -> None:
        """Disconnect a job that has ended, in case it left a thread behind."""
        self._line = None

    def _open_line(self) -> JobChannel:
        if self._line is None:
            raise RuntimeError("the job has ended")
        return self._line
