"""Parts of formulas that belong together: fractions, limits, roots and the line that contains them.

Such parts overlap vertically and form no clean rows or columns. They are grouped and ordered as a whole;
inside the group the order of the file is the reading order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from quire.pages.geometry.extents import box_of
from quire.pages.geometry.rows import connected
from quire.pages.layout.lines import Line

FRAGMENT = 14  # characters: a shorter line with formula symbols is part of a formula
BESIDE = 0.7  # of the size: the horizontal gap between parts of a row
STACKED = 0.3  # of the size: the vertical gap between stacked parts


class FormulaCluster:
    """Lines that touch each other and are read in the order of the file."""

    __slots__ = ("bottom", "left", "lines", "right", "top")

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.left, self.top, self.right, self.bottom = box_of(lines)


def cluster_formulas(lines: Sequence[Line]) -> list[Line | FormulaCluster]:
    """The lines, with those that make up one formula grouped; `lines` come in the order of the file."""
    fragments = [i for i, line in enumerate(lines) if _is_fragment(line)]
    if not any(lines[i].signs for i in fragments):
        return list(lines)
    touching: list[tuple[int, int]] = []
    by_top = sorted(range(len(lines)), key=lambda i: lines[i].top)
    tops = [lines[i].top for i in by_top]
    tallest = max(line.height for line in lines)
    for fragment in fragments:
        line = lines[fragment]
        reach = STACKED * line.size + tallest
        start = bisect_left(tops, line.top - reach)
        for position in range(start, len(by_top)):
            other = by_top[position]
            if tops[position] > line.bottom + STACKED * line.size:
                break
            if other != fragment and _touch(line, lines[other]):
                touching.append((fragment, other))
    parts = [[lines[i] for i in group] for group in connected(len(lines), touching)]
    return [part[0] if len(part) == 1 else FormulaCluster(part) for part in parts]


def _is_fragment(line: Line) -> bool:
    return len(line.text) <= 3 or (line.signs > 0 and len(line.text) <= FRAGMENT) or line.signs > 0.6


def _touch(a: Line, b: Line) -> bool:
    if not (a.signs or b.signs):
        return False
    size = max(a.size, b.size)
    beside = max(a.left, b.left) - min(a.right, b.right)
    above = max(a.top, b.top) - min(a.bottom, b.bottom)
    if beside > 0:  # side by side: at about the same height
        return beside < BESIDE * size and above < -0.3 * min(a.height, b.height)
    return above < STACKED * min(a.size, b.size) and ((_is_fragment(a) and _is_fragment(b)) or above < 0)
