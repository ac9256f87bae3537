"""Servers with tenants for the tests of the API: one that works, and one that leaves the work to others."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from threading import Thread
from typing import Any

import pytest
import uvicorn
from PIL import Image

from quire.database.runs import Runs
from quire.durable.indexing.index_queue import FLOW as INDEX
from quire.durable.indexing.index_workflow import index_workflow
from quire.durable.tasks.workflow import CALLS
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.runtime.local import LocalRuntime
from quire.service.app import create_app
from quire.service.service import Service
from quire.service.settings import ServiceSettings
from quire.store.opening import open_store
from tests.documents import scan
from tests.runtime.tracking import wait_until

SEARCHED = {"search": "reads", "embedder": "none"}
"""Settings of a server that indexes by words alone; the others index nothing."""
TENANT_HEADER = "X-Tenant-Id"
TENANT = "team north"
"""Who sends every request that names no tenant. The default tenant is that of the clients and the incidents."""


@dataclass
class Answer:
    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def picture(self) -> Image.Image:
        return Image.open(io.BytesIO(self.body)).convert("RGB")


@dataclass
class Serving:
    """A running server, and its parts."""

    port: int
    service: Service
    facts: str | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def runs(self) -> Runs:
        return self.service.runs

    def ask(self, method, path, body=None, headers=None) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {TENANT_HEADER: TENANT, **(headers or {})})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path, **headers) -> Answer:
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, *files: tuple[str, bytes], options=None, headers=None) -> Answer:
        parts = [
            b'--x\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n' % (name.encode(), data)
            for name, data in files
        ]
        if options is not None:
            written = json.dumps(options).encode()
            parts.append(b'--x\r\nContent-Disposition: form-data; name="options"\r\n\r\n%s\r\n' % written)
        body = b"".join(parts) + b"--x--\r\n"
        given = {"Content-Type": "multipart/form-data; boundary=x", **(headers or {})}
        return self.ask("POST", "/api/runs", body, given)

    def read(self, data: bytes, name: str = "report.pdf", *, options=None, headers=None) -> str:
        """The id of a document that was read."""
        run = self.post((name, data), options=options, headers=headers).json
        self.service.runtime.result(run["id"], timeout_s=120)
        return run["documents"][0]["id"]


def wait_indexed(service: Service) -> None:
    """Wait until everything that was read is in the index."""
    wait_until(lambda: not service.runs.in_progress(INDEX), "documents are not indexed", 60)


@contextmanager
def serving(folder, *, idle: bool = False, facts: str | None = None, **settings) -> Iterator[Serving]:
    store = open_store(folder / "store", facts)
    slots = pools_for(1) | {CALLS: 1}
    pools = dict.fromkeys(slots, 0) if idle else slots
    runtime = LocalRuntime(store.database, (*workflows_on(store, workers=1), index_workflow(store)), pools=pools)
    chosen = {"search": "none", "warm_up": False, "tenants": True, **settings}
    service = Service(ServiceSettings(port=0, workers=1, shutdown_s=1.0, **chosen), store, runtime)
    server = uvicorn.Server(uvicorn.Config(create_app(service), port=0, log_level="warning", access_log=False))
    config = server.config
    config.load()
    listening = config.bind_socket()
    listening.listen(128)  # so that requests wait until it has started
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield Serving(listening.getsockname()[1], service, facts)
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Serving]:
    """A server that reads documents."""
    with serving(tmp_path_factory.mktemp("serving"), **SEARCHED) as running:
        yield running


@pytest.fixture(scope="session")
def idle(tmp_path_factory) -> Iterator[Serving]:
    """A server whose runs wait for another process: the test is that process."""
    with serving(tmp_path_factory.mktemp("idle"), idle=True) as running:
        yield running


@pytest.fixture(scope="session")
def half_damaged() -> bytes:
    """A TIFF of two pages; the second is damaged."""
    pages = [scan(60).convert("L") for _ in range(2)]
    buffer = io.BytesIO()
    pages[0].save(buffer, "TIFF", save_all=True, append_images=pages[1:], compression="tiff_deflate")
    data = bytearray(buffer.getvalue())
    begin = len(data) * 3 // 4
    data[begin : begin + 400] = bytes(400)
    return bytes(data)
