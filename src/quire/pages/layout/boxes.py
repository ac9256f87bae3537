"""Forms drawn as boxes: each box has a small label at its top and the value below it.

A table has the same kind of thing in every row of a column. In a form each box names itself: its first line is a label
that looks different from what is below it, underlined, lighter or smaller.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from quire.core.pagetext import PageText
from quire.pages.geometry.extents import box_of
from quire.pages.geometry.rows import baseline_rows
from quire.pages.layout.fields import FieldPair
from quire.pages.layout.labels import is_label
from quire.pages.layout.lines import Line
from quire.pages.layout.tables.lattice import find_components, mesh_of
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.strokes import Rule, Rules

MOST_LINES = 5  # of a box of a form
LABELLED = 0.75  # of the boxes with text: those that begin with a label
MARKED = 0.6  # of the boxes with a label and a value: those whose label looks different
SMALLER = 0.93  # of the size of the value
FITS = 3.0  # points: how far the ends of an underline may be from those of the words
UNDER = (-1.5, 3.5)  # points: from the baseline to an underline


class FieldGroup:
    """The fields of a form, row by row, as one thing to be ordered."""

    __slots__ = ("bottom", "left", "pairs", "right", "top")

    def __init__(self, pairs: list[FieldPair]) -> None:
        self.pairs = pairs
        self.left, self.top, self.right, self.bottom = box_of(pairs)


def boxed_fields(page: PageText, lines: Sequence[Line], rules: Rules) -> tuple[list[FieldGroup], list[Line]]:
    """The forms drawn as boxes, and the lines without them."""
    if len(rules.across) < 2 or len(rules.down) < 2:
        return [], list(lines)
    underlines = _underlines(page, rules.across, lines)
    below = set(map(id, underlines))
    drawn = Rules([rule for rule in rules.across if id(rule) not in below], rules.down)
    meshes = [mesh for component in find_components(drawn) if (mesh := mesh_of(component))]
    held = [_boxes(page, mesh, lines) for mesh in meshes]
    forms = [boxes for boxes in held if _is_form(boxes, underlines)]
    if not forms:
        return [], list(lines)
    label = next(box[0] for boxes in forms for box in boxes if len(box) > 1)
    forms += [boxes for boxes in held if boxes and boxes not in forms and _are_alike(boxes, label)]
    groups = [FieldGroup([FieldPair([box[0]], box[1:]) for box in boxes if is_label(box[0].text)]) for boxes in forms]
    taken = {run for group in groups for pair in group.pairs for line in pair.lines for run in line.runs}
    return groups, _rest(page, lines, taken)


def _is_form(boxes: Sequence[Sequence[Line]], underlines: Sequence[Rule]) -> bool:
    """Whether the cells of a mesh are boxes of a form rather than of a table."""
    labelled = [box for box in boxes if is_label(box[0].text) and len(box) <= MOST_LINES]
    filled = [box for box in labelled if len(box) > 1]
    if len(filled) < 2 or len(labelled) < LABELLED * len(boxes):
        return False
    return sum(_is_marked(box, underlines) for box in filled) >= MARKED * len(filled)


def _are_alike(boxes: Sequence[Sequence[Line]], label: Line) -> bool:
    """Whether boxes have labels of the same type as those of a form, and hardly anything else: it was not filled in."""
    return all(
        len(box) <= 2 and is_label(box[0].text) and box[0].font == label.font and box[0].size == label.size
        for box in boxes
    )


def _rest(page: PageText, lines: Sequence[Line], taken: set[int]) -> list[Line]:
    rest = []
    for line in lines:
        kept = [run for run in line.runs if run not in taken]
        if len(kept) == len(line.runs):
            rest.append(line)
        elif kept:
            rest.append(Line(page, kept, line.tag))
    return rest


def _underlines(page: PageText, rules: Sequence[Rule], lines: Sequence[Line]) -> list[Rule]:
    """The lines that run below some words, from the first to the last."""
    ordered = sorted((line for line in lines if not line.angle), key=lambda line: line.baseline)
    places = [line.baseline for line in ordered]
    found = []
    for rule in rules:
        first, last = bisect_left(places, rule.at - UNDER[1]), bisect_right(places, rule.at - UNDER[0])
        if any(_fits(page, rule, line) for line in ordered[first:last]):
            found.append(rule)
    return found


def _fits(page: PageText, rule: Rule, line: Line) -> bool:
    """Whether a line begins where one of the words does, and ends where one does."""
    if rule.start < line.left - FITS or rule.end > line.right + FITS:
        return False
    begins = any(abs(page.boxes[4 * run] - rule.start) < FITS for run in line.runs)
    return begins and any(abs(page.boxes[4 * run + 2] - rule.end) < FITS for run in line.runs)


def _boxes(page: PageText, mesh: Mesh, lines: Sequence[Line]) -> list[list[Line]]:
    """The lines in each cell of a mesh that has any, row by row."""
    cells = {
        (r, c): number
        for number, (row, column, height, width) in enumerate(mesh.cells())
        for r in range(row, row + height)
        for c in range(column, column + width)
    }
    runs: dict[int, list[int]] = {}
    for line in lines:
        if line.angle or line.right < mesh.xs[0] or line.left > mesh.xs[-1]:
            continue
        for run in line.runs:
            x, y = page.boxes[4 * run] + 1, page.baselines[run] - 0.3 * page.sizes[run]
            if mesh.xs[0] <= x <= mesh.xs[-1] and mesh.ys[0] <= y <= mesh.ys[-1]:
                place = (
                    min(bisect_right(mesh.ys, y) - 1, mesh.rows - 1),
                    min(bisect_right(mesh.xs, x) - 1, mesh.columns - 1),
                )
                runs.setdefault(cells[place], []).append(run)
    return [_lines_of(page, held) for _, held in sorted(runs.items())]


def _lines_of(page: PageText, runs: list[int]) -> list[Line]:
    """The lines of a box, from top to bottom."""
    rows = baseline_rows(runs, baseline=page.baselines.__getitem__, size=page.sizes.__getitem__)
    return [Line(page, sorted(row, key=lambda run: page.boxes[4 * run])) for row in rows]


def _is_marked(box: Sequence[Line], underlines: Sequence[Rule]) -> bool:
    """Whether the label of a box looks different from its value."""
    label, value = box[0], box[1]
    if label.size < SMALLER * value.size or label.bold != value.bold or label.color != value.color:
        return True
    places = [rule.at for rule in underlines]
    near = underlines[bisect_left(places, label.baseline + UNDER[0]) : bisect_right(places, label.baseline + UNDER[1])]
    return any(rule.start < label.right and rule.end > label.left for rule in near)
