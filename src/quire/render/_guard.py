"""Small PDFs that would cost PDFium all memory or time, found before PDFium reads their pages.

PDFium has no limits of its own: it copies all open marks at each `BMC`, draws a form as often as the forms around it
say, and compares each form field with all others. A file is first scanned for signs of that, which costs little; only
one that shows a sign is taken apart and its pages judged. Both readers use this, so both refuse the same pages.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from quire.document import Document, PageImage, Reader, RenderOptions
from quire.errors import InputError, LimitError
from quire.render._objects import Objects, Ref, Value
from quire.render._streams import filters_of, find_streams, unpack
from quire.types import OutlineEntry, PageInfo

MOST_MARKS = 4_000  # marked content inside marked content: PDFium's memory grows with the square
MOST_SAVES = 100_000  # graphics states saved and not restored
LEAST_CONTENT = 8_000_000  # bytes of instructions that any page may have, all forms drawn
CONTENT_PER_BYTE = 40  # and so many for each byte of the file
MOST_SIBLINGS = 4_000  # form fields side by side: PDFium's time grows with the square
MOST_NAMESAKES = 1_500  # form fields of one name: with the cube
MANY_PAGES = 5_000
LEAST_PAGE = 32  # bytes of the file for each page of more than that
MOST_PLAIN = 256 << 20  # bytes of a file that is taken apart

_DRAWING = 250  # bytes of instructions that cost as much as starting a form
_DEEPEST = 40  # forms inside forms that PDFium follows
_WINDOW, _OVERLAP = 64 << 20, 8 << 20

_NOT_CONTENT = re.compile(
    rb"/Subtype\s*/(?:Image|XML|Type1C|CIDFontType0C|OpenType)\b|/Length[123]\b|/Type\s*/(?:XRef|Metadata)\b"
)
_FIELD_NAMES = (b"/T(", b"/T (", b"/T<", b"/T <", b"/Widget")
_LONG_CONTENTS = re.compile(rb"/Contents\s*\[[^\]]{1000}")
_EDGE = rb"[\s\0/<>\[\](){}%]"
_NAMED = rb"/([^\s\0/<>\[\](){}%%]*)[\s\0]+%s(?![^\s\0/<>\[\](){}%%])"
_DRAW = re.compile(_NAMED % rb"Do")
_PATTERN = re.compile(_NAMED % rb"(?:scn|SCN)")
_PAINT = re.compile(rb"(?<!%s)(?:[fFBb]\*?|Tj|TJ|['\"])(?!%s)" % ((_EDGE.replace(b"[", b"[^", 1),) * 2))
_NESTING = re.compile(rb"(?<!%s)(?:(BMC|BDC)|(EMC)|(q)|(Q))(?!%s)" % ((_EDGE.replace(b"[", b"[^", 1),) * 2))


class PdfReader(Reader, Protocol):
    def plain(self, max_bytes: int) -> bytes | None:
        """The document as PDFium understands it: decrypted, without object streams; none when it is larger."""
        ...


def guarded(reader: PdfReader, document: Document, data: bytes | None = None) -> Reader:
    """The reader, or one that refuses the pages which PDFium must not read. `data` when it is not the document's.

    Raises `LimitError` for a document that is refused as a whole.
    """
    size = len(data) if data is not None else document.size
    if reader.page_count > max(MANY_PAGES, size // LEAST_PAGE):
        raise LimitError(f"claims {reader.page_count} pages in {size} bytes", document=document.name)
    if not any(_has_signs(window) for window in _windows(document, data)):
        return reader
    plain = reader.plain(MOST_PLAIN)
    if plain is None or not _has_signs(plain, encrypted=False):
        return reader
    objects = Objects(plain)
    judge = _Judge(objects, max(LEAST_CONTENT, size * CONTENT_PER_BYTE))
    refused: dict[int, LimitError] = {}
    try:
        judge.form()
    except _Refused as reason:
        raise LimitError(str(reason), document=document.name) from None
    for number, (page, resources) in enumerate(objects.pages(reader.page_count), start=1):
        try:
            judge.page(page, resources)
        except _Refused as reason:
            refused[number] = LimitError(str(reason), document=document.name, page=number)
    return GuardedReader(reader, refused) if refused else reader


class GuardedReader:
    """A reader that gives the error of a refused page without asking PDFium for it."""

    def __init__(self, inner: Reader, refused: Mapping[int, LimitError]) -> None:
        self._inner, self._refused = inner, refused
        self.name, self.page_count = inner.name, inner.page_count

    def info(self, number: int) -> PageInfo:
        if number in self._refused:
            raise self._refused[number]
        return self._inner.info(number)

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        found = self._inner.text(self._allowed(pages), threads=threads)
        return (self._refused[number] if number in self._refused else next(found) for number in pages)

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]:
        found = self._inner.render(self._allowed(pages), options, threads=threads)
        return (self._refused[number] if number in self._refused else next(found) for number in pages)

    def outline(self) -> Sequence[OutlineEntry]:
        return self._inner.outline()

    def metadata(self) -> Mapping[str, str]:
        return self._inner.metadata()

    def close(self) -> None:
        self._inner.close()

    def _allowed(self, pages: Sequence[int]) -> list[int]:
        return [number for number in pages if number not in self._refused]


def _windows(document: Document, data: bytes | None) -> Iterator[bytes]:
    """The bytes of the file; of a large one in pieces that overlap."""
    if data is None and document.path is not None:
        yield from _pieces(document.path)
    else:
        yield data or document.data or b""


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        window = file.read(_WINDOW)
        while window:
            yield window
            more = file.read(_WINDOW - _OVERLAP)
            window = window[-_OVERLAP:] + more if more else b""


def _has_signs(data: bytes, *, encrypted: bool = True) -> bool:
    """Whether something in the file may be too much. Sure when it says no of what the guard knows.

    An encrypted file says nothing before it is decrypted.
    """
    if encrypted and b"/Encrypt" in data:
        return True
    fields = end = 0
    for place in find_streams(data):
        end = place.end
        fields += _field_names(data, place.gap, place.start)
        if fields > MOST_NAMESAKES or _LONG_CONTENTS.search(data, place.gap, place.start):
            return True
        if _NOT_CONTENT.search(place.head):
            continue
        filters = filters_of(place.head)
        if filters is None:
            return True
        content = unpack(data[place.start : place.end], filters, LEAST_CONTENT)
        if b"/ObjStm" in place.head:
            fields += _field_names(content, 0, len(content))
            if len(content) >= LEAST_CONTENT or _LONG_CONTENTS.search(content):
                return True
        elif _content_has_signs(place.head, content):
            return True
    return fields + _field_names(data, end, len(data)) > MOST_NAMESAKES


def _field_names(data: bytes, start: int, end: int) -> int:
    return sum(data.count(name, start, end) for name in _FIELD_NAMES)


def _content_has_signs(head: bytes, content: bytes) -> bool:
    if len(content) >= LEAST_CONTENT:
        return True
    marks, draws = content.count(b"BMC") + content.count(b"BDC"), content.count(b"Do")
    if marks > MOST_MARKS or marks - content.count(b"EMC") > 16 or content.count(b"q") > MOST_SAVES:
        return True
    if draws * _DRAWING > LEAST_CONTENT or (draws > 1 and b"Subtype" in head):
        return True
    return b"PatternType" in head and _PATTERN.search(content) is not None


class _Refused(Exception):
    """What is wrong, in words."""


class _Content(NamedTuple):
    """Instructions, counted."""

    size: int
    draws: Mapping[bytes, int]  # by name of the form or picture
    patterns: frozenset[bytes]
    paints: int  # with the patterns

    @classmethod
    def of(cls, content: bytes) -> _Content:
        _check_nesting(content)
        patterns = frozenset(_PATTERN.findall(content))
        paints = len(_PAINT.findall(content)) if patterns else 0
        return cls(len(content), Counter(_DRAW.findall(content)), patterns, paints)


class _Judge:
    """What PDFium would do with a document, counted instead of done. Raises `_Refused` when it is too much."""

    def __init__(self, objects: Objects, most_content: int) -> None:
        self._objects = objects
        self._most = most_content
        self._contents: dict[int, _Content] = {}
        self._costs: dict[tuple[int, int, int], int] = {}

    def form(self) -> None:
        """Check the tree of form fields, which PDFium builds when it reads the first page."""
        form = self._objects.dictionary(self._objects.root.get(b"AcroForm"))
        lists, seen, squares = [self._objects.array(form.get(b"Fields"))], set[int](), 0
        while lists:
            fields = lists.pop()
            if id(fields) in seen:
                continue
            seen.add(id(fields))
            squares += len(fields) ** 2
            self._check_fields(fields, math.isqrt(squares))
            lists += [self._objects.array(self._objects.dictionary(field).get(b"Kids")) for field in fields]

    def page(self, page: dict[bytes, Value], resources: dict[bytes, Value]) -> None:
        """Check what a page draws, with its annotations."""
        cost = self._cost(_Content.of(self._page_content(page)), resources, _DEEPEST)
        annotations = self._objects.array(page.get(b"Annots"))
        if len(annotations) > MOST_NAMESAKES:
            fields = [one for one in annotations if self._objects.dictionary(one).get(b"Subtype") == b"Widget"]
            self._check_fields(fields, len(fields))
        for annotation in annotations:
            shown = self._objects.dictionary(self._objects.dictionary(annotation).get(b"AP")).get(b"N")
            states = self._objects.dictionary(shown)
            for look in [shown] if b"Length" in states else states.values():
                cost += self._drawing_cost(look, resources, _DEEPEST)
        self._check_cost(cost)

    def _page_content(self, page: dict[bytes, Value]) -> bytes:
        contents = page.get(b"Contents")
        listed = self._objects.get(contents)
        pieces: list[bytes] = []
        size = 0
        for piece in listed if isinstance(listed, list) else [contents]:
            pieces.append(self._objects.stream(piece, self._most + 1))
            size += len(pieces[-1])
            self._check_cost(size)
        return b"\n".join(pieces)

    def _cost(self, content: _Content, resources: dict[bytes, Value], depth: int, *, in_cell: bool = False) -> int:
        """Bytes of instructions with everything drawn. A pattern is drawn once per page, but once per use in a cell."""
        drawn = self._objects.dictionary(resources.get(b"XObject")) if content.draws else {}
        cells = self._objects.dictionary(resources.get(b"Pattern")) if content.patterns else {}
        uses = content.paints if in_cell else 1
        return (
            content.size
            + sum(
                times * self._drawing_cost(drawn.get(name), resources, depth) for name, times in content.draws.items()
            )
            + sum(uses * self._drawing_cost(cells.get(name), resources, depth) for name in content.patterns)
        )

    def _drawing_cost(self, value: Value, resources: dict[bytes, Value], depth: int) -> int:
        """The cost of a form, a picture or the cell of a pattern, drawn once."""
        entries = self._objects.dictionary(value)
        if depth == 0 or not isinstance(value, Ref) or entries.get(b"Subtype") == b"Image":
            return _DRAWING
        resources = self._objects.dictionary(entries.get(b"Resources")) or resources
        key = (value, id(resources), depth)
        if key not in self._costs:
            if value not in self._contents:
                self._contents[value] = _Content.of(self._objects.stream(value, self._most + 1))
            cost = self._cost(self._contents[value], resources, depth - 1, in_cell=b"PatternType" in entries)
            self._costs[key] = _DRAWING + cost
        return self._costs[key]

    def _check_cost(self, cost: int) -> None:
        if cost > self._most:
            raise _Refused(
                f"its drawing instructions come to more than {self._most} bytes, too many for a file of this size"
            )

    def _check_fields(self, fields: Sequence[Value], count: int) -> None:
        if count > MOST_SIBLINGS:
            raise _Refused(f"has more than {MOST_SIBLINGS} form fields side by side; save it without its form")
        names = Counter(str(self._objects.dictionary(field).get(b"T")) for field in fields)
        if names and names.most_common(1)[0][1] > MOST_NAMESAKES:
            raise _Refused(f"has more than {MOST_NAMESAKES} form fields of one name; save it without its form")


def _check_nesting(content: bytes) -> None:
    marks = content.count(b"BMC") + content.count(b"BDC")
    if marks <= MOST_MARKS and content.count(b"q") <= MOST_SAVES:
        return
    marks = saves = 0
    for token in _NESTING.finditer(content):
        match token.lastindex:
            case 1:
                marks += 1
            case 2:
                marks = max(marks - 1, 0)
            case 3:
                saves += 1
            case _:
                saves = max(saves - 1, 0)
        if marks > MOST_MARKS:
            raise _Refused(f"its marked content is nested more than {MOST_MARKS} levels deep")
        if saves > MOST_SAVES:
            raise _Refused(f"it saves its graphics state more than {MOST_SAVES} times without restoring it")
