"""A small HTTP client for measurements: it shares the processors with the server, so it does as little as possible."""

from __future__ import annotations

import json
import socket
from typing import Any, Self

TIMEOUT_S = 120.0
BOUNDARY = "quire-bench-7d1f"


class Connection:
    """One connection that is kept open. For one thread."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._left = b""

    def get(self, path: str) -> tuple[int, bytes]:
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return self._answer()

    def post_file(self, path: str, name: str, data: bytes) -> tuple[int, bytes]:
        """Send a file in a form, as docling's clients do."""
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._socket.sendall(headers.encode() + body)
        return self._answer()

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self) -> tuple[int, bytes]:
        data = self._left
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._more()
        head = data[:end].lower()
        found = head.find(b"content-length:")
        if found < 0:
            raise ConnectionError(f"an answer without its length: {head[:200]!r}")
        size = int(head[found + 15 :].split(b"\r\n", 1)[0])
        pieces, have = [data[end + 4 :]], len(data) - end - 4
        while have < size:
            pieces.append(self._more())
            have += len(pieces[-1])
        body = b"".join(pieces)
        self._left = body[size:]
        return int(head.split(None, 2)[1]), body[:size]

    def _more(self) -> bytes:
        piece = self._socket.recv(1 << 16)
        if not piece:
            raise ConnectionError("the server closed the connection")
        return piece


def converted(answer: tuple[int, bytes]) -> Any:
    """The answer of a conversion that succeeded."""
    status, body = answer
    found = json.loads(body)
    if status != 200 or found["status"] != "success" or not found["document"]["md_content"]:
        raise RuntimeError(f"a conversion failed with {status}: {body[:300]!r}")
    return found
