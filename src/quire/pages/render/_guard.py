"""Detects small PDFs that would exhaust memory or time in PDFium, before PDFium reads their pages.

PDFium has no limits of its own: it copies all open marks at each `BMC`, draws a form as often as the forms around it
say, and compares each form field with all others. A cheap scan first looks for signs of that; only a file with a sign
is parsed and its pages judged. Both readers use this, so both refuse the same pages.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from quire.core.document import Document, PageImage, Reader, RenderOptions
from quire.core.errors import InputError, LimitError
from quire.core.types import OutlineEntry, PageInfo
from quire.pages.render._objects import PdfObjects, Ref, Value
from quire.pages.render._streams import filters_of, find_streams, unpack

MOST_MARKS = 4_000  # nesting of marked content: PDFium's memory grows quadratically
MOST_SAVES = 100_000  # graphics states saved and not restored
LEAST_CONTENT = 8_000_000  # bytes of instructions that any page may have, with all forms expanded
CONTENT_PER_BYTE = 40  # or this many per byte of the file, whichever is more
MOST_CONTENT = 200_000_000  # but no more than this
MOST_SIBLINGS = 4_000  # sibling form fields: PDFium's time grows quadratically
MOST_NAMESAKES = 1_500  # form fields with the same name: cubically
MANY_PAGES = 5_000
LEAST_PAGE = 32  # minimum file bytes per page for a file with more pages than that
MOST_PLAIN = 256 << 20  # maximum bytes of a file that is parsed

_DRAWING = 250  # bytes of instructions that cost as much as starting a form
_MANY_DRAWINGS = LEAST_CONTENT // _DRAWING
_OPEN_MARKS = 16  # that a stream may leave open: a stream listed many times by its page adds up
_DEEPEST = 40  # nesting of forms that PDFium follows
_PAGES_AT_ONCE = 16
_WINDOW, _OVERLAP = 64 << 20, 8 << 20

_NOT_CONTENT = re.compile(
    rb"/Subtype\s*/(?:Image|XML|Type1C|CIDFontType0C|OpenType)\b|/Length[123]\b|/Type\s*/(?:XRef|Metadata)\b"
)
_FIELD_NAMES = (b"/T(", b"/T (", b"/T<", b"/T <", b"/Widget")
_LONG_CONTENTS = re.compile(rb"/Contents\s*\[[^\]]{1000}")
_LONG_ARRAY = re.compile(rb"\[[^\]]{60000}")
_SOFT_MASKS = (b"/Luminosity", b"/Alpha")
_INSIDE = rb"[^\s\0/<>\[\](){}%]"  # a character of a word
_NAMED = rb"/([^\s\0/<>\[\](){}%%]*)[\s\0]+%s(?![^\s\0/<>\[\](){}%%])"
_DRAW = re.compile(_NAMED % rb"Do")
_PATTERN = re.compile(_NAMED % rb"(?:scn|SCN)")
_STATE = re.compile(_NAMED % rb"gs")
_PAINT = re.compile(rb"(?<!%s)(?:[fFBbSs]\*?|Tj|TJ|['\"]|Do|sh|EI)(?!%s)" % (_INSIDE, _INSIDE))
_NESTING = re.compile(rb"(?<!%s)(?:(BMC|BDC)|(EMC)|(q)|(Q))(?!%s)" % (_INSIDE, _INSIDE))

_T = TypeVar("_T")


class PdfReader(Reader, Protocol):
    def plain(self, max_bytes: int) -> bytes | None:
        """The document as PDFium understands it: decrypted, without object streams; None when it is larger."""
        ...


def guarded(reader: PdfReader, document: Document, data: bytes | None = None) -> Reader:
    """The reader, or one that refuses the pages that PDFium must not read. `data` if it differs from the document's.

    Raises `LimitError` for a document that is refused as a whole.
    """
    size = len(data) if data is not None else document.size
    if reader.page_count > max(MANY_PAGES, size // LEAST_PAGE):
        raise LimitError(f"claims {reader.page_count} pages in {size} bytes", document=document.name)
    encrypted = reader.metadata().get("encrypted") == "yes"  # such a file cannot be scanned before it is decrypted
    if not encrypted and not any(_has_signs(window) for window in _windows(document, data)):
        return reader
    plain = reader.plain(MOST_PLAIN)
    if plain is None or (encrypted and not _has_signs(plain)):
        return reader
    judge = _Judge(PdfObjects(plain), min(max(LEAST_CONTENT, size * CONTENT_PER_BYTE), MOST_CONTENT))
    try:
        judge.form()
    except _Refused as reason:
        raise LimitError(str(reason), document=document.name) from None
    return GuardedReader(reader, judge, document.name)


class GuardedReader:
    """A reader that judges each page before PDFium reads it. May be used from any thread."""

    def __init__(self, inner: Reader, judge: _Judge, document: str) -> None:
        self._inner, self._judge, self._document = inner, judge, document
        self._lock = threading.Lock()
        self.name, self.page_count = inner.name, inner.page_count

    def info(self, number: int) -> PageInfo:
        if refused := self._refused(number):
            raise refused
        return self._inner.info(number)

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        return self._each(pages, lambda allowed: self._inner.text(allowed, threads=threads))

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]:
        return self._each(pages, lambda allowed: self._inner.render(allowed, options, threads=threads))

    def outline(self) -> Sequence[OutlineEntry]:
        return self._inner.outline()

    def metadata(self) -> Mapping[str, str]:
        return self._inner.metadata()

    def close(self) -> None:
        self._inner.close()

    def _each(
        self, pages: Sequence[int], read: Callable[[Sequence[int]], Iterator[_T | InputError]]
    ) -> Iterator[_T | InputError]:
        """Read a few pages at a time, because the caller may stop early."""
        for start in range(0, len(pages), _PAGES_AT_ONCE):
            some = [(number, self._refused(number)) for number in pages[start : start + _PAGES_AT_ONCE]]
            found = read([number for number, refused in some if refused is None])
            for _, refused in some:
                yield refused or next(found)

    def _refused(self, number: int) -> LimitError | None:
        with self._lock:
            reason = self._judge.page(number, self.page_count)
        return LimitError(reason, document=self._document, page=number) if reason else None


def _windows(document: Document, data: bytes | None) -> Iterator[bytes]:
    """The bytes of the file; overlapping windows of one that is too large for memory."""
    whole = data or document.content
    if whole is not None:
        yield whole
        return
    with document.open() as file:
        window = file.read(_WINDOW)
        while window:
            yield window
            more = file.read(_WINDOW - _OVERLAP)
            window = window[-_OVERLAP:] + more if more else b""


def _has_signs(data: bytes) -> bool:
    """Whether something in the file may be excessive. Counts everything that looks like an instruction, so it may
    overcount but never undercounts."""
    form, masked, end, size = False, False, 0, 0
    most = max(LEAST_CONTENT, len(data) * CONTENT_PER_BYTE)
    drawn, largest = 1, _DRAWING
    for place in find_streams(data):
        end = place.end
        form = form or data.find(b"/AcroForm", place.gap, place.start) >= 0
        if _has_long_arrays(data, place.gap, place.start):
            return True
        if _NOT_CONTENT.search(place.head):
            continue
        filters = filters_of(place.head)
        if filters is None:
            return True
        content = unpack(data[place.start : end], filters, LEAST_CONTENT)
        size += len(content)
        if len(content) >= LEAST_CONTENT or size > LEAST_CONTENT + len(data) * CONTENT_PER_BYTE:
            return True
        if _content_has_signs(place.head, content):
            return True
        if b"Subtype" in place.head:
            largest = max(largest, len(content))
        else:
            drawn = max(drawn, content.count(b"Do"))
        if drawn * largest > most:  # a page may draw a large form very often
            return True
        form = form or (b"/ObjStm" in place.head and b"/AcroForm" in content)
        masked = masked or (b"Subtype" in place.head and b"gs" in content)
    form = form or data.find(b"/AcroForm", end) >= 0
    return (form and _count_objects(data, _FIELD_NAMES) > MOST_NAMESAKES) or (
        masked and _count_objects(data, _SOFT_MASKS) > 1
    )


def _has_long_arrays(data: bytes, start: int, end: int) -> bool:
    return bool(_LONG_CONTENTS.search(data, start, end) or _LONG_ARRAY.search(data, start, end))


def _count_objects(data: bytes, words: Sequence[bytes]) -> int:
    """The number of times that the words occur in the file and in its object streams."""
    found = _count(data, words)
    for place in find_streams(data):
        if b"/ObjStm" in place.head and (filters := filters_of(place.head)):
            found += _count(unpack(data[place.start : place.end], filters, LEAST_CONTENT), words)
    return found


def _content_has_signs(head: bytes, content: bytes) -> bool:
    if b"/ObjStm" in head:
        return _has_long_arrays(content, 0, len(content))
    marks = _count(content, (b"BMC", b"BDC"))
    if marks > MOST_MARKS or (marks > _OPEN_MARKS and marks - content.count(b"EMC") > _OPEN_MARKS):
        return True
    if b"Subtype" in head and content.count(b"Do") > 1:
        return True
    if len(content) > MOST_SAVES and (content.count(b"q") > MOST_SAVES or content.count(b"Do") > _MANY_DRAWINGS):
        return True
    return b"PatternType" in head and _PATTERN.search(content) is not None


def _count(data: bytes, words: Sequence[bytes]) -> int:
    return sum(data.count(word) for word in words)


class _Refused(Exception):
    """The reason for refusing a page or document."""


class _Content(NamedTuple):
    """Instructions, counted."""

    size: int
    draws: Mapping[bytes, int]  # by name of the form or picture
    patterns: frozenset[bytes]
    states: frozenset[bytes]  # which may have soft masks
    paints: int  # of the cell of a pattern; 0 of other content

    @classmethod
    def of(cls, content: bytes, *, in_cell: bool = False) -> _Content:
        _check_nesting(content)
        return cls(
            len(content),
            Counter(_DRAW.findall(content) if b"Do" in content else ()),
            frozenset(_PATTERN.findall(content) if b"scn" in content or b"SCN" in content else ()),
            frozenset(_STATE.findall(content) if b"gs" in content else ()),
            len(_PAINT.findall(content)) if in_cell else 0,
        )


class _Judge:
    """Estimates PDFium's work on a document without doing it."""

    def __init__(self, objects: PdfObjects, most_content: int) -> None:
        self._objects = objects
        self._most = most_content
        self._pages: list[tuple[dict[bytes, Value], dict[bytes, Value]]] | None = None
        self._verdicts: dict[int, str] = {}
        self._contents: dict[tuple[int, bool], _Content] = {}
        self._costs: dict[tuple[int, int, int, bool], int] = {}

    def form(self) -> None:
        """Check the tree of form fields, which PDFium builds when it reads the first page. Raises `_Refused`."""
        form = self._objects.dictionary(self._objects.root.get(b"AcroForm"))
        lists, seen, squares = [self._objects.array(form.get(b"Fields"))], set[int](), 0
        while lists:
            fields = lists.pop()
            if not fields or id(fields) in seen:
                continue
            seen.add(id(fields))
            squares += len(fields) ** 2
            self._check_fields(fields, math.isqrt(squares))
            lists += [self._objects.array(self._objects.dictionary(field).get(b"Kids")) for field in fields]

    def page(self, number: int, count: int) -> str:
        """The reason to refuse page `number` of `count`, as PDFium counts them, if there is one."""
        if self._pages is None:
            self._pages = list(self._objects.pages(max(count, MANY_PAGES)))
        pages = self._pages[number - 1 : number]
        if len(self._pages) != count:  # a damaged tree: which of its pages PDFium considers to be this one is unknown
            pages, number = self._pages, 0
        if number not in self._verdicts:
            try:
                for page in pages:
                    self._page(*page)
                self._verdicts[number] = ""
            except _Refused as reason:
                self._verdicts[number] = str(reason)
        return self._verdicts[number]

    def _page(self, page: dict[bytes, Value], resources: dict[bytes, Value]) -> None:
        cost = self._cost(_Content.of(self._page_content(page)), resources, _DEEPEST)
        annotations = self._objects.array(page.get(b"Annots"))
        self._check_cost(cost + len(annotations) * _DRAWING)
        named = Counter(one for one in annotations if isinstance(one, Ref))
        if len(annotations) > MOST_NAMESAKES:
            fields = {one: times for one, times in named.items() if self._entry(one, b"Subtype") == b"Widget"}
            self._check_fields(list(fields), sum(fields.values()))
        for annotation, times in named.items():
            if not self._objects.may_have(annotation, b"AP"):
                continue
            shown = self._objects.dictionary(self._entry(annotation, b"AP")).get(b"N")
            states = self._objects.dictionary(shown)
            looks = [shown] if b"Length" in states else states.values()
            cost += times * sum(self._drawing_cost(look, resources, _DEEPEST) for look in looks)
        self._check_cost(cost)

    def _entry(self, value: Value, key: bytes) -> Value:
        return self._objects.dictionary(value).get(key)

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
        """Bytes of instructions with everything expanded.

        Patterns and soft masks are drawn once per page, but inside a pattern cell once per use.
        """
        of = self._objects.dictionary
        drawn = of(resources.get(b"XObject")) if content.draws else {}
        cells = of(resources.get(b"Pattern")) if content.patterns else {}
        states = of(resources.get(b"ExtGState")) if content.states else {}
        inner = [cells.get(name) for name in content.patterns]
        inner += [of(of(states.get(name)).get(b"SMask")).get(b"G") for name in content.states]
        uses = content.paints if in_cell else 1
        return (
            content.size
            + sum(
                times * self._drawing_cost(drawn.get(name), resources, depth) for name, times in content.draws.items()
            )
            + sum(uses * self._drawing_cost(cell, resources, depth, is_cell=True) for cell in inner if cell)
        )

    def _drawing_cost(self, value: Value, resources: dict[bytes, Value], depth: int, *, is_cell: bool = False) -> int:
        """The cost of a form, a picture, a soft mask or the cell of a pattern, drawn once."""
        entries = self._objects.dictionary(value)
        if depth == 0 or not isinstance(value, Ref) or entries.get(b"Subtype") == b"Image":
            return _DRAWING
        resources = self._objects.dictionary(entries.get(b"Resources")) or resources
        key = (value, id(resources), depth, is_cell)
        if key not in self._costs:
            if (value, is_cell) not in self._contents:
                content = self._objects.stream(value, self._most + 1)
                self._contents[value, is_cell] = _Content.of(content, in_cell=is_cell)
            cost = self._cost(self._contents[value, is_cell], resources, depth - 1, in_cell=is_cell)
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
