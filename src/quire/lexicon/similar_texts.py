"""Finds the most similar of many texts, without comparing all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

LOOKED_AT = 12
"""The number of texts, by shared letter pairs (bigrams), that are compared in full."""

REMEMBERED = 20_000
"""The number of cached results, so that memory does not grow with a long document."""


class Nearest:
    """An index of texts by their letter pairs (bigrams). Case is ignored."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(dict.fromkeys(texts))
        self._pairs: dict[str, list[int]] = defaultdict(list)
        self._sizes = []
        self._known: dict[tuple[str, float], list[tuple[float, str]]] = {}
        for number, text in enumerate(self._texts):
            pairs = set(_pairs(text.casefold()))
            self._sizes.append(len(pairs))
            for pair in pairs:
                self._pairs[pair].append(number)

    def similar(self, text: str, least: float) -> list[tuple[float, str]]:
        """Texts of at least this similarity (0 to 1, twice the common letters over all letters), most similar first."""
        found = self._known.get((text, least))
        if found is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            found = self._known[text, least] = sorted(self._compared(text.casefold(), least), key=lambda one: -one[0])
        return found

    def _compared(self, text: str, least: float) -> Iterator[tuple[float, str]]:
        matcher = SequenceMatcher(None, b=text, autojunk=False)
        for number in self._sharing(text):
            candidate = self._texts[number]
            matcher.set_seq1(candidate.casefold())
            if matcher.real_quick_ratio() >= least and (ratio := matcher.ratio()) >= least:
                yield ratio, candidate

    def _sharing(self, text: str) -> list[int]:
        pairs = set(_pairs(text))
        shared: Counter[int] = Counter()
        for pair in pairs:
            shared.update(self._pairs.get(pair, ()))
        by_share = sorted(shared, key=lambda number: (-shared[number] / (len(pairs) + self._sizes[number]), number))
        return by_share[:LOOKED_AT]


def _pairs(text: str) -> Iterator[str]:
    padded = f" {text} "
    return (padded[at : at + 2] for at in range(len(padded) - 1))
