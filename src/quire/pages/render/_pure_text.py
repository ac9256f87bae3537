"""Groups the characters of a page into runs and lines, through PDFium's text functions: the pure-Python reader.

The native crate does the same in `native/src/text.rs`, with the same constants; tests compare the two.
Every length below is a multiple of the font size.
"""

from __future__ import annotations

import ctypes
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from quire.core.affine import Affine
from quire.core.fonts import Font, hangs
from quire.core.pagetext import HYPHEN, INVISIBLE, LINE, SPACE, UNMAPPED
from quire.core.types import LeftOut
from quire.pages.render._pure_spans import Spans, Spoken, TextSpan
from quire.pages.render.glyphs import COMPOSED, EXPANSIONS, SYMBOLS

LINE_GAP = 1.6  # a wider gap begins a new line
BACK_GAP = 0.6  # so does a step back of more than this
BASELINE_SHIFT = 0.12  # a smaller shift is the same baseline
SCRIPT_SHIFT = 0.65  # a smaller shift of smaller type is a sub- or superscript
SCRIPT_SIZE = 0.85  # type smaller than this, relative to the line's, may be one
SCRIPT_GAP = 0.6  # it must be this near
WORD_GAP = 0.3  # a gap that separates words where the file has no space
FALSE_SPACE = 0.05  # a space that PDFium generated where the gap is narrower does not count
DOUBLE_STRIKE = 0.1  # the same character this near is the same one drawn twice for weight
MATH_AXIS = 0.25  # height of the middle of a large operator above the baseline
SIGN_SHIFT = 0.5  # how far a sign is drawn above or below the letters that it belongs to
LONGEST = 16  # characters of one glyph
MANY_SIGNS = 4  # glyphs of one text that may still get one
SIZE_CHANGE = 0.04  # a larger change of size begins a new run

_LAM = 0x644
_ALEFS = frozenset([0x622, 0x623, 0x625, 0x627])
_CJK = ((0x2E80, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0xFF00, 0xFFEF), (0x20000, 0x2FA1F))
_RIGHT_TO_LEFT = ((0x590, 0x8FF), (0xFB1D, 0xFEFC), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF))
_MARKS = (
    *((0x591, 0x5BD), (0x5BF, 0x5BF), (0x5C1, 0x5C2), (0x5C4, 0x5C5), (0x5C7, 0x5C7), (0x610, 0x61A), (0x64B, 0x65F)),
    *((0x670, 0x670), (0x6D6, 0x6DC), (0x6DF, 0x6E4), (0x6E7, 0x6E8), (0x6EA, 0x6ED), (0x711, 0x711), (0x730, 0x74A)),
    *((0x7A6, 0x7B0), (0x7EB, 0x7F3), (0x8D3, 0x8FF), (0x10A01, 0x10A0F), (0x10A38, 0x10A3F), (0x10AE5, 0x10AE6)),
    *((0x10D24, 0x10D27), (0x10EAB, 0x10EAC), (0x10F46, 0x10F50), (0x10F82, 0x10F85), (0x1E8D0, 0x1E8D6)),
    (0x1E944, 0x1E94A),
)
_SPACES = frozenset(
    [0x09, 0x20, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF, 0x200D]
)

_ROUND = {"(": "{", ")": "}"}  # of large symbols, the codes of round brackets are braces
_RAW = frozenset(map(ord, _ROUND))


@dataclass(slots=True)
class _Look:
    """The type in which the characters of one text object are set."""

    font: int
    size: float
    color: int
    angle: int
    mcid: int
    invisible: bool
    symbols: dict[str, str]
    hanging: bool
    number: int  # in the order of the file
    spoken: Spoken | None
    repeats: bool  # what another object of its span says


@dataclass(slots=True)
class RunArrays:
    """The arrays of a `PageText` that hold the runs."""

    texts: list[str] = field(default_factory=list)
    boxes: list[float] = field(default_factory=list)
    baselines: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    colors: list[int] = field(default_factory=list)
    fonts: list[int] = field(default_factory=list)
    angles: list[int] = field(default_factory=list)
    mcids: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    font_table: list[Font] = field(default_factory=list)
    chars: int = 0
    unmapped: int = 0
    invisible: int = 0
    duplicates: int = 0
    unplaced: int = 0
    text_objects: int = 0

    @property
    def left_out(self) -> dict[LeftOut, int]:
        counts: dict[LeftOut, int] = {"duplicate": self.duplicates, "unplaced": self.unplaced}
        return {reason: count for reason, count in counts.items() if count}


class _Glyph(NamedTuple):
    """One character in the frame of its line: from `start` to `end` along the writing, on `base`."""

    text: str
    start: float
    end: float
    base: float
    box: tuple[float, float, float, float]
    baseline: float
    look: _Look


class _Waiting(NamedTuple):
    """A glyph that may have further characters, and what is before it."""

    glyph: _Glyph
    flag: int
    space: bool
    made_up: bool


def read_runs(textpage: Any, transform: Affine, spans: Spans, *, tagged: bool) -> RunArrays:
    """All characters of a page as runs."""
    return _Reader(textpage, transform, spans, tagged).read()


class _Reader:
    def __init__(self, textpage: Any, transform: Affine, spans: Spans, tagged: bool) -> None:
        self.textpage, self.transform, self.spans, self.tagged = textpage, transform, spans, tagged
        self.runs = RunArrays()
        self.looks: dict[int, _Look] = {}
        self.font_index: dict[int, int] = {}
        self.symbols: list[dict[str, str]] = []
        # the run under construction, and its line
        self.waiting: _Waiting | None = None
        self.glyphs: list[_Glyph] = []
        self.places: dict[str, deque[tuple[float, float, float]]] = {}  # of glyphs for several characters
        self.made_up = False  # whether a space is before a glyph that was left out
        self.reversed: bool | None = None
        self.look: _Look | None = None
        self.glyph: _Glyph | None = None
        self.box = (0.0, 0.0, 0.0, 0.0)
        self.start = self.end = self.baseline = self.base = self.line_base = self.line_size = 0.0
        self.flag = 0

    def read(self) -> RunArrays:
        count = pdfium.FPDFText_CountChars(self.textpage)
        space, made_up = False, False
        high = 0
        unread = self.spans.unread[::-1]
        for index in range(max(count, 0)):
            code = pdfium.FPDFText_GetUnicode(self.textpage, index)
            if 0xD800 <= code < 0xDC00:  # the high surrogate of a character beyond U+FFFF
                high = code
                continue
            if 0xDC00 <= code < 0xE000:
                code = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00 if high else 0xFFFD
            high = 0
            if pdfium.FPDFText_IsGenerated(self.textpage, index):
                made_up = True
                continue
            handle = pdfium.FPDFText_GetTextObject(self.textpage, index)
            look = self._look(handle, index)
            if look.repeats:
                continue
            while unread and unread[-1].number < look.number:
                self._spell(unread.pop(), look, made_up or space)
                space, made_up = False, True
            flag = 0
            if (code == 2 and pdfium.FPDFText_IsHyphen(self.textpage, index) == 1) or code == 0xAD:
                text, flag = "-", HYPHEN
            else:
                text = look.symbols.get(chr(code), chr(code)) if code < 0x110000 else "\ufffd"
                if look.hanging and text in _ROUND and code in _RAW and self._is_raw(index):
                    text = _ROUND[text]
                if ord(text) in _SPACES:
                    space = True
                    continue
                if text in EXPANSIONS:
                    text = EXPANSIONS[text]
                elif _suspicious(ord(text)):
                    text, flag = "\ufffd", UNMAPPED
            self._count(look, flag)
            glyph = self._measure(index, text, look)
            if glyph is None:
                self.runs.unplaced += len(text)
                continue
            if self.waiting is not None and not space and self._continues(self.waiting.glyph, glyph):
                self.waiting = self._joined(self.waiting, glyph, flag)
                continue
            self._add_waiting()
            self.waiting = _Waiting(glyph, flag, space, made_up)
            space = made_up = False
        for span in reversed(unread):
            self._spell(span, self.look or self._plain(span), True)
        self._add_waiting()
        self._close()
        self.runs.text_objects = len({*self.looks, *self.spans.objects} - {0})
        return self.runs

    def _spell(self, span: TextSpan, look: _Look, made_up: bool) -> None:
        """Add a span of which PDFium reads nothing, in the look of the nearest text."""
        near = self.waiting.glyph if self.waiting else self.glyph
        if near is not None and abs(near.baseline - span.baseline) < BASELINE_SHIFT * span.size:
            look = near.look
        self.runs.chars += len(span.text)
        top, bottom = span.baseline - 0.75 * span.size, span.baseline + 0.22 * span.size
        step = (span.reach - span.left) / len(span.text)
        for start in range(0, len(span.text), LONGEST):
            text = span.text[start : start + LONGEST]
            left, right = span.left + start * step, span.left + (start + len(text)) * step
            self._add_waiting()
            glyph = _Glyph(text, left, right, span.baseline, (left, top, right, bottom), span.baseline, look)
            self.waiting = _Waiting(glyph, 0, False, made_up)

    def _plain(self, span: TextSpan) -> _Look:
        """The look of a span on a page of which PDFium reads nothing."""
        font = self._font(None)
        return _Look(font, span.size, 0, 0, -1, False, {}, hanging=False, number=0, spoken=None, repeats=False)

    def _is_raw(self, index: int) -> bool:
        """Whether a character is the code of a glyph, for which PDFium knows no character."""
        return bool(pdfium.FPDFText_HasUnicodeMapError(self.textpage, index) == 1)

    def _count(self, look: _Look, flag: int) -> None:
        self.runs.chars += 1
        self.runs.unmapped += bool(flag & UNMAPPED)
        self.runs.invisible += look.invisible

    def _continues(self, glyph: _Glyph, further: _Glyph) -> bool:
        """Whether a character is one more of a glyph that stands for several (ligature), or of the same span."""
        spoken = glyph.look.spoken is not None and (_is_mark(further.text) or not _right_to_left(further.text))
        fits = len(glyph.text) + len(further.text) <= LONGEST
        return fits and further.look is glyph.look and (further.box == glyph.box or spoken)

    def _joined(self, waiting: _Waiting, further: _Glyph, flag: int) -> _Waiting:
        glyph = waiting.glyph
        ligature = _right_to_left(further.text) and glyph.look.spoken is None
        backwards = ligature and self._reversed()  # PDFium reverses right-to-left ligatures
        text = further.text + glyph.text if backwards else glyph.text + further.text
        start, end = min(glyph.start, further.start), max(glyph.end, further.end)
        joined = glyph._replace(text=text, start=start, end=end, box=_union(glyph.box, further.box))
        return waiting._replace(glyph=joined, flag=waiting.flag | flag)

    def _add_waiting(self) -> None:
        if self.waiting is not None:
            self._add(*self.waiting)
            self.waiting = None

    def _add(self, glyph: _Glyph, flag: int, space: bool, made_up: bool) -> None:
        previous, before, look = self.glyph, self.look, glyph.look
        again = self._is_sign(glyph)
        if previous is None or before is None:
            return self._begin(glyph, look, flag | LINE | SPACE)
        size = max(look.size, before.size)
        gap = glyph.start - previous.end
        if _right_to_left(glyph.text) and _right_to_left(previous.text):  # PDFium turns some words, not others
            gap = max(self.start - glyph.end, glyph.start - self.end, previous.start - glyph.end)
            if _is_mark(glyph.text) and self.start <= glyph.start and glyph.end <= self.end:
                gap = 0.0
        same_spot = abs(glyph.start - previous.start) < DOUBLE_STRIKE * size and glyph.text == previous.text
        shift = abs(glyph.base - self.line_base)
        if again or (same_spot and shift < DOUBLE_STRIKE * size):
            self.runs.duplicates += len(glyph.text)
            self.made_up = made_up or space
            return None
        if not self._same_line(glyph, look, before, gap, shift):
            self._close()
            return self._begin(glyph, look, flag | LINE | SPACE)
        if self._compose(glyph, previous):
            return None
        made_up, self.made_up = made_up or self.made_up, False
        separated = space or (made_up and gap > FALSE_SPACE * size) or (gap > WORD_GAP * size and not _cjk(glyph.text))
        if separated or self._other_run(glyph, look, before, flag):
            self._close()
            return self._begin(glyph, look, flag | (SPACE if separated else 0))
        self._extend(glyph, flag)
        return None

    def _is_sign(self, glyph: _Glyph) -> bool:
        """Whether a glyph is a sign over or below letters, to which the file gives the text of these letters again."""
        if len(glyph.text) == 1:
            return False
        places = self.places.setdefault(glyph.text, deque(maxlen=MANY_SIGNS))
        width, level = glyph.end - glyph.start, SIGN_SHIFT * glyph.look.size
        for start, end, base in places:
            over = min(end, glyph.end) - max(start, glyph.start)
            if over > 0.5 * min(width, end - start) and abs(base - glyph.base) < level:
                return True
        places.append((glyph.start, glyph.end, glyph.base))
        return False

    def _reversed(self) -> bool:
        """Whether the ligatures of the page come out backwards: not where the file itself has them backwards, as the
        lam and alef in one glyph show."""
        if self.reversed is None:
            count = pdfium.FPDFText_CountChars(self.textpage)
            codes = [pdfium.FPDFText_GetUnicode(self.textpage, index) for index in range(count)]
            balance = 0
            for index, (first, second) in enumerate(pairwise(codes)):
                step = (first in _ALEFS and second == _LAM) - (first == _LAM and second in _ALEFS)
                if step and self._loose(index) == self._loose(index + 1):
                    balance += step
            self.reversed = balance >= 0
        return self.reversed

    def _loose(self, index: int) -> tuple[float, float, float, float] | None:
        rect = pdfium.FS_RECTF()
        if not pdfium.FPDFText_GetLooseCharBox(self.textpage, index, rect):
            return None
        return rect.left, rect.bottom, rect.right, rect.top

    def _same_line(self, glyph: _Glyph, look: _Look, before: _Look, gap: float, shift: float) -> bool:
        if look.angle != before.angle:
            return False
        reference = max(look.size, self.line_size)
        if not -BACK_GAP * reference < gap < LINE_GAP * reference:
            return False
        if shift <= BASELINE_SHIFT * reference:
            return True
        smaller = min(look.size, self.line_size) < SCRIPT_SIZE * reference or look.size < SCRIPT_SIZE * before.size
        step = abs(glyph.base - self.base)
        near = shift < SCRIPT_SHIFT * reference or step <= BASELINE_SHIFT * look.size
        return near and (smaller or step <= BASELINE_SHIFT * look.size) and gap < SCRIPT_GAP * reference

    def _other_run(self, glyph: _Glyph, look: _Look, before: _Look, flag: int) -> bool:
        if look is before:
            return abs(glyph.base - self.base) > BASELINE_SHIFT * look.size
        return (
            look.font != before.font
            or abs(look.size - before.size) > SIZE_CHANGE * before.size
            or look.color != before.color
            or look.mcid != before.mcid
            or look.invisible != before.invisible
            or abs(glyph.base - self.base) > BASELINE_SHIFT * look.size
        )

    def _compose(self, glyph: _Glyph, previous: _Glyph) -> bool:
        """Combine an accent drawn as a separate glyph over, or before, its letter into one character."""
        overlap = min(glyph.end, previous.end) - max(glyph.start, previous.start)
        if overlap <= 0.5 * min(glyph.end - glyph.start, previous.end - previous.start):
            return False
        one = COMPOSED.get((previous.text, glyph.text)) or COMPOSED.get((glyph.text, previous.text))
        if one is None or not self.glyphs:
            return False
        base = glyph if (previous.text, glyph.text) in COMPOSED else previous
        self.glyph = self.glyphs[-1] = base._replace(text=one)
        self.box = _union(self.box, glyph.box)
        return True

    def _begin(self, glyph: _Glyph, look: _Look, flag: int) -> None:
        if flag & LINE or look.size > self.line_size * 1.05:
            self.line_base, self.line_size = glyph.base, look.size
        self.glyphs, self.box, self.flag = [glyph], glyph.box, flag
        self.start, self.end = glyph.start, glyph.end
        self.base, self.baseline = glyph.base, glyph.baseline
        self.glyph, self.look = glyph, look

    def _extend(self, glyph: _Glyph, flag: int) -> None:
        place = len(self.glyphs)
        if _right_to_left(glyph.text):
            while place and _is_read_before(glyph, self.glyphs[:place]):
                place -= 1
        self.glyphs.insert(place, glyph)
        self.start, self.end = min(self.start, glyph.start), max(self.end, glyph.end)
        self.box = _union(self.box, glyph.box)
        self.flag |= flag
        self.glyph = glyph

    def _close(self) -> None:
        look = self.look
        if look is None or not self.glyphs:
            return
        runs = self.runs
        runs.texts.append("".join(glyph.text for glyph in self.glyphs))
        runs.boxes.extend(self.box)
        runs.baselines.append(self.baseline)
        runs.sizes.append(look.size)
        runs.colors.append(look.color)
        runs.fonts.append(look.font)
        runs.angles.append(look.angle)
        runs.mcids.append(look.mcid)
        runs.flags.append(self.flag | (INVISIBLE if look.invisible else 0))
        self.glyphs = []

    def _measure(self, index: int, text: str, look: _Look) -> _Glyph | None:
        rect = pdfium.FS_RECTF()
        x, y = ctypes.c_double(), ctypes.c_double()
        if not pdfium.FPDFText_GetLooseCharBox(self.textpage, index, rect):
            return None
        pdfium.FPDFText_GetCharOrigin(self.textpage, index, x, y)
        left, top, right, bottom = self.transform.bounds(((rect.left, rect.bottom), (rect.right, rect.top)))
        ox, oy = self.transform.point(x.value, y.value)
        if not all(map(math.isfinite, (left, top, right, bottom, ox, oy))):
            return None
        angle, size = look.angle, look.size
        if angle == 0 and look.hanging:
            top, bottom = self._ink(index, top, bottom)
            baseline = (top + bottom) / 2 + MATH_AXIS * size
            return _Glyph(text, left, right, baseline, (left, top, right, bottom), baseline, look)
        if angle == 0:
            if look.spoken is not None:
                left, right = look.spoken.stretched(left, right)
                oy = look.spoken.span.baseline
                top = bottom  # the boxes of these characters are those of their ink
            if not 0.5 * size <= bottom - top <= 1.6 * size:
                top, bottom = oy - 0.75 * size, oy + 0.22 * size
            return _Glyph(text, left, right, oy, (left, top, right, bottom), oy, look)
        box = (left, top, right, bottom)
        if angle == 90:
            return _Glyph(text, top, bottom, -ox, box, ox, look)
        if angle == 180:
            return _Glyph(text, -right, -left, -oy, box, oy, look)
        if angle == 270:
            return _Glyph(text, -bottom, -top, ox, box, ox, look)
        cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        start = ox * cosine + oy * sine
        base = oy * cosine - ox * sine
        return _Glyph(text, start, start + 0.5 * size, base, box, oy, look)

    def _ink(self, index: int, top: float, bottom: float) -> tuple[float, float]:
        """The extent of a drawn character, for upright text only; the given extent when PDFium does not know."""
        left, right, low, high = (ctypes.c_double() for _ in range(4))
        if not pdfium.FPDFText_GetCharBox(self.textpage, index, left, right, low, high):
            return top, bottom
        box = self.transform.bounds(((left.value, low.value), (right.value, high.value)))
        return (box[1], box[3]) if box[3] > box[1] and math.isfinite(box[1] + box[3]) else (top, bottom)

    def _look(self, handle: Any, index: int) -> _Look:
        address = ctypes.cast(handle, ctypes.c_void_p).value or 0
        if address in self.looks:
            return self.looks[address]
        matrix = pdfium.FS_MATRIX(1, 0, 0, 1, 0, 0)
        pdfium.FPDFText_GetMatrix(self.textpage, index, matrix)
        t = self.transform
        dx, dy = t.a * matrix.a + t.b * matrix.b, t.d * matrix.a + t.e * matrix.b
        angle = round(math.degrees(math.atan2(dy, dx))) % 360
        for right_angle in (0, 90, 180, 270, 360):
            if abs(angle - right_angle) <= 2:
                angle = right_angle % 360
        scale = math.hypot(matrix.c, matrix.d) or math.hypot(matrix.a, matrix.b) or 1.0
        size = pdfium.FPDFText_GetFontSize(self.textpage, index) * scale
        r, g, b, a = (ctypes.c_uint(0) for _ in range(4))
        a.value = 255
        pdfium.FPDFText_GetFillColor(self.textpage, index, r, g, b, a)
        mode = pdfium.FPDFTextObj_GetTextRenderMode(handle) if address else 0
        font = self._font(pdfium.FPDFTextObj_GetFont(handle) if address else None)
        spoken = self.spans.objects.get(address)
        repeats = spoken is not None and spoken.span.read
        if spoken is not None:
            spoken.span.read = True
        look = _Look(
            font=font,
            size=round(abs(size), 3) if math.isfinite(size) and size else 1.0,
            color=(r.value & 255) << 16 | (g.value & 255) << 8 | (b.value & 255),
            angle=angle,
            mcid=pdfium.FPDFPageObj_GetMarkedContentID(handle) if self.tagged and address else -1,
            invisible=mode in (3, 7) or a.value == 0,
            symbols=self.symbols[font],
            hanging=hangs(self.runs.font_table[font].name),
            number=self.spans.numbers.get(address, 0),
            spoken=spoken,
            repeats=repeats,
        )
        self.looks[address] = look
        return look

    def _font(self, font: Any) -> int:
        address = ctypes.cast(font, ctypes.c_void_p).value or 0 if font else 0
        if address in self.font_index:
            return self.font_index[address]
        info = Font("", 0, 0)
        if address:
            buffer = ctypes.create_string_buffer(512)
            length = pdfium.FPDFFont_GetBaseFontName(font, buffer, 512)
            name = buffer.raw[: max(0, min(length, 512) - 1)].decode("utf-8", "replace")
            name = name[7:] if len(name) > 7 and name[6] == "+" else name
            info = Font(name, max(pdfium.FPDFFont_GetFlags(font), 0), max(pdfium.FPDFFont_GetWeight(font), 0))
        if info not in self.runs.font_table:
            self.runs.font_table.append(info)
            self.symbols.append(_symbols(info.name))
        number = self.runs.font_table.index(info)
        self.font_index[address] = number
        return number


def _symbols(name: str) -> dict[str, str]:
    upper = name.upper()
    best = max((prefix for prefix, _, _ in SYMBOLS if upper.startswith(prefix)), key=len, default=None)
    return {f: t for prefix, drawn, meant in SYMBOLS if prefix == best for f, t in zip(drawn, meant, strict=True)}


def _suspicious(code: int) -> bool:
    """Not a text character: a control code, a private-use one, a replacement character."""
    return code < 0x20 or 0x7F <= code < 0xA0 or 0xE000 <= code <= 0xF8FF or 0xFFF0 <= code <= 0xFFFF


def _cjk(text: str) -> bool:
    code = ord(text[0])
    return code >= 0x2E80 and any(low <= code <= high for low, high in _CJK)


def _right_to_left(text: str) -> bool:
    return any(low <= ord(text[0]) <= high for low, high in _RIGHT_TO_LEFT)


def _is_mark(text: str) -> bool:
    return any(low <= ord(text[0]) <= high for low, high in _MARKS)


def _is_read_before(glyph: _Glyph, others: Sequence[_Glyph]) -> bool:
    """Whether a glyph of a right-to-left word comes before the last of the others: by its place, but a mark comes
    after its letter."""
    last, middle = others[-1], (glyph.start + glyph.end) / 2
    place = (last.start + last.end) / 2
    if not _right_to_left(last.text):
        return False
    if _is_mark(glyph.text):
        return last.end < middle
    if not _is_mark(last.text):
        return place < middle
    marked = any(other.look is last.look or other.start <= place <= other.end for other in others[-2:-1])
    return not marked and place <= glyph.end


def _union(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])
