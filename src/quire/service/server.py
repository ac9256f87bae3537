"""Starting the server: the store, the runtime and uvicorn, in one process or several."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from quire.core.errors import UsageError
from quire.durable.runtimes import RuntimeKind, open_runtime
from quire.service.app import create_app
from quire.service.connections import PatientProtocol
from quire.service.logs import configure_logs
from quire.service.security import check_binding
from quire.service.service import Service
from quire.service.settings import ServiceSettings
from quire.service.traffic import Traffic
from quire.system.budget import worker_count

LONGEST_MESSAGE = 1 << 14
"""Bytes of a message that a client sends to a WebSocket: it says nothing but that it wants to know the status."""
HANDED_OVER = "QUIRE_SERVE_HANDED_OVER"
"""The environment variable with the settings for the processes of a server that has several."""
BACKLOG = 2048


@dataclass(frozen=True, slots=True)
class ServiceBackend:
    """The store of documents and runs, and the runtime that works on them."""

    store: str
    facts: str | None = None
    runtime: RuntimeKind = "local"
    ingress: str | None = None
    admin: str | None = None


def serve(settings: ServiceSettings, backend: ServiceBackend, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or Ctrl-C. Then requests in progress are answered, and steps in progress recorded.

    `say` gets the address once it is known that the server can start.
    """
    check_binding(settings)
    use_scratch(settings)
    configure_logs(settings)
    with bound(settings) as listening, handling_signals(lambda *_: sys.exit(0)):
        port = listening.getsockname()[1]
        if settings.processes == 1:
            _serve_alone(settings, backend, listening, say)
            return
        _checked(settings, backend)
        say(address(settings, port))
        listening.close()
        with tempfile.TemporaryDirectory(prefix="quire-serve-") as folder:
            shared = replace(settings, port=port, workers=_workers_each(settings))
            os.environ[HANDED_OVER] = json.dumps([asdict(shared), asdict(backend), folder])
            options = options_of(settings, port)
            uvicorn.run("quire.service.server:app", factory=True, workers=settings.processes, **options)


def _serve_alone(
    settings: ServiceSettings, backend: ServiceBackend, listening: socket.socket, say: Callable[[str], None]
) -> None:
    service = opened(settings, backend)
    port = listening.getsockname()[1]
    server: uvicorn.Server | None = None
    asked = False

    def stop(*_: object) -> None:
        """An exception in the middle of the start would leave the service open; uvicorn stops once it has started."""
        nonlocal asked
        asked = True
        if server is not None:
            server.should_exit = True

    with handling_signals(stop):
        say(address(settings, port))
        server = uvicorn.Server(uvicorn.Config(create_app(service), **options_of(settings, port)))
        if asked:
            server.should_exit = True
        server.run([listening])


def app() -> FastAPI:
    """The application of one of several processes."""
    settings, backend, folder = json.loads(os.environ[HANDED_OVER])
    listed: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
    }
    loaded = ServiceSettings(**listed)
    configure_logs(loaded)
    return create_app(opened(loaded, ServiceBackend(**backend)), Traffic(Path(folder)))


def opened(settings: ServiceSettings, backend: ServiceBackend) -> Service:
    """The service with its store and runtime."""
    runtime, store = open_runtime(
        backend.store,
        backend.facts,
        runtime=backend.runtime,
        ingress=backend.ingress,
        admin=backend.admin,
        workers=settings.workers,
    )
    return Service(settings, store, runtime)


def address(settings: ServiceSettings, port: int) -> str:
    host = settings.host if ":" not in settings.host else f"[{settings.host.strip('[]')}]"
    return f"{'https' if settings.tls_certificate else 'http'}://{host}:{port}"


def _checked(settings: ServiceSettings, backend: ServiceBackend) -> None:
    """Raises what the processes of a server would raise, before they are started."""
    service = opened(settings, backend)
    service.runtime.close()
    service.store.close()


def _workers_each(settings: ServiceSettings) -> int:
    """Pages in parallel are a number for the whole server."""
    return max(1, worker_count(settings.workers).workers // settings.processes)


def bound(settings: ServiceSettings) -> socket.socket:
    """A socket at the address. Raises UsageError where it is taken, or not of this machine."""
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= settings.port < 1 << 16:
        raise UsageError(f"{settings.port} is no port; choose one from 1 to 65535, or 0 for any that is free")
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, settings.port))
        listening.listen(BACKLOG)  # so that a second server finds it taken
    except OSError as error:
        listening.close()
        said = error.strerror or str(error)
        raise UsageError(
            f"cannot listen on {host}, port {settings.port}: {said}; choose another with --host and --port"
        ) from error
    return listening


def use_scratch(settings: ServiceSettings) -> None:
    """Put temporary files of this process and of its workers into the folder of the settings."""
    if settings.scratch is None:
        return
    folder = Path(settings.scratch).expanduser().absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder for temporary files, {folder}, cannot be made: {error.strerror}") from error
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


@contextmanager
def handling_signals(handler: Callable[..., object]) -> Iterator[None]:
    """Before uvicorn handles signals, and when it raises the signal that ended it once more."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def options_of(settings: ServiceSettings, port: int) -> dict[str, Any]:
    """The options of uvicorn."""
    return {
        "host": settings.host.strip("[]"),
        "port": port,
        "root_path": settings.root_path,
        "proxy_headers": settings.proxy_headers,
        "timeout_keep_alive": int(settings.keep_alive_s),
        "timeout_graceful_shutdown": int(settings.shutdown_s),
        "ssl_certfile": settings.tls_certificate,
        "ssl_keyfile": settings.tls_key,
        "ssl_keyfile_password": settings.tls_key_password,
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "http": PatientProtocol,
        "ws": "websockets-sansio",
        "ws_max_size": LONGEST_MESSAGE,
        "ws_max_queue": 4,
    }
