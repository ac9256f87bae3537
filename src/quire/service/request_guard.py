"""The checks of every request and the headers of every response: keys, hosts and origins, and headers for browsers."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from quire.docling_serve.contract.refusals import RequestRefused
from quire.service.security import check_bearer, check_host, check_key, check_origin, is_public
from quire.service.settings import ServiceSettings

EVERYWHERE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "SAMEORIGIN"}
"""Headers of every response."""
INERT = {
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'self'",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of answers about documents: their texts never act as a page of this server, and no cache keeps them."""


UNAUTHORIZED, TOO_SLOW = 401, 408


class Guard:
    """Asks every request and every WebSocket for the key, except for what is public; with `bearer`, as a token."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings, *, bearer: bool = False) -> None:
        self._app, self._settings, self._bearer = app, settings, bearer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        public = is_public(scope["path"].removeprefix(scope.get("root_path", "")))
        added = EVERYWHERE if public else EVERYWHERE | INERT
        sent = {name for name, _ in scope["headers"]}
        doubtful = {
            b"content-length",
            b"transfer-encoding",
        } <= sent  # RFC 9112, section 6.1: a proxy may read it otherwise

        async def respond(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
                if doubtful or message["status"] == TOO_SLOW:
                    headers["Connection"] = "close"
            await send(message)

        try:
            if not public:
                self._check(HTTPConnection(scope), socket=scope["type"] == "websocket")
        except RequestRefused as refusal:
            asks = {"WWW-Authenticate": "Bearer"} if self._bearer and refusal.status == UNAUTHORIZED else None
            refused = JSONResponse(refusal.body(), refusal.status, asks)
            if scope["type"] == "websocket":
                await WebSocket(scope, receive, respond).send_denial_response(refused)
            else:
                await refused(scope, receive, respond)
            return
        await self._app(scope, receive, respond)

    def _check(self, connection: HTTPConnection, *, socket: bool) -> None:
        check_host(connection, self._settings)
        if self._bearer:
            check_bearer(connection, self._settings)
        else:
            check_key(connection, self._settings, parameter=socket)
        check_origin(connection, self._settings)
