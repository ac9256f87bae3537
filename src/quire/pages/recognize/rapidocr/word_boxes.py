"""Splits a recognised line into words, with the box of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels
from quire.pages.recognize.rapidocr.ink import ink_of
from quire.pages.recognize.rapidocr.recognition import Glyph, Reading

Box = tuple[float, float, float, float]

# All in heights of the strip.
_INSET = 0.09  # margin of the strip above and below its letters
_MARGIN = 0.08  # around the ink and around the characters
_DOUBT = 0.2  # how far ink may move an edge from the position by the characters: ruled lines and specks are ink too
_LONE = 0.4  # the width of a single character


@dataclass(frozen=True, slots=True)
class StripWord:
    """A word and its place in the strip: left, top, right, bottom in pixels of the strip."""

    text: str
    box: Box
    confidence: float


def words_of(reading: Reading, strip: Pixels) -> list[StripWord]:
    """The words of a strip, from left to right. All are as high as the line, as in print."""
    height, width = strip.shape[:2]
    groups = _groups(reading.glyphs)
    columns = np.asarray(ink_of(strip).any(axis=0))
    words = []
    for group, (low, high) in zip(groups, _ranges(groups, columns), strict=True):
        left, right = _extent(group, columns, (low, high), height)
        box = (max(0.0, left), _INSET * height, min(float(width), right), (1 - _INSET) * height)
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


def _ranges(groups: Sequence[Sequence[Glyph]], columns: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The columns of the ink of each word: split at the widest gap between two words."""
    width = len(columns)
    cuts = [0]
    for before, after in pairwise(groups):
        cuts.append(_widest_blank(columns, round(before[-1].middle * width), round(after[0].middle * width)))
    return list(pairwise([*cuts, width]))


def _widest_blank(columns: NDArray[np.bool_], low: int, high: int) -> int:
    """The middle of the widest gap without ink between two positions."""
    best, at, run = 0, (low + high) // 2, 0
    for x in range(low, min(high + 1, len(columns))):
        run = 0 if columns[x] else run + 1
        if run > best:
            best, at = run, x - run // 2
    return at


def _extent(
    group: Sequence[Glyph], columns: NDArray[np.bool_], between: tuple[int, int], height: int
) -> tuple[float, float]:
    """Left and right end of a word: by the positions of the characters, corrected by the ink."""
    first, last = group[0].middle * len(columns), group[-1].middle * len(columns)
    half = (last - first) / (len(group) - 1) / 2 if len(group) > 1 else _LONE * height / 2
    margin, doubt = _MARGIN * height, _DOUBT * height
    left, right = first - half - margin, last + half + margin
    inked = np.flatnonzero(columns[slice(*between)])
    if len(inked):
        start, end = between[0] + float(inked[0]) - margin, between[0] + float(inked[-1]) + 1 + margin
        left, right = min(max(start, left - doubt), left + doubt), min(max(end, right - doubt), right + doubt)
    return left, max(right, left + 1)
