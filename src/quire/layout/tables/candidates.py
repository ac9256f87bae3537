"""Where on a page tables may be: a cheap look at its lines and rules, so that most pages cost nothing more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from quire.layout.lines import Line
from quire.layout.tables.strokes import Rule

SHORT = 45  # letters: a row of several lines that are all longer is prose in columns
NEAR = 3.5  # of the size: candidate rows nearer than this support each other
ABOVE = 8.0  # of the size: how far above its rows a table may begin
BELOW = 6.0  # and how far below them it may end
WIDE = 60.0  # points: shorter rules bound no table
SAME_ROW = 0.3  # of the size
FIGURES = re.compile(r"\d\S* +[^\sa-zA-Z]?\d\S*(?: +[^\sa-zA-Z]?\d|$)")

Window = tuple[float, float]


def find_windows(lines: Sequence[Line], across: Sequence[Rule]) -> list[Window]:
    """Stretches of y, sorted and apart, that hold rows with several pieces or text between rules."""
    rows = _rows(lines)
    windows = []
    candidates = [row for row in rows if _may_be_row(row)]
    for a, b in pairwise(candidates):
        size = max(a[0].size, b[0].size)
        if b[0].top - a[0].bottom <= NEAR * size:
            windows.append((a[0].top - ABOVE * size, b[0].bottom + BELOW * size))
    wide = [rule for rule in across if rule.length > WIDE]
    for upper, lower in pairwise(wide):
        if upper.start < lower.end and lower.start < upper.end and lower.at - upper.at > 5:
            inside = [row for row in rows if upper.at < row[0].middle < lower.at]
            prose = sum(1 for row in inside if min(len(line.text) for line in row) > SHORT)
            if inside and 2 * prose <= len(inside):
                windows.append((upper.at - 20, lower.at + 20))
    return _joined(windows)


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    rows: list[list[Line]] = []
    for line in sorted((line for line in lines if not line.angle), key=lambda l: l.baseline):
        if rows and line.baseline - rows[-1][0].baseline <= SAME_ROW * max(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _may_be_row(row: list[Line]) -> bool:
    if len(row) > 1:
        return min(len(line.text) for line in row) <= SHORT
    return bool(FIGURES.search(row[0].text))


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
    return [line for line in lines if any(top <= line.middle <= bottom for top, bottom in windows)]
