"""A server of vision models on this machine that misbehaves on purpose, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Request:
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def prompt(self) -> str:
        return self.body["messages"][0]["content"][0]["text"]

    @property
    def picture(self) -> str:
        return self.body["messages"][0]["content"][1]["image_url"]["url"]

    @property
    def form(self) -> str | None:
        """The form of the answer that was asked for."""
        return self.body.get("response_format", {}).get("type")


@dataclass
class FakeVision:
    """What the server will do, one behaviour for each request; the last one for all that follow."""

    url: str
    behaviours: list[Behaviour]
    requests: list[Request] = field(default_factory=list)
    closing: Event = field(default_factory=Event)

    def next(self) -> Behaviour:
        return self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]


class Exchange(BaseHTTPRequestHandler):
    """One request and what is done about it."""

    fake: FakeVision
    body: Any = None
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.fake.requests.append(Request(self.path, dict(self.headers), self.body))
        with suppress(OSError):  # the other side may have given up
            self.fake.next()(self)

    def do_GET(self) -> None:
        self.fake.requests.append(Request(self.path, dict(self.headers), None))
        with suppress(OSError):
            self.fake.next()(self)

    def respond(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


Behaviour = Callable[[Exchange], None]


@contextmanager
def vision_server(*behaviours: Behaviour) -> Iterator[FakeVision]:
    """The server, running until the end of the block."""
    handler = type("Handler", (Exchange,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = False
        fake = FakeVision(f"http://127.0.0.1:{server.server_port}/v1", list(behaviours))
        handler.fake = fake
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield fake
        finally:
            fake.closing.set()
            server.shutdown()
            thread.join()


def block(text: str, box: Sequence[float] | None = (100, 100, 900, 200), **more: Any) -> dict[str, Any]:
    return {"kind": "paragraph", "text": text, "box": box and list(box), "level": None, "cells": None} | more


def blocks_json(*blocks: Mapping[str, Any]) -> str:
    return json.dumps({"language": "en", "blocks": blocks})


def says(content: str, *, reason: str = "stop") -> Behaviour:
    """An ordinary completion with this content."""
    message = {"role": "assistant", "content": content}
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": reason}]})
    return sends(body.encode())


def reads(*texts: str) -> Behaviour:
    return says(blocks_json(*(block(text) for text in texts)))


def sends(body: bytes, status: int = 200, **headers: str) -> Behaviour:
    return lambda exchange: exchange.respond(body, status, **headers)


def refuses(status: int, message: str = "", **headers: str) -> Behaviour:
    return sends(json.dumps({"error": {"message": message}}).encode(), status, **headers)


def repeats_the_key(exchange: Exchange) -> None:
    """Some servers quote the key they do not know."""
    exchange.respond(f"invalid key: {exchange.headers['Authorization']}".encode(), 401)


def streams(content: str, *, pieces: int = 5, finish: bool = True) -> Behaviour:
    """Server-sent events, with the cuts in the middle of words and lines."""
    step = max(1, len(content) // pieces)

    def events() -> Iterator[dict[str, Any]]:
        for at in range(0, len(content), step):
            yield {"delta": {"content": content[at : at + step]}, "finish_reason": None}
        if finish:
            yield {"delta": {}, "finish_reason": "stop"}

    body = b"".join(f"data: {json.dumps({'choices': [event]})}\n\n".encode() for event in events())
    ended = body + b'data: {"choices": [], "usage": {}}\n\ndata: [DONE]\n\n' if finish else body
    return sends(ended, Content_Type="text/event-stream")


def hangs(exchange: Exchange) -> None:
    """Takes the request and never answers."""
    exchange.fake.closing.wait()


def drips(exchange: Exchange) -> None:
    """Sends a byte now and then, so that no single wait is ever long."""
    exchange.send_response(200)
    exchange.send_header("Connection", "close")
    exchange.end_headers()
    while not exchange.fake.closing.wait(0.01):
        exchange.wfile.write(b" ")


def floods(exchange: Exchange) -> None:
    """Sends until nobody listens."""
    exchange.send_response(200)
    exchange.send_header("Connection", "close")
    exchange.end_headers()
    while not exchange.fake.closing.is_set():
        exchange.wfile.write(b" " * 1_000_000)


def breaks_off(exchange: Exchange) -> None:
    """Promises more than it sends."""
    exchange.respond(b'{"choices": [', Content_Length="1000", Connection="close")
