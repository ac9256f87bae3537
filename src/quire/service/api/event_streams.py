"""The events of runs as server-sent events, for any number of readers.

One poller per run reads new events for all readers of that run, in a thread. It keeps the latest ones; a reader that is
further behind reads the older ones from the store in portions. So neither the number of readers nor a slow one costs
memory, and a reader that takes nothing for `SEND_S` is dropped: it may continue with `Last-Event-ID`.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from quire.core.context import RunState, Runtime
from quire.core.errors import QuireError
from quire.core.events import Event, to_sse
from quire.database.runs import ENDED
from quire.system.supervisor import supervised

POLL_S = 0.2
"""The seconds between two looks of a poller for new events; more when many runs are watched."""
EACH_S = 0.004
"""Added to that for each watched run."""
HEARTBEAT_S = 15.0
SEND_S = 30.0
"""The longest time in which a reader may take nothing."""
LATEST = 500
"""Events of a run in memory, and in one portion from the store."""


@dataclass(slots=True)
class _Watch:
    """A run that somebody watches."""

    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when there is news, and then replaced by the next one."""
    readers: int = 0
    latest: deque[Event] = field(default_factory=lambda: deque(maxlen=LATEST))
    sequence: int = -1
    """Of the last event that the poller has seen; -1 before its first look."""
    ended: bool = False
    error: QuireError | None = None
    poller: asyncio.Task[None] | None = None

    def notify(self) -> None:
        news, self.changed = self.changed, asyncio.Event()
        news.set()


class RunEvents:
    """Watches runs. Belongs to one event loop."""

    def __init__(
        self, runtime: Runtime, call: Callable[..., Awaitable[Any]], stopping: Callable[[], bool] = lambda: False
    ) -> None:
        """`call` runs a function in a thread; `stopping` says that the server ends: so do the streams."""
        self._runtime, self._call, self._stopping = runtime, call, stopping
        self._watches: dict[str, _Watch] = {}

    async def stream(self, run: str, after: int, end: Callable[[], str]) -> AsyncGenerator[str]:
        """The messages of a run after an event, from the store and then as they come; `end` makes the data of the last.

        `end` runs in a thread.
        """
        watch = self._watch(run)
        try:
            while True:
                try:
                    events, over = await self._next(run, watch, after)
                except QuireError:
                    return  # the database is away, or the run was deleted: the reader finds out when it asks again
                for event in events:
                    after = event.sequence
                    yield to_sse(event)
                if self._stopping():
                    return
                if over:
                    yield f"event: end\ndata: {await self._call(end)}\n\n"
                    return
                if not events:
                    yield ": waiting\n\n"
        finally:
            self._leave(run, watch)

    async def _next(self, run: str, watch: _Watch, after: int) -> tuple[list[Event], bool]:
        """The next events, and whether the run has ended and these are all; none after `HEARTBEAT_S`."""
        until = time.monotonic() + HEARTBEAT_S
        while watch.sequence <= after and not watch.ended and watch.error is None and not self._stopping():
            try:
                await asyncio.wait_for(watch.changed.wait(), until - time.monotonic())
            except TimeoutError:
                return [], False
        if watch.error is not None:
            raise watch.error
        ended, known = watch.ended, [event for event in watch.latest if event.sequence > after]
        complete = watch.sequence <= after or (known and known[0].sequence == after + 1)
        if complete:
            return known, ended
        older = await self._call(self._portion, run, after)
        return older, False

    def _portion(self, run: str, after: int) -> list[Event]:
        """In a thread."""
        return list(islice(self._runtime.events(run, after=after), LATEST))

    def _watch(self, run: str) -> _Watch:
        watch = self._watches.get(run)
        if watch is None:
            watch = self._watches[run] = _Watch()
            watch.poller = asyncio.create_task(supervised("quire-events", partial(self._poll, run, watch)))
        watch.readers += 1
        return watch

    def _leave(self, run: str, watch: _Watch) -> None:
        watch.readers -= 1
        if not watch.readers:
            self._watches.pop(run, None)
            if watch.poller is not None:
                watch.poller.cancel()

    async def _poll(self, run: str, watch: _Watch) -> None:
        """Ends with the run, or with the server: the threads of `call` are gone soon after that."""
        while not watch.ended and not self._stopping():
            try:
                state, last, events = await self._call(self._look, run, watch.sequence)
            except QuireError as error:
                watch.error = error
                watch.notify()
                return
            watch.latest.extend(events)
            watch.sequence = max(last, events[-1].sequence if events else 0)
            watch.ended = state in ENDED
            watch.notify()
            await asyncio.sleep(POLL_S + EACH_S * len(self._watches))
        watch.notify()

    def _look(self, run: str, seen: int) -> tuple[RunState, int, list[Event]]:
        """In a thread. The state comes first: a run that has ended emits nothing more."""
        status = self._runtime.status(run)
        if seen < 0:
            seen = max(0, status.last_event - LATEST)
        if status.last_event <= seen:
            return status.state, status.last_event, []
        return status.state, status.last_event, list(self._runtime.events(run, after=seen))


class EventStream(StreamingResponse):
    """Server-sent events; a reader that takes nothing for `SEND_S` is dropped."""

    media_type = "text/event-stream"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: object) -> None:
            await asyncio.wait_for(send(message), SEND_S)  # type: ignore[arg-type]

        try:
            await super().__call__(scope, receive, sending)
        except (TimeoutError, ClientDisconnect):
            return
        finally:
            if isinstance(self.body_iterator, AsyncGenerator):
                await self.body_iterator.aclose()
