"""Repairs lines that the file wrote as one though they are two, or as two though they are one.

Columns written across produce lines that cross the gutter; a drop cap, the number of an equation and the words of a
line of few words, which is stretched to the width of its column, are separate from the line they belong to.
"""

from __future__ import annotations

from itertools import pairwise

from quire.core.median import median
from quire.core.pagetext import PageText
from quire.pages.layout.lines import Line, words_of
from quire.pages.layout.patterns import is_equation_number

GUTTER = 0.95  # of the size: the minimum width of the gap between columns
GUTTER_LINES = 5  # this many lines must have it
CROSSING = 0.15  # of them: the share of lines that may cross it
STRETCHED = 4  # sizes: how far apart the words of a stretched line may stand
CAP_SIZE = 1.7  # of the usual size: a larger single letter may be a drop cap


def mended(page: PageText, lines: list[Line]) -> list[Line]:
    """The upright lines of a page, split at gutters and joined with their detached parts."""
    return _with_numbers(page, _with_caps(page, _stretched(page, _split_at_gutters(page, lines))))


def _split_at_gutters(page: PageText, lines: list[Line]) -> list[Line]:
    wide = [line for line in lines if line.gap > GUTTER * line.size]
    if len(wide) < GUTTER_LINES:
        return lines
    gaps = [(*gap, line) for line in wide for gap in _gaps(page, line)]
    at = _gutter(gaps, lines)
    if at is None:
        return lines
    cut = {id(line) for left, right, line in gaps if left <= at <= right}
    done: list[Line] = []
    for line in lines:
        if id(line) in cut:
            done += [Line(page, runs, line.tag) for runs in _sides(page, line, at)]
        else:
            done.append(line)
    return done


def _gaps(page: PageText, line: Line) -> list[tuple[float, float]]:
    boxes, least = page.boxes, GUTTER * line.size
    ends = [(boxes[4 * a + 2], boxes[4 * b]) for a, b in pairwise(line.runs)]
    return [(left, right) for left, right in ends if right - left > least]


def _gutter(gaps: list[tuple[float, float, Line]], lines: list[Line]) -> float | None:
    """An x that many wide gaps share, with lines of text on both sides, and that few other lines cross."""
    ends = sorted([(left, 1) for left, _, _ in gaps] + [(right, -1) for _, right, _ in gaps])
    best, shared, place = 0, 0, 0.0
    for (x, change), (following, _) in pairwise(ends):
        shared += change
        if shared > best:
            best, place = shared, (x + following) / 2
    if best < GUTTER_LINES:
        return None
    cut = [line for a, b, line in gaps if a <= place <= b]
    top, bottom = min(line.top for line in cut), max(line.bottom for line in cut)
    own = {id(line) for line in cut}
    crossing = [
        line
        for line in lines
        if id(line) not in own and top <= line.middle <= bottom and line.left < place < line.right
    ]
    prose = sum(1 for line in cut if len(line.text) > 45)
    return place if len(crossing) <= CROSSING * len(cut) and 2 * prose > len(cut) else None


def _sides(page: PageText, line: Line, at: float) -> list[list[int]]:
    words = words_of(page, line.runs)
    before = [run for word in words if page.boxes[4 * word[0]] < at for run in word]
    behind = [run for word in words if page.boxes[4 * word[0]] >= at for run in word]
    return [side for side in (before, behind) if side]


def _stretched(page: PageText, lines: list[Line]) -> list[Line]:
    """Join the words of a justified line that stand far apart, between two lines that fill the same width."""
    done: list[Line] = []
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and _goes_on(lines[end - 1], lines[end]):
            end += 1
        pieces = lines[at:end]
        if end - at > 1 and done and end < len(lines) and all(_fills(line, pieces) for line in (done[-1], lines[end])):
            pieces = [Line(page, [run for piece in pieces for run in piece.runs], pieces[0].tag)]
        done += pieces
        at = end
    return done


def _goes_on(line: Line, right: Line) -> bool:
    """Whether a piece is written next, further right on the same baseline and in the same type."""
    gap = right.left - line.right
    same = line.font == right.font and line.size == right.size and line.baseline == right.baseline
    return same and 0 < gap < STRETCHED * line.size and right.runs[0] == line.runs[-1] + 1


def _fills(line: Line, pieces: list[Line]) -> bool:
    """Whether a line directly above or below the pieces reaches from the first to the last of them."""
    first, size = pieces[0], pieces[0].size
    near = abs(line.baseline - first.baseline) < 1.8 * size and line.size == size
    wide = abs(line.left - first.left) < 0.2 * size and abs(line.right - pieces[-1].right) < 0.2 * size
    return near and wide and line.gap < size


def _with_caps(page: PageText, lines: list[Line]) -> list[Line]:
    """Join a large first letter (drop cap) with the first line beside it."""
    for line in lines:
        _with_cap(page, line)
    single = [line for line in lines if len(line.text) == 1 and line.text.isupper()]
    if not single:
        return lines
    usual = median(line.size for line in lines)
    for cap in single:
        if cap.size < CAP_SIZE * usual:
            continue
        beside = [
            line
            for line in lines
            if line is not cap
            and 0 <= line.left - cap.right + 2 < 1.5 * line.size
            and cap.top - 0.5 * line.size < line.middle < cap.bottom
        ]
        if len(beside) < 2:
            continue
        first = min(beside, key=lambda line: line.top)
        joined = Line(page, cap.runs + first.runs)
        joined.text = cap.text + first.text
        joined.cap, joined.tag = cap.bottom, first.tag
        joined.size, joined.baseline, joined.top, joined.bottom = first.size, first.baseline, first.top, first.bottom
        lines = [joined if line is first else line for line in lines if line is not cap]
    return lines


def _with_cap(page: PageText, line: Line) -> None:
    """For a drop cap that the file wrote with its line, measure the line without it."""
    first = line.runs[0]
    letter = page.texts[first]
    if len(line.runs) < 2 or len(letter) != 1 or not letter.isupper() or page.sizes[first] < CAP_SIZE * line.size:
        return
    rest = Line(page, line.runs[1:])
    line.text, line.cap = letter + rest.text, page.boxes[4 * first + 3]
    line.top, line.bottom, line.baseline = rest.top, rest.bottom, rest.baseline


def _with_numbers(page: PageText, lines: list[Line]) -> list[Line]:
    """Join the number of an equation with the equation at the same height."""
    numbers = [line for line in lines if is_equation_number(line.text)]
    for number in numbers:
        left = [
            line
            for line in lines
            if line.right < number.left
            and abs(line.baseline - number.baseline) < 0.5 * number.size
            and (line.signs > 0 or "=" in line.text)
        ]
        if left:
            equation = max(left, key=lambda line: line.right)
            joined = Line(page, equation.runs + number.runs, equation.tag)
            lines = [joined if line is equation else line for line in lines if line is not number]
    return lines
