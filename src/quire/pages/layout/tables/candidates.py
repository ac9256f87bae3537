"""Windows of a page in which tables may be: a cheap check of lines and rules, so that most pages need no search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from quire.pages.geometry.rows import baseline_rows, grouped
from quire.pages.layout.lines import Line
from quire.pages.layout.tables.strokes import Rule
from quire.pages.layout.tables.word_rows import SAME_ROW

SHORT = 45  # letters: a row of several lines that are all longer is prose in columns
NEAR = 3.5  # of the size: candidate rows nearer than this support each other
LEAST = 3  # rows of an unruled table
ABOVE = 8.0  # of the size: how far above its rows a table may begin
BELOW = 6.0  # and how far below them it may end
WIDE = 60.0  # points: shorter rules do not bound a table
LONG_CELL = 16.0  # of the size: rows with pieces below each other may be this far apart, with lines of one cell between
SAME_LEFT = 2.0  # points
NUMERIC = re.compile(r"(?<!\S)[^\s\d]*\d\S* +[^\sa-zA-Z]?\d\S*(?: +[^\sa-zA-Z]?\d|$)")

Window = tuple[float, float]


def find_windows(lines: Sequence[Line], across: Sequence[Rule], gutters: Sequence[float]) -> list[Window]:
    """Windows of y, sorted and disjoint, with rows of several pieces or text between rules.

    Rows are searched in each text column; the gutters are those between them.
    """
    upright = [line for line in lines if not line.angle]
    rows = baseline_rows(upright, SAME_ROW)
    windows = []
    for column in range(len(gutters) + 1):
        if gutters:
            part = [line for line in upright if sum([x < (line.left + line.right) / 2 for x in gutters]) == column]
            windows += _of_rows(baseline_rows(part, SAME_ROW), across)
        else:
            windows += _of_rows(rows, across)
    wide = [rule for rule in across if rule.length > WIDE]
    for upper, lower in pairwise(wide):
        if upper.start < lower.end and lower.start < upper.end and lower.at - upper.at > 5:
            inside = [row for row in rows if upper.at < row[0].middle < lower.at]
            prose = sum(1 for row in inside if min(len(line.text) for line in row) > SHORT)
            if inside and 2 * prose <= len(inside):
                windows.append((upper.at - 20, lower.at + 20))
    return _joined(windows)


def _of_rows(rows: list[list[Line]], across: Sequence[Rule]) -> list[Window]:
    """Windows with several rows of several pieces."""
    windows = []
    for cluster in grouped([row for row in rows if _may_be_row(row)], _are_near):
        first, last = cluster[0][0], cluster[-1][0]
        below = LONG_CELL if len(cluster[-1]) > 2 else BELOW
        top, bottom = first.top - ABOVE * first.size, last.bottom + below * last.size
        if len(cluster) >= LEAST or (len(cluster) > 1 and any(top < rule.at < bottom for rule in across)):
            windows.append((top, bottom))
    return windows


def _are_near(cluster: list[list[Line]], row: list[Line]) -> bool:
    gap = row[0].top - cluster[-1][0].bottom
    return gap <= (LONG_CELL if _aligned(cluster[-1], row) else NEAR) * row[0].size


def _aligned(above: list[Line], row: list[Line]) -> bool:
    """Whether three pieces of two rows are below each other, by their left, their right or their middle."""
    if min(len(above), len(row)) < 3:
        return False
    edges = [(a.left, a.right) for a in above]
    return sum(_is_below(b, edges) for b in row) >= 3


def _is_below(line: Line, edges: Sequence[tuple[float, float]]) -> bool:
    for a, b in edges:
        left, right = line.left - a, line.right - b
        if abs(left) < SAME_LEFT or abs(right) < SAME_LEFT or abs(left + right) / 2 < SAME_LEFT:
            return True
    return False


def _may_be_row(row: list[Line]) -> bool:
    if len(row) > 1:
        return min(len(line.text) for line in row) <= SHORT
    return bool(NUMERIC.search(row[0].text))


def _joined(windows: list[Window]) -> list[Window]:
    joined: list[Window] = []
    for top, bottom in sorted(windows):
        if joined and top <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], bottom))
        else:
            joined.append((top, bottom))
    return joined


def within(windows: Sequence[Window], lines: Sequence[Line]) -> list[Line]:
    """The lines in the windows."""
    found = []
    for line in lines:
        middle = line.middle
        for top, bottom in windows:
            if top <= middle <= bottom:
                found.append(line)
                break
    return found
