"""Checks whether amounts add up: net and tax to the total, items of a list to it, and columns to their last row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product

from quire.evidence.extract.naming.concepts import BY_ID
from quire.evidence.extract.value_paths import field_of
from quire.lexicon.amounts import number_readings
from quire.lexicon.labels import label_words
from quire.solving.checks.catalog_tables import TableCell
from quire.solving.checks.reviewed_answer import ReviewedAnswer, ReviewedValue
from quire.solving.findings import Finding

CENT = Decimal("0.01")
"""By which rounding of each part may change a sum."""
FEWEST, MOST = 2, 60
"""Parts of a sum."""
_AMOUNT = re.compile(r"amount|total|betrag|montant|importe|importo|bedrag|summe|subtotal")
_TOTALS, _EXTRAS = ("total", "gross"), ("service_charge", "rounding", "discount", "shipping")
_OF_ITEMS = ("total", "net", "gross", "amount_due")
_TOTAL_WORDS = frozenset(words[0] for label in BY_ID["total"].labels if len(words := label_words(label)) == 1) - {"net"}
"""Words by which a row is a total; net figures of statements are differences as well."""
_AMOUNTS = frozenset({*_OF_ITEMS, *_EXTRAS, "tax"})


def sum_findings(reviewed: ReviewedAnswer, doubtful: frozenset[str]) -> Iterator[Finding]:
    """Sums that are wrong. Those with a part that is `doubtful` anyway say nothing more."""
    sound = [one for one in reviewed.values if one.path not in doubtful]
    if not any("[" not in path and reviewed.meaning(path) in _AMOUNTS for path in doubtful):
        yield from _of_tax(sound, reviewed)
        yield from _of_items(sound, reviewed, doubtful)
    yield from _of_columns(sound, reviewed)


def _of_tax(values: Sequence[ReviewedValue], reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """Net and tax make the total, less a discount, and with what else is added."""
    for group in _by_parent(values).values():
        named = {_term(one, reviewed): one for one in group}
        total = next((named[name] for name in _TOTALS if name in named), None)
        net, tax = named.get("net"), named.get("tax")
        if total is None or net is None or tax is None:
            continue
        extras = [abs(number) for name in _EXTRAS if name in named and (number := _number(named[name])) is not None]
        numbers = [_number(one) for one in (net, tax, total)]
        if None in numbers:
            continue
        first, second, whole = (number or Decimal(0) for number in numbers)
        sums = [
            first + second + sum((sign * extra for sign, extra in zip(signs, extras, strict=True)), Decimal(0))
            for signs in product((1, -1, 0), repeat=len(extras))
        ]
        if not any(abs(abs(one) - abs(whole)) <= 2 * CENT for one in sums):
            reason = f"{first} ({net.path}) and {second} ({tax.path}) are {sums[0]}, and not {whole}"
            yield reviewed.finding(total, "sum", reason, other=float(sums[0]))


def _of_items(values: Sequence[ReviewedValue], reviewed: ReviewedAnswer, doubtful: frozenset[str]) -> Iterator[Finding]:
    """The amounts of a list are the net amount, or the total, or what differs from it by the tax."""
    by_field: dict[str, list[ReviewedValue]] = {}
    for one in values:
        if field_of(one.path).count("[]") == 1 and _is_of_item(one, reviewed):
            by_field.setdefault(field_of(one.path), []).append(one)
    wholes = [one for one in values if "[" not in one.path and _term(one, reviewed) in _OF_ITEMS]
    numbers = [number for one in wholes if (number := _number(one)) is not None]
    taxed = [one for one in values if "[" not in one.path and _term(one, reviewed) == "tax"]
    taxes = [number for one in taxed if (number := _number(one)) is not None]
    allowed = [*numbers, *(number - tax for number in numbers for tax in taxes)]
    wrong = []
    for field, items in by_field.items():
        listed = [number for one in items if (number := _number(one)) is not None]
        known = not any(field_of(path) == field for path in doubtful) and len(listed) == len(items)
        cited = {one.evidence.document for one in (*wholes, *items) if one.evidence is not None}
        if not known or not FEWEST <= len(items) <= MOST or not numbers or len(cited) > 1:
            continue
        added = sum(listed, Decimal(0))
        differences = [added, *(number - added for number in numbers)]
        if any(abs(added - one) <= CENT * len(items) for one in allowed) or _is_printed(differences, wholes, reviewed):
            return
        wrong.append((added, f"the {len(items)} items ({field}) are {added} together, and not {numbers[0]}"))
    for added, reason in wrong[-1:]:
        yield reviewed.finding(wholes[0], "sum", reason, other=float(added))


def _is_printed(amounts: Sequence[Decimal], wholes: Sequence[ReviewedValue], reviewed: ReviewedAnswer) -> bool:
    """Whether the pages of the totals have one of some amounts: a subtotal, or a tax that nobody asked for."""
    pages = {place.page for one in wholes if one.evidence is not None for place in reviewed.places(one.evidence)}
    wanted = {abs(amount) for amount in amounts}
    texts = reviewed.whole.texts
    return any(
        not wanted.isdisjoint(number.plain)
        for record in texts.blocks
        if record.page in pages
        for number in texts.of(record).numbers
    )


def _is_of_item(one: ReviewedValue, reviewed: ReviewedAnswer) -> bool:
    """Whether a value is the amount of an item: a price may be that of one piece."""
    return _term(one, reviewed) in (*_OF_ITEMS, "") and _AMOUNT.search(one.leaf.name.casefold()) is not None


def _of_columns(values: Sequence[ReviewedValue], reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """A cell in the row of a total is the sum of those above it, where the other columns of its table are."""
    for one in values:
        cell = reviewed.cell(one.evidence)
        if cell is None or not _is_total(cell):
            continue
        added = _sums(cell)
        number = _plain(cell)
        if number is None or not added or any(abs(number - each) <= _rounding(cell) for each in added):
            continue
        beside = [other for other in cell.table.rows[cell.cell.row] if other is not cell and _plain(other) is not None]
        proven = [
            other
            for other in beside
            if any(abs((_plain(other) or Decimal(0)) - each) <= _rounding(other) for each in _sums(other))
        ]
        if proven and len(proven) == len(beside):
            reason = f"the column above it adds up to {added[-1]}, and not to {number}; the other columns are right"
            yield reviewed.finding(one, "sum", reason, other=float(added[-1]))


def _is_total(cell: TableCell) -> bool:
    return not _TOTAL_WORDS.isdisjoint(label_words(cell.row_label))


def _sums(cell: TableCell) -> list[Decimal]:
    """The sums of the numbers right above a cell, from two on; none if a cell between them has no number."""
    found: list[Decimal] = []
    added, count = Decimal(0), 0
    for above in cell.above:
        number = _plain(above)
        if number is None:
            break
        added, count = added + number, count + 1
        if count >= FEWEST:
            found.append(added)
    return found


def _plain(cell: TableCell) -> Decimal | None:
    """The number of a cell as it is printed, without what the head of its table multiplies it by."""
    number = cell.number
    if number is None or not number.plain:
        return None
    return max(number.plain) if any(value >= 0 for value in number.readings) else -max(number.plain)


def _rounding(cell: TableCell) -> Decimal:
    """Half a unit of the last place for each of the parts."""
    number = _plain(cell)
    exponent = number.as_tuple().exponent if number is not None else 0
    step = Decimal(1).scaleb(min(0, exponent)) if isinstance(exponent, int) else Decimal(1)
    return step * max(1, len(_sums(cell)) // 2)


def _by_parent(values: Sequence[ReviewedValue]) -> Mapping[str, list[ReviewedValue]]:
    found: dict[str, list[ReviewedValue]] = {}
    for one in values:
        found.setdefault(one.path.rpartition(".")[0], []).append(one)
    return found


def _term(one: ReviewedValue, reviewed: ReviewedAnswer) -> str:
    """The part that a value has in sums; discounts and shipping are told by their names."""
    name = one.leaf.name.casefold()
    for extra in ("discount", "shipping", "freight"):
        if extra in name:
            return "shipping" if extra == "freight" else extra
    return reviewed.meaning(one.path)


def _number(one: ReviewedValue) -> Decimal | None:
    readings = number_readings(one.value)
    return next(iter(readings)) if len(readings) == 1 else None
