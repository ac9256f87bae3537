"""Recognised words in bold type: their strokes are heavier than the page's usual ones, for their size."""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.engine import ReadLine
from quire.core.median import median
from quire.core.types import Word
from quire.pages.recognize.seen import Seen, Stroke

BOLD = 1.25  # times the usual width of strokes
BESIDE = 1.14  # times the usual width: the same beside a bold word
CAPITALS = 1.1  # times: the strokes of words in capitals are wider in the same type
COVERED = 0.5  # of the width of a bold word: that of its heavy parts
SHORT = 4  # letters: no shorter word is bold alone
MOSTLY = 0.6  # of the letters of a line: the others are bold as well, however thin they came out
SEVERAL = 0.4  # of the letters of a page: if more are heavy, that is its usual type
BIN = 64  # pixels: heavy parts are looked up by their height on the page


def bold_words(lines: Sequence[ReadLine], seen: Seen) -> set[int]:
    """The words in bold, by `id()`."""
    upright = [line for line in lines if not line.angle and line.words]
    if not seen.stroke or not upright:
        return set()
    usual = median(line.bbox.height for line in upright for _ in line.text)
    found: dict[int, Word] = {}
    parts = _by_height(seen.strokes)
    for line in upright:
        usual_here = seen.stroke * max(1.0, line.bbox.height / usual)
        weights = [_weight(word, parts, seen) / usual_here for word in line.words]
        weights = [w / CAPITALS if word.text.isupper() else w for word, w in zip(line.words, weights, strict=True)]
        heavy = _phrases(line.words, weights)
        letters = sum(len(word.text) for word in heavy)
        if letters > MOSTLY * sum(len(word.text) for word in line.words):
            heavy = list(line.words)
        if letters > SHORT:
            found |= {id(word): word for word in heavy}
    every = sum(len(line.text) for line in upright)
    return set(found) if sum(len(word.text) for word in found.values()) < SEVERAL * every else set()


def _phrases(words: Sequence[Word], weights: Sequence[float]) -> list[Word]:
    """The words that are heavy, and those beside them that are nearly so."""
    heavy = {n for n, weight in enumerate(weights) if weight > BOLD}
    for way in (range(1, len(words)), range(len(words) - 2, -1, -1)):
        for n in way:
            if weights[n] > BESIDE and n - way.step in heavy:
                heavy.add(n)
    return [word for n, word in enumerate(words) if n in heavy]


def _by_height(strokes: Sequence[Stroke]) -> dict[int, list[Stroke]]:
    parts: dict[int, list[Stroke]] = {}
    for stroke in strokes:
        for row in range(int(stroke[1]) // BIN, int(stroke[3]) // BIN + 1):
            parts.setdefault(row, []).append(stroke)
    return parts


def _weight(word: Word, parts: dict[int, list[Stroke]], seen: Seen) -> float:
    """The width of the strokes of a word, 0 if most of it is not heavy."""
    left, top, right, bottom = word.bbox.points(seen.prepared.size)
    middle = (top + bottom) / 2
    across = weighed = 0.0
    for x0, y0, x1, y1, width in parts.get(int(middle) // BIN, ()):
        shared = min(x1, right) - max(x0, left)
        if shared > 0 and y0 < middle < y1:
            across += shared
            weighed += shared * width
    return weighed / across if across > COVERED * (right - left) else 0.0
