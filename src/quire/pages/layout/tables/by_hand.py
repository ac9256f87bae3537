"""Tables whose areas, and perhaps columns, are given by hand: nothing is judged, what is in an area is a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from quire.core.pagetext import PageText
from quire.core.table_areas import TableArea
from quire.core.types import BBox
from quire.pages.layout.frame import Turn
from quire.pages.layout.lines import Line
from quire.pages.layout.tables.lattice import find_meshes, inside
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.ruled import drop_thin, header_rows, is_ruled_table
from quire.pages.layout.tables.ruled_lines import find_rules
from quire.pages.layout.tables.stream import build_mesh
from quire.pages.layout.tables.strokes import Rule, Rules
from quire.pages.layout.tables.table_values import FoundTable, runs_in
from quire.pages.layout.tables.word_rows import TableWord, rows_of, turned_words, without_leaders, words_in

WHOLE = BBox(0.0, 0.0, 1.0, 1.0)
EDGE = 3.0  # points: lines this near to the edge of an area are its own
MOST = 0.6  # of the words of an area: a mesh with fewer is not its table
ACROSS = 0.5  # of the width or height of an area: shorter lines do not separate its rows or columns

Points = tuple[float, float, float, float]


def tables_by_hand(
    page: PageText, lines: Sequence[Line], areas: Sequence[TableArea], size: tuple[float, float], there: Turn | None
) -> list[FoundTable]:
    """The tables of the areas, in their order; an area without words has none. A word is only in one of them.

    `size` is that of the displayed page, `there` the transform from it to the page with its text upright.
    """
    words, turned = words_in(page, lines), turned_words(page, lines)
    rules = find_rules(page)
    tables = []
    for area in areas:
        box, bounds = _placed(area, size, there)
        held = [word for word in words if _is_in(box, word)]
        if not held:
            continue
        table = _table(area, held, [word for word in turned if _is_in(box, word)], _clipped(rules, box), box, bounds)
        tables.append(table)
        taken = runs_in([table])
        words = [word for word in words if word.runs[0] not in taken]
    return tables


def _placed(area: TableArea, size: tuple[float, float], there: Turn | None) -> tuple[Points, list[float]]:
    """The box of an area and its bounds between columns, in points of the page with its text upright.

    Where the text is written sideways, columns are measured from the top of the displayed page.
    """
    box = (BBox(*area.box) if area.box else WHOLE).points(size)
    width, height = size
    across = [x * width for x in area.columns]
    if there is None:
        return box, across
    upright = there(*box)
    lines = [there(x, box[1], x, box[3]) for x in across]
    if any(right - left > bottom - top for left, top, right, bottom in lines):
        lines = [there(box[0], y * height, box[2], y * height) for y in area.columns]
    return upright, sorted((left + right) / 2 for left, _, right, _ in lines)


def _is_in(box: Points, word: TableWord) -> bool:
    return box[0] <= word.middle <= box[2] and box[1] <= word.baseline - 0.3 * word.size <= box[3]


def _clipped(rules: Rules, box: Points) -> Rules:
    """The parts of the lines that are in a box."""
    left, top, right, bottom = box
    return Rules(_between(rules.across, top, bottom, left, right), _between(rules.down, left, right, top, bottom))


def _between(rules: Sequence[Rule], least: float, most: float, start: float, end: float) -> list[Rule]:
    near = [rule for rule in rules if least - EDGE < rule.at < most + EDGE]
    return [Rule(r.at, max(r.start, start), min(r.end, end)) for r in near if r.start < end and start < r.end]


def _table(
    area: TableArea, words: list[TableWord], turned: list[TableWord], rules: Rules, box: Points, bounds: list[float]
) -> FoundTable:
    if area.tables == "lines":
        return _between_lines([*words, *turned], rules, box, bounds)
    if area.tables != "words" and not bounds:
        for mesh in find_meshes(rules):
            if len(inside(mesh, words)) >= MOST * len(words):
                for word in [*words, *inside(mesh, turned)]:
                    mesh.place(word)
                if is_ruled_table(mesh):
                    return mesh.table(header_rows(mesh))
    rows = [without_leaders(row) for row in rows_of(words)]
    made = build_mesh(rows, rules.across, fixed_bounds=bounds)
    if made is not None:
        return made[0].table(made[1])
    return _between_lines(words, Rules([], []), box, bounds, [(a.bottom + b.top) / 2 for a, b in pairwise(rows)])


def _between_lines(
    words: list[TableWord], rules: Rules, box: Points, bounds: list[float], cuts: Sequence[float] = ()
) -> FoundTable:
    """A table whose rows are between drawn lines, or cuts, and whose columns are the bounds, or between lines too."""
    left, top, right, bottom = box
    ys = [rule.at for rule in rules.across if rule.length > ACROSS * (right - left)] or list(cuts)
    xs = bounds or [rule.at for rule in rules.down if rule.length > ACROSS * (bottom - top)]
    mesh = Mesh(_edges(left, xs, right), _edges(top, ys, bottom))
    for word in words:
        mesh.place(word)
    for row in reversed(range(mesh.rows)):
        if mesh.rows > 1 and not mesh.row_words(row):
            mesh.drop_row(row)
    drop_thin(mesh)
    return mesh.table(header_rows(mesh) if mesh.rows > 1 else 0)


def _edges(start: float, places: Sequence[float], end: float) -> list[float]:
    """The places between two ends, with the ends; those at an end are the end."""
    return [start, *(place for place in sorted(places) if start + EDGE < place < end - EDGE), end]
