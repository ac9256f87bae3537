"""Groups the characters of a page into runs and lines, through PDFium's text functions: the pure-Python reader.

The native crate does the same in `native/src/text.rs`, with the same constants; tests compare the two.
Every length below is a multiple of the font size.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from quire.fonts import Font, hangs
from quire.pagetext import HYPHEN, INVISIBLE, LINE, SPACE, UNMAPPED
from quire.render.glyphs import COMPOSED, EXPANSIONS, SYMBOLS
from quire.types import LeftOut

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
SIZE_CHANGE = 0.04  # a larger change of size begins a new run

_LAM = 0x644
_ALEFS = frozenset([0x622, 0x623, 0x625, 0x627])
_CJK = ((0x2E80, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0xFF00, 0xFFEF), (0x20000, 0x2FA1F))
_SPACES = frozenset(
    [0x09, 0x20, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF, 0x200D]
)

_ROUND = {"(": "{", ")": "}"}  # of large symbols, the codes of round brackets are braces
_RAW = frozenset(map(ord, _ROUND))


class Transform(NamedTuple):
    """User space of the page to points of the displayed page."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        x0, y0 = self.point(left, bottom)
        x1, y1 = self.point(right, top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


@dataclass(slots=True)
class _Look:
    """How the characters of one text object are set."""

    font: int
    size: float
    color: int
    angle: int
    mcid: int
    invisible: bool
    symbols: dict[str, str]
    hanging: bool


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


def read_runs(textpage: Any, transform: Transform, *, tagged: bool) -> RunArrays:
    """All characters of a page as runs."""
    return _Reader(textpage, transform, tagged).read()


class _Reader:
    def __init__(self, textpage: Any, transform: Transform, tagged: bool) -> None:
        self.textpage, self.transform, self.tagged = textpage, transform, tagged
        self.runs = RunArrays()
        self.looks: dict[int, _Look] = {}
        self.font_index: dict[int, int] = {}
        self.symbols: list[dict[str, str]] = []
        # the run under construction, and its line
        self.text: list[str] = []
        self.last = 0  # where the last glyph begins in it
        self.reversed: bool | None = None
        self.look: _Look | None = None
        self.glyph: _Glyph | None = None
        self.box = (0.0, 0.0, 0.0, 0.0)
        self.baseline = self.base = self.line_base = self.line_size = 0.0
        self.flag = 0

    def read(self) -> RunArrays:
        count = pdfium.FPDFText_CountChars(self.textpage)
        space, made_up = False, False
        high = 0
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
            self._add(glyph, look, flag, space, made_up)
            space = made_up = False
        self._close()
        self.runs.text_objects = sum(1 for address in self.looks if address)
        return self.runs

    def _is_raw(self, index: int) -> bool:
        """Whether a character is the code of a glyph, for which PDFium knows no character."""
        return bool(pdfium.FPDFText_HasUnicodeMapError(self.textpage, index) == 1)

    def _count(self, look: _Look, flag: int) -> None:
        self.runs.chars += 1
        self.runs.unmapped += bool(flag & UNMAPPED)
        self.runs.invisible += look.invisible

    def _add(self, glyph: _Glyph, look: _Look, flag: int, space: bool, made_up: bool) -> None:
        previous, before = self.glyph, self.look
        if previous is None or before is None:
            return self._begin(glyph, look, flag | LINE | SPACE)
        if look is before and glyph.box == previous.box and self.text and not space:
            # one glyph for several characters (ligature); PDFium reverses those of right-to-left ligatures
            backwards = _right_to_left(glyph.text) and self._reversed()
            self.text.insert(self.last if backwards else len(self.text), glyph.text)
            return None
        size = max(look.size, before.size)
        gap = glyph.start - previous.end
        if _right_to_left(glyph.text) and _right_to_left(previous.text):
            gap = previous.start - glyph.end
        same_spot = abs(glyph.start - previous.start) < DOUBLE_STRIKE * size and glyph.text == previous.text
        shift = abs(glyph.base - self.line_base)
        if same_spot and shift < DOUBLE_STRIKE * size:
            self.runs.duplicates += len(glyph.text)
            return None
        if not self._same_line(glyph, look, before, gap, shift):
            self._close()
            return self._begin(glyph, look, flag | LINE | SPACE)
        if self._compose(glyph, previous):
            return None
        separated = space or (made_up and gap > FALSE_SPACE * size) or (gap > WORD_GAP * size and not _cjk(glyph.text))
        if separated or self._other_run(glyph, look, before, flag):
            self._close()
            return self._begin(glyph, look, flag | (SPACE if separated else 0))
        self._extend(glyph, flag)
        return None

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
        if one is None or not self.text:
            return False
        self.text[-1] = one
        base = glyph if (previous.text, glyph.text) in COMPOSED else previous
        self.glyph = base._replace(text=one)
        self.box = _union(self.box, glyph.box)
        return True

    def _begin(self, glyph: _Glyph, look: _Look, flag: int) -> None:
        if flag & LINE or look.size > self.line_size * 1.05:
            self.line_base, self.line_size = glyph.base, look.size
        self.text, self.last, self.box, self.flag = [glyph.text], 0, glyph.box, flag
        self.base, self.baseline = glyph.base, glyph.baseline
        self.glyph, self.look = glyph, look

    def _extend(self, glyph: _Glyph, flag: int) -> None:
        self.last = len(self.text)
        self.text.append(glyph.text)
        self.box = _union(self.box, glyph.box)
        self.flag |= flag
        self.glyph = glyph

    def _close(self) -> None:
        look = self.look
        if look is None or not self.text:
            return
        runs = self.runs
        runs.texts.append("".join(self.text))
        runs.boxes.extend(self.box)
        runs.baselines.append(self.baseline)
        runs.sizes.append(look.size)
        runs.colors.append(look.color)
        runs.fonts.append(look.font)
        runs.angles.append(look.angle)
        runs.mcids.append(look.mcid)
        runs.flags.append(self.flag | (INVISIBLE if look.invisible else 0))
        self.text = []

    def _measure(self, index: int, text: str, look: _Look) -> _Glyph | None:
        rect = pdfium.FS_RECTF()
        x, y = ctypes.c_double(), ctypes.c_double()
        if not pdfium.FPDFText_GetLooseCharBox(self.textpage, index, rect):
            return None
        pdfium.FPDFText_GetCharOrigin(self.textpage, index, x, y)
        left, top, right, bottom = self.transform.box(rect.left, rect.bottom, rect.right, rect.top)
        ox, oy = self.transform.point(x.value, y.value)
        if not all(map(math.isfinite, (left, top, right, bottom, ox, oy))):
            return None
        angle, size = look.angle, look.size
        if angle == 0 and look.hanging:
            top, bottom = self._ink(index, top, bottom)
            baseline = (top + bottom) / 2 + MATH_AXIS * size
            return _Glyph(text, left, right, baseline, (left, top, right, bottom), baseline)
        if angle == 0:
            if not 0.5 * size <= bottom - top <= 1.6 * size:
                top, bottom = oy - 0.75 * size, oy + 0.22 * size
            return _Glyph(text, left, right, oy, (left, top, right, bottom), oy)
        box = (left, top, right, bottom)
        if angle == 90:
            return _Glyph(text, top, bottom, -ox, box, ox)
        if angle == 180:
            return _Glyph(text, -right, -left, -oy, box, oy)
        if angle == 270:
            return _Glyph(text, -bottom, -top, ox, box, ox)
        cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        start = ox * cosine + oy * sine
        base = oy * cosine - ox * sine
        return _Glyph(text, start, start + 0.5 * size, base, box, oy)

    def _ink(self, index: int, top: float, bottom: float) -> tuple[float, float]:
        """The extent of a drawn character, for upright text only; the given extent when PDFium does not know."""
        left, right, low, high = (ctypes.c_double() for _ in range(4))
        if not pdfium.FPDFText_GetCharBox(self.textpage, index, left, right, low, high):
            return top, bottom
        box = self.transform.box(left.value, low.value, right.value, high.value)
        return (box[1], box[3]) if box[3] > box[1] and math.isfinite(box[1] + box[3]) else (top, bottom)

    def _look(self, handle: Any, index: int) -> _Look:
        address = ctypes.cast(handle, ctypes.c_void_p).value or 0
        if address in self.looks:
            return self.looks[address]
        matrix = pdfium.FS_MATRIX(1, 0, 0, 1, 0, 0)
        pdfium.FPDFText_GetMatrix(self.textpage, index, matrix)
        t = self.transform
        dx, dy = t.a * matrix.a + t.c * matrix.b, t.b * matrix.a + t.d * matrix.b
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
        look = _Look(
            font=font,
            size=round(abs(size), 3) if math.isfinite(size) and size else 1.0,
            color=(r.value & 255) << 16 | (g.value & 255) << 8 | (b.value & 255),
            angle=angle,
            mcid=pdfium.FPDFPageObj_GetMarkedContentID(handle) if self.tagged and address else -1,
            invisible=mode in (3, 7) or a.value == 0,
            symbols=self.symbols[font],
            hanging=hangs(self.runs.font_table[font].name),
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
    return {f: t for prefix, given, meant in SYMBOLS if prefix == best for f, t in zip(given, meant, strict=True)}


def _suspicious(code: int) -> bool:
    """Not a text character: a control code, a private-use one, a replacement character."""
    return code < 0x20 or 0x7F <= code < 0xA0 or 0xE000 <= code <= 0xF8FF or 0xFFF0 <= code <= 0xFFFF


def _cjk(text: str) -> bool:
    code = ord(text[0])
    return code >= 0x2E80 and any(low <= code <= high for low, high in _CJK)


def _right_to_left(text: str) -> bool:
    return 0x590 <= ord(text[0]) <= 0x8FF or 0xFB1D <= ord(text[0]) <= 0xFEFC


def _union(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])
