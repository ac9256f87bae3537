"""Which amounts of a document follow from others: net and tax make the total, a rate of the net is the tax, a quantity
times a price is an amount, and payment less change is the total."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from quire.evidence.extract.candidates.candidate import Candidate
from quire.lexicon.labels import LabelMatcher

SURE = 0.75
"""The least with which a label names one of the amounts that are added."""
ROUNDED = 0.9
"""What an amount has without a label that is a total after its rounding, and what was paid without the change."""
DUE = 0.2
"""What an amount lacks as a total that is what remains of one after a deposit."""
MOST = 12
"""How many amounts of one name, or above a sum, are tried."""
MOST_VALUES = 150
"""How many amounts are tried with each rate and each quantity: a longer list is a statement."""
HIGHEST_RATE = 40.0
"""Per cent of a tax."""
_TERMS = {"net": "net", "tax": "tax", "total": "total", "gross": "total", "amount_due": "total"}
"""What a concept is among the three amounts of a tax."""
ALIGNED = 0.012
"""Of the width of the page: how far the right edges of a column of amounts may differ."""


class Arithmetic:
    """Finds sums among the amounts of a document. It counts in cents, so that sums are exact."""

    def __init__(
        self,
        amounts: Sequence[Candidate],
        matcher: LabelMatcher,
        *,
        rates: Sequence[Candidate] = (),
        numbers: Sequence[Candidate] = (),
    ) -> None:
        self._named: dict[str, list[int]] = defaultdict(list)
        for amount in amounts:
            if not isinstance(amount.value, float):
                continue
            names = matcher.names(amount.before or amount.left or amount.above)
            best = max(names.values(), default=0.0)
            for name, score in names.items():
                if score == best >= SURE and _cents(amount) not in self._named[name]:
                    self._named[name].append(_cents(amount))
        for values in self._named.values():
            del values[MOST:]
        self._sums: set[int] = set()
        self._parts: set[int] = set()
        for total, parts in _sums(amounts):
            self._sums.add(total)
            self._parts.update(parts)
        self._taxed = _Taxed.of(amounts, rates, self._named)
        self._prices = _unit_prices(amounts, numbers)

    def says(self, name: str, value: float) -> bool | None:
        """Whether the amounts of the page say that one is the net, the tax or the total, or that it is another thing;
        None where they say neither."""
        term, cents = _TERMS.get(name), round(100 * value)
        if term is None:
            return None
        if term == "total" and value in self._prices:
            return False
        return self._taxed.is_one(term, cents)

    def is_of_items(self, name: str, value: float) -> bool | None:
        """Whether a total is the sum of those above it, or one of those that are added up; None where it is neither."""
        cents = round(100 * value)
        if _TERMS.get(name) != "total" or not (cents in self._sums or cents in self._parts):
            return None
        return cents in self._sums

    def is_sum(self, value: float) -> bool:
        """Whether an amount is the sum of those above it."""
        return round(100 * value) in self._sums

    def support(self, value: float) -> float:
        """What an amount gains as a total where others add up to it, and loses where it is a part of a sum."""
        cents = round(100 * value)
        named = self._named
        score = 0.1 * (cents in self._sums) - 0.1 * (cents in self._parts and cents not in self._sums)
        is_paid = any(paid - change == cents for paid in named["paid"] for change in named["change"])
        score += 0.15 * is_paid
        if cents in named["paid"] and not named["change"]:
            score += 0.15
        if any(rounding and total + rounding == cents for total in named["total"] for rounding in named["rounding"]):
            score += ROUNDED if is_paid and cents not in named["total"] else 0.15
        deposits = [abs(paid) for paid in named["paid"] if paid]
        if cents in named["amount_due"] and any(total - paid == cents for total in named["total"] for paid in deposits):
            score -= DUE
        extras = [0, *named["service_charge"]]
        rounded = [0, *named["rounding"]]
        nets = (net + extra + rest for net in named["net"] for extra in extras for rest in rounded)
        taxes = {tax for tax in named["tax"] if tax}
        return score + 0.1 * any(cents - net in taxes for net in nets)


@dataclass(frozen=True)
class _Taxed:
    """The amounts that are net, tax and total of each other. Where a page taxes at several rates and adds that up,
    `parts` are the amounts of one rate, and `whole` their sums."""

    whole: Mapping[str, set[int]]
    parts: Mapping[str, set[int]]

    @classmethod
    def of(cls, amounts: Sequence[Candidate], rates: Sequence[Candidate], named: Mapping[str, list[int]]) -> _Taxed:
        known = dict.fromkeys(_cents(one) for one in amounts if _cents(one) > 0)
        by_rate: dict[float, list[_Triple]] = {}
        for rate in {one.value for one in rates if isinstance(one.value, float) and 0 < one.value <= HIGHEST_RATE}:
            triples = (
                (net, tax, net + tax)
                for net in [*known][:MOST_VALUES]
                for tax in range(round(net * rate / 100) - 1, round(net * rate / 100) + 2)
                if tax in known and net + tax in known and tax > 1
            )
            if found := list(triples):
                by_rate[rate] = found
        said = [
            (net, tax, net + tax)
            for net in named.get("net", ())
            for tax in named.get("tax", ())
            if tax > 1 and net + tax in known
        ]
        every = [*said, *(triple for found in by_rate.values() for triple in found)]
        sums = [
            (first[0] + second[0], first[1] + second[1], first[2] + second[2])
            for rate, found in by_rate.items()
            for other, others in by_rate.items()
            if rate < other
            for first in found
            for second in others
        ]
        added = [one for one in sums if one[1] in known and one[2] in known]
        return cls(_by_term(added or every), _by_term(every if added else ()))

    def is_one(self, term: str, cents: int) -> bool | None:
        if cents in self.whole[term]:
            return True
        others = (cents in amounts for kind in (self.whole, self.parts) for amounts in kind.values())
        return False if any(others) else None


_Triple = tuple[int, int, int]


def _by_term(triples: Iterable[_Triple]) -> dict[str, set[int]]:
    listed = list(triples)
    return {term: {one[at] for one in listed} for at, term in enumerate(("net", "tax", "total"))}


def _unit_prices(amounts: Sequence[Candidate], numbers: Sequence[Candidate]) -> set[float]:
    """The prices of what is weighed or measured: a quantity with decimals times a price is an amount of the page."""
    values = [*dict.fromkeys(one.value for one in (*amounts, *numbers) if isinstance(one.value, float))][:MOST_VALUES]
    known = {_cents(one) for one in amounts}
    return {
        price
        for quantity in values
        if not quantity.is_integer() and quantity > 1
        for price in values
        if price != quantity and price > 0
        if round(100 * quantity * price) in known and round(100 * quantity * price) != round(100 * price)
    }


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
