"""One run of a pipeline over one document: its events and its cancellation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from secrets import token_hex
from threading import Event as Flag

from quire.core.errors import ConfigurationError, QuireError, StoreError, UsageError
from quire.core.events import EventKind, Sink, Teller

GLANCE_S = 0.05
"""Seconds between two looks of a wait at whether the run was cancelled."""

NOT_THE_PAGE = (UsageError, ConfigurationError, StoreError)
"""Errors that are not the fault of a page: they end the run."""


class Cancelled(Exception):
    """The run was cancelled. Never leaves the pipeline."""


class PipelineRun:
    """Any thread may emit events and cancel. Sinks are called one event at a time, in the thread that emits."""

    def __init__(self, sinks: Sequence[Sink] = (), clock: Callable[[], float] = time.perf_counter) -> None:
        self.id = token_hex(8)
        self.clock = clock
        self._teller = Teller(self.id, sinks)
        self.emit = self._teller.emit
        self._cancel = Flag()

    @property
    def document(self) -> str:
        """The id of the document that the events are about."""
        return self._teller.document

    @document.setter
    def document(self, document: str) -> None:
        self._teller.document = document

    @property
    def cancelled(self) -> bool:
        return self._cancel.is_set()

    def cancel(self) -> None:
        self._cancel.set()

    def check(self) -> None:
        """Raise Cancelled if the run was cancelled: every stage starts with this."""
        if self._cancel.is_set():
            raise Cancelled

    @contextmanager
    def current(self) -> Iterator[None]:
        """In this context, stages in this thread, or in one that copies its context, see this run with `cancelled`."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def tell(
        self, kind: EventKind, page: int | None, payload: Mapping[str, object], *, key: str | None, mark: str
    ) -> None:
        """Emit an event about a question to the engine."""
        self.emit(kind, "recognize", page=page, key=key, payload=payload, mark=mark)

    def ms_since(self, begun: float) -> float:
        return round((self.clock() - begun) * 1000, 3)

    def close(self) -> None:
        """Emit nothing after this: the answer to an abandoned question may still arrive."""
        self._teller.close()


_current: ContextVar[PipelineRun | None] = ContextVar("quire-pipeline-run", default=None)


def cancelled() -> bool:
    """Whether the pipeline that runs this stage was cancelled: long-running stages check this and return.

    False outside a pipeline, and in worker processes, which are killed.
    """
    run = _current.get()
    return run is not None and run.cancelled


def failure_of(error: BaseException, region: str | None = None) -> dict[str, object]:
    """The payload of a failure."""
    return {"error": type(error).__name__, "message": message_of(error), "region_id": region}


def message_of(error: BaseException) -> str:
    """The error in one line."""
    if isinstance(error, QuireError):
        return str(error)
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
