"""Events. Progress, callbacks, manifests and metrics are subscribers of this one stream."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from threading import RLock
from typing import Literal, Protocol, overload, runtime_checkable

from quire.core.errors import QuireError, UsageError

SCHEMA = "quire/1"
"""The version of the payloads, the same as that of the JSON export. Subscribers ignore keys they do not know."""

NOTHING: Mapping[str, object] = {}

EventKind = Literal["started", "progress", "partial", "hit", "attempt", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    The id is derived from what happened (run, stage, page, attempt, kind), so that a replay neither loses nor
    duplicates an event; the sequence is the order in which it was stored. `at` is the time in seconds of the wall
    clock; it does not count for the equality of events. Sizes and durations are in the payload: `input_bytes`,
    `pages`, `bytes`, `ms`, `words`, `reason`.
    """

    id: str
    run: str
    sequence: int
    kind: EventKind
    stage: str
    document: str | None = None
    page: int | None = None
    key: str | None = None
    payload: Mapping[str, object] = field(default_factory=dict)
    at: float = field(default_factory=time.time, compare=False)


Sink = Callable[[Event], None]
"""A subscriber to events. Runs in the thread that does the work; an exception it raises does not break the run."""


class Teller:
    """Numbers the events of a run and passes them to its sinks, one at a time. Thread-safe.

    The first exception of a sink is logged and emitted to the others; the run continues.
    """

    def __init__(self, run: str, sinks: Sequence[Sink], document: str = "") -> None:
        for sink in sinks:
            if not callable(sink):
                raise UsageError(f"on_event is {sink!r}; it must be a function that takes an Event")
        self.run = run
        self.document = document
        self._sinks = tuple(sinks)
        self._broken: set[int] = set()
        self._lock = RLock()
        self._sequence = 0
        self._closed = False

    def emit(
        self,
        kind: EventKind,
        stage: str,
        *,
        document: str | None = None,
        page: int | None = None,
        key: str | None = None,
        payload: Mapping[str, object] = NOTHING,
        mark: str = "",
    ) -> None:
        """Emit an event to every sink. `mark` distinguishes events of the same kind, stage and page; `document`
        defaults to that of the run."""
        if not self._sinks:
            return
        with self._lock:
            if self._closed:
                return
            self._sequence += 1
            place = stage if page is None else f"{stage}/{page}"
            name = f"{self.run}/{place}/{kind}{mark}"
            subject = document or self.document or None
            event = Event(name, self.run, self._sequence, kind, stage, subject, page, key, payload)
            for number, sink in enumerate(self._sinks, start=1):
                try:
                    sink(event)
                except Exception as error:
                    self._sink_failed(number, error)

    def close(self) -> None:
        """Emit nothing after this."""
        with self._lock:
            self._closed = True

    def _sink_failed(self, number: int, error: Exception) -> None:
        if number in self._broken:
            return
        self._broken.add(number)
        import logging  # lazy: only for errors

        logging.getLogger("quire").exception("a subscriber to events (on_event) raised an exception; the run continues")
        self.emit("failed", "sink", payload={"reason": reason_of(error)}, mark=f"/{number}")


def reason_of(error: BaseException) -> str:
    """The reason of a failure in one line, without the document and page, which the ledger has anyway."""
    message = str(error) if isinstance(error, OSError) else str(error.args[0]) if error.args else ""
    if isinstance(error, QuireError):
        return message
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


@runtime_checkable
class Writable(Protocol):
    """A result at the end of a stream of events."""

    def to_json(self) -> str: ...


@overload
def to_sse(events: Event | Writable, *, after: int = 0) -> str: ...


@overload
def to_sse(events: Iterable[Event | Writable], *, after: int = 0) -> Iterator[str]: ...


@overload
def to_sse(events: AsyncIterable[Event | Writable], *, after: int = 0) -> AsyncIterator[str]: ...


def to_sse(
    events: Event | Writable | Iterable[Event | Writable] | AsyncIterable[Event | Writable], *, after: int = 0
) -> str | Iterator[str] | AsyncIterator[str]:
    """Events as server-sent events: one text for one event, an iterator of texts for many.

    The id of a message is the event's sequence, so that a browser that reconnects sends with `Last-Event-ID` what it
    has seen; events up to `after` are left out. A result at the end becomes the message `result`.
    """
    if isinstance(events, (Event, Writable)):
        return _message(events)
    if isinstance(events, AsyncIterable):
        return _messages_async(events, after)
    return (_message(event) for event in events if _is_after(event, after))


async def _messages_async(events: AsyncIterable[Event | Writable], after: int) -> AsyncIterator[str]:
    async for event in events:
        if _is_after(event, after):
            yield _message(event)


def _is_after(event: Event | Writable, after: int) -> bool:
    return not isinstance(event, Event) or event.sequence > after


def _message(event: Event | Writable) -> str:
    if not isinstance(event, Event):
        data = json.dumps(json.loads(event.to_json()), ensure_ascii=False)  # on one line
        return f"event: result\ndata: {data}\n\n"
    named = {f.name: getattr(event, f.name) for f in fields(event)}
    data = json.dumps({"schema": SCHEMA, **named, "payload": dict(event.payload)}, ensure_ascii=False, default=str)
    return f"id: {event.sequence}\nevent: {event.kind}\ndata: {data}\n\n"
