"""The ink of a region: how much there is, on what background, how bold, and along which edges."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from quire.core.picture import Picture
from quire.core.types import BBox
from quire.pages.prepare.pixels import Pixels, grey_of, pixels, pixels_of

SPECK = 0.00018  # square inches: smaller spots are dirt
DARKER = 15.0  # levels by which ink is darker than its surroundings
EDGE = 0.5  # share of an edge that must be drawn
EDGES = 0.12  # of a region's height or width: how far from its sides rules may be


@dataclass(frozen=True, slots=True)
class InkLook:
    """Measurements of a region: square inches of ink, level of the background, mean width of strokes in pixels."""

    ink: float
    ground: float
    stroke: float


class PageInk:
    """The ink of a page, computed once for all its regions."""

    def __init__(self, picture: Picture) -> None:
        self._grey = grey_of(pixels_of(picture))
        self._dpi = picture.dpi
        window = max(15, round(picture.dpi / 4)) | 1
        method, kind = cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV
        noise = float(np.percentile(cv2.absdiff(cv2.medianBlur(self._grey, 3), self._grey)[::7], 75))
        self._ink = pixels(cv2.adaptiveThreshold(self._grey, 1, method, kind, window, max(DARKER, 5 * noise)))

    def look(self, box: BBox) -> InkLook:
        grey, ink = self._cut(self._grey, box), without_rules(self._cut(self._ink, box))
        marks = without_specks(ink, max(3, round(SPECK * self._dpi**2)))
        area = int(marks.sum())
        inner = cv2.erode(marks, np.ones((3, 3), np.uint8))
        edge = area - int(np.asarray(inner).sum())  # pixels at the rim of strokes: two for each pixel of length
        stroke = 2 * area / edge if edge else 0.0
        return InkLook(area / self._dpi**2, float(np.percentile(grey, 80)), stroke)

    def drawn(self, box: BBox, *, upright: bool) -> bool:
        """Whether a line runs along a thin box, most of its way."""
        ink = self._cut(self._ink, box)
        along = ink.max(axis=1) if upright else ink.max(axis=0)
        return bool(along.mean() >= EDGE)

    def _cut(self, whole: Pixels, box: BBox) -> Pixels:
        height, width = whole.shape
        left, top, right, bottom = box.points((width, height))
        x, y = min(max(0, round(left)), width - 1), min(max(0, round(top)), height - 1)
        return whole[y : max(y + 1, round(bottom)), x : max(x + 1, round(right))]


def without_rules(ink: Pixels) -> Pixels:
    """Remove the lines of the grid: ink that runs along an edge, or touches one and stays near it."""
    height, width = ink.shape
    near = max(3, round(EDGES * width)), max(3, round(EDGES * height))
    cleaned = ink.copy()
    for view, band in ((cleaned, near[1]), (cleaned.T, near[0])):
        along = _long(np.ascontiguousarray(view))
        along[band:-band] = 0
        view[along > 0] = 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(cleaned, connectivity=8)
    left, top = stats[:, cv2.CC_STAT_LEFT], stats[:, cv2.CC_STAT_TOP]
    right, bottom = left + stats[:, cv2.CC_STAT_WIDTH], top + stats[:, cv2.CC_STAT_HEIGHT]
    upright = ((left == 0) & (right <= near[0])) | ((right == width) & (left >= width - near[0]))
    level = ((top == 0) & (bottom <= near[1])) | ((bottom == height) & (top >= height - near[1]))
    keep = (~(upright | level)).astype(np.uint8)
    keep[0] = 0
    return pixels(keep[labels])


def _long(ink: Pixels) -> Pixels:
    """Horizontal runs over a good part of the width, even if slightly slanted."""
    steps = cv2.dilate(ink, np.ones((3, 1), np.uint8))
    return pixels(cv2.morphologyEx(steps, cv2.MORPH_OPEN, np.ones((1, max(5, ink.shape[1] // 5)), np.uint8)))


def without_specks(ink: Pixels, least: int) -> Pixels:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    keep = np.zeros(count, np.uint8)
    keep[1:] = stats[1:, cv2.CC_STAT_AREA] >= least
    return pixels(keep[labels])
