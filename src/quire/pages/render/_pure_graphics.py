"""Rulings, filled rectangles, pictures and drawings of a page: the pure-Python reader.

The native crate does the same in `native/src/graphics.rs`; tests compare the two.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium

from quire.core.affine import IDENTITY, Affine
from quire.pages.render._pure_spans import Spans, Spoken, TextSpan, actual_text, address_of

THIN = 3.0  # points: a filled rectangle thinner than this is a ruling
STRAIGHT = 0.6  # points: a stroke that leaves its axis by less is horizontal or vertical
LEVEL = 0.5  # of the size of type: text that is higher or lower by more is on another line
SHORT = 1.5  # points: a shorter ruling is a dot
MAX_DEPTH = 6  # nesting of forms
MAX_OBJECTS = 20_000
MAX_SEGMENTS = 4_000  # of one path; a longer one is a drawing

Point = tuple[float, float]


@dataclass(slots=True)
class Graphics:
    """The arrays of a `PageText` that hold what is drawn."""

    rulings: list[float] = field(default_factory=list)
    rects: list[float] = field(default_factory=list)
    rect_colors: list[int] = field(default_factory=list)
    images: list[float] = field(default_factory=list)
    drawings: list[float] = field(default_factory=list)
    text_objects: int = 0
    spans: Spans = field(default_factory=Spans)


def read_graphics(page: Any, transform: Affine) -> Graphics:
    """The drawings on a page besides text, and the groups of its text objects that are one piece of text."""
    reader = _Reader(transform)
    for index in range(min(pdfium.FPDFPage_CountObjects(page), MAX_OBJECTS)):
        reader.object(pdfium.FPDFPage_GetObject(page, index), IDENTITY, 0)
    return reader.found


class _Reader:
    def __init__(self, transform: Affine) -> None:
        self.transform = transform
        self.found = Graphics()
        self.left = MAX_OBJECTS
        self.span: TextSpan | None = None  # of the last text object

    def object(self, handle: Any, outer: Affine, depth: int) -> None:
        if self.left <= 0 or not handle:
            return
        self.left -= 1
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            self.found.text_objects += 1
            self._text(handle, outer)
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            self._path(handle, outer)
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            shown = _matrix(handle).then(outer).then(self.transform)
            self.found.images.extend(shown.bounds(((0, 0), (1, 0), (0, 1), (1, 1))))
        elif kind == pdfium.FPDF_PAGEOBJ_SHADING:
            pass  # the area of a shading is its clip, which PDFium does not expose
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < MAX_DEPTH:
            matrix = _matrix(handle).then(outer)
            for index in range(min(max(pdfium.FPDFFormObj_CountObjects(handle), 0), MAX_OBJECTS)):
                self.object(pdfium.FPDFFormObj_GetObject(handle, index), matrix, depth + 1)

    def _text(self, handle: Any, outer: Affine) -> None:
        spans, number = self.found.spans, len(self.found.spans.numbers)
        spans.numbers[address_of(handle)] = number
        last, (mark, text) = self.span, actual_text(handle) or (0, "")
        self.span = None
        if not mark and last is None:
            return
        matrix = _matrix(handle).then(outer)
        x, baseline = self.transform.point(matrix.c, matrix.f)
        level = last is not None and abs(baseline - last.baseline) < LEVEL * last.size
        if last is not None and mark != last.mark:
            last.following, last = x if level else None, None
        box = [ctypes.c_float() for _ in range(4)]
        if not mark or not pdfium.FPDFPageObj_GetBounds(handle, *box):
            return
        x0, y0, x1, y1 = (value.value for value in box)
        left, _, right, _ = outer.then(self.transform).bounds(((x0, y0), (x1, y0), (x0, y1), (x1, y1)))
        if last is None:
            size = ctypes.c_float()
            pdfium.FPDFTextObj_GetFontSize(handle, size)
            height = size.value * math.hypot(matrix.b, matrix.e)
            last = TextSpan(mark, text, number, min(x, left), right, baseline, right - left, height)
            if last.unread:
                spans.unread.append(last)
        elif level:
            last.left, last.right = min(last.left, x, left), max(last.right, right)
            if right - left > last.widest:
                last.baseline, last.widest = baseline, right - left
        self.span = last
        spans.objects[address_of(handle)] = Spoken(last, left, right)

    def _path(self, handle: Any, outer: Affine) -> None:
        fill, stroke = ctypes.c_int(0), ctypes.c_int(0)
        if not pdfium.FPDFPath_GetDrawMode(handle, fill, stroke):
            return
        if not fill.value and not stroke.value:
            return
        matrix = _matrix(handle).then(outer)
        figures, curved = self._figures(handle, matrix)
        thickness = 0.0
        if stroke.value:
            width = ctypes.c_float(0)
            pdfium.FPDFPageObj_GetStrokeWidth(handle, width)
            scale = abs(matrix.a * matrix.e - matrix.b * matrix.d) ** 0.5
            thickness = width.value * scale
        color = self._color(handle) if fill.value else None
        if curved:
            points = [point for figure, _ in figures for point in figure]
            if points:
                self.found.drawings.extend(self.transform.bounds(points))
            return
        for figure, closed in figures:
            shown = [self.transform.point(x, y) for x, y in figure]
            if fill.value and _is_rectangle(shown):
                self._rectangle(shown, color)
                if stroke.value:
                    self._strokes(shown, closed, thickness)
            elif stroke.value:
                self._strokes(shown, closed, thickness)
            elif len(shown) > 1:
                self.found.drawings.extend(self.transform.bounds(figure))

    def _figures(self, handle: Any, matrix: Affine) -> tuple[list[tuple[list[Point], bool]], bool]:
        """The straight figures of a path in user space, each with whether it is closed; True for curves."""
        figures: list[tuple[list[Point], bool]] = []
        count = pdfium.FPDFPath_CountSegments(handle)
        curved = count > MAX_SEGMENTS
        x, y = ctypes.c_float(), ctypes.c_float()
        for index in range(min(max(count, 0), MAX_SEGMENTS)):
            segment = pdfium.FPDFPath_GetPathSegment(handle, index)
            if not pdfium.FPDFPathSegment_GetPoint(segment, x, y):
                continue
            kind = pdfium.FPDFPathSegment_GetType(segment)
            point = matrix.point(x.value, y.value)
            if kind == pdfium.FPDF_SEGMENT_MOVETO or not figures:
                figures.append(([point], False))
            else:
                curved = curved or kind == pdfium.FPDF_SEGMENT_BEZIERTO
                figures[-1][0].append(point)
            if pdfium.FPDFPathSegment_GetClose(segment):
                figures[-1] = (figures[-1][0], True)
        return figures, curved

    def _rectangle(self, shown: list[Point], color: int | None) -> None:
        left, top, right, bottom = IDENTITY.bounds(shown)
        width, height = right - left, bottom - top
        if color is None:
            return
        if min(width, height) <= THIN:
            if max(width, height) > max(SHORT, 1.5 * min(width, height)):
                self._ruling(left, top, right, bottom)
        else:
            self.found.rects.extend((left, top, right, bottom))
            self.found.rect_colors.append(color)

    def _ruling(self, left: float, top: float, right: float, bottom: float) -> None:
        if right - left >= bottom - top:
            middle = (top + bottom) / 2
            self.found.rulings.extend((left, middle, right, middle, bottom - top))
        else:
            middle = (left + right) / 2
            self.found.rulings.extend((middle, top, middle, bottom, right - left))

    def _strokes(self, shown: list[Point], closed: bool, thickness: float) -> None:
        points = [*shown, shown[0]] if closed and len(shown) > 1 else shown
        slanted = False
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            width, height = abs(x1 - x0), abs(y1 - y0)
            if height <= STRAIGHT and width > SHORT:
                y = (y0 + y1) / 2
                self.found.rulings.extend((min(x0, x1), y, max(x0, x1), y, thickness))
            elif width <= STRAIGHT and height > SHORT:
                x = (x0 + x1) / 2
                self.found.rulings.extend((x, min(y0, y1), x, max(y0, y1), thickness))
            elif max(width, height) > SHORT:
                slanted = True
        if slanted:
            self.found.drawings.extend(IDENTITY.bounds(points))

    def _color(self, handle: Any) -> int | None:
        """The fill colour, None when it is transparent."""
        r, g, b, a = (ctypes.c_uint(0) for _ in range(4))
        a.value = 255
        pdfium.FPDFPageObj_GetFillColor(handle, r, g, b, a)
        if a.value == 0:
            return None
        return (r.value & 255) << 16 | (g.value & 255) << 8 | (b.value & 255)


def _matrix(handle: Any) -> Affine:
    matrix = pdfium.FS_MATRIX(1, 0, 0, 1, 0, 0)
    pdfium.FPDFPageObj_GetMatrix(handle, matrix)
    return Affine(matrix.a, matrix.c, matrix.e, matrix.b, matrix.d, matrix.f)


def _is_rectangle(points: list[Point]) -> bool:
    corners = points[:-1] if len(points) == 5 and _near(points[0], points[4]) else points
    if len(corners) != 4:
        return False
    return all(
        abs(x0 - x1) <= STRAIGHT or abs(y0 - y1) <= STRAIGHT
        for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True)
    )


def _near(a: Point, b: Point) -> bool:
    return abs(a[0] - b[0]) <= STRAIGHT and abs(a[1] - b[1]) <= STRAIGHT
