"""Starting the server: the store, the runtime and uvicorn, in one process or several."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI

from quire.durable.opening import RuntimeKind, open_runtime
from quire.service.app import create_app
from quire.service.connections import PatientProtocol
from quire.service.security import check_binding
from quire.service.service import Service
from quire.service.settings import ServiceSettings

LONGEST_MESSAGE = 1 << 14
"""Bytes of a message that a client sends to a WebSocket: it says nothing but that it wants to know the status."""
HANDED_OVER = "QUIRE_SERVE_HANDED_OVER"
"""The environment variable with the settings for the processes of a server that has several."""


@dataclass(frozen=True, slots=True)
class Backend:
    """Where the documents and runs are, and where the work is done."""

    store: str
    facts: str | None = None
    runtime: RuntimeKind = "local"
    ingress: str | None = None


def serve(settings: ServiceSettings, backend: Backend) -> None:
    """Serve until SIGTERM or Ctrl-C. Then requests in progress are answered, and steps in progress recorded."""
    check_binding(settings)
    if settings.processes > 1:
        os.environ[HANDED_OVER] = json.dumps([asdict(settings), asdict(backend)])
        uvicorn.run("quire.service.serving:app", factory=True, workers=settings.processes, **options_of(settings))
        return
    server = uvicorn.Server(uvicorn.Config(create_app(opened(settings, backend)), **options_of(settings)))
    server.run()
    if not server.started:
        sys.exit(3)


def app() -> FastAPI:
    """The application of one of several processes."""
    settings, backend = json.loads(os.environ[HANDED_OVER])
    listed: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
    }
    return create_app(opened(ServiceSettings(**listed), Backend(**backend)))


def opened(settings: ServiceSettings, backend: Backend) -> Service:
    """The service with its store and runtime."""
    runtime, store = open_runtime(
        backend.store, backend.facts, runtime=backend.runtime, ingress=backend.ingress, workers=settings.workers
    )
    return Service(settings, store, runtime)


def options_of(settings: ServiceSettings) -> dict[str, Any]:
    """The options of uvicorn."""
    return {
        "host": settings.host,
        "port": settings.port,
        "root_path": settings.root_path,
        "proxy_headers": settings.proxy_headers,
        "timeout_keep_alive": int(settings.keep_alive_s),
        "timeout_graceful_shutdown": int(settings.shutdown_s),
        "ssl_certfile": settings.tls_certificate,
        "ssl_keyfile": settings.tls_key,
        "ssl_keyfile_password": settings.tls_key_password,
        "log_level": settings.log_level.lower(),
        "access_log": False,
        "server_header": False,
        "http": PatientProtocol,
        "ws": "websockets-sansio",
        "ws_max_size": LONGEST_MESSAGE,
        "ws_max_queue": 4,
    }
