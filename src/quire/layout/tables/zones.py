"""Text columns of a page, so that rows are not read across them."""

from __future__ import annotations

from itertools import pairwise

from quire.layout.tables.strokes import Rules
from quire.layout.tables.words import Row, Word, pieces_of

PROSE_WORDS = 4  # a piece with fewer words is no line of prose
PROSE_WIDTH = 80.0  # points
LEAST = 6  # lines of prose that make a column
SAME_LEFT = 6.0  # points
TIGHT = 0.8  # of the size: words nearer than this on both sides of a gutter run across it
SAME_EXTENT = 10.0  # points: rules with ends that differ by less bound one table

Zone = list[Row | None]


def find_zones(rows: list[Row], rules: Rules) -> list[Zone]:
    """Rows of the whole width and of each text column; None stands where something else comes between."""
    gutters = _gutters(rows)
    if not gutters:
        return [list(rows)]
    held = _held(rows, rules, gutters)
    full: Zone = []
    columns: list[Zone] = [[] for _ in range(len(gutters) + 1)]
    for row in rows:
        parts = _parts(row, gutters)
        if any(top < row.middle < bottom for top, bottom in held) or not parts:
            full.append(row)
            for zone in columns:
                zone.append(None)
            continue
        full.append(None)
        for zone, part in zip(columns, parts, strict=True):
            if part:
                zone.append(Row(part))
    return [full, *columns]


def _gutters(rows: list[Row]) -> list[float]:
    """The x of the gutters between columns of prose."""
    prose = []
    for row in rows:
        for piece in pieces_of(row.words):
            if len(piece) >= PROSE_WORDS and piece[-1].right - piece[0].left > PROSE_WIDTH:
                prose.append((piece[0].left, piece[-1].right))
    if len(prose) < 2 * LEAST:
        return []
    gutters = []
    for start in _starts([left for left, _ in prose])[1:]:
        before = sorted(right for left, right in prose if left < start - PROSE_WIDTH / 2 and right < start + SAME_LEFT)
        crossing = sum(1 for left, right in prose if left < start - SAME_LEFT and right > start + SAME_LEFT)
        after = sum(1 for left, _ in prose if abs(left - start) <= SAME_LEFT)
        if len(before) >= LEAST and crossing < after + len(before):
            edge = before[int(0.95 * (len(before) - 1))]
            gutters.append(start - 1.0 if edge >= start else (edge + start) / 2)
    return gutters


def _starts(lefts: list[float]) -> list[float]:
    """Where several lines of prose begin, from left to right."""
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


def _parts(row: Row, gutters: list[float]) -> list[list[Word]]:
    """The words of a row by text column; nothing if they run across a gutter."""
    for x in gutters:
        before = [w for w in row.words if w.middle < x]
        after = [w for w in row.words if w.middle >= x]
        right = max((w.right for w in before), default=x - 99)
        left = min((w.left for w in after), default=x + 99)
        if right > x + 1 or left < x - 1 or left - right < TIGHT * row.size:
            return []
    parts: list[list[Word]] = [[] for _ in range(len(gutters) + 1)]
    for word in row.words:
        parts[sum(1 for x in gutters if x < word.middle)].append(word)
    return parts


def _held(rows: list[Row], rules: Rules, gutters: list[float]) -> list[tuple[float, float]]:
    """Stretches between rules across a gutter that hold no prose: tables over several text columns."""
    wide = [r for r in rules.across if any(r.start + 20 < x < r.end - 20 for x in gutters)]
    held = []
    for upper, lower in pairwise(wide):
        if abs(upper.start - lower.start) > SAME_EXTENT or abs(upper.end - lower.end) > SAME_EXTENT:
            continue
        inside = [row for row in rows if upper.at < row.middle < lower.at]
        prose = sum(1 for row in inside if any(len(piece) > 5 for piece in pieces_of(row.words)[1:]))
        if inside and prose <= 0.25 * len(inside):
            held.append((upper.at, lower.at))
    return held
