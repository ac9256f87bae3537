"""The ruled lines of a picture, in the deskewed frame: by morphology, or by the Hough transform."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels, grey_of, pixels
from quire.pipelines.detect.lattice import RulingLine

LEAST_LENGTH = 12  # pixels
LEVEL = math.radians(0.05)  # less is not worth rotating the picture
SOLID = 0.75  # share of a line that is drawn
MOST_LEAN = math.radians(6)

Find = Callable[[Pixels, int, float], list[tuple[float, float, float, float]]]
"""Finds segments that are nearly horizontal: x0, y0, x1, y1, from ink, minimum length and merge distance."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """Horizontal and vertical lines after the picture was rotated by `lean` radians about its centre."""

    rows: list[RulingLine]
    columns: list[RulingLine]
    lean: float
    size: tuple[int, int]

    def back(self, x: float, y: float) -> tuple[float, float]:
        """Map a point of the rotated picture to the picture itself."""
        dx, dy = x - self.size[0] / 2, y - self.size[1] / 2
        sine, cosine = math.sin(self.lean), math.cos(self.lean)
        return dx * cosine - dy * sine + self.size[0] / 2, dx * sine + dy * cosine + self.size[1] / 2


def find_ruled(picture: Pixels, dpi: float, *, ratio: float, near: float, find: Find) -> Ruled:
    """Lines at least `ratio` of the picture's width (or height) long; pieces nearer than `near` are merged."""
    ink = _ink(grey_of(picture), dpi)
    height, width = ink.shape
    least = max(LEAST_LENGTH, round(ratio * width)), max(LEAST_LENGTH, round(ratio * height))
    lean = _lean(find(ink, least[0], near))
    if abs(lean) > LEVEL:
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), math.degrees(lean), 1.0)
        ink = pixels(cv2.warpAffine(ink, turn, (width, height), flags=cv2.INTER_NEAREST))
    else:
        lean = 0.0
    rows = _joined(find(ink, least[0], near), least[0], near)
    columns = _joined(find(np.ascontiguousarray(ink.T), least[1], near), least[1], near)
    return Ruled(rows, columns, lean, (width, height))


def by_morphology(ink: Pixels, least: int, near: float) -> list[tuple[float, float, float, float]]:
    """Runs of ink with hardly any gap: the result of a morphological opening."""
    return _components(_pieces(ink, max(LEAST_LENGTH, least // 2)), round(near))


def by_hough(ink: Pixels, least: int, near: float) -> list[tuple[float, float, float, float]]:
    """Points on one straight line, with gaps: dashed and broken lines (Hough transform)."""
    pieces = _pieces(ink, LEAST_LENGTH)
    thin = pixels(cv2.erode(pieces, np.ones((3, 1), np.uint8)))
    lines = cv2.HoughLinesP(thin, 1, math.pi / 720, max(20, least // 4), None, least, 2 * near)
    found = np.asarray(lines if lines is not None else [], np.float64).reshape(-1, 4)
    level = np.abs(found[:, 3] - found[:, 1]) <= math.tan(MOST_LEAN) * np.abs(found[:, 2] - found[:, 0])
    return [(min(x0, x1), y0 if x0 < x1 else y1, max(x0, x1), y1 if x0 < x1 else y0) for x0, y0, x1, y1 in found[level]]


def _ink(grey: Pixels, dpi: float) -> Pixels:
    """255 where a pixel is darker than its surroundings."""
    window = max(15, round(dpi / 4)) | 1
    return pixels(cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, window, 15))


def _pieces(ink: Pixels, length: int) -> Pixels:
    """Horizontal runs of at least this many pixels; a step of one pixel, where a line is skewed, does not end one."""
    steps = cv2.dilate(ink, np.ones((3, 1), np.uint8))
    return pixels(cv2.morphologyEx(steps, cv2.MORPH_OPEN, np.ones((1, length), np.uint8)))


def _components(pieces: Pixels, gap: int) -> list[tuple[float, float, float, float]]:
    closed = cv2.morphologyEx(pieces, cv2.MORPH_CLOSE, np.ones((1, max(1, gap)), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(pixels(closed), connectivity=8)
    found = []
    for label in range(1, count):
        left, top, width, height, _ = (int(value) for value in stats[label])
        if width < LEAST_LENGTH or height > max(8, math.tan(MOST_LEAN) * width + 8):
            continue
        part = labels[top : top + height, left : left + width] == label
        found.append((float(left), top + _row(part[:, :3]), float(left + width), top + _row(part[:, -3:])))
    return found


def _row(part: NDArray[np.bool_]) -> float:
    """The mean row of the set pixels."""
    return float(np.nonzero(part)[0].mean())


def _lean(pieces: list[tuple[float, float, float, float]]) -> float:
    """The angle at which most of the length of horizontal lines slopes down to the right."""
    if not pieces:
        return 0.0
    found = np.array(pieces)
    lengths = found[:, 2] - found[:, 0]
    angles = np.arctan2(found[:, 3] - found[:, 1], np.maximum(lengths, 1))
    order = np.argsort(angles)
    middle = np.searchsorted(np.cumsum(lengths[order]), lengths.sum() / 2)
    angle = float(angles[order][min(int(middle), len(angles) - 1)])
    return angle if abs(angle) <= MOST_LEAN else 0.0


def _joined(pieces: list[tuple[float, float, float, float]], least: int, near: float) -> list[RulingLine]:
    """Join consecutive pieces on one row into a line; one that is too short or mostly gaps is a row of letters."""
    lines: list[RulingLine] = []
    drawn: list[float] = []
    for x0, y0, x1, y1 in sorted(pieces):
        at = (y0 + y1) / 2
        before = next((n for n, line in enumerate(lines) if abs(line.at - at) <= 2 and x0 - line.end <= 2 * near), None)
        if before is None:
            lines.append(RulingLine(at, x0, x1))
            drawn.append(x1 - x0)
        else:
            line = lines[before]
            lines[before] = RulingLine(line.at, line.start, max(line.end, x1))
            drawn[before] += max(0.0, x1 - max(x0, line.end))
    pairs = zip(lines, drawn, strict=True)
    return [line for line, ink in pairs if line.end - line.start >= least and ink >= SOLID * (line.end - line.start)]
