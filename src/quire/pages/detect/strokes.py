"""Words in heavy type in the picture of a page: the width of their strokes against that of the page's usual words.

The ink of a stroke over the length of its edges is half its width: darkness summed over a word, over the sum of its
gradient. Both are exact to a fraction of a pixel on grey and on bilevel pictures, and cost one pass over the picture.
The darkness is stretched around half that of full ink, so that blurred strokes are as wide as sharp ones.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.measures import histogram_of, level_at, noise_of, paper_of
from quire.pages.prepare.pixels import Pixels, grey_of, pixels

CLOSE = 0.35  # of the height of letters: parts of a word are not further apart
HIGH, LOW = 4.0, 0.55  # times the height of letters: no higher, and no lower than words are
LONG = 1.2  # of the height of letters: shorter parts say little about strokes
SOLID = 0.88  # of its box: a part with more ink is a bar or a blot
HEAVIER = 1.12  # times the usual width of strokes: words to be looked at
MANY = 20  # with fewer parts of words the usual width is unknown
EVEN = 0.34  # of the usual width: between the quarters; handwriting and dirt spread wider
FAINT = 24  # levels: less contrast shows no strokes
FULL = 0.8  # of the ink is not darker than full ink
SOFT = (0.45, 0.65)  # of full ink: lighter is paper, darker is ink
Floats = NDArray[np.float64]
Stroke = tuple[float, float, float, float, float]


def find_strokes(shown: Pixels, letter_height: float) -> tuple[float, list[Stroke]]:
    """The usual width of strokes, and left, top, right, bottom and width of strokes of words in heavier ones, in
    pixels; 0 and nothing where the strokes of the page are uneven. `letter_height` is that of usual letters."""
    if not letter_height:
        return 0.0, []
    grey = grey_of(shown)
    height, width = grey.shape
    ground = pixels(cv2.resize(paper_of(grey), (width, height), interpolation=cv2.INTER_LINEAR))
    dark = pixels(cv2.subtract(ground, grey))
    least = max(FAINT, 5 * noise_of(grey))
    mask = pixels(cv2.threshold(dark, least, 255, cv2.THRESH_BINARY)[1])
    boxes = _words(mask, letter_height)
    if len(boxes) < MANY:
        return 0.0, []
    full = max(least, level_at(histogram_of(dark, mask), FULL))
    widths = _widths(pixels(cv2.LUT(dark, _stretched(full))), boxes)
    long = np.repeat(widths, np.maximum(1, boxes[:, 2] // max(1, round(letter_height))))
    quarter, usual, three = np.quantile(long, (0.25, 0.5, 0.75))
    if three - quarter >= EVEN * usual:  # equal where most words are too faint to have strokes
        return 0.0, []
    heavy = np.flatnonzero(widths > HEAVIER * usual)
    found = [
        (float(left), float(top), float(left + wide), float(top + high), float(stroke))
        for (left, top, wide, high), stroke in zip(boxes[heavy].tolist(), widths[heavy].tolist(), strict=True)
    ]
    return float(usual), found


def _words(mask: Pixels, letter: float) -> NDArray[np.int32]:
    """Left, top, width and height of parts of words."""
    reach = max(3, round(CLOSE * letter) | 1)
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((1, reach), np.uint8))
    found = cv2.connectedComponentsWithStats(pixels(closed), connectivity=8)[2]
    stats = np.asarray(found, np.int32)[1:]
    wide, high, area = stats[:, 2], stats[:, 3], stats[:, 4]
    words = (high <= HIGH * letter) & (high >= LOW * letter) & (wide >= LONG * letter)
    return np.asarray(stats[words & (area < SOLID * wide * high)][:, :4])


def _stretched(full: float) -> Pixels:
    """The darkness of each level, from 0 to 120."""
    low, high = SOFT[0] * full, SOFT[1] * full
    return pixels(np.clip((np.arange(256) - low) / (high - low), 0, 1) * 120)


def _widths(dark: Pixels, boxes: NDArray[np.int32]) -> Floats:
    """The width of the strokes in each box; edges on the slant count for their two sides, in all words alike."""
    edges = np.zeros_like(dark)
    edges[:, 1:] = cv2.absdiff(dark[:, 1:], dark[:, :-1])
    edges[1:] += pixels(cv2.absdiff(dark[1:], dark[:-1]))
    totals = [cv2.integral(dark), cv2.integral(edges)]
    height, width = dark.shape
    left, top = np.maximum(boxes[:, 0] - 1, 0), np.maximum(boxes[:, 1] - 1, 0)
    right, bottom = np.minimum(boxes[:, 0] + boxes[:, 2] + 1, width), np.minimum(boxes[:, 1] + boxes[:, 3] + 1, height)
    ink, edge = (total[bottom, right] - total[top, right] - total[bottom, left] + total[top, left] for total in totals)
    return np.asarray(2.0 * ink / np.maximum(edge, 1))
