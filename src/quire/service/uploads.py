"""The bodies of requests: read as they arrive, within limits, hashed, and never held in memory as a whole."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError, MultipartParseError
from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from quire.core.keys import Digest
from quire.core.media_types import HEAD_BYTES, TAIL_BYTES, input_format_of, media_type_of
from quire.core.names import safe_name
from quire.docling_serve.contract.refusals import RequestRefused

IN_MEMORY = 1 << 20
"""A file up to this size stays in memory."""
ALL_IN_MEMORY = 8 << 20
"""Bytes of the files of a form that stay in memory."""
MOST_VALUES = 100_000
"""Values of a JSON body: each takes far more memory than its bytes. Large bodies are base64, which has none inside."""
MOST_PARTS = 1000
LONGEST_FIELD = 1 << 20
LONGEST_FIELDS = 4 << 20
"""Bytes of all fields of a form together."""
LONGEST_HEADER = 16 << 10
IDLE_S = 30.0
"""The longest pause of a client in the middle of a body."""
GRACE_S = 60.0
SLOWEST = 2048
"""Bytes per second that a client must send on average, after `GRACE_S`."""


@dataclass(slots=True)
class Upload:
    """A file of a request. `file` is closed by the caller."""

    name: str
    file: BinaryIO
    size: int = 0
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    @classmethod
    def begun(cls, name: str) -> Upload:
        return cls(safe_name(name) or "document", cast(BinaryIO, SpooledTemporaryFile(IN_MEMORY)))

    def write(self, data: bytes) -> None:
        self.file.write(data)
        self._hash.update(data)
        self.size += len(data)

    @property
    def id(self) -> Digest:
        return Digest(self._hash.hexdigest())

    @property
    def format(self) -> str:
        """docling's name of its format; "" for one that is not read."""
        self.file.seek(0)
        return input_format_of(media_type_of(self.file.read(HEAD_BYTES), self.name, self._tail))

    def _tail(self) -> bytes:
        self.file.seek(max(0, self.size - TAIL_BYTES))
        return self.file.read()


@dataclass(slots=True)
class FormBody:
    """A multipart form: its fields in order, and its files. `unnamed` are the positions of files without a name.

    `attached` are the files of further parts, one for each."""

    fields: list[tuple[str, str]] = field(default_factory=list)
    files: list[Upload] = field(default_factory=list)
    unnamed: list[int] = field(default_factory=list)
    attached: dict[str, Upload] = field(default_factory=dict)

    def close(self) -> None:
        for upload in (*self.files, *self.attached.values()):
            upload.file.close()


async def json_body(request: Request, max_bytes: int) -> bytes:
    """The body of a JSON request."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type not in ("", "application/json") and not content_type.endswith("+json"):
        raise RequestRefused(415, f"the body is {content_type}; send application/json")
    body = b"".join([piece async for piece in _received(request, max_bytes)])
    if sum(body.count(mark) for mark in (b",", b"[", b"{")) > MOST_VALUES:
        raise RequestRefused(413, f"the body has more than {MOST_VALUES:,} values")
    return body


async def form_body(
    request: Request, max_bytes: int, *, part: str = "files", most: int = 1000, attached: Collection[str] = ()
) -> FormBody:
    """The parts of a multipart form. Files in the part of that name become uploads, and so does one in each part that
    may be `attached`; others are ignored."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise RequestRefused(415, "send the files as multipart/form-data")
    body = FormBody()
    try:
        parser = _FormParser(body, part, most, options[b"boundary"], attached)
    except FormParserError as error:
        raise RequestRefused(400, f"the multipart form is broken: {error}") from None
    try:
        async for piece in _received(request, max_bytes):
            parser.feed(piece)
        parser.end()
    except BaseException:
        body.close()
        raise
    return body


async def _received(request: Request, max_bytes: int) -> AsyncIterator[bytes]:
    """The body in pieces. Refuses one that is too large as soon as that is known, and a client that stops sending."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > max_bytes:
        raise _too_large(max_bytes)
    received, begun = 0, time.monotonic()
    stream = request.stream().__aiter__()
    while True:
        left_s = begun + GRACE_S + received / SLOWEST - time.monotonic()
        try:
            piece = await asyncio.wait_for(anext(stream), min(IDLE_S, left_s))
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise RequestRefused(408, f"the body came too slowly: {received} bytes so far") from None
        received += len(piece)
        if received > max_bytes:
            raise _too_large(max_bytes)
        yield piece


def _too_large(max_bytes: int) -> RequestRefused:
    return RequestRefused(413, f"the request is larger than {max_bytes / (1 << 20):,.0f} MiB, the limit of this server")


class _FormParser:
    """Collects the parts of a form. Every size and number is bounded."""

    def __init__(self, body: FormBody, part: str, most: int, boundary: bytes, attached: Collection[str]) -> None:
        self._body, self._part, self._most, self._attached = body, part, most, attached
        self._headers: dict[bytes, bytes] = {}
        self._name = self._value = b""
        self._header_bytes = self._parts = self._field_bytes = self._in_memory = 0
        self._field = ""
        self._text: bytearray | None = None
        self._upload: Upload | None = None
        self._whole = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._header_name,
                "on_header_value": self._header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._data,
                "on_part_end": self._end,
                "on_end": self._finished,
            },
        )

    def feed(self, piece: bytes) -> None:
        try:
            self._parser.write(piece)
        except MultipartParseError as error:
            raise RequestRefused(400, f"the multipart form is broken: {error}") from None

    def end(self) -> None:
        if not self._whole:
            raise RequestRefused(400, "the multipart form ends before its last boundary")

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise RequestRefused(413, f"the form has more than {MOST_PARTS} parts")
        self._headers, self._header_bytes = {}, 0

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]
        self._count(end - start)

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._count(end - start)

    def _count(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > LONGEST_HEADER:
            raise RequestRefused(413, "the headers of a part of the form are too long")

    def _header_end(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name = self._value = b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._field = options.get(b"name", b"").decode("utf-8", "replace")
        self._text = self._upload = None
        if b"filename" not in options and b"filename*" not in options:
            if self._field == self._part:
                self._body.unnamed.append(len(self._body.files) + len(self._body.unnamed))
            self._text = bytearray()
        elif self._field == self._part:
            if len(self._body.files) >= self._most:
                raise RequestRefused(413, f"the form has more than {self._most} files")
            name = options.get(b"filename", b"").decode("utf-8", "replace")
            if not name:
                self._body.unnamed.append(len(self._body.files))
                return
            self._upload = Upload.begun(name)
            self._body.files.append(self._upload)
        elif self._field in self._attached:
            if self._field in self._body.attached:
                raise RequestRefused(422, f"the form has more than one file in the part {self._field}")
            self._upload = Upload.begun(options.get(b"filename", b"").decode("utf-8", "replace"))
            self._body.attached[self._field] = self._upload

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._upload is not None:
            self._upload.write(data[start:end])
        elif self._text is not None:
            self._text += data[start:end]
            self._field_bytes += end - start
            if len(self._text) > LONGEST_FIELD or self._field_bytes > LONGEST_FIELDS:
                raise RequestRefused(413, f"the field {self._field[:100]} is too long")

    def _end(self) -> None:
        if self._upload is not None and self._upload.size <= IN_MEMORY:
            self._in_memory += self._upload.size
            if self._in_memory > ALL_IN_MEMORY:
                cast(SpooledTemporaryFile[bytes], self._upload.file).rollover()
        if self._text is not None and self._field != self._part:
            self._body.fields.append((self._field, self._text.decode("utf-8", "replace")))
        self._text = self._upload = None

    def _finished(self) -> None:
        self._whole = True
