"""Preparation of regions: pure functions from pictures to pictures."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from quire.core.errors import UsageError
from quire.core.picture import Picture
from quire.pages.prepare.pixels import grey_of, picture_of, pixels, pixels_of

_CLEARANCE = 6


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice of a picture over its whole width, and the row of the picture at which it begins."""

    picture: Picture
    top: int


def binarize(picture: Picture, *, window: int = 0) -> Picture:
    """Binarise: black where darker than most of the surroundings. `window` is their side in pixels, 0: by dpi."""
    grey = grey_of(pixels_of(picture))
    side = (window or max(15, round(picture.dpi / 5))) | 1
    around = cv2.boxFilter(grey, cv2.CV_32F, (side, side), borderType=cv2.BORDER_REPLICATE)
    square = cv2.sqrBoxFilter(grey, cv2.CV_32F, (side, side), borderType=cv2.BORDER_REPLICATE)
    deviation = np.sqrt(np.maximum(square - around * around, 0))
    threshold = around * (1 + 0.25 * (deviation / 128 - 1))  # Sauvola
    return picture_of(np.where(grey > threshold, np.uint8(255), np.uint8(0)), picture.dpi)


def slice_horizontal(picture: Picture, *, height: int, overlap: int = 0) -> list[Slice]:
    """The picture cut into slices of at most `height` rows, each repeating the last `overlap` rows of the one above.

    A cut is moved up to a fifth of the height upwards, to the row with the least ink, so that it hits no line.
    """
    if height < 1 or not 0 <= overlap < height:
        raise UsageError(f"slices of {height} rows cannot overlap by {overlap}")
    found = pixels_of(picture)
    ink = (255 - grey_of(found).astype(np.float32)).sum(axis=1)
    around = np.convolve(ink, np.ones(_CLEARANCE), "same")  # a cut needs some empty rows on both sides
    slices: list[Slice] = []
    top = 0
    while True:
        bottom = top + height
        if bottom >= picture.height:
            return [*slices, Slice(picture_of(found[top:], picture.dpi), top)]
        earliest = max(top + overlap + 1, bottom - height // 5)
        bottom -= int(np.argmin(around[earliest : bottom + 1][::-1]))
        slices.append(Slice(picture_of(found[top:bottom], picture.dpi), top))
        top = bottom - overlap


def pad(picture: Picture, *, margin: int, level: int = 255) -> Picture:
    """The picture with a margin of one level on each side; engines misread letters at the very edge."""
    value = (float(level),) * 3
    edges = (margin,) * 4
    padded = cv2.copyMakeBorder(pixels_of(picture), *edges, cv2.BORDER_CONSTANT, value=value)
    return picture_of(pixels(padded), picture.dpi)
