"""Whether there is anything on a page that an engine could read, or at a place that a person could see."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quire.core.picture import Picture
from quire.core.types import BBox
from quire.pages.prepare.measures import Ink

Floats = NDArray[np.float64]

_MARGIN = 0.035  # of each side: where scans have black borders and punch holes
_MUCH_INK = 0.004  # share of the middle: a picture, a drawing, a stamp
_MANY_PARTS = 400  # more than this is not dust, whatever it is
_SAME = 8  # of 255: shades that no person tells apart


def is_blank(ink: Ink, dpi: float) -> bool:
    """Whether the middle of the page holds nothing but dust: no picture, no rule, no three marks in a row.

    A false "no" costs time, a false "yes" loses text, so anything that may be a line of small type
    counts: three parts of some size, side by side, or one below the other on a page that lies sideways.
    """
    width, height = ink.size
    left, top, wide, high = (values.astype(np.float64) for values in (ink.left, ink.top, ink.width, ink.height))
    inside = (left + wide > width * _MARGIN) & (left < width * (1 - _MARGIN))
    inside &= (top + high > height * _MARGIN) & (top < height * (1 - _MARGIN))
    at_border = (left <= 1) | (top <= 1) | (left + wide >= width - 1) | (top + high >= height - 1)
    least = max(4.0, dpi / 45)  # a small letter of 6 point type is 3 points high
    marks = inside & ~at_border & (np.maximum(wide, high) >= least)
    count = int(np.count_nonzero(marks))
    if count == 0:
        return True
    if count > _MANY_PARTS or float(ink.area[marks].sum()) > _MUCH_INK * width * height:
        return False
    long = np.maximum(wide, high)[marks] >= dpi  # an inch: a rule, a signature, a line of joined letters
    if long.any():
        return False
    left, top, wide, high = left[marks], top[marks], wide[marks], high[marks]
    joined = np.where(high >= least, np.maximum(1, np.rint(wide / high)), 1)  # part of a punch hole is high, not wide
    if _three_in_a_row(left, top, wide, high, joined):
        return False
    return not _three_in_a_row(top, left, high, wide, np.ones_like(joined))


def is_one_colour(picture: Picture, box: BBox) -> bool:
    """Whether a person sees nothing in a box (fractions of the picture): no ink, or ink of the colour of its ground."""
    pixels, depth = picture.crop(box).pixels, len(picture.mode)
    channels = (pixels[at::depth] for at in range(depth))
    return all(max(channel) - min(channel) <= _SAME for channel in channels)


def _three_in_a_row(left: Floats, top: Floats, wide: Floats, high: Floats, letters: Floats) -> bool:
    """Whether three letters are side by side, near and of similar size; a part may be several, joined."""
    right, bottom = left + wide, top + high
    gap = left[None, :] - right[:, None]
    taller, lower = np.maximum(high[None, :], high[:, None]), np.minimum(high[None, :], high[:, None])
    overlap = np.minimum(bottom[None, :], bottom[:, None]) - np.maximum(top[None, :], top[:, None])
    follows = (gap > -0.5 * taller) & (gap < 1.5 * taller) & (left[None, :] > left[:, None])
    follows &= (overlap > 0.3 * lower) & (taller < 4 * lower)
    after = np.where(follows, letters[None, :], 0).max(axis=1)
    before = np.where(follows, letters[:, None], 0).max(axis=0)
    return bool((before + letters + after >= 3).any())
