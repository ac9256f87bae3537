"""The nearness of a text to a query: whether neighbouring words of the query stand near each other in it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

REACH = 8
"""Terms from one word to the other; further apart they have nothing to do with each other."""

Pairs = Mapping[tuple[str, str], float]
"""Neighbouring terms of a query, and how much each pair says."""


def neighbouring(terms: Sequence[str], rarity: Mapping[str, float]) -> Pairs:
    """The pairs of a query, each as rare as the commoner of its terms. Terms without a rarity are in no text."""
    return {pair: min(rarity[term] for term in pair) for pair in pairwise(terms) if rarity.keys() >= {*pair}}


def nearness(pairs: Pairs, text: str) -> float:
    """The share of the pairs whose terms are side by side in a text, given as terms between spaces; less for those
    that are a few terms apart. Of many pairs each counts less: a question does not quote."""
    others: dict[str, list[tuple[str, tuple[str, str]]]] = defaultdict(list)
    for first, second in pairs:
        if f" {first} " in text and f" {second} " in text:
            others[first].append((second, (first, second)))
            others[second].append((first, (first, second)))
    if not others:
        return 0.0
    nearest: dict[tuple[str, str], int] = {}
    last: dict[str, int] = {}
    for place, term in enumerate(text.split()):
        if term in others:
            for other, pair in others[term]:
                if other in last:
                    nearest[pair] = min(nearest.get(pair, REACH + 1), place - last[other])
            last[term] = place
    found = sum(pairs[pair] / apart for pair, apart in nearest.items() if apart <= REACH)
    return found / sum(pairs.values()) / math.sqrt(len(pairs))
