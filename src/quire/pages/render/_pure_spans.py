"""Pieces of text that a PDF itself names, whatever its glyphs are: `ActualText`, PDF 32000-1, 14.9.4.

The native crate does the same in `native/src/spans.rs`; tests compare the two.
"""

from __future__ import annotations

import codecs
import ctypes
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

MOST = 4096  # bytes of a text that is looked at
NEAR = 0.3  # of the size of type: a text object this near begins where the span before it ends


@dataclass(slots=True)
class TextSpan:
    """Text objects that are one piece of text to the file."""

    mark: int
    text: str
    number: int  # of its first text object, in the order of the file
    left: float
    right: float
    baseline: float  # of the widest of them: signs are higher or lower
    widest: float
    size: float
    following: float | None = None  # where the text object after them begins, on the same line
    read: bool = False

    @property
    def reach(self) -> float:
        """The right end of the span: where the text after it begins, or else where its ink ends."""
        after, near = self.following, NEAR * self.size
        return after if after is not None and self.left + near < after < self.right + near else self.right

    @property
    def unread(self) -> bool:
        """Whether PDFium reads nothing of it: it knows no characters beyond U+FFFF here."""
        return bool(self.text) and all(character > "\uffff" for character in self.text)


class Spoken(NamedTuple):
    """The place of one text object in its span."""

    span: TextSpan
    left: float
    right: float

    def stretched(self, left: float, right: float) -> tuple[float, float]:
        """From where to where a character reaches: PDFium divides one object among the characters of the span, and
        knows nothing of the others."""
        span = self.span
        scale = (span.reach - span.left) / (self.right - self.left) if self.right > self.left else 0.0
        return span.left + (left - self.left) * scale, span.left + (right - self.left) * scale


@dataclass(slots=True)
class Spans:
    """The spans of a page."""

    objects: dict[int, Spoken] = field(default_factory=dict)  # by the address of a text object
    numbers: dict[int, int] = field(default_factory=dict)  # the order of all text objects, by their address
    unread: list[TextSpan] = field(default_factory=list)


def actual_text(handle: Any) -> tuple[int, str] | None:
    """The address of the mark that says what the text of an object is, and what it says if it is not long and in
    Unicode; None where nothing does."""
    found = None
    length = ctypes.c_ulong()
    for index in range(pdfium.FPDFPageObj_CountMarks(handle)):
        mark = pdfium.FPDFPageObj_GetMark(handle, index)
        if not pdfium.FPDFPageObjMark_GetParamBlobValue(mark, b"ActualText", None, 0, length) or not length.value:
            continue
        data = (ctypes.c_ubyte * length.value)() if length.value <= MOST else None
        pdfium.FPDFPageObjMark_GetParamBlobValue(mark, b"ActualText", data, length.value if data else 0, length)
        text_bytes = bytes(data or b"")
        if text_bytes != codecs.BOM_UTF16_BE:
            wide = text_bytes.startswith(codecs.BOM_UTF16_BE)
            found = address_of(mark), text_bytes[2:].decode("utf-16-be", "replace") if wide else ""
    return found


def address_of(handle: Any) -> int:
    return ctypes.cast(handle, ctypes.c_void_p).value or 0
