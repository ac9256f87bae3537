"""Durations in a text by value: three (3) years, 24 months, a period of one year, the second anniversary, P2Y."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

from quire.lexicon.phrases import TextSpan, unaccented
from quire.lexicon.words import folded_words

DurationUnit: TypeAlias = Literal["months", "days"]
MOST_YEARS = 10
"""Of an anniversary."""
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_FACTORS: dict[str, tuple[DurationUnit, int]] = {
    "year": ("months", 12),
    "quarter": ("months", 3),
    "month": ("months", 1),
    "week": ("days", 7),
    "day": ("days", 1),
}
_UNITS = {name: _FACTORS[unit] for name, unit in folded_words("durations").items()}
_WORDS = {name: int(number) for name, number in folded_words("number_words").items()}
_COUNT = "|".join(sorted(_WORDS, key=len, reverse=True))
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_DURATION = re.compile(
    rf"(?<!\w)(?:(?P<word>{_COUNT})\s*[-]?\s*)?(?:[(\[]\s*)?(?P<digits>\d+(?:[.,]\d+)?)?(?:\s*[)\]])?[\s-]*"
    rf"(?:(?:full|consecutive|calendar|business|additional|successive)\s+)?(?P<unit>{_UNIT})(?!\w)"
)
_ORDINALS = {name: int(number) for name, number in folded_words("ordinals").items() if int(number) <= MOST_YEARS}
_ORDINALS |= {f"{number}{_ENDINGS.get(number, 'th')}": number for number in range(1, MOST_YEARS + 1)}
_ANNIVERSARY = re.compile(
    rf"(?<!\w)(?P<word>{'|'.join(_ORDINALS)})\s*(?:[(\[]\s*(?:\w{{3,4}})\s*[)\]]\s*)?(?:annual\s+)?anniversary(?!\w)"
)
"""The third anniversary of a day is three years after it."""
_ISO = re.compile(r"(?<!\w)p(?:(?P<y>\d+)y)?(?:(?P<m>\d+)m)?(?:(?P<w>\d+)w)?(?:(?P<d>\d+)d)?(?!\w)")

_FILLING = re.compile(
    r"(?:\W+|\b(?:a|an|the|of|for|from|after|within|about|up|to|at|least|not|less|than|period|term|initial|duration|"
    r"date|effective|hereof|signing|each|per|fur|von|bis|pour|de|duree|une|un|por|periodo|plazo)\b)*"
)


class PrintedDuration(NamedTuple):
    """A duration as it stands in a text, in months or in days: a year is twelve months, a week seven days."""

    span: TextSpan
    number: Decimal
    unit: DurationUnit


def durations_in(text: str) -> list[PrintedDuration]:
    """All durations of a text, in order."""
    line = unaccented(text)
    found = []
    for match in _DURATION.finditer(line):
        if not match["word"] and not match["digits"]:
            continue
        counted = Decimal(match["digits"].replace(",", ".")) if match["digits"] else Decimal(_WORDS[match["word"]])
        unit, factor = _UNITS[match["unit"]]
        found.append(PrintedDuration(match.span(), counted * factor, unit))
    for match in _ANNIVERSARY.finditer(line):
        found.append(PrintedDuration(match.span(), Decimal(12 * _ORDINALS[match["word"]]), "months"))
    for match in _ISO.finditer(line):
        years, months, weeks, days = (int(match[name] or 0) for name in "ymwd")
        if years or months:
            found.append(PrintedDuration(match.span(), Decimal(12 * years + months), "months"))
        elif weeks or days:
            found.append(PrintedDuration(match.span(), Decimal(7 * weeks + days), "days"))
    return sorted(found)


def duration_of(value: str) -> PrintedDuration | None:
    """The duration of a text that says one and little else; None for another text."""
    found = durations_in(value)
    if len(found) != 1:
        return None
    start, end = found[0].span
    return found[0] if _FILLING.fullmatch(unaccented(f"{value[:start]} {value[end:]}")) else None
