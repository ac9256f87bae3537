"""Signs with a label above or below them: horizontal braces, arrows that grow with their label, relations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from quire.layout.formulas.items import DrawnRule, Symbol
from quire.layout.formulas.rules import next_to
from quire.layout.formulas.scripts import SCRIPT
from quire.layout.things import box_of

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
    """What a brace embraces."""
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


def arrows_of(items: Sequence[Symbol]) -> list[GrownArrow]:
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
            left, right = min(part.left for part in parts), max(part.right for part in parts)
            reach = TOUCHING * head.size
            if item.left <= right + reach and item.right >= left - reach:
                parts.append(item)
        if len(parts) > 1:
            found.append(GrownArrow(parts, head.sign))
    return found


def is_under(item: Symbol, arrow: GrownArrow) -> bool:
    """Whether an item is a letter below an arrow, and not a label of it."""
    left, _, right, _ = box_of(arrow.parts)
    size, base = arrow.parts[0].size, arrow.parts[0].base
    lower = 0.3 * size < item.base - base < 1.1 * size
    return lower and item.size > SCRIPT * size and item.left > left - 0.2 * size and item.right < right + 0.2 * size


def label_of(
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
    middle = (min(item.left for item in label) + max(item.right for item in label)) / 2
    return label if abs(middle - (left + right) / 2) < 0.3 * size else []


def under_label(items: Sequence[Symbol], brace: HorizontalBrace) -> list[Symbol]:
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
