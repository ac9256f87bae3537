"""Rows: things on one baseline or at one height, and other groups of things that follow each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TypeVar

from quire.pages.geometry.extents import Boxed, are_level, middle

T = TypeVar("T")
B = TypeVar("B", bound=Boxed)

SAME_ROW = 0.5  # of the larger size: how far the baselines of a row may differ
TIGHT_ROW = 0.45  # where lines are labels with values: those of a list set tightly are not one row


def grouped(things: Iterable[T], joins: Callable[[list[T], T], bool]) -> list[list[T]]:
    """Things in groups of some that follow each other: each joins the last group, or begins another."""
    groups: list[list[T]] = []
    for thing in things:
        if groups and joins(groups[-1], thing):
            groups[-1].append(thing)
        else:
            groups.append([thing])
    return groups


def connected(count: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The numbers below `count` in groups that pairs join, directly or through others; in order, as are the groups."""
    parents = list(range(count))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    for a, b in pairs:
        parents[root(a)] = root(b)
    groups: dict[int, list[int]] = {}
    for number in range(count):
        groups.setdefault(root(number), []).append(number)
    return list(groups.values())


def near_values(values: Iterable[float], within: float) -> list[list[float]]:
    """Numbers in ascending groups, each nearer than this to the one before."""
    return grouped(sorted(values), lambda group, value: value - group[-1] < within)


def baseline_rows(
    things: Iterable[T],
    within: float = SAME_ROW,
    *,
    baseline: Callable[[T], float] = attrgetter("baseline"),
    size: Callable[[T], float] = attrgetter("size"),
) -> list[list[T]]:
    """Things in rows from the top: baselines differ from that of the first by a share of the larger size at most."""

    def joins(row: list[T], thing: T) -> bool:
        step = baseline(thing) - baseline(row[0])
        return step <= within * size(thing) or step <= within * size(row[0])

    return grouped(sorted(things, key=baseline), joins)


def level_rows(things: Iterable[B]) -> list[list[B]]:
    """Things in rows from the top: those that share most of their height with all before them in the row."""
    return grouped(sorted(things, key=middle), lambda row, thing: all(are_level(other, thing) for other in row))


def from_left(row: Iterable[B]) -> list[B]:
    return sorted(row, key=attrgetter("left"))
