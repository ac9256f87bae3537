"""Photographs, drawings and charts in the picture of a page: ink that is neither type nor rules.

Found on a small copy, where lines of type are a few pixels high. What holds much text is sorted out by the layout,
which knows the words.
"""

from __future__ import annotations

import cv2
import numpy as np

from quire.core.types import Box
from quire.pages.geometry.extents import area, touching
from quire.pages.prepare.measures import paper_of
from quire.pages.prepare.pixels import Pixels, grey_of, pixels

WORKING_DPI = 72.0
USUAL_TYPE = 5.6  # points: the height of the letters where it is unknown
DARKER = 28  # levels than the paper
LARGE_TYPE = 2.6  # times the height of letters: a blob of that height is not type
SPREAD = (9.0, 4.5)  # times the height of letters: width and height of a drawing of thin strokes
LEAST_SHARE = 0.008  # of the page
MOST_SHARE = 0.75
RULE_POINTS = 40  # a longer straight stroke is a rule
EDGE = 0.02  # of the page: the dark border of a scan
LONGEST = 12.0  # times as long as wide: a bar
FLAT = (12, 0.55)  # levels around the usual one, and share of the picture: a tint behind text
HOLLOW = 0.3  # of its ink inside: a frame has less


def find_pictures(shown: Pixels, dpi: float, letter_height: float) -> list[Box]:
    """Left, top, right and bottom of each, in pixels. `letter_height` is that of usual letters, 0 if unknown."""
    grey = grey_of(shown)
    scale = min(1.0, WORKING_DPI / dpi) if dpi > 0 else 0.4
    small = pixels(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)) if scale < 1 else grey
    letter = max(3.0, letter_height * scale if letter_height else USUAL_TYPE * scale * dpi / 72)
    paper = float(np.median(paper_of(small)))
    ink = pixels(cv2.threshold(small, max(0.0, paper - DARKER), 255, cv2.THRESH_BINARY_INV)[1])
    ink = _without_rules(ink, round(RULE_POINTS * scale * (dpi or 180) / 72))
    height, width = small.shape
    boxes = [*_blobs(ink, letter), *_drawings(ink, letter)]
    found = []
    for box in touching([Box(*one) for one in boxes], letter):
        left, top, right, bottom = map(int, box)
        if not LEAST_SHARE * width * height <= area(box) <= MOST_SHARE * width * height:
            continue
        long = max((right - left) / (bottom - top), (bottom - top) / (right - left)) > LONGEST
        if long or _at_border(box, (width, height)) or _is_panel(small[top:bottom, left:right], paper):
            continue
        found.append(Box(left / scale, top / scale, right / scale, bottom / scale))
    return sorted(found, key=lambda box: (box[1], box[0]))


def _without_rules(ink: Pixels, length: int) -> Pixels:
    """The ink without straight strokes that are long and thin."""
    length = max(9, length)
    thick = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    level = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    upright = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((length, 1), np.uint8))
    rules = cv2.subtract(cv2.bitwise_or(level, upright), thick)
    return pixels(cv2.subtract(ink, rules))


def _blobs(ink: Pixels, letter: float) -> list[tuple[int, int, int, int]]:
    """Photographs and solid drawings: ink in all directions, further than type reaches."""
    near, far = max(2, round(0.5 * letter)), max(5, round(LARGE_TYPE * letter))
    closed = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((near, near), np.uint8))
    solid = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((far, far), np.uint8))
    stats = cv2.connectedComponentsWithStats(pixels(solid), connectivity=8)[2].tolist()[1:]
    return [(left, top, left + wide, top + high) for left, top, wide, high, _ in stats]


def _drawings(ink: Pixels, letter: float) -> list[tuple[int, int, int, int]]:
    """Drawings of thin strokes: connected ink that spreads much wider and higher than type."""
    wide, high = SPREAD[0] * letter, SPREAD[1] * letter
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    found = []
    for number, (left, top, across, down, inked) in enumerate(stats.tolist()):
        if number == 0 or across <= wide or down <= high:
            continue
        inner = labels[top + down // 10 : top + down - down // 10, left + across // 10 : left + across - across // 10]
        if np.count_nonzero(inner == number) > HOLLOW * inked:
            found.append((left, top, left + across, top + down))
    return found


def _is_panel(shown: Pixels, paper: float) -> bool:
    """Whether a part of the page is a flat tint behind text, or a bar."""
    usual = float(np.median(shown))
    flat = float(np.mean(np.abs(shown.astype(np.float32) - usual) < FLAT[0]))
    return usual < paper - DARKER and flat > FLAT[1]


def _at_border(box: Box, size: tuple[int, int]) -> bool:
    """Whether a box is a strip along the edge of the picture: the border of a scan."""
    left, top, right, bottom = box
    width, height = size
    thin = min((right - left) / width, (bottom - top) / height) < 4 * EDGE
    return thin and (
        left < EDGE * width or right > (1 - EDGE) * width or top < EDGE * height or bottom > (1 - EDGE) * height
    )
