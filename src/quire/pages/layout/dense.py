"""Reading order of dense scans: newspapers and magazines, with many columns and articles.

Lines that stand alone above each other are chained to segments. A segment comes before those below it, and before those
to its right, unless something that spans both stands between them: a title, or a rule over several columns (Breuel,
"High performance document layout analysis"). All of this is local, so that stray marks, lines that run into the
next column, and columns that lean do no harm.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from quire.core.median import median
from quire.core.types import Box
from quire.pages.geometry.extents import Boxed, are_level, box_of, centre, middle, share_width, shared_width
from quire.pages.layout.lines import Line
from quire.pages.layout.order import Column
from quire.pages.layout.scan_rows import letters_of

SPECK = 3  # letters: a shorter thing does not separate lines
MANY_LINES = 24  # of prose: a page with fewer is not dense
PROSE_LINES = 4  # of a segment of prose
PROSE_LETTERS = 16  # of its usual line; those of Chinese count double
MOSTLY = 0.6  # of the letters of a dense page are in such segments
FAR = 1.3  # of the usual height of lines: things further below begin a new segment
OVERLAP = 0.15  # of the narrower one: things that share more of their width are above each other
WALL = 8  # times the usual height of lines: a longer upright rule separates the pieces of a line
RULE = 1.3  # of the usual width of segments of prose: a longer rule separates columns


class _Row:
    """Pieces of one line, or another thing. Boxes of lines on scans are ragged: the row is as high as usual letters."""

    __slots__ = ("bottom", "left", "right", "things", "top")

    def __init__(self, things: list[Boxed], height: float) -> None:
        self.things = things
        self.left, self.top, self.right, self.bottom = box_of(things)
        first = things[0]
        if isinstance(first, Line) and self.bottom - self.top < 2.5 * height:
            axis = median(piece.baseline - 0.3 * height for piece in things if isinstance(piece, Line))
            self.top, self.bottom = axis - 0.3 * height, axis + 0.3 * height

    @property
    def letters(self) -> int:
        return sum(map(letters_of, self.things))


class Segment:
    """Rows above each other; `left` and `right` are those of most of them."""

    __slots__ = ("after", "bottom", "left", "right", "rows", "top")

    def __init__(self, rows: list[_Row]) -> None:
        self.rows = rows
        tenth = len(rows) // 10
        self.left = sorted(row.left for row in rows)[tenth]
        self.right = sorted(row.right for row in rows)[-1 - tenth]
        self.top, self.bottom = rows[0].top, rows[-1].bottom
        self.after: set[int] = set()

    @property
    def is_prose(self) -> bool:
        return len(self.rows) >= PROSE_LINES and median(row.letters for row in self.rows) >= PROSE_LETTERS

    @property
    def letters(self) -> int:
        return sum(row.letters for row in self.rows)


def dense_order(
    things: Sequence[Boxed], rulings: Sequence[float], *, ordered: bool, right_to_left: bool = False
) -> list[Column]:
    """The columns of a dense page in reading order; nothing for a page that is not dense.

    `rulings` are those of the page: x0, y0, x1, y1 and thickness of each. `ordered`: the lines come one after the
    other as a reader finds them, and so do their pieces.
    """
    if len(things) < MANY_LINES:
        return []
    height = median(thing.bottom - thing.top for thing in things)
    drawn = [Box(x0, y0, x1, y1) for x0, y0, x1, y1, _ in zip(*[iter(rulings)] * 5, strict=True)]
    rules = [rule for rule in drawn if rule.right - rule.left > rule.bottom - rule.top]
    walls = [rule for rule in drawn if rule.bottom - rule.top > WALL * height]
    rows = _rows(things, walls, height) if ordered else [_Row([thing], height) for thing in things]
    segments = _segments(
        [row for row in rows if row.letters > SPECK or not isinstance(row.things[0], Line)], rules, height
    )
    prose = [segment for segment in segments if segment.is_prose]
    if not _is_dense(prose, segments):
        return []
    for row in rows:
        if row.letters <= SPECK and isinstance(row.things[0], Line):
            _attach(row, segments)
    width = median(segment.right - segment.left for segment in prose)
    long = [rule for rule in rules if rule.right - rule.left > RULE * width]
    nodes: list[Segment | Box] = [*segments, *long]
    ordering = _sorted(nodes, right_to_left=right_to_left)
    return _columns([node for node in ordering if isinstance(node, Segment)])


def _rows(things: Sequence[Boxed], walls: Sequence[Box], height: float) -> list[_Row]:
    """The things, with the pieces of a line together: they follow each other on one baseline, with no rule between."""
    rows: list[list[Boxed]] = []
    for thing in sorted(things, key=_first_run):
        last = rows[-1][-1] if rows else None
        if (
            isinstance(last, Line)
            and isinstance(thing, Line)
            and last.runs[-1] + 1 == thing.runs[0]
            and abs(last.baseline - thing.baseline) < 0.5 * height
            and thing.left > last.right - height
            and not any(_parts(wall, last, thing) for wall in walls)
        ):
            rows[-1].append(thing)
        else:
            rows.append([thing])
    return [_Row(row, height) for row in rows]


def _parts(wall: Box, left: Boxed, right: Boxed) -> bool:
    """Whether an upright rule stands between two things."""
    return wall.top < middle(left) < wall.bottom and centre(left) < centre(wall) < centre(right)


def _first_run(thing: Boxed) -> int:
    return thing.runs[0] if isinstance(thing, Line) else -1


def _is_dense(prose: Sequence[Segment], segments: Sequence[Segment]) -> bool:
    """Whether most of the text is prose, in columns side by side."""
    lines, letters = sum(len(segment.rows) for segment in prose), sum(segment.letters for segment in prose)
    if lines < MANY_LINES or letters < MOSTLY * sum(segment.letters for segment in segments):
        return False
    return any(a.right < b.left and are_level(a, b) for a in prose for b in prose)


def _segments(rows: Sequence[_Row], rules: Sequence[Box], height: float) -> list[Segment]:
    """Chains of rows, each of which is the only one below the last, which is the only one above it."""
    ordered = sorted(rows, key=lambda row: row.top)
    tops = [row.top for row in ordered]
    below: list[list[int]] = []
    above: list[int] = [0] * len(ordered)
    for number, row in enumerate(ordered):
        near = [
            other
            for other in range(number + 1, bisect_left(tops, row.bottom + FAR * height))
            if ordered[other].top > middle(row) and share_width(row, ordered[other], OVERLAP)
        ]
        first = min((ordered[other].bottom for other in near), default=0.0)
        near = [other for other in near if ordered[other].top < first]
        below.append(near)
        for other in near:
            above[other] += 1
    chains: list[list[_Row]] = []
    chain_of: dict[int, list[_Row]] = {}
    for number, row in enumerate(ordered):
        chain = chain_of.get(number)
        if chain is None:
            chain = []
            chains.append(chain)
        chain.append(row)
        if len(below[number]) == 1 and above[below[number][0]] == 1:
            following = below[number][0]
            if not any(_between(rule, row, ordered[following]) for rule in rules):
                chain_of[following] = chain
    return [Segment(chain) for chain in chains]


def _between(rule: Box, row: _Row, other: _Row) -> bool:
    """Whether a rule separates two rows."""
    inside = min(rule.right, max(row.right, other.right)) - max(rule.left, min(row.left, other.left))
    across = min(row.right - row.left, other.right - other.left)
    return row.bottom - 1 <= middle(rule) <= other.top + 1 and inside > 0.5 * across


def _attach(row: _Row, segments: Sequence[Segment]) -> None:
    """Put a mark or a short word into the nearest segment, at its height."""

    def distance(segment: Segment) -> float:
        across = max(segment.left - row.right, row.left - segment.right, 0.0)
        down = max(segment.top - middle(row), middle(row) - segment.bottom, 0.0)
        return across + 2 * down

    rows = min(segments, key=distance).rows
    at = min(range(len(rows)), key=lambda n: abs(middle(rows[n]) - middle(row)))
    after = (middle(row), row.left) > (middle(rows[at]), rows[at].left)
    if abs(middle(row) - middle(rows[at])) < rows[at].bottom - rows[at].top:
        after = row.left > rows[at].left
    rows.insert(at + after, row)


def _sorted(nodes: Sequence[Segment | Box], *, right_to_left: bool) -> list[Segment | Box]:
    """The nodes, each after all that come before it; where that is impossible, after most of their text."""
    after: list[set[int]] = [
        {n for n, a in enumerate(nodes) if n != m and _before(a, b, nodes, right_to_left)} for m, b in enumerate(nodes)
    ]
    side = -1 if right_to_left else 1
    weights = [node.letters + 1 if isinstance(node, Segment) else 1 for node in nodes]
    waiting = list(range(len(nodes)))
    done: list[Segment | Box] = []
    while waiting:
        late = {n: sum(weights[m] for m in after[n]) for n in waiting}
        chosen = min(waiting, key=lambda n: (late[n], side * nodes[n].left, nodes[n].top))
        waiting.remove(chosen)
        done.append(nodes[chosen])
        for n in waiting:
            after[n].discard(chosen)
    return done


def _before(a: Segment | Box, b: Segment | Box, nodes: Sequence[Segment | Box], right_to_left: bool) -> bool:
    if share_width(a, b, OVERLAP):
        return (middle(a), a.left) < (middle(b), b.left)
    if (a.left > b.left) != right_to_left:
        return False
    upper, lower = (a, b) if middle(a) < middle(b) else (b, a)
    return not any(
        c is not a
        and c is not b
        and upper.bottom - 1 <= middle(c) <= lower.top + 1
        and share_width(a, c, OVERLAP)
        and share_width(b, c, OVERLAP)
        for c in nodes
    )


def _columns(segments: Sequence[Segment]) -> list[Column]:
    """Segments as columns; one that goes on below another, as wide as it, belongs to the same."""
    columns: list[Column] = []
    last: Segment | None = None
    for segment in segments:
        things = [thing for row in segment.rows for thing in row.things]
        if last is not None and segment.top > last.top and _alike(last, segment):
            columns[-1] = Column([*columns[-1].things, *things])
        else:
            columns.append(Column(things))
        last = segment
    return columns


def _alike(a: Segment, b: Segment) -> bool:
    return shared_width(a, b) > 0.8 * max(a.right - a.left, b.right - b.left)
