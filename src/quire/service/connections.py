"""Connections of clients that send or take too slowly: uvicorn alone would keep them for ever (slowloris)."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 20.0
"""The longest time for a client to send the head of a request, from its first byte or the begin of the connection."""
STALLED_S = 30.0
"""The longest time in which a client may take nothing of a response."""


class PatientProtocol(H11Protocol):
    """uvicorn's protocol with two deadlines. All methods run in the event loop. The body has its own (`uploads`).

    It is the one over h11, which bounds the head of a request and the requests that wait on a connection; the one over
    httptools does neither, and is not faster where it counts.
    """

    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop("_deadline")
        elif self._deadline is None:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop("_deadline")
        self._stop("_stalled")
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch_taking()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._watch_taking()

    def resume_writing(self) -> None:
        self._stop("_stalled")
        super().resume_writing()

    def _await_head(self) -> None:
        self._stop("_deadline")
        self._deadline = self.loop.call_later(HEAD_S, self._head_is_late)

    def _head_is_late(self) -> None:
        self._deadline = None
        if self.transport.get_protocol() is self and (self.cycle is None or self.cycle.response_complete):
            self.transport.close()
            self._watch_taking()

    def _watch_taking(self) -> None:
        self._stop("_stalled")
        self._stalled = self.loop.call_later(STALLED_S, self._look_at_taking, self.transport.get_write_buffer_size())

    def _look_at_taking(self, before: int) -> None:
        """A connection whose buffer has not shrunk is dead, or of a client that keeps our memory."""
        left = self.transport.get_write_buffer_size()
        if left and left >= before:
            self.transport.abort()
        elif left:
            self._watch_taking()

    def _stop(self, timer: str) -> None:
        handle: asyncio.TimerHandle | None = getattr(self, timer)
        if handle is not None:
            handle.cancel()
            setattr(self, timer, None)
