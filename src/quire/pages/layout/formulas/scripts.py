"""Sub- and superscripts: what is smaller than its line, and above or below its baseline."""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.median import median
from quire.pages.layout.formulas.placed_symbols import Symbol

SCRIPT = 0.86  # of the size: smaller type may be a script
RAISED, LOWERED = 0.18, 0.06  # of the size: how far a script's baseline is from that of its line


def shift_of(item: Symbol, main: Symbol) -> float:
    """The height of an item above the line, in points; for a sign with its middle on the axis, that of the axis."""
    return main.axis - item.axis if item.centred else main.base - item.base


def is_script(item: Symbol, main: Symbol, *, smallest: bool = False) -> bool:
    """Whether an item is a script; in the smallest type, scripts are of the same size as their line."""
    shift = shift_of(item, main) / main.size
    if item.size > SCRIPT * main.size:
        return smallest and not item.centred and (0.25 < shift < 0.7 or -0.4 < shift < -0.15)
    return abs(shift) > 0.3 if item.centred else shift > RAISED or shift < -LOWERED


def all_scripts(items: Sequence[Symbol], main: Symbol) -> bool:
    """Whether all items are scripts of nothing."""
    return all(is_script(item, main) for item in items)


def main_of(items: Sequence[Symbol]) -> Symbol:
    """An item that stands on the baseline of the row."""
    plain = [item for item in items if item.kind not in ("root", "operator")] or list(items)
    size = max(item.size for item in plain)
    full = [item for item in plain if item.size > SCRIPT * size]
    level = [item for item in full if not item.centred] or full
    base = median([item.base for item in level])
    return min(level, key=lambda item: abs(item.base - base))


def _continues(group: Sequence[Symbol], item: Symbol) -> bool:
    gap = item.left - max([other.right for other in group])
    return -0.1 * item.size < gap < 0.2 * item.size and item.size < SCRIPT * max([other.size for other in group])


class Scripts:
    """The sub- and superscripts of one symbol, as they are found from left to right."""

    def __init__(self) -> None:
        self.above: list[Symbol] = []
        self.below: list[Symbol] = []

    def __bool__(self) -> bool:
        return bool(self.above or self.below)

    def continues(self, item: Symbol) -> bool:
        """Whether an item is a script of one of these scripts, wherever that puts it."""
        return (bool(self.above) and _continues(self.above, item)) or (
            bool(self.below) and _continues(self.below, item)
        )

    def add(self, item: Symbol, main: Symbol) -> None:
        groups = [group for group in (self.above, self.below) if group]
        level = [group for group in groups if abs(group[0].base - item.base) < 0.1 * main.size]
        if level:
            level[0].append(item)
            return
        nested = [
            group
            for group in groups
            if item.size < SCRIPT * max(i.size for i in group)
            and item.left - max(i.right for i in group) < 0.25 * main.size
            and item.left > group[0].left
        ]
        if nested:
            min(nested, key=lambda group: abs(item.left - max(i.right for i in group))).append(item)
        elif shift_of(item, main) > 0:
            self.above.append(item)
        else:
            self.below.append(item)
