"""Messages over a pipe: a kind, a JSON object and raw bytes. Both sides use them; sizes are checked before reading."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import NamedTuple

MAX_HEADER = 16 << 20
MAX_DATA = 256 << 20
_SIZES = struct.Struct(">cIQ")

START, JOB, REPLY, REFUSAL = b"S", b"J", b"R", b"X"
"""From the parent: the start parameters, a job, the response to a request, the error of a request."""
READY, EVENT, QUESTION, ANSWER, FAILURE = b"W", b"E", b"Q", b"A", b"F"
"""From the worker."""


class BrokenFrame(Exception):
    """The other side violates the format."""


class Frame(NamedTuple):
    kind: bytes
    header: Mapping[str, object]
    data: bytes = b""


def encoded(kind: bytes, header: Mapping[str, object], data: bytes = b"") -> tuple[bytes, bytes]:
    """The two pieces to send, one after the other. Raises ValueError for messages that are too large."""
    head = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    if len(head) > MAX_HEADER or len(data) > MAX_DATA:
        raise ValueError(f"{max(len(head), len(data))} bytes are too many for one message ({MAX_DATA} at most)")
    return _SIZES.pack(kind, len(head), len(data)) + head, data


class FrameReader:
    """Buffers incoming bytes and returns the frames in them."""

    def __init__(self) -> None:
        self._arrived = bytearray()

    def feed(self, chunk: bytes) -> None:
        self._arrived += chunk

    def next(self) -> Frame | None:
        """The next complete frame, or None. Raises BrokenFrame as soon as the sizes are wrong."""
        if len(self._arrived) < _SIZES.size:
            return None
        kind, head, data = _SIZES.unpack_from(self._arrived)
        if head > MAX_HEADER or data > MAX_DATA:
            raise BrokenFrame(f"a message of {head + data} bytes")
        start, middle, end = _SIZES.size, _SIZES.size + head, _SIZES.size + head + data
        if len(self._arrived) < end:
            return None
        with memoryview(self._arrived) as view:
            header, payload = _header(bytes(view[start:middle])), bytes(view[middle:end])
        del self._arrived[:end]
        return Frame(kind, header, payload)


def _header(text: bytes) -> Mapping[str, object]:
    try:
        header = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise BrokenFrame(f"a message that is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise BrokenFrame("a message that is not an object")
    return header


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
