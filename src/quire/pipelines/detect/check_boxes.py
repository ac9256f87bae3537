"""Check boxes of a page: small drawn squares, and whether there is a mark in them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from quire.core.picture import Picture
from quire.core.types import BBox
from quire.pages.prepare.pixels import Pixels, grey_of, pixels, pixels_of

SMALLEST_IN, LARGEST_IN = 0.1, 0.35  # inches: the side of a check box
FEWEST = 12  # pixels: smaller squares look like letters
SQUARE = 0.87  # the shorter side of the longer one
DRAWN = 0.75  # share of each side that is drawn
CORNER = 0.17  # of the side: where two lines meet; letters are round there
MARKED = 0.04  # share of the inside that is ink, from which on a box is marked
FULL = 0.7  # a square with more ink is a letter, a bullet or a background
RING = 0.6  # share of ink just inside the frame, from which on it is no frame
INSET = 0.22  # of the side: the frame, and what of a mark is near it


@dataclass(frozen=True, slots=True)
class CheckBox:
    """A check box and how much of its inside is ink."""

    bbox: BBox
    is_checked: bool
    ink: float


def find_check_boxes(picture: Picture) -> list[CheckBox]:
    """The check boxes of a page from the top: squares drawn with lines, that no other line goes on from."""
    ink = _ink(grey_of(pixels_of(picture)))
    least, most = max(FEWEST, round(SMALLEST_IN * picture.dpi)), round(LARGEST_IN * picture.dpi)
    straight = _straight(ink, max(6, round(0.8 * least)))
    count, _, stats, _ = cv2.connectedComponentsWithStats(straight, connectivity=8)
    found = []
    for left, top, width, height, _ in stats[1:count].tolist():
        side = max(width, height)
        if not least <= side <= most or min(width, height) < SQUARE * side:
            continue
        if not _is_framed(straight[top : top + height, left : left + width] > 0):
            continue
        part = ink[top : top + height, left : left + width] > 0
        rim = max(2, round(INSET * side))
        inside = part[rim : height - rim, rim : width - rim]
        share = float(inside.mean()) if inside.size else 1.0
        edges = (inside[0], inside[-1], inside[:, 0], inside[:, -1]) if inside.size else ()
        ring = float(np.concatenate(edges).mean()) if edges else 1.0
        if share < FULL and ring < RING:
            corners = (left, top, left + width, top + height)
            found.append(CheckBox(BBox.of_points(corners, picture.size), share >= MARKED, round(share, 3)))
    return sorted(found, key=lambda box: (box.bbox.top, box.bbox.left))


def _ink(grey: Pixels) -> Pixels:
    _, ink = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    return pixels(ink)


def _straight(ink: Pixels, length: int) -> Pixels:
    """The strokes that run straight across or down for at least so many pixels: marks of a pen do not."""
    across = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    down = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((length, 1), np.uint8))
    return pixels(cv2.bitwise_or(across, down))


def _is_framed(part: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> bool:
    """Whether a shape has four sides and corners near its edge: a mark that goes beyond a corner makes it larger."""
    band = max(2, round(0.2 * max(part.shape)))
    sides = part[:band].any(axis=0), part[-band:].any(axis=0), part[:, :band].any(axis=1), part[:, -band:].any(axis=1)
    near = max(2, round(CORNER * max(part.shape)))
    corners = part[:near, :near], part[:near, -near:], part[-near:, :near], part[-near:, -near:]
    return all(float(side.mean()) >= DRAWN for side in sides) and all(corner.any() for corner in corners)
