"""Items above and below a drawn rule, a root sign or an operator."""

from __future__ import annotations

from collections.abc import Sequence

from quire.pages.geometry.extents import extent
from quire.pages.layout.formulas.placed_symbols import DrawnRule, Symbol
from quire.pages.layout.formulas.scripts import SCRIPT

NEAR = 0.45  # of the size: the gap between the parts of what stands above or below a rule
LIMIT_GAP = 0.5  # of the size: the gap between an operator and its limits


def root_of(items: Sequence[Symbol], rule: DrawnRule, others: Sequence[DrawnRule]) -> Symbol | None:
    """The root sign whose bar the rule is: of several rules that begin at it, the highest."""
    for item in items:
        reach = 0.25 * item.size
        if item.kind != "root" or abs(item.right - rule.left) > reach or not _spans(item, rule):
            continue
        if not any(
            abs(item.right - other.left) < reach and _spans(item, other) and other.y < rule.y for other in others
        ):
            return item
    return None


def _spans(root: Symbol, rule: DrawnRule) -> bool:
    """Whether a rule is at the height of a root sign."""
    if root.centred:
        return abs(root.top - rule.y) < 0.3 * root.size or root.top < rule.y < root.bottom
    return -0.9 * root.size < rule.y - root.base < 0.4 * root.size


def next_to(items: Sequence[Symbol], rule: DrawnRule, others: Sequence[DrawnRule], *, up: bool) -> list[Symbol]:
    """The items directly above or below a rule, as far as they follow each other without a gap."""
    slack = 0.3
    found = []
    for item in items:
        inside = rule.left - slack <= item.middle <= rule.right + slack and item.left > rule.left - 0.5 * item.size
        if not inside or (item.axis < rule.y) != up:
            continue
        low, high = sorted((item.axis, rule.y))
        if not any(
            o.left - 1 <= item.middle <= o.right + 1 and low < o.y < high and o.width > rule.width for o in others
        ):
            found.append(item)
    found.sort(key=lambda item: -item.bottom if up else item.top)
    edge = rule.y
    kept: list[Symbol] = []
    for item in found:
        gap = edge - item.bottom if up else item.top - edge
        if gap > NEAR * item.size or (gap > -0.1 * item.size and _begins_a_row(item, kept)):
            continue
        kept.append(item)
        edge = min(edge, item.top) if up else max(edge, item.bottom)
    return kept


def _begins_a_row(item: Symbol, kept: Sequence[Symbol]) -> bool:
    """Whether an item is of another row of the formula: as large as a part of a fraction, and beyond all of it."""
    return bool(kept) and item.size > 0.9 * max(other.size for other in kept)


def belongs_before(item: Symbol, items: Sequence[Symbol], root: Symbol) -> bool:
    """Whether a small symbol before a root is a script of what comes before, not the degree of the root."""
    return item.right < root.left + 0.15 * root.size


def limits_of(items: Sequence[Symbol], operator: Symbol, operators: Sequence[Symbol], *, up: bool) -> list[Symbol]:
    """The limits of an operator: items directly above or below it, and those beside them on their line."""
    size = operator.size
    reach = LIMIT_GAP
    small = SCRIPT * size * (1.1 if operator.kind == "operator" else 1.0)  # its font may be set smaller than the text

    def beyond(item: Symbol) -> bool:
        if item is operator or item in operators or item.size > small:
            return False
        if operator.kind == "operator":
            gap = operator.top - item.bottom if up else item.top - operator.bottom
            return -0.35 * size < gap < reach * size and (
                item.axis < operator.top if up else item.axis > operator.bottom
            )
        shift = operator.base - item.base
        return 0.75 * size < shift < 1.3 * size if up else 0.4 * size < -shift < 1.2 * size

    seeds = [
        item
        for item in items
        if beyond(item) and operator.left - 0.1 * size < item.middle < operator.right + 0.1 * size
    ]
    if not seeds:
        return []
    kept = list(seeds)
    if operator.kind == "operator" and not up:
        low = max(item.bottom for item in kept)
        reach = LIMIT_GAP + (low - operator.bottom) / size  # a second row is as near to the first one
    others = [item for item in items if item not in kept and beyond(item)]
    grown = True
    while grown:
        grown = False
        left, right = extent(kept)
        for item in others:
            if item not in kept and item.left < right + 0.35 * size and item.right > left - 0.35 * size:
                kept.append(item)
                grown = True
    return kept
