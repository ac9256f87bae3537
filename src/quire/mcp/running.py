"""Runs the server of the protocol: over a store or a server, by standard input and output or by HTTP."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import uvicorn
from mcp.server.stdio import stdio_server

import quire
from quire.client.client import TIMEOUT_S
from quire.client.connection import Server
from quire.core.errors import EXIT_COMPLETE
from quire.mcp.file_roots import FileRoots
from quire.mcp.http_app import PATH, http_app
from quire.mcp.in_process import ORIGIN, InProcessSender
from quire.mcp.protocol import protocol_server
from quire.mcp.served_documents import ServedDocuments
from quire.mcp.token_budget import MAX_TOKENS
from quire.mcp.tools import DocumentTools
from quire.service.app import create_app
from quire.service.log_redaction import redact_logs
from quire.service.logs import configure_logs
from quire.service.security import check_binding
from quire.service.server import ServiceBackend, address, bound, opened, options_of
from quire.service.settings import ServiceSettings
from quire.service.shutdown import SIGNALS


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """A running server, with its key."""

    url: str
    api_key: str = ""


@dataclass(frozen=True, slots=True)
class McpOptions:
    """What the server shows, to whom, and how much of it at a time. `settings` are those of `quire serve`."""

    place: ServiceBackend | ServerPlace
    settings: ServiceSettings
    roots: FileRoots
    tenant: str | None = None
    write: bool = False
    max_tokens: int = MAX_TOKENS


@asynccontextmanager
async def opened_tools(options: McpOptions) -> AsyncIterator[DocumentTools]:
    """The tools over the documents of the place, in this event loop."""
    async with _documents(options) as documents:
        try:
            yield DocumentTools(documents, options.roots, options.write, options.max_tokens)
        finally:
            documents.close()


@asynccontextmanager
async def _documents(options: McpOptions) -> AsyncIterator[ServedDocuments]:
    place = options.place
    if isinstance(place, ServerPlace):
        yield ServedDocuments(Server(place.url, api_key=place.api_key, tenant=options.tenant, timeout_s=TIMEOUT_S))
        return
    # Who may ask is decided before this: the API itself is reached from this process alone.
    own = replace(
        options.settings,
        host="127.0.0.1",
        api_key="",
        tenants=options.tenant is not None,
        tenant_header="X-Tenant-Id",
        ui=False,
        metrics=False,
        warm_up=False,
    )
    app = create_app(opened(own, place))
    async with app.router.lifespan_context(app):
        sender = InProcessSender(app, asyncio.get_running_loop())
        yield ServedDocuments(Server(ORIGIN, tenant=options.tenant, timeout_s=TIMEOUT_S, sender=sender))


def run_stdio(options: McpOptions) -> None:
    """Serve one client until it closes standard input, SIGTERM or Ctrl-C. Everything else that is printed goes to
    standard error."""
    configure_logs(options.settings)
    asyncio.run(_serve_stdio(options))


async def _serve_stdio(options: McpOptions) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, stop.set)
    async with opened_tools(options) as tools:
        serving, stopping = asyncio.create_task(_exchange(tools)), asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if serving.done():
            serving.result()
            return
    sys.stderr.flush()
    os._exit(EXIT_COMPLETE)  # a thread still waits for input, which nothing interrupts; all else is closed


async def _exchange(tools: DocumentTools) -> None:
    """Serve the client at standard input and output."""
    server = protocol_server(tools, version=quire.__version__)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def run_http(options: McpOptions, say: Callable[[str], None]) -> None:
    """Serve any number of clients until SIGTERM or Ctrl-C. `say` gets the address of the endpoint.

    Raises UsageError for an address of other machines without a key.
    """
    settings = options.settings
    check_binding(settings)
    configure_logs(settings)
    redact_logs(settings.api_key)
    with bound(settings) as listening:
        port = listening.getsockname()[1]
        say(f"{address(settings, port)}{PATH}")
        app = http_app(settings, lambda: opened_tools(options))
        uvicorn.Server(uvicorn.Config(app, **options_of(settings, port))).run([listening])
