"""The objects of a plain PDF file, as PDFium writes one: a cross-reference table, nothing packed or encrypted."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TypeAlias

from quire.pages.render._streams import unpack

_TOKEN = re.compile(
    rb"[\s\0]*+(?:%[^\r\n]*+[\s\0]*+)*+"
    rb"(?:(?P<ref>\d{1,10})\s+\d{1,5}\s+R\b|(?P<name>/[^\s\0/<>\[\](){}%]*)|(?P<open><<|\[)|(?P<close>>>|\])"
    rb"|(?P<hex><[^>]*>)|(?P<string>\()|(?P<word>[^\s\0/<>\[\](){}%]+)|(?P<other>.))",
    re.DOTALL,
)
_PARENTHESIS = re.compile(rb"\\.|[()]", re.DOTALL)
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_HEAD = re.compile(rb"\s*\d+\s+\d+\s+obj")
_DICTIONARY = re.compile(rb"\s*\d+\s+\d+\s+obj\s*<<")
_SECTION = re.compile(rb"\s*(\d{1,10})\s+(\d{1,10})[ \t]*\r?\n")
_BODY = re.compile(rb"[\s\0]*stream(?:\r\n|\n|\r)")
_DEEPEST = 64
_MOST_HOPS = 8
_ENTRY = 20  # bytes per line of the table


_END: dict[bytes, Value] = {}  # after the last kid


class Ref(int):
    """A reference: the number of an indirect object."""


class Name(bytes):
    """A name, without its slash."""


Value: TypeAlias = "dict[bytes, Value] | list[Value] | Ref | Name | bytes | int | float | None"


class PdfObjects:
    """The objects of a file, read lazily."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offsets: dict[int, int] = {}
        self._parsed: dict[int, tuple[Value, int]] = {}
        start = data.rfind(b"startxref")
        place = re.compile(rb"startxref\s+(\d{1,12})").match(data, start) if start >= 0 else None
        at = int(place[1]) + len(b"xref") if place else len(data)
        while section := _SECTION.match(data, at):
            at = section.end()
            for number in range(int(section[1]), int(section[1]) + min(int(section[2]), len(data) // _ENTRY)):
                line = data[at : at + _ENTRY]
                if line[17:18] == b"n" and line[:10].isdigit():
                    self._offsets[number] = int(line[:10])
                at += _ENTRY
        self._starts = sorted(self._offsets.values())
        trailer = self._value(data.find(b"trailer", at) + len(b"trailer"))[0]
        self.root = self.dictionary(trailer.get(b"Root") if isinstance(trailer, dict) else None)

    def get(self, value: Value) -> Value:
        """The value, with references resolved."""
        for _ in range(_MOST_HOPS):
            if not isinstance(value, Ref):
                return value
            value = self._object(value)[0]
        return None

    def dictionary(self, value: Value) -> dict[bytes, Value]:
        found = self.get(value)
        return found if isinstance(found, dict) else {}

    def array(self, value: Value) -> list[Value]:
        found = self.get(value)
        return found if isinstance(found, list) else []

    def may_have(self, number: Ref, key: bytes) -> bool:
        """Whether an object may have an entry: not a dictionary in whose bytes the name does not occur.

        PDFium writes such names without escapes, and the objects one after the other.
        """
        start = self._offsets.get(number)
        if start is None or not _DICTIONARY.match(self._data, start):
            return True
        following = bisect_right(self._starts, start)
        end = self._starts[following] if following < len(self._starts) else len(self._data)
        return self._data.find(b"/" + key, start, end) >= 0

    def stream(self, value: Value, most: int) -> bytes:
        """The content of the stream at a reference, decompressed up to about `most` bytes; empty without a stream."""
        entries, at = self._object(value) if isinstance(value, Ref) else (None, 0)
        body = _BODY.match(self._data, at)
        if not isinstance(entries, dict) or body is None:
            return b""
        length = self.get(entries.get(b"Length"))
        packed = self._data[body.end() : body.end() + length] if isinstance(length, int) else b""
        filters = self.get(entries.get(b"Filter"))
        names = [self.get(name) for name in (filters if isinstance(filters, list) else [filters])]
        return unpack(packed, [name for name in names if isinstance(name, Name)], most)

    def pages(self, most: int) -> Iterator[tuple[dict[bytes, Value], dict[bytes, Value]]]:
        """Each page with its resources, in order, no more than `most` of them."""
        patience = _DEEPEST + 2 * most  # maximum number of nodes: a tree may have cycles
        path: list[tuple[Iterator[Value], Value]] = [(iter([self.root.get(b"Pages")]), None)]
        while path and most and patience:
            kids, inherited = path[-1]
            node = self.dictionary(next(kids, _END))
            if node is _END:
                path.pop()
                continue
            patience -= 1
            resources = node.get(b"Resources", inherited)
            if b"Kids" not in node:
                most -= 1
                yield node, self.dictionary(resources)
            elif len(path) < _DEEPEST:
                path.append((iter(self.array(node[b"Kids"])), resources))

    def _object(self, number: int) -> tuple[Value, int]:
        if number not in self._parsed:
            offset = self._offsets.get(number)
            head = _HEAD.match(self._data, offset) if offset is not None else None
            self._parsed[number] = self._value(head.end()) if head else (None, 0)
        return self._parsed[number]

    def _value(self, at: int) -> tuple[Value, int]:
        """The value at a position, and its end."""
        open_values: list[list[Value]] = []
        while token := _TOKEN.match(self._data, at):
            at = token.end()
            value: Value = None
            match token.lastgroup:
                case "open":
                    if len(open_values) >= _DEEPEST:
                        return None, at
                    open_values.append([])
                    continue
                case "close":
                    if not open_values:
                        return None, at
                    inner = open_values.pop()
                    value = _dictionary(inner) if token["close"] == b">>" else inner
                case "ref":
                    value = Ref(token["ref"])
                case "name":
                    name = token["name"][1:]
                    value = Name(_ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), name) if b"#" in name else name)
                case "hex":
                    value = token["hex"]
                case "string":
                    end = self._string_end(at)
                    value, at = self._data[at : end - 1], end
                case "word":
                    if token["word"] in (b"endobj", b"stream", b"endstream"):
                        return None, at
                    value = _number(token["word"])
                case _:
                    pass
            if not open_values:
                return value, at
            open_values[-1].append(value)
        return None, at

    def _string_end(self, at: int) -> int:
        depth = 1
        for found in _PARENTHESIS.finditer(self._data, at):
            depth += {b"(": 1, b")": -1}.get(found[0], 0)
            if not depth:
                return found.end()
        return len(self._data)


def _dictionary(values: list[Value]) -> dict[bytes, Value]:
    return {key: value for key, value in zip(values[::2], values[1::2], strict=False) if isinstance(key, Name)}


def _number(word: bytes) -> int | float | None:
    try:
        return float(word) if b"." in word else int(word)
    except ValueError:
        try:
            return float(word)
        except ValueError:
            return None
