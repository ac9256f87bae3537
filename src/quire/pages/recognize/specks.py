"""Marks that an engine took for letters: pieces of column rules, and dust."""

from __future__ import annotations

from quire.core.engine import ReadLine
from quire.core.types import Word
from quire.pages.recognize.seen import Seen

STROKES = frozenset("|¦[]()!/\\Il1i'’`´.:;,_-–—=~^")
"""What engines make of a stroke."""
LONG = 3  # times the height of a line: an upright rule that is longer is no letter
NEAR = 0.35  # of the height of a line: how far from the rule its piece may be
DUST = 0.35  # of the height of usual letters: a lower and narrower mark is no letter
UNSURE = 0.6  # confidence


def is_speck(word: Word, line: ReadLine, seen: Seen) -> bool:
    """Whether a word is a piece of an upright rule, or a speck of dust on a line of its own."""
    if len(word.text) > 2 or not STROKES.issuperset(word.text):
        return False
    return _on_rule(word, line, seen) or (len(line.words) == 1 and _is_dust(word, seen))


def _on_rule(word: Word, line: ReadLine, seen: Seen) -> bool:
    width, height = seen.prepared.size
    tall = line.bbox.height * height
    x, y = (word.bbox.left + word.bbox.right) / 2 * width, (word.bbox.top + word.bbox.bottom) / 2 * height
    return any(
        x0 == x1 and y1 - y0 > LONG * tall and y0 <= y <= y1 and abs(x - x0) < NEAR * tall
        for x0, y0, x1, y1, _ in seen.rulings
    )


def _is_dust(word: Word, seen: Seen) -> bool:
    letter = seen.prepared.measures.text_height
    if not letter or word.confidence is None or word.confidence >= UNSURE:
        return False
    width, height = seen.prepared.size
    return word.bbox.width * width < DUST * letter and word.bbox.height * height < DUST * letter
