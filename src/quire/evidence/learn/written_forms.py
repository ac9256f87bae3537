"""The ways in which people write the values of a leaf, where these differ from the printed ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from quire.core.context import Json
from quire.core.errors import UsageError

_DATE_FORMATS = (
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%Y/%m/%d",
    "%d %B %Y",
    "%B %d, %Y",
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
FEWEST = 3
"""Values that must all be written in the same way before it is taken for a rule."""


def _dated(format: str) -> Callable[[str, str], str | None]:
    def written(value: str, printed: str) -> str | None:
        if not _ISO.fullmatch(value):
            return None
        try:
            return date.fromisoformat(value).strftime(format)
        except ValueError:
            return None

    return written


_WAYS: Mapping[str, Callable[[str, str], str | None]] = {
    "value": lambda value, printed: value,
    "printed": lambda value, printed: " ".join(printed.split()),
    "upper": lambda value, printed: value.upper(),
    "lower": lambda value, printed: value.lower(),
    "title": lambda value, printed: value.title(),
    "without commas": lambda value, printed: value.replace(",", ""),
    "without commas, upper": lambda value, printed: value.replace(",", "").upper(),
    "with commas": lambda value, printed: ", ".join(line.strip(" ,") for line in printed.splitlines()),
    "digits": lambda value, printed: re.sub(r"[^\d.,-]", "", value),
    **{f"date {format}": _dated(format) for format in _DATE_FORMATS},
}


def way_of(pairs: Sequence[tuple[Json, str, Json]]) -> str:
    """The way in which all values are written: triples of the value, how it is printed, and what a person wrote.

    `value`, as the extractor gives it, when there are few, or no way gives them all.
    """
    texts = [(value, printed, wanted) for value, printed, wanted in pairs if isinstance(value, str)]
    if len(texts) < FEWEST or len(texts) < len(pairs):
        return "value"
    for name, written in _WAYS.items():
        if all(written(value, printed) == wanted for value, printed, wanted in texts):
            return name
    return "value"


def written(way: str, value: Json, printed: str) -> Json:
    """A value as people write it; as it is where that way does not apply."""
    if not isinstance(value, str):
        return value
    return _WAYS[way](value, printed) or value


def check_way(way: str) -> str:
    """Raises UsageError for a way that this version does not know."""
    if way not in _WAYS:
        raise UsageError(f"the model writes values in a way that is unknown here: {way[:40]!r}; learn again")
    return way
