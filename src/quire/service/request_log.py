"""Counts and logs every request. It stands in front of everything else, so that refusals are seen too."""

from __future__ import annotations

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.service.logs import fields_of, log_request
from quire.service.traffic import Traffic

UNKNOWN = "unknown"
"""The route of a request that no route takes: paths of strangers must not become labels."""


class Observer:
    """Middleware. A WebSocket is not counted: it lasts as long as its task."""

    def __init__(self, app: ASGIApp, traffic: Traffic, prefix: str) -> None:
        """`prefix` is that of headers for the log."""
        self._app, self._traffic = app, traffic
        self._prefix = prefix.lower().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin, status, received, sent = time.perf_counter(), 500, 0, 0

        async def receiving() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message

        async def sending(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                sent += len(message.get("body", b""))
            await send(message)

        self._traffic.began()
        try:
            await self._app(scope, receiving, sending)
        finally:
            ms = (time.perf_counter() - begin) * 1000
            sizes = {"received": received, "sent": sent}
            self._traffic.ended(scope["method"], _route(scope), status, ms=ms, **sizes)
            log_request(scope["method"], scope["path"], status, ms, fields_of(scope["headers"], self._prefix))


def _route(scope: Scope) -> str:
    """The path of the route with the names of its parameters: `/v1/result/{task_id}`."""
    if "endpoint" not in scope:
        return UNKNOWN
    names = {str(value): f"{{{name}}}" for name, value in scope.get("path_params", {}).items()}
    return "/".join(names.get(part, part) for part in scope["path"].split("/"))
