"""Requests to an ASGI application in this process: the HTTP API of a store without a port."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from email.message import Message
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp, Scope
from starlette.types import Message as AsgiMessage

from quire.net.transport import Deadline, HttpError, HttpRequest, HttpResponse

ORIGIN = "http://localhost"
"""The address under which requests name the application."""
CLIENT = ("127.0.0.1", 0)


class InProcessSender:
    """Sends requests to an application that lives in an event loop; the callers are other threads. Thread-safe."""

    def __init__(self, app: ASGIApp, loop: asyncio.AbstractEventLoop) -> None:
        self._app, self._loop = app, loop

    def send(self, request: HttpRequest, deadline: Deadline) -> HttpResponse:
        with self.open(request, deadline) as response:
            return HttpResponse(response.status, response.headers, response.read())

    @contextmanager
    def open(self, request: HttpRequest, deadline: Deadline) -> Iterator[_Exchange]:
        """The response, its body still unread. Raises HttpError when it does not come in time."""
        exchange = _Exchange(request, deadline)
        running = asyncio.run_coroutine_threadsafe(exchange.run(self._app), self._loop)
        try:
            exchange.begin(running)
            yield exchange
        finally:
            running.cancel()

    def close(self) -> None:
        """There is nothing to close: the application belongs to the caller."""


class _Exchange:
    """One request and its response. `run` is for the event loop, the rest for the thread that asks."""

    status: int = 0

    def __init__(self, request: HttpRequest, deadline: Deadline) -> None:
        self.headers = Message()
        self._request, self._deadline = request, deadline
        self._arrived: queue.SimpleQueue[AsgiMessage | None] = queue.SimpleQueue()
        self._buffer, self._over = b"", False

    async def run(self, app: ASGIApp) -> None:
        body = self._request.body
        pieces = iter(body()) if callable(body) else iter([] if body is None else [body])
        left = True

        async def receive() -> AsgiMessage:
            nonlocal left
            if not left:
                await asyncio.get_running_loop().create_future()  # until the response is taken, or given up
            piece = await asyncio.to_thread(next, pieces, None)
            left = piece is not None
            return {"type": "http.request", "body": piece or b"", "more_body": left}

        async def send(message: AsgiMessage) -> None:
            self._arrived.put(message)

        try:
            await app(self._scope(), receive, send)
        finally:
            self._arrived.put(None)

    def begin(self, running: Future[None]) -> None:
        """Wait for the head of the response."""
        message = self._next()
        if message is None:
            with suppress(TimeoutError, asyncio.CancelledError):
                error = running.exception(timeout=1)
                raise HttpError(f"the application failed: {error}") from error
            raise HttpError("the application has ended", passing=True)
        self.status = message["status"]
        for name, value in message["headers"]:
            self.headers[name.decode("latin-1")] = value.decode("latin-1")

    def read(self) -> bytes:
        while not self._over:
            self._fill()
        data, self._buffer = self._buffer, b""
        return data

    def readline(self) -> bytes:
        while not self._over and b"\n" not in self._buffer:
            self._fill()
        end = self._buffer.find(b"\n") + 1 or len(self._buffer)
        line, self._buffer = self._buffer[:end], self._buffer[end:]
        return line

    def _fill(self) -> None:
        message = self._next()
        if message is None:
            self._over = True
            return
        self._buffer += message.get("body", b"")
        self._over = not message.get("more_body", False)

    def _next(self) -> AsgiMessage | None:
        try:
            return self._arrived.get(timeout=self._deadline.left_s)
        except (queue.Empty, TimeoutError):
            raise HttpError("the application is silent", passing=True, late=True) from None

    def _scope(self) -> Scope:
        parts = urlsplit(self._request.url)
        sent = {"Host": parts.netloc, **self._request.headers}
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": self._request.method,
            "scheme": parts.scheme,
            "path": unquote(parts.path),
            "raw_path": parts.path.encode("ascii"),
            "query_string": parts.query.encode("ascii"),
            "root_path": "",
            "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in sent.items()],
            "client": CLIENT,
            "server": (parts.hostname, parts.port or 80),
        }
