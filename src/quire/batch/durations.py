"""A histogram of durations in little memory: buckets that are about 2 % wide."""

from __future__ import annotations

import math
from collections import Counter

_WIDTH = math.log(1.02)
_LEAST_MS = 0.001


class Durations:
    """A histogram of milliseconds. Percentiles are exact to one percent; memory does not grow with the number."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self.count = 0

    def add(self, ms: float) -> None:
        self._counts[round(math.log(max(ms, _LEAST_MS)) / _WIDTH)] += 1
        self.count += 1

    def percentile(self, percent: float) -> float:
        """The percentile of the durations; 0 when there are none."""
        rank = math.ceil(self.count * percent / 100)
        passed = 0
        for step in sorted(self._counts):
            passed += self._counts[step]
            if passed >= rank:
                return round(math.exp(step * _WIDTH), 3)
        return 0.0
