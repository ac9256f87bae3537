"""An HTTP server on this machine that misbehaves on purpose: it answers with what a test has prepared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Prepared:
    """One answer. Without a status the connection is closed; `cut` closes it in the middle of the body."""

    status: int | None = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False


@dataclass
class FlakyServer:
    """The answers in order, and the requests that came."""

    url: str
    answers: list[Prepared]
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def flaky_server(*answers: Prepared) -> Iterator[FlakyServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(size)
            fake.requests.append((self.command, self.path, dict(self.headers), body))
            answer = fake.answers.pop(0)
            if answer.status is None:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body) + (100 if answer.cut else 0)))
            self.end_headers()
            self.wfile.write(answer.body)
            self.close_connection = answer.cut

        do_GET = do_POST = do_DELETE = handle_one

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        fake = FlakyServer(f"http://127.0.0.1:{server.server_port}", list(answers))
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield fake
        finally:
            server.shutdown()
