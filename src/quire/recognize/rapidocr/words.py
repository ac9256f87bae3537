"""Words of a line that was read: where one ends and the next begins, and how far the ink of each reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from quire.prepare.pixels import Pixels
from quire.recognize.rapidocr.ink import ink_of
from quire.recognize.rapidocr.recognition import Glyph, Reading

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class StripWord:
    """A word and its place in the strip: left, top, right, bottom in pixels of the strip."""

    text: str
    box: Box
    confidence: float


def words_of(reading: Reading, strip: Pixels) -> list[StripWord]:
    """The words of a strip, from left to right."""
    height, width = strip.shape[:2]
    groups = _groups(reading.glyphs)
    if not groups:
        return []
    ink = ink_of(strip)
    columns = np.asarray(ink.any(axis=0))
    edges = _edges(groups, columns, width)
    words = []
    for group, (left, right) in zip(groups, edges, strict=True):
        box = _shrink(ink, left, right) or (float(left), 0.0, float(right), float(height))
        confidence = sum(glyph.confidence for glyph in group) / len(group)
        words.append(StripWord("".join(glyph.text for glyph in group), box, confidence))
    return words


def _groups(glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    groups: list[list[Glyph]] = [[]]
    for glyph in glyphs:
        if glyph.text.isspace():
            groups.append([])
        else:
            groups[-1].append(glyph)
    return [group for group in groups if group]


def _edges(groups: Sequence[Sequence[Glyph]], columns: NDArray[np.bool_], width: int) -> list[tuple[int, int]]:
    """Where each word begins and ends: cut in the widest blank between the last character and the next word's first."""
    cuts = [0]
    for before, after in pairwise(groups):
        low, high = _middle(before[-1]) * width, _middle(after[0]) * width
        cuts.append(_widest_blank(columns, round(low), round(high)))
    cuts.append(width)
    return list(pairwise(cuts))


def _middle(glyph: Glyph) -> float:
    return (glyph.start + glyph.end) / 2


def _widest_blank(columns: NDArray[np.bool_], low: int, high: int) -> int:
    """The middle of the longest run of columns without ink between two places."""
    best, at = 0, (low + high) // 2
    run = 0
    for x in range(low, high + 1):
        run = run + 1 if x < len(columns) and not columns[x] else 0
        if run > best:
            best, at = run, x - run // 2
    return at


def _shrink(ink: NDArray[np.bool_], left: int, right: int) -> Box | None:
    part = ink[:, left:right]
    across, down = np.flatnonzero(part.any(axis=0)), np.flatnonzero(part.any(axis=1))
    if not len(across):
        return None
    return float(left + across[0]), float(down[0]), float(left + across[-1] + 1), float(down[-1] + 1)
