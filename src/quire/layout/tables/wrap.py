"""Does a line of a cell go on in the next one, or does the next one begin something new?"""

from __future__ import annotations

from collections.abc import Sequence

from quire.layout.tables.words import Word, is_number

SPACE = 0.25  # of the size
SLACK = 0.6  # of the size: a word that would have fitted by less than this may still have been wrapped


FILLED = 0.4  # of the width: a line that fills less has not been wrapped


def extent(words: Sequence[Word]) -> tuple[float, float]:
    return min(w.left for w in words), max(w.right for w in words)


def goes_on(line: Sequence[Word], following: Sequence[Word], width: float) -> bool:
    """Whether the first word of the following line would not have fitted behind the line, in a cell of this width."""
    left, right = extent(line)
    first = following[0]
    if right - left < FILLED * width:
        return False
    return right - left + SPACE * first.size + first.right - first.left > width - SLACK * first.size


def is_figures(words: Sequence[Word]) -> bool:
    """Whether a line of a cell is a value rather than text."""
    return sum(is_number(w.text) for w in words) * 2 > len(words)
