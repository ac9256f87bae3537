"""The part that fake search engines share: real HTTP on this machine, the requests that came, and faults on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


class RefusedRequest(Exception):
    """An answer with another status than 200."""

    def __init__(self, status: int, body: object) -> None:
        super().__init__(status, body)
        self.status, self.body = status, body


@dataclass
class EngineRequest:
    """A request. `path` has its parts; `options` is what comes after the question mark."""

    method: str
    path: list[str]
    options: dict[str, str]
    body: bytes
    headers: dict[str, str]

    def __str__(self) -> str:
        return f"{self.method} /{'/'.join(self.path)}"

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Fault = Callable[[EngineRequest], tuple[int, object] | None]
"""Instead of the answer of the engine: a status and a body, of which 0 cuts the connection; None to answer as usual."""


@dataclass
class EngineServer:
    """One that runs. `faults` are asked in order, and the first that says something decides."""

    url: str = ""
    requests: list[EngineRequest] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    lost: list[Callable[[EngineRequest], bool]] = field(default_factory=list)
    """Requests that are carried out, but whose answer gets lost."""


def only(body: dict[str, Any], *allowed: str) -> dict[str, Any]:
    """Raises for what a request should not have."""
    if unknown := {*body} - {*allowed}:
        raise RefusedRequest(400, {"error": f"unknown fields {sorted(unknown)}"})
    return body


@contextmanager
def engine_server(answer: Callable[[EngineRequest], object]) -> Iterator[EngineServer]:
    """A server whose engine is a function; it runs one request at a time."""
    server, alone = EngineServer(), Lock()

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            parts = urlsplit(self.path)
            options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = [unquote(part) for part in parts.path.split("/") if part]
            request = EngineRequest(self.command, path, options, body, dict(self.headers))
            with alone:
                server.requests.append(request)
                status, found = next((said for fault in server.faults if (said := fault(request))), (200, None))
                if found is None and status == 200:
                    try:
                        found = answer(request)
                    except RefusedRequest as refused:
                        status, found = refused.status, refused.body
                    if any(is_lost(request) for is_lost in server.lost):
                        status = 0
            if not status:
                self.close_connection = True
                return
            data = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if status in (429, 503):
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        server.url = f"http://127.0.0.1:{http.server_port}"
        Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            http.shutdown()
