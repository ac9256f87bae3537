"""What a typed span means: a number, an ISO date."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

_MONTHS = (
    *(("jan", 1), ("ene", 1), ("gen", 1), ("feb", 2), ("fév", 2), ("fev", 2), ("mar", 3), ("mär", 3), ("maa", 3)),
    *(("mrz", 3), ("apr", 4), ("avr", 4), ("abr", 4), ("may", 5), ("mai", 5), ("mei", 5), ("mag", 5), ("jun", 6)),
    *(("juin", 6), ("giu", 6), ("jul", 7), ("juil", 7), ("lug", 7), ("aug", 8), ("aoû", 8), ("ago", 8), ("sep", 9)),
    *(("set", 9), ("oct", 10), ("okt", 10), ("out", 10), ("ott", 10), ("nov", 11), ("dec", 12), ("dez", 12)),
    *(("déc", 12), ("dic", 12)),
)
_BY_MONTH = dict(_MONTHS)
_PARTS = re.compile(r"\d+|[^\W\d_]{3,}")


def number_of(text: str) -> float | None:
    """The number that a text shows, with its separators and sign."""
    digits = re.sub(r"[^\d.,]", "", text)
    if not any(map(str.isdigit, digits)):
        return None
    whole, mark, end = digits.strip(".,").rpartition(max(".,", key=digits.rfind))
    if mark and (len(end) != 3 or (mark not in whole and (set(whole) & set(".,")))):
        digits = re.sub(r"\D", "", whole) + "." + end
    else:
        digits = re.sub(r"\D", "", digits)
    negative = re.search(r"[-–−](?=\D*\d)|\d-\s*\Z|\(.*\d.*\)", text) is not None
    return -float(digits) if negative else float(digits)


def date_of(text: str, *, day_first: bool) -> str | None:
    """The ISO date that a text shows; `day_first` says how 01/02/2020 is meant."""
    parts = _PARTS.findall(text.casefold())
    month = next((_BY_MONTH[p[:3]] for p in parts if not p.isdigit() and p[:3] in _BY_MONTH), None)
    month = 6 if month and any(p.startswith("juin") for p in parts) else month
    figures = [part for part in parts if part.isdigit()]
    if len(figures) == 1 and len(figures[0]) == 8 and month is None:
        figures = [figures[0][:4], figures[0][4:6], figures[0][6:]]
    numbers = [int(figure) for figure in figures]
    if month is not None and len(numbers) >= 2:
        day, year = (numbers[1], numbers[0]) if len(figures[0]) == 4 else (numbers[0], numbers[1])
    elif month is None and len(numbers) >= 3:
        if len(figures[0]) == 4:
            year, month, day = numbers[:3]
        else:
            first, second, year = numbers[:3]
            day, month = (first, second) if (day_first and second <= 12) or first > 12 else (second, first)
    else:
        return None
    year += 0 if year >= 100 else 2000 if year < 70 else 1900
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def is_day_first(texts: Iterable[str]) -> bool:
    """Whether the dates of a document have the day before the month: those that can be read in one way only decide."""
    votes = 0
    for text in texts:
        found = re.match(r"\s*(\d{1,2})\s?[-/.]\s?(\d{1,2})\s?[-/.]", text)
        if found:
            first, second = int(found[1]), int(found[2])
            votes += (first > 12 >= second) - (second > 12 >= first)
            votes += 3 * ("." in found[0] and first <= 31)
    return votes >= 0
