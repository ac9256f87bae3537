"""Reading order: in which order the things of a page follow each other, column by column.

Most programs write a page in reading order. The order of the file is used where it moves over the page as a
reader would (`as_written`); where it jumps about, the geometry of the page decides (`reading_order`).

A column begins where several things share a left edge and have something to their left. The things that cross
that edge (a title over two columns, a wide table) cut the page into bands; each band is read column by column,
and each column is ordered recursively. The rest is one column, read from top to bottom.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from quire.pages.geometry.extents import Boxed, box_of, shared_width, width_of
from quire.pages.geometry.rows import level_rows, near_values
from quire.pages.layout.scan_rows import PROSE_WIDTH, stand_in_rows

MAX_DEPTH = 8
MAX_CANDIDATES = 8
JUMPS = 0.03  # share of jumps up to which the order of the file is used
LONG_JUMP = 0.7  # of the height of the text: no jump may be longer
LOW = 0.1  # of the height of all: columns that are lower
EDGE = 4.0  # points: left edges nearer than this are the same edge


@dataclass(slots=True)
class Column:
    """Things that are read one after the other, with their common bounding box."""

    things: list[Boxed]
    left: float = 0.0
    right: float = 0.0
    top: float = 0.0
    bottom: float = 0.0

    def part(self, things: list[Boxed]) -> Column:
        """Some of the things, with the edges of the whole column."""
        piece = Column(things)
        piece.left, piece.right = self.left, self.right
        return piece

    def __post_init__(self) -> None:
        self.left, self.top, self.right, self.bottom = box_of(self.things)


def as_written(
    columns: Sequence[Column], sequence: dict[int, int], *, right_to_left: bool = False, trusted: bool = False
) -> list[Column]:
    """The columns in the order of the file when a reader would follow it, otherwise unchanged.

    The order of an engine that determines reading order itself is `trusted`.
    """
    if not columns:
        return []
    written = sorted((t for column in columns for t in column.things), key=lambda t: sequence[id(t)])
    top, bottom = min(c.top for c in columns), max(c.bottom for c in columns)
    jumps = [a.top - b.top for a, b in pairwise(written) if _is_jump(a, b, right_to_left)]
    astray = len(jumps) > JUMPS * len(written) or max(jumps, default=0) > LONG_JUMP * (bottom - top)
    if astray and not trusted:
        return with_last_lines(columns)
    home = {id(thing): number for number, column in enumerate(columns) for thing in column.things}
    pieces: list[tuple[int, list[Boxed]]] = []
    for thing in written:
        number = home[id(thing)]
        if pieces and pieces[-1][0] == number:
            pieces[-1][1].append(thing)
        else:
            pieces.append((number, [thing]))
    return with_last_lines([columns[number].part(things) for number, things in pieces])


def with_last_lines(columns: Sequence[Column]) -> list[Column]:
    """The columns, each with the last lines of its text: a short one may end before the edge of the next column.

    A paragraph over the whole width that ends with a short line looks as if that line began the first column.
    """
    done: list[Column] = []
    for column in columns:
        things = column.things
        moved = 0
        if done:
            last = done[-1].things[-1]
            while moved < min(3, len(things)) and _continues(last, things[moved]):
                last = things[moved]
                moved += 1
            if moved == 3 or (moved < len(things) and _continues(last, things[moved])):
                moved = 0
        if moved:
            done[-1].things.extend(things[:moved])
        if moved < len(things):
            done.append(column.part(things[moved:]) if moved else column)
    return done


def _continues(a: Boxed, b: Boxed) -> bool:
    """Whether `b` is the next line of the paragraph of `a`, by its type and position, and not longer."""
    size = getattr(a, "size", 0.0)
    if not size or getattr(a, "font", None) != getattr(b, "font", None):
        return False
    step = b.bottom - a.bottom
    return abs(a.left - b.left) < EDGE and 0.5 * size < step < 1.6 * size and b.right <= a.right + 1


def _is_jump(a: Boxed, b: Boxed, mirrored: bool) -> bool:
    """Whether a reader would not go from `a` to `b`: back up in a column, or across from column to column."""
    height = min(a.bottom - a.top, b.bottom - b.top, 20.0)
    width = min(a.right - a.left, b.right - b.left)
    gap = a.left - b.right if mirrored else b.left - a.right
    if _same_height(a, b):
        return gap < -width or (width > 12 * height and gap > height)
    if b.top >= a.top - 0.5 * height or gap >= -2:
        return False
    return b.top < a.top - 2 * height or (width > 8 * height and shared_width(a, b) > 0.5 * width)


@dataclass(slots=True)
class _Split:
    """One way to split things at an edge."""

    score: float
    edge: float
    bands: list[_Band] = field(default_factory=list)


@dataclass(slots=True)
class _Band:
    """Things between two that cross the edge, or (`crossing`) those that cross it."""

    crossing: list[Boxed] = field(default_factory=list)
    before: list[Boxed] = field(default_factory=list)
    behind: list[Boxed] = field(default_factory=list)


def reading_order(things: Sequence[Boxed], sequence: dict[int, int], *, right_to_left: bool = False) -> list[Column]:
    """The columns of a page in reading order.

    `sequence` holds the position of each thing in the file, by `id()`: rows written across, like a label and its
    value, are read across. Without it (a scan) rows are read across unless they are prose.
    """
    if not things:
        return []
    if not _any_beside(things):
        return [Column(sorted(things, key=_core_top))]
    return _ordered(list(things), sequence, right_to_left, 0)


def _any_beside(things: Sequence[Boxed]) -> bool:
    """Whether any two things are side by side: otherwise there is one column, from top to bottom."""
    bottom = float("-inf")
    for thing in sorted(things, key=_core_top):
        if _core_top(thing) < bottom:
            return True
        bottom = _core_bottom(thing)
    return False


def _ordered(things: list[Boxed], sequence: dict[int, int], mirrored: bool, depth: int) -> list[Column]:
    split = _best_split(things, sequence) if depth < MAX_DEPTH and len(things) > 2 else None
    if split is None:
        return [Column(_rows(things, sequence, mirrored))]
    columns: list[Column] = []
    for band in split.bands:
        if band.crossing:
            columns += _ordered(band.crossing, sequence, mirrored, depth + 1)
            continue
        sides = (band.behind, band.before) if mirrored else (band.before, band.behind)
        for side in sides:
            if side:
                columns += _ordered(side, sequence, mirrored, depth + 1)
    return _merged(columns)


def _rows(things: list[Boxed], sequence: dict[int, int], mirrored: bool) -> list[Boxed]:
    """The things of one column from top to bottom.

    Things that overlap vertically are read across where they share a baseline, otherwise in the order of the file.
    """
    clusters: list[list[Boxed]] = []
    bottom = 0.0
    for thing in sorted(things, key=_core_top):
        if clusters and _core_top(thing) < bottom:
            clusters[-1].append(thing)
            bottom = max(bottom, _core_bottom(thing))
        else:
            clusters.append([thing])
            bottom = _core_bottom(thing)
    return [thing for cluster in clusters for thing in _across(cluster, sequence, mirrored)]


def _core_top(thing: Boxed) -> float:
    return thing.top + 0.3 * (thing.bottom - thing.top)


def _core_bottom(thing: Boxed) -> float:
    return thing.bottom - 0.25 * (thing.bottom - thing.top)


def _across(cluster: list[Boxed], sequence: dict[int, int], mirrored: bool) -> list[Boxed]:
    if len(cluster) == 1:
        return cluster
    if all(_same_height(cluster[0], other) for other in cluster[1:]):
        return sorted(cluster, key=lambda t: t.left, reverse=mirrored)
    if not sequence:
        return [t for row in level_rows(cluster) for t in sorted(row, key=lambda t: t.left, reverse=mirrored)]
    written = sorted(cluster, key=lambda t: sequence[id(t)])
    if not any(_jumps_up(a, b) for a, b in pairwise(written)):
        return written
    return sorted(cluster, key=lambda t: (round((t.top + t.bottom) / 2 / (t.bottom - t.top + 1)), t.left))


def _jumps_up(a: Boxed, b: Boxed) -> bool:
    """Whether `b`, written after `a`, is above it, or left of it at the same height."""
    if _same_height(a, b):
        return b.right < a.left
    return a.top - b.bottom > -0.3 * min(a.bottom - a.top, b.bottom - b.top)


def _merged(columns: list[Column]) -> list[Column]:
    """Merge columns of one thing each that are stacked with the same left edge into one column."""
    merged: list[Column] = []
    for column in columns:
        last = merged[-1] if merged else None
        if (
            last is not None
            and abs(last.left - column.left) < EDGE
            and abs(last.right - column.right) < 0.1 * (column.right - column.left)
            and column.top >= last.bottom - 2
        ):
            merged[-1] = Column([*last.things, *column.things])
        else:
            merged.append(column)
    return merged


def _best_split(things: list[Boxed], sequence: dict[int, int]) -> _Split | None:
    """The cut with the highest columns. On a scan low ones count only where there are no others: they are often
    accidental, and the content around them has its own columns."""
    edges = _edges(things)
    least = 0.0 if sequence else LOW * (max(t.bottom for t in things) - min(t.top for t in things))
    best = _highest(things, edges, sequence, least)
    return best if best or not least else _highest(things, edges, sequence, 0.0)


def _highest(things: list[Boxed], edges: list[float], sequence: dict[int, int], least: float) -> _Split | None:
    best: _Split | None = None
    for edge in edges:
        split = _split(things, edge, sequence, least)
        if split and (best is None or split.score > best.score):
            best = split
    return best


def _edges(things: list[Boxed]) -> list[float]:
    """Left edges of things with something beside them on the left, the most shared first."""
    groups = sorted(near_values(_lefts_beside(things), EDGE), key=len, reverse=True)
    return [group[0] for group in groups[:MAX_CANDIDATES]]


def _lefts_beside(things: list[Boxed]) -> list[float]:
    """The left edges of things that have another one to their left at the same height."""
    found: set[int] = set()
    active: list[tuple[float, Boxed]] = []
    for top, thing in sorted([(_core_top(t), t) for t in things], key=lambda pair: pair[0]):
        active = [pair for pair in active if pair[0] > top]
        for _, other in active:
            if other.right <= thing.left + 1:
                found.add(id(thing))
            elif thing.right <= other.left + 1:
                found.add(id(other))
        active.append((_core_bottom(thing), thing))
    return [t.left for t in things if id(t) in found]


def _split(things: list[Boxed], edge: float, sequence: dict[int, int], least: float) -> _Split | None:
    bands = _bands(things, edge)
    score = 0.0
    kept: list[_Band] = []
    for band in bands:
        gain = _gain(band, sequence)
        if gain > least:
            score += gain
            kept.append(band)
        else:
            everything = [*band.crossing, *band.before, *band.behind]
            if kept and kept[-1].crossing:
                kept[-1].crossing += everything
            else:
                kept.append(_Band(crossing=everything))
    return _Split(score, edge, kept) if score else None


def _bands(things: list[Boxed], edge: float) -> list[_Band]:
    crossing = sorted((t for t in things if t.left < edge - 1 and t.right > edge + 1), key=lambda t: t.top)
    before = [t for t in things if t.right <= edge + 1 and t.left < edge - 1]
    behind = [t for t in things if t.left >= edge - 1]
    if not before or not behind:
        return []
    groups: list[list[Boxed]] = []
    cuts: list[tuple[float, float]] = []
    free = sorted([*before, *behind], key=lambda t: t.top)
    middles = [(t.top + t.bottom) / 2 for t in free]
    heights = sorted(middles) if crossing else []
    for thing in crossing:
        middle = (thing.top + thing.bottom) / 2
        between = bisect_right(heights, cuts[-1][1]) if cuts else 0
        if cuts and (between == len(heights) or heights[between] >= middle):
            groups[-1].append(thing)
            cuts[-1] = (cuts[-1][0], max(cuts[-1][1], middle))
        else:
            groups.append([thing])
            cuts.append((middle, middle))
    bands: list[_Band] = [_Band()]
    for group in groups:
        bands += [_Band(crossing=group), _Band()]
    limits = [cut[0] for cut in cuts]
    left_of_edge = {id(t) for t in before}
    for thing, middle in zip(free, middles, strict=True):
        place = 2 * bisect_left(limits, middle)
        (bands[place].before if id(thing) in left_of_edge else bands[place].behind).append(thing)
    return [band for band in bands if band.crossing or band.before or band.behind]


def _gain(band: _Band, sequence: dict[int, int]) -> float:
    """The height of a band that has things on both sides; 0 when it is read across."""
    before, behind = band.before, band.behind
    if not before or not behind:
        return 0.0
    gutter = min([t.left for t in behind]) - max([t.right for t in before])
    if gutter < 3:
        return 0.0
    shared = _shared_height(before, behind)
    lines = min(len(before), len(behind))
    if shared <= 0 or _read_across(before, behind, sequence):
        return 0.0
    return shared + min(gutter, 20.0) * 0.1 + (0.5 if lines > 2 else 0.0)


def _shared_height(before: list[Boxed], behind: list[Boxed]) -> float:
    top = max(min([t.top for t in before]), min([t.top for t in behind]))
    bottom = min(max([t.bottom for t in before]), max([t.bottom for t in behind]))
    return bottom - top


def _read_across(before: list[Boxed], behind: list[Boxed], sequence: dict[int, int]) -> bool:
    """Labels and values, or the rows of a table that was not found: short things side by side at one height."""
    few, many = sorted((before, behind), key=len)
    if not sequence:
        return stand_in_rows(few, many)
    if _aligned(few, many) < 0.7 * len(few):
        return False
    if len(few) == 1 and len(many) > 3:
        return False
    sides = {id(t): 0 for t in before} | {id(t): 1 for t in behind}
    written = sorted(sides, key=lambda key: sequence.get(key, 0))
    switches = sum(1 for a, b in pairwise(written) if sides[a] != sides[b])
    interleaved = switches >= 0.8 * len(few) and switches > 1
    if len(few) == 1:
        return len(many) == 1 and abs(few[0].bottom - few[0].top) < 30
    fills = sorted((_fill(before), _fill(behind)))
    if len(few) > 3 and fills[0] > 0.75 and min(width_of(before), width_of(behind)) > PROSE_WIDTH:
        return False  # columns of text, even if they were written line by line across
    return interleaved or (fills[0] < 0.5 and fills[1] < 0.75 and switches > 1)


def _aligned(few: list[Boxed], many: list[Boxed]) -> int:
    """The number of the few things that have one of the many at their height."""
    others = sorted(many, key=lambda t: t.top + t.bottom)
    middles = [t.top + t.bottom for t in others]
    count = 0
    for thing in few:
        at = bisect_left(middles, thing.top + thing.bottom)
        count += any(_same_height(thing, other) for other in others[max(0, at - 2) : at + 2])
    return count


def _same_height(a: Boxed, b: Boxed) -> bool:
    return abs((a.top + a.bottom) - (b.top + b.bottom)) < 0.5 * min(a.bottom - a.top, b.bottom - b.top)


def _fill(things: list[Boxed]) -> float:
    """The share of their column's width that things fill, on average."""
    width = width_of(things)
    return sum(t.right - t.left for t in things) / (len(things) * width) if width > 0 else 1.0
