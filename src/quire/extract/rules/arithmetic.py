"""Which amounts of a document follow from others: net and tax make the total, and so do payment less change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

from quire.extract.candidates.values import Candidate
from quire.extract.naming.labels import LabelMatcher

SURE = 0.75
"""The least with which a label names one of the amounts that are added."""
ROUNDED = 0.9
"""What an amount has without a label that is a total after its rounding, and what was paid without the change."""
DUE = 0.2
"""What an amount lacks as a total that is what remains of one after a deposit."""
MOST = 12
"""How many amounts of one name, or above a sum, are tried."""
ALIGNED = 0.012
"""Of the width of the page: how far the right edges of a column of amounts may differ."""


class Arithmetic:
    """Finds sums among the amounts of a document. It counts in cents, so that sums are exact."""

    def __init__(self, amounts: Sequence[Candidate], matcher: LabelMatcher) -> None:
        self._named: dict[str, list[int]] = defaultdict(list)
        for amount in amounts:
            if not isinstance(amount.value, float):
                continue
            names = matcher.names(amount.before or amount.left or amount.above)
            best = max(names.values(), default=0.0)
            for name, figure in names.items():
                if figure == best >= SURE and _cents(amount) not in self._named[name]:
                    self._named[name].append(_cents(amount))
        for values in self._named.values():
            del values[MOST:]
        self._sums: set[int] = set()
        self._parts: set[int] = set()
        for total, parts in _sums(amounts):
            self._sums.add(total)
            self._parts.update(parts)

    def is_sum(self, value: float) -> bool:
        """Whether an amount is the sum of those above it."""
        return round(100 * value) in self._sums

    def support(self, value: float) -> float:
        """What an amount gains as a total where others add up to it, and loses where it is a part of a sum."""
        cents = round(100 * value)
        named = self._named
        figure = 0.1 * (cents in self._sums) - 0.1 * (cents in self._parts and cents not in self._sums)
        is_paid = any(paid - change == cents for paid in named["paid"] for change in named["change"])
        figure += 0.15 * is_paid
        if cents in named["paid"] and not named["change"]:
            figure += 0.15
        if any(rounding and total + rounding == cents for total in named["total"] for rounding in named["rounding"]):
            figure += ROUNDED if is_paid and cents not in named["total"] else 0.15
        deposits = [abs(paid) for paid in named["paid"] if paid]
        if cents in named["amount_due"] and any(total - paid == cents for total in named["total"] for paid in deposits):
            figure -= DUE
        extras = [0, *named["service_charge"]]
        rounded = [0, *named["rounding"]]
        nets = (net + extra + rest for net in named["net"] for extra in extras for rest in rounded)
        taxes = {tax for tax in named["tax"] if tax}
        return figure + 0.1 * any(cents - net in taxes for net in nets)


def _sums(amounts: Sequence[Candidate]) -> Iterator[tuple[int, list[int]]]:
    """The amounts that are the sum of at least two right above them in their column, with these."""
    placed = [one for one in amounts if isinstance(one.value, float) and one.bbox.width]
    placed.sort(key=lambda one: (one.page, one.bbox.right))
    column = 0
    columns: list[tuple[int, Candidate]] = []
    for number, one in enumerate(placed):
        before = placed[number - 1]
        column += bool(number) and (one.page != before.page or one.bbox.right - before.bbox.right > ALIGNED)
        columns.append((column, one))
    for _, those in groupby(columns, key=lambda pair: pair[0]):
        down = sorted((one for _, one in those), key=lambda one: one.bbox.top)
        for number, one in enumerate(down):
            total, rest, parts = _cents(one), _cents(one), []
            for above in reversed(down[max(number - MOST, 0) : number]):
                rest -= _cents(above)
                parts.append(_cents(above))
                if rest == 0 and len(parts) > 1 and total > 0:
                    yield total, parts
                    break


def _cents(amount: Candidate) -> int:
    return round(100 * amount.value) if isinstance(amount.value, float) else 0
