"""Finds the text columns of a page, so that rows are not read across them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from quire.pages.geometry.extents import extent
from quire.pages.layout.lines import Line
from quire.pages.layout.tables.strokes import Rules
from quire.pages.layout.tables.word_rows import Row, TableWord, add_row, count_words, is_title_line

PROSE_WORDS = 4  # a piece with fewer words is not a line of prose
PROSE_WIDTH = 80.0  # points
LEAST = 6  # lines of prose that make a column
FEW = 4  # lines of prose that show a page to have columns at all
MIDDLE = 0.06  # of the width of the text: how far the gutter between two columns may be from the middle
STRIP = 7.0  # points: the least width of that gutter
CROSSING = 0.06  # of the rows: those that may run across it
SAME_LEFT = 6.0  # points
TIGHT = 0.8  # of the size: words nearer than this on both sides of a gutter run across it
SAME_EXTENT = 10.0  # points: rules with ends that differ by less bound one table

ALIKE = 4  # pieces of a row of a table that continues over text columns
INDENT = 2.5  # of the size: how far lines of a cell begin behind its first
REACH = 5.0  # of the size: how far apart such rows are

Zone = list[Row | None]


def find_zones(rows: list[Row], rules: Rules, gutters: list[float]) -> list[Zone]:
    """Rows of the whole width and of each text column; None marks an interruption by something else."""
    if not gutters:
        return [list(rows)]
    held = _held(rows, rules, gutters)
    full: Zone = []
    columns: list[Zone] = [[] for _ in range(len(gutters) + 1)]
    whole = _with_alike(rows, [any(top < row.middle < bottom for top, bottom in held) for row in rows])
    for row, kept in zip(rows, whole, strict=True):
        parts = _parts(row, gutters)
        if kept or not parts:
            full.append(row)
            for zone in columns:
                zone.append(None)
            continue
        full.append(None)
        for zone, part in zip(columns, parts, strict=True):
            if part:
                add_row(zone, Row(part))
    return [full, *columns]


def _with_alike(rows: Sequence[Row], held: list[bool]) -> list[bool]:
    """Rows of a table over several text columns: those held, and those near them with pieces in the same places."""
    order = range(len(rows))
    for turn in (order, reversed(order)):
        last = -1
        for i in turn:
            if not held[i] and last >= 0 and _alike(rows[last], rows[i]):
                for k in range(min(i, last), max(i, last) + 1):
                    held[k] = True
            if held[i]:
                last = i if len(rows[i].pieces) >= ALIKE else last
    for i in range(len(rows) - 2, -1, -1):
        if held[i + 1] and not held[i] and is_title_line(rows[i], rows[i + 1]):
            held[i] = True
    return held


def _alike(a: Row, b: Row) -> bool:
    """Whether two rows near each other have their pieces below each other."""
    if min(len(a.pieces), len(b.pieces)) < ALIKE or abs(a.baseline - b.baseline) > REACH * a.size:
        return False
    pairs = [(p[0].left - q[0].left, p[-1].right - q[-1].right) for p in a.pieces for q in b.pieces]
    edges = (min(abs(left), abs(right), abs(left + right) / 2) for left, right in pairs)
    return sum(1 for edge in edges if edge < SAME_LEFT / 3) >= ALIKE - 1


def find_gutters(lines: Sequence[Line]) -> list[float]:
    """The x of the gutters between columns of prose."""
    upright = [line for line in lines if not line.angle]
    prose = [
        (line.left, line.right)
        for line in upright
        if line.right - line.left > PROSE_WIDTH and _words_in(line.text) >= PROSE_WORDS
    ]
    if len(prose) < FEW:
        return []
    middle = _middle_gutter(upright, prose)
    if middle or len(prose) < 2 * LEAST:
        return [middle] if middle else []
    gutters = []
    for start in _starts([left for left, _ in prose])[1:]:
        before = sorted(right for left, right in prose if left < start - PROSE_WIDTH / 2 and right < start + SAME_LEFT)
        crossing = sum(1 for left, right in prose if left < start - SAME_LEFT and right > start + SAME_LEFT)
        after = sum(1 for left, _ in prose if abs(left - start) <= SAME_LEFT)
        if len(before) >= LEAST and crossing < after + len(before):
            edge = before[int(0.95 * (len(before) - 1))]
            gutters.append(start - 1.0 if edge >= start else (edge + start) / 2)
    return gutters


def _words_in(text: str) -> int:
    return len(text.split()) if text.isascii() else sum(map(count_words, text.split()))


def _middle_gutter(lines: list[Line], prose: list[tuple[float, float]]) -> float:
    """The x of a clear strip down the middle of the page with lines of prose as wide as a side; 0 if none exists."""
    left, right = extent(lines)
    middle, reach = (left + right) / 2, MIDDLE * (right - left)
    start, end = _strip(lines, middle - reach, middle + reach)
    if end - start < STRIP:
        return 0.0
    wide = [p for p in prose if (p[1] < end or p[0] > start) and p[1] - p[0] > 0.75 * (right - left - end + start) / 2]
    return (start + end) / 2 if len(wide) >= FEW else 0.0


def _strip(lines: list[Line], start: float, end: float) -> tuple[float, float]:
    """The widest interval between start and end, or across one of them, that all but a few lines leave clear."""
    events = [event for line in lines for event in ((line.left, 1), (line.right, -1))]
    allowed = int(CROSSING * len({round(line.baseline / 4) for line in lines}))
    depth, since, best = 0, None, (0.0, 0.0)
    for x, step in sorted(events):
        before, depth = depth, depth + step
        if before > allowed >= depth:
            since = x
        elif before <= allowed < depth and since is not None:
            if since < end and x > start and x - since > best[1] - best[0]:
                best = (since, x)
            since = None
    return best


def _starts(lefts: list[float]) -> list[float]:
    """The left edges at which several lines of prose begin, from left to right."""
    counts: dict[int, int] = {}
    for left in lefts:
        place = round(left / SAME_LEFT)
        counts[place] = counts.get(place, 0) + 1
    starts: list[float] = []
    for place in sorted(counts):
        many = counts[place] + counts.get(place + 1, 0) >= max(LEAST, 0.12 * len(lefts))
        if many and (not starts or place * SAME_LEFT - starts[-1] > PROSE_WIDTH):
            near = [left for left in lefts if abs(round(left / SAME_LEFT) - place) <= 1]
            starts.append(sorted(near)[len(near) // 8])
    return starts


def _parts(row: Row, gutters: list[float]) -> list[list[TableWord]]:
    """The words of a row by text column; nothing if they run across a gutter."""
    for x in gutters:
        before = [w for w in row.words if w.middle < x]
        after = [w for w in row.words if w.middle >= x]
        right = max((w.right for w in before), default=x - 99)
        left = min((w.left for w in after), default=x + 99)
        if right > x + 1 or left < x - 1 or left - right < TIGHT * row.size:
            return []
    parts: list[list[TableWord]] = [[] for _ in range(len(gutters) + 1)]
    for word in row.words:
        parts[sum(1 for x in gutters if x < word.middle)].append(word)
    return parts


def _held(rows: list[Row], rules: Rules, gutters: list[float]) -> list[tuple[float, float]]:
    """Intervals between rules across a gutter that hold no prose: tables over several text columns."""
    wide = [r for r in rules.across if any(r.start + 20 < x < r.end - 20 for x in gutters)]
    held = []
    for upper, lower in pairwise(wide):
        if abs(upper.start - lower.start) > SAME_EXTENT or abs(upper.end - lower.end) > SAME_EXTENT:
            continue
        inside = [row for row in rows if upper.at < row.middle < lower.at]
        prose = sum(1 for row in inside if any(len(piece) > 5 for piece in row.pieces[1:]))
        if inside and (prose <= 0.25 * len(inside) or _is_one_row(inside)):
            held.append((upper.at, lower.at))
    return held


def _is_one_row(rows: Sequence[Row]) -> bool:
    """Whether the first row has the beginnings of several cells, and all others go on below them."""
    starts = [piece[0].left for piece in rows[0].pieces]
    if len(starts) < ALIKE:
        return False
    indent = INDENT * rows[0].size
    return all(any(-2 < piece[0].left - x < indent for x in starts) for row in rows[1:] for piece in row.pieces)
