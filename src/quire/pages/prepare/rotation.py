"""Orientation and deskewing: the rotation of a page by quarter turns, and its skew of a few degrees."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.orientation import page_turn
from quire.pages.prepare.pixels import Pixels, pixels

_SURE = 0.85
_GUESS = 0.4  # a vote below this comes from an empty area
_MAJORITY = 0.6
_FEW_LETTERS = 10  # the model says nothing about a page with fewer
_STRAY = 0.01  # of the ink at each edge may be specks and the border of a scan
_PAPER = 0.05  # of the written part: paper around it

_WORKING_SIDE = 1000
_MOST_DEGREES = 15.0
_MOST_POINTS = 12_000
_BETTER = 1.08  # how much sharper the lines have to get

_TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


def turn_of(found: Pixels, ink: Pixels, letters: int) -> tuple[int, float]:
    """Degrees clockwise (0, 90, 180, 270) that make the page upright, 0 unless that is certain; and the confidence.

    `ink` is the mask of what is written: the model looks at that part of the page, because it calls white paper
    upright. A page that seems upright is accepted at once. Any other is checked again in three places, since the model
    classifies some pages of tables, or in scripts that it does not know, as upside-down.
    """
    if letters < _FEW_LETTERS:
        return 0, 0.0
    found = _written_part(found, ink)
    votes = [page_turn(found)]
    if votes[0][0] == 0 and votes[0][1] >= _SURE:
        return votes[0]
    votes += [page_turn(part) for part in _places(found)]
    weight = {turn: sum(v for t, v in votes if t == turn and v >= _GUESS) for turn in (0, 90, 180, 270)}
    best = max(weight, key=lambda turn: weight[turn])
    share = weight[best] / max(sum(weight.values()), 1e-9)
    agreeing = sum(turn == best and vote >= _GUESS for turn, vote in votes)
    return (best, share) if share >= _MAJORITY and agreeing >= 2 else (0, share)


def _written_part(found: Pixels, ink: Pixels) -> Pixels:
    """The part of a page with nearly all of its ink, with some paper around it; at most twice as long as wide."""
    spans = []
    for axis in (1, 0):
        written = np.cumsum(ink.astype(bool).sum(axis=axis, dtype=np.int64))
        first, end = np.searchsorted(written, (_STRAY * written[-1], (1 - _STRAY) * written[-1]))
        margin = _PAPER * (end - first) + 8
        spans.append((first - margin, end + margin))
    least = max(end - first for first, end in spans) / 2
    (top, bottom), (left, right) = (
        (first - max(0.0, least - (end - first)) / 2, end + max(0.0, least - (end - first)) / 2) for first, end in spans
    )
    return found[max(0, int(top)) : int(bottom) + 1, max(0, int(left)) : int(right) + 1]


def _places(found: Pixels) -> list[Pixels]:
    """Three squares on the middle of the longer side, each more than half as wide as the shorter one."""
    height, width = found.shape[:2]
    side = max(1, int(min(height, width) * 0.6))
    corners = [(int(part * (height - side)), (width - side) // 2) for part in (0.15, 0.5, 0.85)]
    if width > height:
        corners = [((height - side) // 2, int(part * (width - side))) for part in (0.15, 0.5, 0.85)]
    return [found[top : top + side, left : left + side] for top, left in corners]


def turned(found: Pixels, turn: int) -> Pixels:
    return pixels(cv2.rotate(found, _TURNS[turn])) if turn else found


def skew_of(mask: Pixels, *, least: float = 0.2) -> float:
    """Degrees clockwise that make the lines of an upright page horizontal, 0 unless they clearly get sharper.

    Lines are horizontal when the lower edges of the ink fall into few rows (Postl, Baird): the score of an angle is the
    sum of the squared counts. Rules of tables count like lines of text.
    """
    xs, ys = _lower_edges(mask)
    if len(xs) < 60:
        return 0.0
    coarse = np.arange(-_MOST_DEGREES, _MOST_DEGREES + 0.01, 0.5)
    scores = _scores(xs, ys, coarse)
    best = float(coarse[int(np.argmax(scores))])
    for step in (0.1, 0.04):
        near = best + step * np.arange(-7.0, 7.5, dtype=np.float64)
        sharp = _scores(xs, ys, near)
        weights = np.maximum(sharp - 0.5 * (sharp.max() + sharp.min()), 0) ** 2 + 1e-9  # the peak is flat and ragged
        best = float(weights @ near / weights.sum())
    level, reached = _scores(xs, ys, np.array([0.0, best]))
    if not least <= abs(best) <= _MOST_DEGREES or reached < _BETTER * level:
        return 0.0
    if reached < 1.25 * float(np.median(scores)):  # no lines at any angle: a picture, a drawing
        return 0.0
    return round(-best, 2)


def straightened(found: Pixels, degrees: float) -> Pixels:
    """Rotate clockwise about the centre on a white canvas large enough to hold all of it."""
    if not degrees:
        return found
    height, width = found.shape[:2]
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    wide = math.ceil(width * cosine + height * abs(sine))
    high = math.ceil(width * abs(sine) + height * cosine)
    shift_x = (wide - 1) / 2 - ((width - 1) * cosine - (height - 1) * sine) / 2
    shift_y = (high - 1) / 2 - ((width - 1) * sine + (height - 1) * cosine) / 2
    matrix = np.array([[cosine, -sine, shift_x], [sine, cosine, shift_y]])
    white = (255.0,) * 3
    return pixels(cv2.warpAffine(found, matrix, (wide, high), flags=cv2.INTER_CUBIC, borderValue=white))


def _lower_edges(mask: Pixels) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The lower edges of ink on a small copy, without the margin in which scans have black borders."""
    scale = min(1.0, _WORKING_SIDE / max(mask.shape))
    small = pixels(cv2.resize(mask, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)) > 96
    margin_y, margin_x = (max(2, side // 40) for side in small.shape)
    edges = small[:-1] & ~small[1:]
    inner = edges[margin_y:-margin_y, margin_x:-margin_x]
    ys, xs = np.nonzero(inner)
    every = -(-len(xs) // _MOST_POINTS) or 1
    middle = inner.shape[1] / 2
    return xs[::every].astype(np.float32) - np.float32(middle), ys[::every].astype(np.float32)


def _scores(xs: NDArray[np.float32], ys: NDArray[np.float32], degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each angle by which lines may slope down to the right: how few rows the points fall into along it."""
    found = np.empty(len(degrees))
    for index, angle in enumerate(degrees):
        rows = ys - xs * np.float32(math.tan(math.radians(angle)))
        rows -= rows.min()
        counts = np.bincount(rows.astype(np.int32))
        found[index] = float(counts @ counts)
    return found
