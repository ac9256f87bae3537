"""Starting the server: the store, the runtime and uvicorn, in one process or several."""

from __future__ import annotations

import os
import sys
from typing import Any

import uvicorn
from fastapi import FastAPI

from quire.durable.opening import open_runtime
from quire.service.app import create_app
from quire.service.security import check_binding
from quire.service.service import Service
from quire.service.settings import Settings

HANDED_OVER = "QUIRE_SERVE_HANDED_OVER"
"""The environment variable with the settings for further processes of this server."""


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C. Then requests in progress are answered, and steps in progress recorded."""
    check_binding(settings)
    if settings.processes > 1:
        os.environ[HANDED_OVER] = settings.handed_over()
        uvicorn.run("quire.service.serving:app", factory=True, workers=settings.processes, **_options(settings))
        return
    service = opened(settings)
    server = uvicorn.Server(uvicorn.Config(create_app(service), **_options(settings)))
    server.run()
    if not server.started:
        sys.exit(3)


def app() -> FastAPI:
    """The application of one of several processes."""
    return create_app(opened(Settings.taken_over(os.environ[HANDED_OVER])))


def opened(settings: Settings) -> Service:
    """The service with its store and runtime."""
    runtime, store = open_runtime(
        settings.store,
        settings.facts,
        runtime=settings.runtime,
        ingress=settings.ingress,
        admin=settings.admin,
        workers=settings.workers,
    )
    return Service(settings, store, runtime)


def _options(settings: Settings) -> dict[str, Any]:
    return {
        "host": settings.host,
        "port": settings.port,
        "root_path": settings.root_path,
        "proxy_headers": settings.proxy_headers,
        "timeout_keep_alive": settings.keep_alive_s,
        "timeout_graceful_shutdown": int(settings.drain_s),
        "ssl_certfile": settings.ssl_certfile,
        "ssl_keyfile": settings.ssl_keyfile,
        "ssl_keyfile_password": settings.ssl_keyfile_password,
        "log_level": settings.log_level.lower(),
        "access_log": False,
        "server_header": False,
        "ws": "websockets",
    }
