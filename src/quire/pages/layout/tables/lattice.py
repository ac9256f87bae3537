"""Ruled tables: crossing lines make a mesh, and missing lines make spans."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from quire.pages.geometry.extents import area
from quire.pages.geometry.rows import connected
from quire.pages.layout.tables.mesh import MAX_ATOMS, Mesh
from quire.pages.layout.tables.strokes import Rule, Rules
from quire.pages.layout.tables.word_rows import TableWord

TOUCH = 3.0  # points: lines this near touch
SAME = 3.0  # points: lines nearer than this are one line of the mesh
OVERHANG = 8.0  # points: lines that extend further beyond the last crossing one leave a side open
COVER = 0.6  # of the side of an atom: a line that covers more separates
MAX_CROSSINGS = 60_000


def find_components(rules: Rules) -> list[Rules]:
    """Groups of lines that touch, directly or through others: at least two in each direction, or one and two."""
    across, down = rules.across, rules.down
    crossings: list[tuple[int, int]] = []
    places = [rule.at for rule in down]
    left = MAX_CROSSINGS
    for i, rule in enumerate(across):
        first = bisect_left(places, rule.start - TOUCH)
        last = bisect_right(places, rule.end + TOUCH)
        left -= last - first
        if left < 0:
            return []
        touched = [j for j in range(first, last) if down[j].start - TOUCH <= rule.at <= down[j].end + TOUCH]
        crossings += [(i, len(across) + j) for j in touched]
    components = [
        Rules([across[n] for n in group if n < len(across)], [down[n - len(across)] for n in group if n >= len(across)])
        for group in connected(len(across) + len(down), crossings)
        if len(group) >= 3
    ]
    return [component for component in components if component.down]


def mesh_of(component: Rules) -> Mesh | None:
    """The mesh of the lines, with the sides that are open closed; None if it has no two cells."""
    xs = _positions(component.down)
    ys = _positions(component.across)
    if not xs or not ys:
        return None
    left, right = min(r.start for r in component.across), max(r.end for r in component.across)
    top, bottom = min(r.start for r in component.down), max(r.end for r in component.down)
    if (len(ys) == 1 and not _within(ys[0], top, bottom)) or (len(xs) == 1 and not _within(xs[0], left, right)):
        return None
    xs = _closed(xs, left, right)
    ys = _closed(ys, top, bottom)
    rows, columns = len(ys) - 1, len(xs) - 1
    if rows < 1 or columns < 1 or rows * columns > MAX_ATOMS:
        return None
    mesh = Mesh(xs, ys)
    _draw(mesh.above, component.across, ys, xs)
    before = [[False] * rows for _ in range(columns)]
    _draw(before, component.down, xs, ys)
    for r in range(rows):
        for c in range(columns):
            mesh.before[r][c] = before[c][r]
    return mesh


def _within(place: float, start: float, end: float) -> bool:
    """Whether a single line crosses the others rather than ends them."""
    return start + OVERHANG < place < end - OVERHANG


def _positions(rules: list[Rule]) -> list[float]:
    """The positions of the lines; adjacent ones are merged."""
    found: list[float] = []
    for rule in sorted(rules, key=lambda r: r.at):
        if not found or rule.at - found[-1] > SAME:
            found.append(rule.at)
    return found


def _closed(places: list[float], start: float, end: float) -> list[float]:
    if places[0] - start > OVERHANG:
        places = [start, *places]
    if end - places[-1] > OVERHANG:
        places = [*places, end]
    return places


def _draw(drawn: list[list[bool]], rules: list[Rule], places: list[float], others: list[float]) -> None:
    """Mark `drawn[i][j]` where a line at `places[i]` covers the side between `others[j]` and the next."""
    covered = [[0.0] * (len(others) - 1) for _ in range(len(places) - 1)]
    for rule in rules:
        i = _nearest(places, rule.at)
        if i >= len(places) - 1:
            continue
        for j in range(len(others) - 1):
            covered[i][j] += max(0.0, min(rule.end, others[j + 1]) - max(rule.start, others[j]))
    for i in range(1, len(places) - 1):
        drawn[i] = [covered[i][j] > COVER * (others[j + 1] - others[j]) for j in range(len(others) - 1)]
    drawn[0] = [True] * (len(others) - 1)


def _nearest(places: list[float], at: float) -> int:
    i = bisect_left(places, at)
    if i and (i == len(places) or at - places[i - 1] <= places[i] - at):
        return i - 1
    return i


def inside(mesh: Mesh, words: Sequence[TableWord]) -> list[TableWord]:
    """The words whose middle is inside the mesh."""
    left, top, right, bottom = mesh.box
    return [w for w in words if left <= w.middle <= right and top <= w.baseline - 0.3 * w.size <= bottom]


def find_meshes(rules: Rules) -> list[Mesh]:
    """The meshes of crossing lines with at least two columns, the largest first."""
    meshes = [mesh for component in find_components(rules) if (mesh := mesh_of(component)) and mesh.columns > 1]
    return sorted(meshes, key=lambda mesh: -area(mesh.box))
