"""Neighbours: which things of a page stand beside, above and below each other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Generic, Literal, Protocol, TypeVar

from quire.core.types import Box
from quire.pages.geometry.extents import are_level, middle, shared_width
from quire.pages.geometry.rows import grouped

OVERLAP = 0.3  # of the height: how far things beside each other may overlap
INTO = 0.5  # of the height: how far things below each other may
Way = Literal["right", "below", "above"]


class HasBox(Protocol):
    """Anything with its box on the page."""

    @property
    def box(self) -> Box: ...


P = TypeVar("P", bound=HasBox)


class Neighbours(Generic[P]):
    """The things of one page from its top, each asked for the next one in a direction."""

    def __init__(self, things: Iterable[P]) -> None:
        self.all = sorted(things, key=lambda thing: middle(thing.box))
        self._middles = [middle(thing.box) for thing in self.all]
        self.tallest = max((thing.box.bottom - thing.box.top for thing in self.all), default=0.0)
        self._rows: dict[int, list[P]] = {}

    @cached_property
    def rows(self) -> list[list[P]]:
        """All things in rows from the top, each from left to right."""
        rows = grouped(self.all, lambda row, thing: are_level(thing.box, row[0].box))
        return [sorted(row, key=lambda thing: thing.box.left) for row in rows]

    def near(self, top: float, bottom: float) -> Sequence[P]:
        """The things whose middles are between two heights."""
        return self.all[bisect_left(self._middles, top) : bisect_left(self._middles, bottom)]

    def row_of(self, thing: P) -> list[P]:
        """The others on the same height, from left to right."""
        found = self._rows.get(id(thing))
        if found is None:
            _, top, _, bottom = box = thing.box
            near = self.near(top - self.tallest / 2, bottom + self.tallest / 2)
            found = [other for other in near if other is not thing and are_level(box, other.box)]
            self._rows[id(thing)] = found = sorted(found, key=lambda other: other.box.left)
        return found

    def left_of(self, thing: P) -> list[P]:
        """The others on the same height that end before it begins, the nearest first."""
        before = thing.box.left + OVERLAP * (thing.box.bottom - thing.box.top)
        found = [other for other in self.row_of(thing) if other.box.right <= before]
        return sorted(found, key=lambda other: -other.box.right)

    def next_to(self, thing: P, way: Way, reach: float, share: float = 0.0) -> P | None:
        """The nearest thing in a direction, if it is within reach: on the same height, or over or under more than a
        share of the narrower one's width."""
        left, top, right, bottom = box = thing.box
        height = bottom - top
        if way == "right":
            after = right - OVERLAP * height
            nearest = next((other for other in self.row_of(thing) if other.box.left >= after), None)
            return nearest if nearest is not None and gap_to(box, nearest.box, way) <= reach else None
        far, half, below = reach + self.tallest / 2, middle(box), way == "below"
        best, least = None, reach
        for other in self.near(half, bottom + far) if below else self.near(top - far, half):
            gap = other.box.top - bottom if below else top - other.box.bottom
            if -INTO * height <= gap <= least and other is not thing and (best is None or gap < least):
                narrower = min(right - left, other.box.right - other.box.left)
                if shared_width(box, other.box) > share * narrower:
                    best, least = other, gap
        return best


def gap_to(box: Box, other: Box, way: Way) -> float:
    """How far another box is in a direction."""
    if way == "right":
        return other.left - box.right
    return other.top - box.bottom if way == "below" else box.top - other.bottom
