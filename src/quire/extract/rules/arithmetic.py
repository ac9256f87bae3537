"""Which amounts of a document follow from others: net and tax make the total, what was paid less the change does too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from quire.extract.candidates.values import Candidate
from quire.extract.rules.labels import LabelMatcher

SURE = 0.75
"""The least with which a label names one of the amounts that are added."""
CENT = 0.011
MOST = 12
"""How many amounts of one name are tried."""


class Arithmetic:
    """Finds sums among the labelled amounts of a document."""

    def __init__(self, amounts: Sequence[Candidate], matcher: LabelMatcher) -> None:
        self._named: dict[str, list[float]] = defaultdict(list)
        for amount in amounts:
            if not isinstance(amount.value, float):
                continue
            names = matcher.names(amount.before or amount.left or amount.above)
            for name, figure in names.items():
                if figure >= SURE and figure == max(names.values()) and amount.value not in self._named[name]:
                    self._named[name].append(amount.value)
        for values in self._named.values():
            del values[MOST:]

    def support(self, value: float) -> float:
        """What an amount gains as a total: that others add up to it."""
        if value <= 0:
            return 0.0
        figure = 0.0
        if any(_same(paid - change, value) for paid in self._named["paid"] for change in self._named["change"]):
            figure += 0.12
        extras = [0.0, *self._named["service_charge"]]
        rounded = [0.0, *self._named["rounding"]]
        sums = (
            net + tax + extra + round_
            for net in self._named["net"]
            for tax in self._named["tax"]
            for extra in extras
            for round_ in rounded
        )
        return figure + 0.1 * any(_same(total, value) for total in sums)


def _same(first: float, second: float) -> bool:
    return abs(first - second) < CENT
