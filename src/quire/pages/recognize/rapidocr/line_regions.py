"""Lines inside regions of a page: regions of one line are used as they are, the others share one detector run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels
from quire.pages.recognize.rapidocr.detection import Quad
from quire.pages.recognize.rapidocr.ink import ink_of
from quire.pages.recognize.rapidocr.word_boxes import Box

Detect = Callable[[Pixels], list[Quad]]

_RULE = 0.8  # a row or column at the edge with this much ink is a ruled line, not text
_RIM = 0.15  # how far the edge reaches into the region
_GAP = 0.12  # rows of ink closer than this part of their height belong to one line
_MARGIN = 0.2  # of the height of the ink: the margin of a strip
_INSIDE = 0.5  # a line belongs to a region that contains this much of its height


def quads_of_regions(page: Pixels, boxes: Sequence[Box], detect: Detect) -> list[list[Quad]]:
    """The lines of each box (pixels of the page), from top to bottom."""
    whole = [_whole(box, page) for box in boxes]
    found: list[list[Quad] | None] = [_only_line(page, box) for box in whole]
    searched = [box for box, quads in zip(whole, found, strict=True) if quads is None]
    lines = _search(page, searched, detect) if searched else []
    return [
        quads if quads is not None else [part for line in lines if (part := _inside(line, box))]
        for quads, box in zip(found, whole, strict=True)
    ]


def _whole(box: Box, page: Pixels) -> tuple[int, int, int, int]:
    height, width = page.shape[:2]
    left, top = min(max(0, round(box[0])), width - 1), min(max(0, round(box[1])), height - 1)
    return left, top, min(max(left + 1, round(box[2])), width), min(max(top + 1, round(box[3])), height)


def _only_line(page: Pixels, box: tuple[int, int, int, int]) -> list[Quad] | None:
    """The one line of a region, nothing for a blank region; None when it needs the detector."""
    left, top, right, bottom = box
    ink = _without_rules(ink_of(page[top:bottom, left:right]))
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return []
    first, last = int(rows[0]), int(rows[-1]) + 1
    tall, wide = last - first, int(columns[-1] - columns[0]) + 1
    if tall > wide or int(np.diff(rows).max(initial=1)) > max(2.0, tall * _GAP):
        return None
    if tall > 0.5 * (right - left) or ink[first:last].mean(axis=1).min() == 0.0:
        return None
    margin = max(2, round(tall * _MARGIN))
    x0, x1 = max(left, left + int(columns[0]) - margin), min(right, left + int(columns[-1]) + 1 + margin)
    y0, y1 = max(top, top + first - margin), min(bottom, top + last + margin)
    return [Quad(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32), 1.0)]


def _without_rules(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without the ruled lines of a cell, which a region often includes at its edges."""
    kept = ink.copy()
    height, width = ink.shape
    rim_y, rim_x = max(2, round(height * _RIM)), max(2, round(min(width, height) * _RIM))
    full_rows, full_columns = ink.mean(axis=1) > _RULE, ink.mean(axis=0) > _RULE
    full_rows[rim_y : height - rim_y] = False
    full_columns[rim_x : width - rim_x] = False
    kept[full_rows] = False
    kept[:, full_columns] = False
    return kept


def _search(page: Pixels, boxes: Sequence[tuple[int, int, int, int]], detect: Detect) -> list[Quad]:
    """Runs the detector once, on the smallest crop of the page with all boxes, blank between them."""
    left, top = min(b[0] for b in boxes), min(b[1] for b in boxes)
    right, bottom = max(b[2] for b in boxes), max(b[3] for b in boxes)
    part = page[top:bottom, left:right]
    shown = np.empty_like(part)
    shown[:] = np.median(part.reshape(-1, part.shape[2])[::97], axis=0)
    for x0, y0, x1, y1 in boxes:
        shown[y0 - top : y1 - top, x0 - left : x1 - left] = page[y0:y1, x0:x1]
    shift = np.array([left, top], np.float32)
    return [Quad(quad.corners + shift, quad.score) for quad in detect(shown)]


def _inside(quad: Quad, box: tuple[int, int, int, int]) -> Quad | None:
    """The part of a line that lies in a box; a line over two cells is cut at their border."""
    low, high = np.array(box[:2], np.float32), np.array(box[2:], np.float32)
    cut = np.clip(quad.corners, low, high)
    before = quad.corners.max(axis=0) - quad.corners.min(axis=0)
    after = cut.max(axis=0) - cut.min(axis=0)
    if after[1] < _INSIDE * before[1] or after[0] < min(float(before[0]), _INSIDE * float(before[1])):
        return None
    return Quad(cut, quad.score)
