"""Whether a line of a cell was wrapped into the next one, or the next one begins something new."""

from __future__ import annotations

from collections.abc import Sequence

from quire.pages.geometry.extents import extent
from quire.pages.layout.tables.word_rows import TableWord, is_number

SPACE = 0.25  # of the size
SLACK = 0.6  # of the size: a word that would have fitted by less than this may still have been wrapped


INDENT = 2.2  # of the size: how far the lines after the first may be indented
FILLED = 0.4  # of the width: a line that fills less has not been wrapped


def goes_on(line: Sequence[TableWord], following: Sequence[TableWord], width: float) -> bool:
    """Whether the first word of the following line would not have fitted behind the line, in a cell of this width."""
    left, right = extent(line)
    first = following[0]
    if right - left < FILLED * width or not _in_line(line, following):
        return False
    return right - left + SPACE * first.size + first.right - first.left > width - SLACK * first.size


def _in_line(line: Sequence[TableWord], following: Sequence[TableWord]) -> bool:
    """Whether two lines share a margin or axis, the second perhaps with an indent."""
    (left, right), (start, end) = extent(line), extent(following)
    size = following[0].size
    if -SLACK * size < start - left < INDENT * size:
        return True
    return abs(end - right) < SLACK * size or abs(start + end - left - right) < 2 * SLACK * size


def are_numeric(words: Sequence[TableWord]) -> bool:
    """Whether a line of a cell is a value rather than text."""
    return sum(is_number(w.text) for w in words) * 2 > len(words)
