"""One run of a pipeline over one document: its events, and whether it was called off."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from secrets import token_hex
from threading import Event as Flag
from threading import RLock

from quire.errors import QuireError
from quire.events import Event, EventKind, Sink

GLANCE_S = 0.05
"""How often whoever waits looks whether the run was called off."""

_NOTHING: Mapping[str, object] = {}


class Cancelled(Exception):
    """The run was called off. Never leaves the pipeline."""


class Run:
    """Any thread may tell events and call it off. Sinks are called one event at a time, in the thread that tells."""

    def __init__(self, sinks: Sequence[Sink] = (), clock: Callable[[], float] = time.perf_counter) -> None:
        self.id = token_hex(8)
        self.document = ""
        self.clock = clock
        self._sinks = tuple(sinks)
        self._broken: set[Sink] = set()
        self._cancel = Flag()
        self._closed = False
        self._lock = RLock()
        self._sequence = 0

    @property
    def cancelled(self) -> bool:
        return self._cancel.is_set()

    def cancel(self) -> None:
        self._cancel.set()

    def check(self) -> None:
        """Raise Cancelled if the run was called off: every stage begins with this."""
        if self._cancel.is_set():
            raise Cancelled

    def ms_since(self, begun: float) -> float:
        return round((self.clock() - begun) * 1000, 3)

    def emit(
        self,
        kind: EventKind,
        stage: str,
        *,
        page: int | None = None,
        key: str | None = None,
        payload: Mapping[str, object] = _NOTHING,
        mark: str = "",
    ) -> None:
        """Tell every sink. `mark` tells events of the same kind, stage and page apart."""
        if not self._sinks:
            return
        with self._lock:
            if self._closed:  # a question nobody waits for any more
                return
            self._sequence += 1
            place = stage if page is None else f"{stage}/{page}"
            name = f"{self.id}/{place}/{kind}{mark}"
            event = Event(name, self.id, self._sequence, kind, stage, self.document, page, key, payload)
            for sink in self._sinks:
                try:
                    sink(event)
                except Exception as error:
                    self._sink_failed(sink, error)

    def close(self) -> None:
        """Nothing is told after this."""
        with self._lock:
            self._closed = True

    def _sink_failed(self, sink: Sink, error: Exception) -> None:
        if sink in self._broken:
            return
        self._broken.add(sink)
        logging.getLogger("quire").exception("a reader of events raised; the run goes on without it noticing")
        self.emit("failed", "sink", payload=failure_of(error), mark=f"/{len(self._broken)}")


def failure_of(error: BaseException, region: str | None = None) -> dict[str, object]:
    """The payload of a failure."""
    return {"error": type(error).__name__, "message": message_of(error), "region_id": region}


def message_of(error: BaseException) -> str:
    """What happened, in one line."""
    if isinstance(error, QuireError):
        return str(error)
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
