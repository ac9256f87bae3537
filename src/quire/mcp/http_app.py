"""The protocol over streamable HTTP: without sessions, behind the key of the server, with a route for uploads."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import IO

import anyio.to_thread
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

import quire
from quire.client.multipart import FilePart
from quire.core.errors import QuireError, UsageError
from quire.docling_serve.contract.refusals import RequestRefused
from quire.mcp.answers.document_list import UploadOffer, document_line
from quire.mcp.protocol import protocol_server
from quire.mcp.served_documents import ServedDocuments
from quire.mcp.tools import DocumentTools
from quire.mcp.upload_tickets import VALID_S, UploadTicket, UploadTickets
from quire.service.request_guard import Guard
from quire.service.security import check_host
from quire.service.settings import ServiceSettings

PATH = "/mcp"
UPLOADS = "/upload/"

OpenTools = Callable[[], AbstractAsyncContextManager[DocumentTools]]
"""Opens the tools when the server starts, and closes what they stand on when it stops."""


def http_app(settings: ServiceSettings, open_tools: OpenTools) -> ASGIApp:
    """The application: `/mcp`, and `/upload/…` for files, whose address is its own key."""
    started: list[Starlette] = []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with open_tools() as tools:
            tickets = UploadTickets(settings.api_key)
            offers = partial(_offer_for, tickets) if tools.write else None
            server = protocol_server(tools, version=quire.__version__, offer_for=offers)
            uploads = _Uploads(tools.documents, tickets, settings)
            routes = [Route(f"{UPLOADS}{{ticket}}", uploads.receive, methods=["PUT", "POST"])] if tools.write else []
            unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # `Guard` checks hosts
            app = server.streamable_http_app(
                streamable_http_path=PATH,
                stateless_http=True,
                transport_security=unchecked,
                custom_starlette_routes=routes,
            )
            async with server.session_manager.run():
                started.append(app)
                yield

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        await started[-1](scope, receive, send)

    guarded = Guard(respond, settings, bearer=True)

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        await (respond if path.startswith(UPLOADS) else guarded)(scope, receive, send)

    return Starlette(routes=[Mount("/", app=checked)], lifespan=lifespan)


def _offer_for(tickets: UploadTickets, request: Request) -> Callable[[str], UploadOffer]:
    def offer(name: str) -> UploadOffer:
        url = f"{str(request.base_url).rstrip('/')}{UPLOADS}{tickets.make(name)}"
        return UploadOffer(url=url, expires_s=VALID_S, command=f"curl -T FILE '{url}'")

    return offer


class _Uploads:
    """Receives files, each for a ticket."""

    def __init__(self, documents: ServedDocuments, tickets: UploadTickets, settings: ServiceSettings) -> None:
        self._documents, self._tickets, self._settings = documents, tickets, settings

    async def receive(self, request: Request) -> Response:
        """Answers with the document, which is being read."""
        try:
            check_host(request, self._settings)
            ticket = self._tickets.check(request.path_params["ticket"])
            if request.headers.get("content-type", "").lower().startswith("multipart/"):
                return _refused(415, "send the bytes of the file as they are, like curl -T FILE, not as a form")
            with tempfile.NamedTemporaryFile(prefix="quire-upload-") as file:
                if not await self._saved(request, file):
                    return _refused(413, f"the file has more than {self._settings.max_file_bytes:,} bytes, the limit")
                return await anyio.to_thread.run_sync(self._added, ticket, Path(file.name))
        except UsageError as error:
            return _refused(403, str(error))
        except RequestRefused as refusal:
            return JSONResponse(refusal.body(), refusal.status)
        except QuireError as error:
            return _refused(502, str(error))

    async def _saved(self, request: Request, file: IO[bytes]) -> bool:
        """Whether it is small enough."""
        size = 0
        async for piece in request.stream():
            size += len(piece)
            if size > self._settings.max_file_bytes:
                return False
            file.write(piece)
        file.flush()
        return True

    def _added(self, ticket: UploadTicket, path: Path) -> Response:
        """In a thread."""
        part = FilePart(ticket.name, path.stat().st_size, lambda: path.open("rb"))
        report = self._documents.add(part, ticket.key).report()
        return JSONResponse({"documents": [document_line(one).model_dump() for one in report.documents]}, 201)


def _refused(status: int, reason: str) -> Response:
    return JSONResponse({"detail": reason}, status)
