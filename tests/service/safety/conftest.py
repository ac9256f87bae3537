"""Servers for the tests of safety, with the options that `quire serve` has, and clients that misbehave."""

from __future__ import annotations

import base64
import json
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI

from quire.durable.indexing.index_workflow import index_workflow
from quire.durable.tasks.workflow import CALLS
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.runtime.local import LocalRuntime
from quire.service.app import create_app
from quire.service.server import options_of
from quire.service.service import Service
from quire.service.settings import ServiceSettings
from quire.store.files import FileStore
from tests import documents

TENANT_HEADER, TENANT = "X-Tenant-Id", "team north"
"""Who sends the requests that name no tenant."""
KEY = "k3y-of-the-tests/with+odd=characters"
PDF = documents.simple(1)


SEARCHED = {"search": "reads", "embedder": "none"}
"""Settings of a server that indexes by words alone; the others index nothing."""


@dataclass
class Answer:
    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def detail(self) -> str:
        return str(self.json["detail"])


@dataclass
class Guarded:
    """A running server. `headers` are sent with every request."""

    port: int
    service: Service
    folder: Path
    app: FastAPI
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def without_key(self) -> Guarded:
        return replace(self, headers={TENANT_HEADER: TENANT})

    def without_tenant(self) -> Guarded:
        return replace(self, headers={name: value for name, value in self.headers.items() if name != TENANT_HEADER})

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        given = {**self.headers, **(headers or {})}
        if isinstance(body, dict):
            body, given = json.dumps(body).encode(), {"Content-Type": "application/json", **given}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, given)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        return self.ask("GET", path, headers=headers)

    def send_file(self, path: str, name: str, data: bytes, headers: dict[str, str] | None = None, **fields: str):
        """Send a form with one file."""
        body, content_type = form_of([("files", name, data)], fields)
        return self.ask("POST", path, body, {"Content-Type": content_type, **(headers or {})})

    def read(self, name: str, data: bytes, headers: dict[str, str] | None = None) -> str:
        """The id of a run that has ended."""
        run: str = self.send_file("/api/runs", name, data, headers).json["id"]
        self.service.runtime.result(run, timeout_s=120)
        return run

    def convert(self, name: str, data: bytes, headers: dict[str, str] | None = None, **more: Any) -> Answer:
        encoded = base64.b64encode(data).decode()
        body = {"sources": [{"kind": "file", "base64_string": encoded, "filename": name}], **more}
        return self.ask("POST", "/v1/convert/source", body, headers)

    def connected(self, timeout_s: float = 20.0) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout_s)

    def raw(self, request: bytes) -> bytes:
        """Everything that the server answers to some bytes, until it closes the connection."""
        with self.connected() as connection:
            connection.sendall(request)
            return received(connection)

    def is_alive(self) -> bool:
        return self.get("/health").status == 200


def form_of(files: list[tuple[str, str, bytes]], fields: dict[str, str] | None = None) -> tuple[bytes, str]:
    parts = [
        b'--x\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n'
        % (part.encode(), name.encode(), data)
        for part, name, data in files
    ]
    parts += [
        b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), value.encode())
        for name, value in (fields or {}).items()
    ]
    return b"".join(parts) + b"--x--\r\n", "multipart/form-data; boundary=x"


def received(connection: socket.socket) -> bytes:
    """What comes until the other side closes."""
    pieces = []
    try:
        while piece := connection.recv(1 << 16):
            pieces.append(piece)
    except ConnectionError:
        pass
    return b"".join(pieces)


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def guarded(
    folder: Path, *, idle: bool = False, headers: dict[str, str] | None = None, **settings
) -> Iterator[Guarded]:
    """A server, called by a named tenant; with `idle`, its runs wait for ever."""
    store = FileStore(folder / "store")
    slots = pools_for(1) | {CALLS: 1}
    pools = dict.fromkeys(slots, 0) if idle else slots
    runtime = LocalRuntime(store.database, (*workflows_on(store, workers=1), index_workflow(store)), pools=pools)
    given = {"search": "none", "tenants": True, **settings}
    chosen = ServiceSettings(port=0, workers=1, shutdown_s=1.0, **given)
    service = Service(chosen, store, runtime)
    app = create_app(service)
    server = uvicorn.Server(uvicorn.Config(app, **options_of(chosen, chosen.port)))
    server.config.load()
    listening = server.config.bind_socket()
    listening.listen(2000)  # so that requests wait until it has started
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        sent = {TENANT_HEADER: TENANT, **(headers or {})}
        yield Guarded(listening.getsockname()[1], service, folder / "store", app, sent)
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()


@pytest.fixture(scope="module")
def open_server(tmp_path_factory) -> Iterator[Guarded]:
    """A server without a key, on loopback, as `quire serve` starts it."""
    with guarded(tmp_path_factory.mktemp("open")) as running:
        yield running


@pytest.fixture(scope="module")
def keyed(tmp_path_factory) -> Iterator[Guarded]:
    """A server with a key. Requests have the key."""
    with guarded(tmp_path_factory.mktemp("keyed"), api_key=KEY, headers={"X-Api-Key": KEY}, **SEARCHED) as running:
        yield running


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """Everything that this process logs."""
    lines: list[str] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler = Keeping()
    handler.setFormatter(logging.Formatter("%(message)s"))
    loggers = [logging.getLogger(), logging.getLogger("uvicorn"), logging.getLogger("uvicorn.error")]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.addHandler(handler)
        one.setLevel(1)
    yield lines
    for one, level in zip(loggers, levels, strict=True):
        one.removeHandler(handler)
        one.setLevel(level)
