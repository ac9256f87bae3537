"""Boxes of things: the box around several, and how much two of them share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from quire.core.types import Box

LEVEL = 0.5  # of the lower height: things that share more of it stand in one row
SWEEPS, LOOK_BACK = 12, 60  # how often boxes are merged, and with how many before them: a page may have thousands


class Boxed(Protocol):
    """Anything with a box: a line, a word, a table, a figure. In points or as fractions of the page."""

    @property
    def left(self) -> float: ...
    @property
    def top(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def bottom(self) -> float: ...


def box_of(things: Collection[Boxed]) -> Box:
    """The box around some things."""
    return Box(
        min([t.left for t in things]),
        min([t.top for t in things]),
        max([t.right for t in things]),
        max([t.bottom for t in things]),
    )


def extent(things: Collection[Boxed]) -> tuple[float, float]:
    """The left and the right edge of some things together."""
    return min([t.left for t in things]), max([t.right for t in things])


def width_of(things: Collection[Boxed]) -> float:
    left, right = extent(things)
    return right - left


def centre(thing: Boxed) -> float:
    """The middle of a thing from left to right."""
    return (thing.left + thing.right) / 2


def middle(thing: Boxed) -> float:
    """The middle of a thing from top to bottom."""
    return (thing.top + thing.bottom) / 2


def area(thing: Boxed) -> float:
    return (thing.right - thing.left) * (thing.bottom - thing.top)


def shared_width(a: Boxed, b: Boxed) -> float:
    """The width that two things share across the page; below 0 it is the gap between them."""
    return min(a.right, b.right) - max(a.left, b.left)


def shared_height(a: Boxed, b: Boxed) -> float:
    """The height that two things share down the page; below 0 it is the gap between them."""
    return min(a.bottom, b.bottom) - max(a.top, b.top)


def shared_area(a: Boxed, b: Boxed) -> float:
    """The area that two things have in common."""
    return max(shared_width(a, b), 0.0) * max(shared_height(a, b), 0.0)


def overlap(a: Boxed, b: Boxed) -> float:
    """The area that two things have in common, as a share of what at least one of them covers."""
    shared = shared_area(a, b)
    return shared / max(area(a) + area(b) - shared, 1e-9)


def are_level(a: Boxed, b: Boxed, share: float = LEVEL) -> bool:
    """Whether two things stand in one row: they share most of the lower one's height."""
    return shared_height(a, b) >= share * min(a.bottom - a.top, b.bottom - b.top)


def share_width(a: Boxed, b: Boxed, share: float) -> bool:
    """Whether one thing is above the other: they share some of the narrower one's width."""
    return shared_width(a, b) >= share * min(a.right - a.left, b.right - b.left)


def touch(a: Boxed, b: Boxed, reach: float = 0.0) -> bool:
    """Whether two boxes overlap, or are no further apart than this."""
    return shared_width(a, b) >= -reach and shared_height(a, b) >= -reach


def has_middle(box: Boxed, thing: Boxed, near: float = 0.0) -> bool:
    """Whether the middle of a thing is in a box, or this near to it."""
    x, y = centre(thing), middle(thing)
    return box.left - near <= x <= box.right + near and box.top - near <= y <= box.bottom + near


def distance_from(box: Boxed, thing: Boxed) -> float:
    """The distance of the middle of a thing from a box, across and down together; 0 inside it."""
    x, y = centre(thing), middle(thing)
    return max(box.left - x, x - box.right, 0.0) + max(box.top - y, y - box.bottom, 0.0)


def touching(boxes: Collection[Boxed], reach: float) -> list[Box]:
    """Boxes from the top, with those that touch, or nearly, merged: in sweeps until nothing changes."""
    current = [box_of((box,)) for box in sorted(boxes, key=lambda box: box.top)]
    for _ in range(SWEEPS):
        merged: list[Box] = []
        for box in current:
            for index in range(len(merged) - 1, max(-1, len(merged) - LOOK_BACK), -1):
                if touch(box, merged[index], reach):
                    merged[index] = box_of((box, merged[index]))
                    break
            else:
                merged.append(box)
        if len(merged) == len(current):
            return merged
        current = merged
    return current
