"""Values that follow from others: recomputed with decimal arithmetic, as exactly as they were printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import product
from math import prod
from typing import Literal, TypeAlias

DerivationRule: TypeAlias = Literal["sum", "difference", "product", "percentage", "unit"]
MOST_READINGS = 64
"""Combinations of the readings of the parts: beyond it, each part has its first reading only."""


def derives(rule: DerivationRule, parts: Sequence[Iterable[Decimal]], value: Decimal) -> bool:
    """Whether a value follows from its parts, each given by the values that it may have.

    `sum` adds them, `difference` subtracts the others from the first, `product` multiplies. `percentage` is the first
    of the second in percent, or as a fraction, or the second in percent of the first. `unit` is the first times or
    divided by the second, or by a power of ten. Parts may each be rounded, and so may the value.
    """
    readings = [sorted(part) for part in parts]
    if not readings or not all(readings):
        return False
    if prod(map(len, readings)) > MOST_READINGS:
        readings = [part[:1] for part in readings]
    return any(_follows(rule, chosen, value) for chosen in product(*readings))


def _follows(rule: DerivationRule, parts: tuple[Decimal, ...], value: Decimal) -> bool:
    first, rest = parts[0], parts[1:]
    exact = _step(value) / 2
    match rule:
        case "sum":
            return len(parts) > 1 and abs(sum(parts, Decimal(0)) - value) <= _rounding(parts, value)
        case "difference":
            return bool(rest) and abs(first - sum(rest, Decimal(0)) - value) <= _rounding(parts, value)
        case "product":
            return len(parts) > 1 and abs(prod(parts, start=Decimal(1)) - value) <= exact
        case "percentage":
            if len(parts) != 2:
                return False
            found = [first * rest[0] / 100]
            found += [first / rest[0] * 100, first / rest[0], (first - rest[0]) / rest[0] * 100] if rest[0] else []
            return any(abs(one - value) <= exact for one in found)
        case "unit":
            if rest:
                found = [first * rest[0], *([first / rest[0]] if rest[0] else [])]
                return any(abs(one - value) <= exact for one in found)
            return any(first.scaleb(power) == value for power in (-9, -6, -3, -2, 2, 3, 6, 9))


def _rounding(parts: Sequence[Decimal], value: Decimal) -> Decimal:
    """None where all have the same decimals; half a unit of the last place of each part that has fewer."""
    steps = [_step(part) for part in (*parts, value)]
    finest = min(steps)
    return sum(
        (step / 2 for step in steps if step > finest and step < 1),
        _step(value) / 2 if finest < _step(value) else Decimal(0),
    )


def _step(number: Decimal) -> Decimal:
    """The unit of its last decimal place; 1 for a whole number."""
    exponent = number.as_tuple().exponent
    return Decimal(1).scaleb(min(0, exponent)) if isinstance(exponent, int) else Decimal(1)
