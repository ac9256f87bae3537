"""Chains of candidate places: one for each thing of a sequence, if the order of things is the order of places.

A chain gives some of the things a place each, so that places come in the order of the things and do not overlap.
The heaviest chain wins. A thing is given a place only when every heaviest chain gives it that same place: where two
answers are as good, there is none. With n candidates this takes O(n log n).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

_MODULUS = (1 << 61) - 1
"""Chains are counted to tell whether one is in all of them; the number itself may have thousands of digits."""


class PossiblePlace(NamedTuple):
    """A place from `start` to `end` (without it), and how much is in favour of it."""

    start: int
    end: int
    weight: int


def chained(things: Sequence[Sequence[PossiblePlace]]) -> list[PossiblePlace | None]:
    """The place of each thing; None for one that has none, or none that is certain."""
    before = _heaviest(things)
    mirrored = [[PossiblePlace(-end, -start, weight) for start, end, weight in candidates] for candidates in things]
    after = _heaviest(mirrored[::-1])[::-1]
    total, count = 0, 1
    for best in (best for bests in before for best in bests):
        total, count = _heavier((total, count), best) if total else best
    found: list[PossiblePlace | None] = []
    for candidates, bests, mirrored_bests in zip(things, before, after, strict=True):
        certain = None
        for candidate, (weight, ways), (other_weight, other_ways) in zip(
            candidates, bests, mirrored_bests, strict=True
        ):
            in_heaviest = weight + other_weight - candidate.weight == total
            if in_heaviest and ways * other_ways % _MODULUS == count:
                certain = candidate
        found.append(certain)
    return found


def _heaviest(things: Sequence[Sequence[PossiblePlace]]) -> list[list[tuple[int, int]]]:
    """For each candidate the weight of the heaviest chain that ends with it, and how many chains are that heavy."""
    ends = sorted({candidate.end for candidates in things for candidate in candidates})
    tree = [(0, 0)] * (len(ends) + 1)
    found = []
    for candidates in things:
        bests = []
        for start, _, weight in candidates:
            lighter, ways = _best_up_to(tree, bisect_right(ends, start))
            bests.append((lighter + weight, ways if lighter else 1))
        for (_, end, _), best in zip(candidates, bests, strict=True):
            _add(tree, bisect_left(ends, end) + 1, best)
        found.append(bests)
    return found


def _best_up_to(tree: list[tuple[int, int]], position: int) -> tuple[int, int]:
    best = (0, 0)
    while position > 0:
        best = _heavier(best, tree[position])
        position &= position - 1
    return best


def _add(tree: list[tuple[int, int]], position: int, value: tuple[int, int]) -> None:
    while position < len(tree):
        tree[position] = _heavier(tree[position], value)
        position += position & -position


def _heavier(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    if one[0] != other[0]:
        return max(one, other)
    return one[0], (one[1] + other[1]) % _MODULUS
