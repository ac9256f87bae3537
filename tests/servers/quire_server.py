"""`quire serve` as a program, and what clients do with it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

from quire.cli.devcluster.program import ServerProgram
from tests.servers.ports import free_port
from tests.supervision import LOGS

PATIENCE_S = 60.0
AGAIN_S = 0.05
"""Until a client asks a server again that is away."""
LOOPBACK = {"QUIRE_SERVE_ALLOWED_PRIVATE_IPS": "127.0.0.0/8"}
"""Lets sources, targets and callbacks be on this machine."""


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Caller:
    """A client of a server at a port."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def begin(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Exchange:
        """Send a request; JSON unless the body is bytes."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        given = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            given.setdefault("Content-Type", "application/json")
        connection.request(method, path, body, given)
        return Exchange(connection)

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> HttpAnswer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with self.begin(method, path, body, named) as exchange:
            return exchange.answer()

    def get(self, path: str, **headers: str) -> HttpAnswer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: object, **headers: str) -> HttpAnswer:
        return self.ask("POST", path, body, **headers)

    def upload(self, path: str, *files: tuple[str, bytes], headers: Mapping[str, str] | None = None, **fields: str):
        body, content_type = form(*files, **fields)
        with self.begin("POST", path, body, {"Content-Type": content_type, **(headers or {})}) as exchange:
            return exchange.answer()

    def ended(self, task: str, **headers: str) -> dict[str, Any]:
        """The status of a task that has ended: asks until it has, and again where the server is away."""
        while True:
            try:
                answer = self.get(f"/v1/status/poll/{task}?wait=5", **headers)
            except (OSError, HTTPException):
                time.sleep(AGAIN_S)
                continue
            if answer.status >= 500:
                time.sleep(AGAIN_S)
                continue
            assert answer.status == 200, answer.body
            if answer.json["task_status"] in ("success", "failure"):
                return answer.json

    def result(self, task: str) -> dict[str, Any]:
        """The result of a task without what differs from run to run."""
        answer = self.get(f"/v1/result/{task}")
        assert answer.status == 200, answer.body
        return {name: value for name, value in answer.json.items() if name != "processing_time"}


@dataclass
class Exchange:
    """A request that was sent. `hang_up` leaves without the answer."""

    connection: HTTPConnection

    def response(self) -> HTTPResponse:
        return self.connection.getresponse()

    def answer(self) -> HttpAnswer:
        with self:
            response = self.response()
            return HttpAnswer(response.status, response.headers, response.read())

    def hang_up(self) -> None:
        self.connection.close()

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


class QuireServer(ServerProgram, Caller):  # type: ignore[misc]  # a program and its client
    """The program. Options are those of `quire serve`; its port stays the same when it is started again."""

    def __init__(
        self, folder: Path, *options: str | Path, environment: Mapping[str, str] | None = None, name: str = "serve"
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        Caller.__init__(self, free_port())
        ServerProgram.__init__(
            self,
            name,
            [sys.executable, "-m", "quire", "serve", "--port", str(self.port), *options],
            folder=folder,
            answers=self._is_ready,
            environment={"XDG_DATA_HOME": str(folder), "QUIRE_SERVE_WARM_UP": "0", **(environment or {})},
        )
        LOGS.add(self.log)

    def _is_ready(self) -> bool:
        try:
            return self.get("/ready").status == 200
        except (OSError, HTTPException):
            return False


@contextmanager
def serving(folder: Path, *options: str | Path, **more: Any) -> Iterator[QuireServer]:
    """A running server; it is stopped at the end, if it still runs."""
    server = QuireServer(folder, *options, **more)
    server.start()
    try:
        yield server
    finally:
        if server.running:
            server.stop()


def form(*files: tuple[str, bytes], **fields: str) -> tuple[bytes, str]:
    """A multipart form and its content type."""
    parts = [
        b'--quire\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n' % (name.encode(), data)
        for name, data in files
    ]
    parts += [
        b'--quire\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), value.encode())
        for name, value in fields.items()
    ]
    return b"".join(parts) + b"--quire--\r\n", "multipart/form-data; boundary=quire"


@dataclass
class WebSite:
    """A site with documents, which it holds back until `release`. What is sent to it is in `received`."""

    url: str
    documents: Mapping[str, bytes]
    asked: list[str]
    received: list[tuple[str, str, Mapping[str, str], bytes]]
    released: Event

    def release(self) -> None:
        self.released.set()


@contextmanager
def web_site(documents: Mapping[str, bytes] | None = None, *, held: bool = False) -> Iterator[WebSite]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_GET(self) -> None:
            site.asked.append(self.path)
            site.released.wait(PATIENCE_S * 2)
            data = site.documents.get(self.path)
            self._answer(200 if data is not None else 404, data or b"")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            site.received.append((self.command, self.path, dict(self.headers), body))
            self._answer(200, b'{"status": "ack"}')

        do_PUT = do_POST

        def _answer(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site = WebSite(f"http://127.0.0.1:{server.server_port}", documents or {}, [], [], Event())
        if not held:
            site.release()
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield site
        finally:
            site.release()
            server.shutdown()
            thread.join()
