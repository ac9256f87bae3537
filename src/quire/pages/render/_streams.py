"""The streams of a PDF file, found in its bytes and decompressed without a PDF library. Standard library only."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

_LENGTH = re.compile(rb"/Length\s+(\d{1,12})(?!\d*\s+\d+\s+R)")
_FILTER = re.compile(rb"/Filter\s*(\[[^\]]{0,400}\]|/[^\s/<>\[\]]{1,100})")
_NAME = re.compile(rb"/([^\s/<>\[\]]+)")
_PIECE = 4096
_MOST_LZW = 1 << 18  # maximum bytes that are decompressed: this is slow


class StreamSpan(NamedTuple):
    """The location of a stream: the end of the previous one, its dictionary, and its body."""

    gap: int
    head: bytes
    start: int
    end: int


def find_streams(data: bytes) -> Iterator[StreamSpan]:
    """Every stream, in the order of the file. The cross-reference table is not used: it may be wrong."""
    gap = position = 0
    while (at := data.find(b"stream", position)) >= 0:
        if data[max(at - 3, 0) : at] == b"end":
            gap = position = at + 6
            continue
        start = at + (8 if data[at + 6 : at + 8] == b"\r\n" else 7)
        head = data[max(data.rfind(b"obj", gap, at), gap) : at]
        length = _LENGTH.search(head)
        end = start + int(length[1]) if length else -1
        if end < 0 or data.find(b"endstream", end, end + 20) < 0:
            end = data.find(b"endstream", start)
        end = len(data) if end < 0 else end
        yield StreamSpan(gap, head, start, end)
        gap = position = end + len(b"endstream")


def filters_of(head: bytes) -> list[bytes] | None:
    """The names of the filters that a stream's dictionary lists; None when the list is a reference."""
    if found := _FILTER.search(head):
        return _NAME.findall(found[1])
    return None if b"/Filter" in head else []


def unpack(body: bytes, filters: Sequence[bytes], most: int) -> bytes:
    """The content of a stream, at most about `most` bytes, and the intact beginning of a damaged one.

    Empty for image filters, which contain no instructions.
    """
    for name in filters:
        match name:
            case b"FlateDecode" | b"Fl":
                body = _inflate(body, most)
            case b"ASCII85Decode" | b"A85":
                body = _ascii85(body)
            case b"ASCIIHexDecode" | b"AHx":
                digits = re.sub(rb"[^0-9A-Fa-f]", b"", body.partition(b">")[0])
                body = binascii.unhexlify(digits + b"0" * (len(digits) % 2))
            case b"LZWDecode" | b"LZW":
                body = _lzw(body, most)
            case b"RunLengthDecode" | b"RL":
                body = _run_length(body, most)
            case b"Crypt":
                pass
            case _:
                return b""
    return body


def _inflate(body: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(body, most)
    except zlib.error:
        pass
    # Damaged, and PDFium uses what precedes the damage: retry in pieces, the last one byte by byte.
    unpacker, found = zlib.decompressobj(), bytearray()
    for at in range(0, len(body), _PIECE):
        piece, before = body[at : at + _PIECE], unpacker.copy()
        try:
            found += unpacker.decompress(piece)
        except zlib.error:
            with suppress(zlib.error):
                for byte in piece:
                    found += before.decompress(bytes([byte]))
            break
        if len(found) >= most:
            break
    return bytes(found)


def _ascii85(body: bytes) -> bytes:
    text = re.sub(rb"[^!-uz]", b"", body.partition(b"~>")[0].removeprefix(b"<~"))
    try:
        return base64.a85decode(text)
    except ValueError:
        return b""


def _lzw(body: bytes, most: int) -> bytes:
    """ISO 32000-1, 7.4.4: codes of 9 to 12 bits, 256 clears the table and 257 ends."""
    table = [bytes([byte]) for byte in range(256)] + [b"", b""]
    pieces: list[bytes] = []
    size = bits = held = 0
    width, before = 9, b""
    for byte in body[:_MOST_LZW]:
        held, bits = held << 8 | byte, bits + 8
        if bits < width:
            continue
        bits -= width
        code, held = held >> bits, held & (1 << bits) - 1
        if code == 256:
            del table[258:]
            width, before = 9, b""
            continue
        if code == 257 or code > len(table) or size >= most:
            break
        piece = table[code] if code < len(table) else before + before[:1]
        if before and len(table) < 4096:
            table.append(before + piece[:1])
        width = 9 if len(table) < 511 else 10 if len(table) < 1023 else 11 if len(table) < 2047 else 12
        before = piece
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _run_length(body: bytes, most: int) -> bytes:
    found, at = bytearray(), 0
    while at < len(body) and body[at] != 128 and len(found) < most:
        count = body[at]
        if count < 128:
            found += body[at + 1 : at + 2 + count]
            at += count + 2
        else:
            found += body[at + 1 : at + 2] * (257 - count)
            at += 2
    return bytes(found)
