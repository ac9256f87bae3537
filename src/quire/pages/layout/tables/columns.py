"""Columns by white space: gutters that run through the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.core.median import median
from quire.pages.layout.tables.word_rows import Row, TableWord, is_number

NARROW = 0.12  # of the size: the least width of a gutter
WIDE = 0.55  # of the size: a gutter that needs no further evidence
GAP = 0.75  # of the size: the gap that most rows show at a gutter
NUMBERS_GAP = 0.42  # of the size: enough between columns of numbers
SIGNS = frozenset("$€£¥(<>≤≥±~")  # they belong to the number that follows, however far it is
SHARE = 0.2  # of the rows: those that must have words on both sides of a gutter
SLIVER = 0.15  # of the rows: a column that fewer fill is not a column
CROSSING = 0.12  # share of the rows that may run across a gutter


@dataclass(frozen=True, slots=True)
class Gutter:
    """White space between two columns."""

    left: float
    right: float
    support: int  # rows with words on both sides

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def find_gutters(rows: Sequence[Row], *, support: int = 2, crossings: int = 0) -> list[Gutter]:
    """The gutters of rows that belong to one table, from left to right; `crossings` rows may run across them."""
    if not rows:
        return []
    size = median([row.size for row in rows])
    gutters = []
    for left, right in _white(rows, max(int(CROSSING * len(rows)), crossings), NARROW * size):
        gutter = _judged(rows, left, right, size, support)
        if gutter:
            gutters.append(gutter)
    return _without_slivers(rows, [g for i, g in enumerate(gutters) if not _goes_on(rows, gutters, i)])


def _goes_on(rows: Sequence[Row], gutters: Sequence[Gutter], i: int) -> bool:
    """Whether what is right of a gutter goes on with a list that a comma ends left of it, like marks of notes."""
    left = gutters[i].middle
    right = gutters[i + 1].middle if i + 1 < len(gutters) else 1e9
    before = [
        [w for w in row.words if w.middle < left] for row in rows if any(left < w.middle < right for w in row.words)
    ]
    commas = sum(1 for words in before if words and words[-1].text[-1:] == ",")
    return 2 * commas > len(before)


def _without_slivers(rows: Sequence[Row], gutters: list[Gutter]) -> list[Gutter]:
    """Merge columns that hardly any row fills into the neighbour nearer to their words."""
    for i in reversed(range(len(gutters) - 1)):
        left, right = gutters[i].middle, gutters[i + 1].middle
        inside = [(row, [w for w in row.words if left < w.middle < right]) for row in rows]
        filled = [(row, words) for row, words in inside if words]
        if len(filled) >= max(2, SLIVER * len(rows)):
            continue
        nearer = 0
        for row, words in filled:
            before = max((w.right for w in row.words if w.middle <= left), default=-1e9)
            after = min((w.left for w in row.words if w.middle >= right), default=1e9)
            nearer += 1 if words[0].left - before <= after - words[-1].right else -1
        del gutters[i if nearer >= 0 else i + 1]
    return gutters


def _white(rows: Sequence[Row], allowed: int, least: float) -> list[tuple[float, float]]:
    """Intervals of x that at most `allowed` rows cover, between the first and the last that more do."""
    events: list[tuple[float, int]] = []
    for row in rows:
        start, end = row.words[0].left, row.words[0].right
        for word in row.words[1:]:
            if word.left - end > 0.02 * word.size:
                events += [(start, 1), (end, -1)]
                start = word.left
            if word.right > end:
                end = word.right
        events += [(start, 1), (end, -1)]
    events.sort()
    white: list[tuple[float, float]] = []
    depth, since = 0, None
    for x, step in events:
        before = depth
        depth += step
        if before > allowed >= depth:
            since = x
        elif before <= allowed < depth and since is not None:
            if x - since >= least:
                white.append((since, x))
            since = None
    return white


def _judged(rows: Sequence[Row], left: float, right: float, size: float, support: int) -> Gutter | None:
    """The gutter if the rows confirm it."""
    gaps: list[float] = []
    numbers = signs = 0
    middle = (left + right) / 2
    for row in rows:
        pair = _around(row.words, middle)
        if pair:
            gaps.append(pair[1].left - pair[0].right)
            numbers += is_number(pair[0].text) and is_number(pair[1].text)
            signs += pair[0].text in SIGNS
    if len(gaps) < max(support, SHARE * len(rows)):
        return None
    if 2 * signs > len(gaps):
        return None
    gap, width = median(gaps), right - left
    wide = width >= WIDE * size and gap >= GAP * size
    numeric = 2 * numbers >= len(gaps) and len(gaps) >= 3 and gap >= NUMBERS_GAP * size
    steady = len(gaps) >= 6 and gap >= 1.2 * GAP * size
    return Gutter(left, right, len(gaps)) if wide or numeric or steady else None


def _around(words: Sequence[TableWord], x: float) -> tuple[TableWord, TableWord] | None:
    """The words on both sides of x; None if one covers it or a side is empty."""
    before = None
    for word in words:
        if word.right <= x:
            before = word
        elif word.left >= x:
            return (before, word) if before else None
        else:
            return None
    return None
