"""Symbols that a typesetter puts together from others: dots below each other, double integrals, names of two words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from quire.pages.geometry.extents import box_of
from quire.pages.layout.formulas.placed_symbols import Symbol

_INTEGRALS = {2: "∬", 3: "∭"}


def joined_signs(items: list[Symbol]) -> list[Symbol]:
    """The items with those that make up one sign joined; most formulas have none."""
    signs = [item.sign for item in items]
    if signs.count(".") > 2:
        items = _dots(items)
    if signs.count("∫") > 1:
        items = _integrals(items)
    if "lim" in signs and ("sup" in signs or "inf" in signs):
        items = _limits(items)
    return items


def _replaced(items: Sequence[Symbol], parts: Sequence[Symbol], made: Symbol) -> list[Symbol]:
    """The items with the first of the parts replaced by what they make up, and the others left out."""
    made.spaced = parts[0].spaced
    return [made if item is parts[0] else item for item in items if item is parts[0] or item not in parts]


def _dots(items: list[Symbol]) -> list[Symbol]:
    """Three dots below each other, or on a falling line."""
    dots = sorted((item for item in items if item.sign == "."), key=lambda item: (item.left, item.base))
    while len(dots) > 2:
        first = dots.pop(0)
        size = first.size
        for right, command in ((False, r"\vdots"), (True, r"\ddots")):
            second = _next_dot(first, dots, right=right)
            third = _next_dot(second, dots, right=right) if second else None
            if second is None or third is None:
                continue
            parts = [first, second, third]
            made = Symbol("letter", command, box_of(parts), second.base + 0.1 * size, size, sign=command)
            items = _replaced(items, parts, made)
            dots = [dot for dot in dots if dot is not second and dot is not third]
            break
    return items


def _next_dot(dot: Symbol, dots: Sequence[Symbol], *, right: bool) -> Symbol | None:
    """The next of three dots."""
    size = dot.size
    low, high = (0.2 * size, 0.7 * size) if right else (-0.05 * size, 0.05 * size)
    found = [o for o in dots if low < o.left - dot.left < high and 0.15 * size < o.base - dot.base < 0.75 * size]
    return min(found, key=lambda other: other.base, default=None)


def _integrals(items: list[Symbol]) -> list[Symbol]:
    """Integrals that follow each other without a space."""
    signs = sorted((item for item in items if item.sign == "∫"), key=lambda item: item.left)
    groups: list[list[Symbol]] = [[signs[0]]]
    for last, item in pairwise(signs):
        if item.left - last.right < 0.05 * item.size and abs(item.base - last.base) < 0.1 * item.size:
            groups[-1].append(item)
        else:
            groups.append([item])
    for group in groups:
        sign = _INTEGRALS.get(len(group))
        if sign:
            first = group[0]
            command = r"\iint" if len(group) == 2 else r"\iiint"
            made = Symbol("operator", command, box_of(group), first.base, first.size, sign=sign, centred=True)
            made.axis = first.axis
            items = _replaced(items, group, made)
    return items


def _limits(items: list[Symbol]) -> list[Symbol]:
    """The upper and lower limit, whose names are two words."""
    for first in [item for item in items if item.sign == "lim"]:
        for second in items:
            gap = second.left - first.right
            if second.sign in ("sup", "inf") and -0.1 * first.size < gap < 0.4 * first.size:
                if abs(second.base - first.base) > 0.05 * first.size:
                    continue
                name = first.sign + second.sign
                box = box_of([first, second])
                items = _replaced(
                    items, [first, second], Symbol("word", rf"\{name}", box, first.base, first.size, sign=name)
                )
                break
    return items
