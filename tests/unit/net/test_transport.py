"""Exchanges over HTTP with servers that drip, redirect, and close what was kept open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest

from quire.net.restate_server import RestateServer
from quire.net.transport import Deadline, HttpError, HttpRequest, Transport


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path, self.client_address[1]))
        if self.path == "/away":
            self.send_response(303)
            self.send_header("Location", "/here")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif "drips" in self.path or "attach" in self.path:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
            while not self.server.over.wait(0.02):
                self.wfile.write(b".")
                self.wfile.flush()
        else:
            self.send_response(200)
            self.send_header("Content-Length", "4")
            self.end_headers()
            self.wfile.write(b"here")
            self.close_connection = self.path == "/once"

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        with suppress(ConnectionError):  # of a client that gave up
            super().handle()


@contextmanager
def server() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        made.asked, made.over, made.daemon_threads = [], Event(), True
        thread = Thread(target=made.serve_forever, daemon=True)
        thread.start()
        try:
            yield made
        finally:
            made.over.set()
            made.shutdown()
            thread.join(60)


def url(made: ThreadingHTTPServer, path: str = "") -> str:
    return f"http://127.0.0.1:{made.server_address[1]}{path}"


def test_a_head_that_drips_in_for_ever_ends_at_the_deadline():
    with server() as made:
        with pytest.raises(HttpError) as caught:
            Transport().send(HttpRequest("GET", url(made, "/drips")), Deadline.after(0.3))
        assert caught.value.late and caught.value.passing
        assert RestateServer(url(made), url(made)).attach("inv_1", 0.3) is None


def test_a_connection_is_kept_until_the_server_closes_it():
    with server() as made:
        transport = Transport(idle=1)
        paths = ("/first", "/once", "/after", "/last")
        bodies = [transport.send(HttpRequest("GET", url(made, path)), Deadline.after(60)).body for path in paths]
        transport.close()
    assert bodies == [b"here"] * 4
    first, once, after, last = (port for _, _, port in made.asked)
    assert first == once != after == last


def test_a_request_with_a_body_is_not_sent_again_as_another():
    with server() as made:
        seen = Transport().send(HttpRequest("GET", url(made, "/away")), Deadline.after(60))
        posted = Transport().send(HttpRequest("POST", url(made, "/away"), body=b""), Deadline.after(60))
    assert (seen.body, posted.status) == (b"here", 303)
    assert [(method, path) for method, path, _ in made.asked] == [("GET", "/away"), ("GET", "/here"), ("POST", "/away")]
