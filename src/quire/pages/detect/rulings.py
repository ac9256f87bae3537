"""Straight lines in a picture of a page: the rules of tables and forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels

WORKING_DPI = 150.0  # rules survive scaling down to this; text disappears earlier
PIECE_INCHES = 0.1  # a shorter unbroken run is part of a letter
SHORTEST_INCHES = 0.3
THICKEST_INCHES = 0.06
JOINED_INCHES = 0.06  # pieces of a rule nearer than this are merged
LEAN = 0.02  # a rule may deviate from its row by this share of its length
FILLED = 0.75  # share of the columns of a rule that have ink
DARKER = 24  # levels than the surroundings: ink
CROWDED = 0.3  # ink on both sides: a row of letters that touch


class Ruling(NamedTuple):
    """A horizontal or vertical line; ends and thickness in pixels of the picture."""

    x0: float
    y0: float
    x1: float
    y1: float
    thickness: float


@dataclass(frozen=True, slots=True)
class _Stroke:
    """A ruling along one axis: from `start` to `end`, in the rows from `low` to before `high`."""

    start: int
    end: int
    low: int
    high: int
    thickness: float

    @property
    def place(self) -> float:
        return (self.low + self.high) / 2


def find_rulings(pixels: Pixels, dpi: float) -> list[Ruling]:
    """The rules of a page, straight to about a degree, from the top and from the left."""
    grey: Pixels = pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.uint8)
    scale = min(1.0, WORKING_DPI / dpi)
    if scale < 1:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8)
    resolution = dpi * scale
    ink = _ink(grey)
    found = [
        Ruling(s.start / scale, s.place / scale, s.end / scale, s.place / scale, s.thickness / scale)
        for s in _strokes(ink, resolution)
    ]
    upright = np.ascontiguousarray(ink.T)
    found += [
        Ruling(s.place / scale, s.start / scale, s.place / scale, s.end / scale, s.thickness / scale)
        for s in _strokes(upright, resolution)
    ]
    return found


def _ink(grey: Pixels) -> NDArray[np.uint8]:
    """255 where a pixel is darker than its surroundings."""
    around = cv2.blur(grey, (31, 31))
    _, dark = cv2.threshold(cv2.subtract(around, grey), DARKER, 255, cv2.THRESH_BINARY)
    return np.asarray(dark, np.uint8)


def _strokes(ink: NDArray[np.uint8], dpi: float) -> list[_Stroke]:
    """The horizontal strokes of a picture of ink."""
    shortest = SHORTEST_INCHES * dpi
    thickest = max(2.0, THICKEST_INCHES * dpi)
    level = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((1, max(9, round(PIECE_INCHES * dpi))), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(level, connectivity=8)
    pieces = []
    for left, top, width, height, area in stats[1:count].tolist():
        if area / width <= thickest and height <= thickest + 1 + LEAN * width:
            pieces.append(_Stroke(left, left + width, top, top + height, area / width))
    rules = [stroke for stroke in _joined(pieces, JOINED_INCHES * dpi) if stroke.end - stroke.start >= shortest]
    return [stroke for stroke in rules if not _is_text(ink, stroke)]


def _is_text(ink: NDArray[np.uint8], stroke: _Stroke) -> bool:
    """Whether a stroke is a row of letters that touch: there is ink close by on both sides, or much is missing."""
    rows = ink[max(0, stroke.low - 1) : stroke.high + 1, stroke.start : stroke.end]
    if rows.any(axis=0).mean() < FILLED:
        return True
    return min(_beside(ink, stroke, stroke.low - 2, -1), _beside(ink, stroke, stroke.high + 1, 1)) > CROWDED


def _beside(ink: NDArray[np.uint8], stroke: _Stroke, row: int, step: int) -> float:
    """Share of the columns of a stroke that have ink in `row` or the one after it."""
    first, last = sorted((row, row + step))
    band = ink[max(0, first) : max(0, last + 1), stroke.start : stroke.end]
    return float(band.any(axis=0).mean()) if band.size else 0.0


def _joined(pieces: list[_Stroke], gap: float) -> list[_Stroke]:
    """Join pieces that continue in the same row."""
    whole: list[_Stroke] = []
    for piece in sorted(pieces, key=lambda p: (p.start, p.low)):
        for number, other in enumerate(whole):
            near = piece.low <= other.high + 1 and other.low <= piece.high + 1
            if near and other.start <= piece.start <= other.end + gap:
                low, high = min(other.low, piece.low), max(other.high, piece.high)
                end = max(other.end, piece.end)
                whole[number] = _Stroke(other.start, end, low, high, max(other.thickness, piece.thickness))
                break
        else:
            whole.append(piece)
    return sorted(whole, key=lambda s: (s.place, s.start))
