"""Signs with a label above or below them: horizontal braces, arrows that grow with their label, relations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from quire.pages.geometry.extents import box_of, extent
from quire.pages.layout.formulas.latex_row import as_script
from quire.pages.layout.formulas.placed_symbols import DrawnRule, Symbol
from quire.pages.layout.formulas.scripts import SCRIPT, main_of
from quire.pages.layout.formulas.stacks import next_to

Compose = Callable[[list[Symbol]], str]
"""Writes the LaTeX of a part of a formula."""

LABEL_GAP = 0.6  # of the size: the gap between a sign and its label
BESIDE = 0.5  # of the size: the gap between the words of a label
TOUCHING = 0.02  # of the size: the gap between the parts of one arrow
_SHAFTS = {"−": "→←↦", "=": "⇒⇐"}
_EXTENDED = {"→": "xrightarrow", "←": "xleftarrow", "⇒": "xRightarrow", "⇐": "xLeftarrow", "↦": "xmapsto"}
_OVER = {"→": "overrightarrow", "←": "overleftarrow"}


class HorizontalBrace(NamedTuple):
    """A brace below or above a part of a formula."""

    parts: Sequence[Symbol]
    under: bool

    @property
    def command(self) -> str:
        return r"\underbrace" if self.under else r"\overbrace"

    @property
    def edge(self) -> tuple[float, float, float, float]:
        return box_of(self.parts)


def braces_of(items: Sequence[Symbol]) -> list[HorizontalBrace]:
    """The horizontal braces: each has an end, a tip of two parts and an end, from left to right."""
    pieces = sorted((item for item in items if item.kind == "brace"), key=lambda item: item.left)
    found: list[HorizontalBrace] = []
    while pieces:
        first = pieces[0]
        level = [item for item in pieces if abs(item.base - first.base) < 0.5 * first.size]
        ends = [item for item in level if item.sign != "╌"][:4]
        if "".join(item.sign for item in ends) in ("╰╮╭╯", "╭╯╰╮"):
            parts = [item for item in level if item.left <= ends[3].left]
            found.append(HorizontalBrace(parts, under=ends[0].sign == "╰"))
            pieces = [item for item in pieces if item not in parts]
        else:
            pieces = pieces[1:]
    return found


def braced(items: Sequence[Symbol], brace: HorizontalBrace) -> list[Symbol]:
    """The items that a brace embraces."""
    left, top, right, bottom = brace.edge
    line = DrawnRule(left, right, top if brace.under else bottom)
    return next_to(items, line, (), up=brace.under)


class GrownArrow(NamedTuple):
    """An arrow that is built from several parts."""

    parts: Sequence[Symbol]
    sign: str

    @property
    def command(self) -> str:
        return _EXTENDED[self.sign]

    @property
    def over(self) -> str | None:
        """The command of the same arrow above letters."""
        return _OVER.get(self.sign)


def _arrows_of(items: Sequence[Symbol]) -> list[GrownArrow]:
    """Arrows whose head and shaft are parts that touch."""
    heads = [item for item in items if item.sign in _EXTENDED]
    if not heads:
        return []
    found: list[GrownArrow] = []
    for head in heads:
        shafts = [
            item
            for item in items
            if head.sign in _SHAFTS.get(item.sign, "") and abs(item.base - head.base) < 0.05 * head.size
        ]
        parts = [head]
        for item in sorted(shafts, key=lambda item: abs(item.middle - head.middle)):
            left, right = extent(parts)
            reach = TOUCHING * head.size
            if item.left <= right + reach and item.right >= left - reach:
                parts.append(item)
        if len(parts) > 1:
            found.append(GrownArrow(parts, head.sign))
    return found


def _is_under(item: Symbol, arrow: GrownArrow) -> bool:
    """Whether an item is a letter below an arrow, and not a label of it."""
    left, _, right, _ = box_of(arrow.parts)
    size, base = arrow.parts[0].size, arrow.parts[0].base
    lower = 0.3 * size < item.base - base < 1.1 * size
    return lower and item.size > SCRIPT * size and item.left > left - 0.2 * size and item.right < right + 0.2 * size


def _label_of(
    items: Sequence[Symbol], sign: tuple[float, float, float, float], size: float, *, up: bool
) -> list[Symbol]:
    """The label above or below a sign with this box: smaller type in the middle of it, and what is beside that."""
    left, top, right, bottom = sign

    def near(item: Symbol) -> bool:
        gap = top - item.bottom if up else item.top - bottom
        return -0.5 * size < gap < LABEL_GAP * size and item.size < SCRIPT * size

    close = sorted((item for item in items if near(item)), key=lambda item: item.left)
    seeds = [item for item in close if left <= item.middle <= right]
    if not seeds:
        return []
    base = max(seeds, key=lambda item: item.size).base
    row = [item for item in close if item in seeds or abs(item.base - base) < 0.06 * size]
    place = row.index(seeds[0])
    last = row.index(seeds[-1])
    while place and row[place].left - row[place - 1].right < 0.2 * size:
        place -= 1
    while last + 1 < len(row) and row[last + 1].left - row[last].right < 0.2 * size:
        last += 1
    label = row[place : last + 1]
    middle = sum(extent(label)) / 2
    return label if abs(middle - (left + right) / 2) < 0.3 * size else []


def _brace_label(items: Sequence[Symbol], brace: HorizontalBrace) -> list[Symbol]:
    """The label of a brace, of any size: one line beyond it, in its middle."""
    left, top, right, bottom = brace.edge
    beyond = [
        item
        for item in items
        if -0.1 * item.size < (item.top - bottom if brace.under else top - item.bottom) < LABEL_GAP * item.size
    ]
    seeds = [item for item in beyond if left <= item.middle <= right]
    if not seeds:
        return []
    row = sorted(beyond, key=lambda item: item.left)
    start, end = row.index(min(seeds, key=lambda item: item.left)), row.index(max(seeds, key=lambda item: item.left))
    gaps = [after.left - before.right for before, after in pairwise(row)]
    while start and gaps[start - 1] < BESIDE * row[start].size:
        start -= 1
    while end < len(gaps) and gaps[end] < BESIDE * row[end].size:
        end += 1
    return row[start : end + 1]


def with_brace(items: Sequence[Symbol], inside: list[Symbol], brace: HorizontalBrace, compose: Compose) -> list[Symbol]:
    """The items with what a brace embraces and its label joined."""
    label = _brace_label(items, brace)
    main = main_of(inside)
    latex = f"{brace.command}{{{compose(inside)}}}"
    if label:
        latex += f"{'_' if brace.under else '^'}{{{as_script(compose(label))}}}"
    made = Symbol("whole", latex, box_of(inside), main.base, main.size, spaced=inside[0].spaced)
    return [*(item for item in items if item not in inside and item not in label), made]


def labelled(items: list[Symbol], compose: Compose) -> list[Symbol]:
    """The items with arrows and relations joined with what is written above and below them."""
    relations = [item for item in items if item.kind == "relation" and item.sign]
    if not relations:
        return items
    largest = SCRIPT * max([item.size for item in relations])
    small = [item for item in items if item.size < largest and item.kind not in ("accent", "operator")]
    for arrow in _arrows_of(items):
        below = [item for item in items if arrow.over and _is_under(item, arrow)]
        if below:
            left, _, right, _ = box_of(arrow.parts)
            base = main_of(below)
            latex = rf"\{arrow.over}{{{compose(below)}}}"
            made = Symbol("whole", latex, (left, base.top, right, base.bottom), base.base, base.size)
            items = [*(item for item in items if item not in below and item not in arrow.parts), made]
        else:
            items = _with_labels(items, small, arrow.parts, arrow.command, compose)
    for relation in relations if small else ():
        if relation in items and any(relation.left <= item.middle <= relation.right for item in small):
            items = _with_labels(items, small, [relation], None, compose)
    return items


def _with_labels(
    items: list[Symbol], small: Sequence[Symbol], parts: Sequence[Symbol], command: str | None, compose: Compose
) -> list[Symbol]:
    """The items with a sign and its labels joined: an arrow that grows has a `command`, a relation none."""
    first = parts[0]
    left, _, right, _ = box_of(parts)
    box = (left, first.axis - 0.2 * first.size, right, first.axis + 0.2 * first.size)
    above, below = (
        [item for item in _label_of(small, box, first.size, up=up) if item in items and item not in parts]
        for up in (True, False)
    )
    if not above and not below:
        return items
    over, under = (compose(label) if label else "" for label in (above, below))
    if command:
        latex = rf"\{command}{f'[{under}]' if under else ''}{{{over}}}"
    else:
        latex = rf"\underset{{{under}}}{{{first.latex}}}" if under else first.latex
        latex = rf"\{'overset' if under else 'stackrel'}{{{over}}}{{{latex}}}" if over else latex
    made = Symbol("relation", latex, (left, first.top, right, first.bottom), first.base, first.size)
    used = [*parts, *above, *below]
    return [*(item for item in items if item not in used), made]
