"""Durations in a text by value: three (3) years, 24 months, a period of one year, the second anniversary, P2Y."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

from quire.evidence.verify.phrases import TextSpan, without_accents

DurationUnit: TypeAlias = Literal["months", "days"]
_UNIT_NAMES: dict[tuple[DurationUnit, int], str] = {
    (
        "months",
        12,
    ): "year years yr yrs annum jahr jahre jahren an ans annee annees ano anos anno anni jaar jaren lat rok",
    ("months", 3): "quarter quarters quartal quartale trimestre trimestres",
    ("months", 1): "month months mo mos monat monate monaten mois mes meses mese mesi maand maanden",
    ("days", 7): "week weeks wk wks woche wochen semaine semaines semana semanas settimana settimane",
    ("days", 1): "day days tag tage tagen jour jours dia dias giorno giorni dag dagen",
}
_UNITS = {name: unit for unit, names in _UNIT_NAMES.items() for name in names.split()}
_NUMBER_NAMES = {
    1: "a an one ein eine einem einer un une uno una",
    2: "two zwei deux dos due dois",
    3: "three drei trois tres tre",
    4: "four vier quatre cuatro quattro quatro",
    5: "five funf cinq cinco cinque",
    6: "six sechs seis sei",
    7: "seven sieben sept siete sette sete",
    8: "eight acht huit ocho otto oito",
    9: "nine neun neuf nueve nove",
    10: "ten zehn dix diez dieci dez",
    11: "eleven elf onze once undici",
    12: "twelve zwolf douze doce dodici doze",
    15: "fifteen",
    18: "eighteen",
    20: "twenty",
    24: "twenty-four",
    30: "thirty dreissig trente treinta trenta",
    36: "thirty-six",
    45: "forty-five",
    48: "forty-eight",
    60: "sixty sechzig soixante sesenta sessanta",
    90: "ninety neunzig noventa novanta",
    120: "hundred-twenty",
    180: "hundred-eighty",
}
_WORDS = {name: number for number, names in _NUMBER_NAMES.items() for name in names.split()}
_COUNT = "|".join(sorted(_WORDS, key=len, reverse=True))
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_DURATION = re.compile(
    rf"(?<!\w)(?:(?P<word>{_COUNT})\s*[-]?\s*)?(?:[(\[]\s*)?(?P<digits>\d+(?:[.,]\d+)?)?(?:\s*[)\]])?[\s-]*"
    rf"(?:(?:full|consecutive|calendar|business|additional|successive)\s+)?(?P<unit>{_UNIT})(?!\w)"
)
_ORDINALS = {
    name: number
    for number, names in enumerate(
        ("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th", "seventh 7th", "eighth 8th",
         "ninth 9th", "tenth 10th"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
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
    line = _letters(text)
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
    """What a text that is a duration and little else says; None for another text."""
    found = durations_in(value)
    if len(found) != 1:
        return None
    start, end = found[0].span
    return found[0] if _FILLING.fullmatch(_letters(f"{value[:start]} {value[end:]}")) else None


def _letters(text: str) -> str:
    if text.isascii():
        return text.lower()
    return "".join(letters if len(letters := without_accents(one).lower()) == 1 else one for one in text)
