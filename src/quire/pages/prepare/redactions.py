"""Redactions: filled dark boxes, as opposed to header rows, photographs, barcodes and thick rules."""

from __future__ import annotations

import cv2
import numpy as np

from quire.pages.prepare.pixels import Pixels

Box = tuple[int, int, int, int]

_DARK = 64
_LEAST_SCORE = 0.65
_LEAST_WIDTH, _LEAST_HEIGHT, _LEAST_AREA = 80, 18, 3000  # pixels at 200 dpi
_LEAST_ASPECT = 2.0
_BLOCK_WIDTH = 300  # wide enough to be several lines at once, whatever the aspect
_MOST_OF_PAGE = 0.5


def find_redactions(grey: Pixels, dpi: float) -> list[tuple[Box, float]]:
    """(left, top, right, bottom) in pixels and the score of each, from the top."""
    scale = (dpi if dpi > 0 else 200) / 200
    least_width, least_height = max(12, round(_LEAST_WIDTH * scale)), max(6, round(_LEAST_HEIGHT * scale))
    mask = cv2.threshold(grey, _DARK, 255, cv2.THRESH_BINARY_INV)[1]
    kernel = np.ones((least_height * 3 // 4 | 1, least_width * 3 // 4 | 1), np.uint8)
    solid = cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel)
    count, _, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
    found = []
    for index in range(1, count):
        left, top, width, height, area = (int(value) for value in stats[index])
        if width < least_width or height < least_height or area < _LEAST_AREA * scale * scale:
            continue
        if width < _LEAST_ASPECT * height and width < _BLOCK_WIDTH * scale:
            continue
        if width * height > _MOST_OF_PAGE * grey.size or area < 0.9 * width * height:
            continue
        box = (left, top, left + width, top + height)
        score = _score(grey, box, max(2, round(3 * scale)))
        if score >= _LEAST_SCORE:
            found.append((box, score))
    return sorted(found, key=lambda item: (item[0][1], item[0][0]))


def _score(grey: Pixels, box: Box, rim: int) -> float:
    """The mean of evenness, lack of edges and contrast to the surroundings; 0 when a side has no light beyond it."""
    left, top, right, bottom = box
    height, width = grey.shape
    if left < rim or top < rim or right > width - rim or bottom > height - rim:
        return 0.0  # the black border of a scan
    inner = grey[top + rim : bottom - rim, left + rim : right - rim]
    if inner.size == 0 or float(np.mean(inner > 128)) > 0.004:
        return 0.0  # light writing in it
    evenness = 1 - min(1.0, float(inner.std()) / 32)
    smoothness = 1 - min(1.0, 10 * float(np.mean(cv2.Canny(inner, 60, 120) > 0)))
    level = float(inner.mean())
    beyond = 2 * rim
    sides = (
        grey[max(0, top - beyond) : top - rim, left:right],
        grey[bottom + rim : bottom + beyond, left:right],
        grey[top:bottom, max(0, left - beyond) : left - rim],
        grey[top:bottom, right + rim : right + beyond],
    )
    lit = [float(np.mean(side > level + 80)) if side.size else 0.0 for side in sides]
    if min(lit) < 0.5:
        return 0.0  # part of something larger: a header row, a photograph
    return round((evenness + smoothness + sum(lit) / 4) / 3, 3)
