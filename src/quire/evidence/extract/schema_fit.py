"""A proposed value as the schema wants it: of its type, one of its choices, in its pattern."""

from __future__ import annotations

import math
import re

from quire.core.context import Json
from quire.evidence.extract.patterns import value_pattern
from quire.evidence.extract.schema import LeafSpec
from quire.lexicon.amounts import number_readings
from quire.lexicon.dates import dates_in

_TRUE = frozenset(
    ("true", "yes", "y", "x", "checked", "on", "ja", "oui", "si", "sí", "sim", "wahr", "1", "☑", "☒", "✓")
)
_FALSE = frozenset(("false", "no", "n", "unchecked", "off", "nein", "non", "não", "falsch", "0", "☐"))
_LONGEST = 60
_LARGEST = 10**300


class Unfit(Exception):
    """A value that the schema does not allow. The message says why."""


def fitted(value: Json, leaf: LeafSpec, quote: str = "") -> Json:
    """The value in the type of the leaf; `quote` is how it is printed. Raises Unfit."""
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "" or isinstance(value, (list, dict)):
        raise Unfit(f"{_shown(value)} is no single value")
    if isinstance(value, (int, float)) and not -_LARGEST < value < _LARGEST:  # nor is it, if it is not a number
        raise Unfit(f"{_shown(value)} is no number that a document has")
    if leaf.enum:
        return _chosen(value, leaf)
    match leaf.type:
        case "boolean":
            return _boolean(value)
        case "number" | "integer":
            return _number(value, whole=leaf.type == "integer")
    text = value if isinstance(value, str) else quote or _plain(value)
    if leaf.kind == "date" and not dates_in(text):
        raise Unfit(f"{_shown(text)} is no date")
    if leaf.pattern and not value_pattern(leaf.pattern).occurs_in(text):
        raise Unfit(f"{_shown(text)} does not match the pattern {leaf.pattern}")
    return text


def _chosen(value: Json, leaf: LeafSpec) -> Json:
    """The choice of the schema that the value names, in the words of the schema."""
    named = _words(value)
    for choice in leaf.enum:
        if choice == value or _words(choice) == named:
            return choice
    raise Unfit(f"{_shown(value)} is none of {', '.join(map(str, leaf.enum))[:200]}")


def _boolean(value: Json) -> bool:
    if isinstance(value, bool):
        return value
    text = _plain(value).casefold()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise Unfit(f"{_shown(value)} is neither yes nor no")


def _number(value: Json, *, whole: bool) -> int | float:
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else _parsed(value)
    if not math.isfinite(number):
        raise Unfit(f"{_shown(value)} is no number")
    if not whole:
        return number
    if number != int(number):
        raise Unfit(f"{_shown(value)} is no whole number")
    return int(number)


def _parsed(value: Json) -> int | float:
    """The number of a text; of two readings, `1.234` as a thousand and `1,50` as one and a half, the one of amounts."""
    readings = number_readings(value)
    if not readings:
        raise Unfit(f"{_shown(value)} is no number")
    number = max(readings, key=abs)
    return int(number) if number == number.to_integral_value() else float(number)


def _plain(value: Json) -> str:
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value)


def _words(value: Json) -> str:
    return " ".join(re.split(r"[\W_]+", str(value).casefold())).strip()


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
