"""The values of typed spans: a number, an ISO date, the code of a currency; in the way its document writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from quire.lexicon.amounts import DecimalMark, currency_forms, decimal_mark, number_readings
from quire.lexicon.dates import date_readings

_DAY_AND_MONTH = re.compile(r"\s*(\d{1,2})\s?[-/.]\s?(\d{1,2})\s?[-/.]")
_AMERICAN = re.compile(  # Boulder, CO 80304
    r"[^\W\d_][,.]?\s(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|"
    r"V[AT]|W[AIVY])\.?,?\s\d{5}(?:-\d{4})?(?!\d)"
)
_DIGITS = re.compile(r"[-−–(]?\d.*")


class Readings:
    """Reads numbers and dates as one document writes them: with its decimal mark, and its order of day and month."""

    def __init__(self, texts: Iterable[str], dates: Iterable[str]) -> None:
        listed = list(texts)
        self._mark: DecimalMark | None = decimal_mark(listed)
        self._day_first = _is_day_first(dates, american=any(map(_AMERICAN.search, listed)))

    def number(self, text: str) -> float | None:
        """The number that a text shows; of two readings the one with decimals is less likely."""
        found = number_readings(text, mark=self._mark)
        if not found and (match := _DIGITS.search(text)):  # after a letter that OCR took a sign of currency for
            found = number_readings(match[0], mark=self._mark)
        return float(max(found, key=abs)) if found else None

    def date(self, text: str) -> str | None:
        """The ISO date that a text shows, None for another text."""
        found = sorted(date_readings(text))
        if len(found) < 2:
            return found[0] if found else None
        numbers = _DAY_AND_MONTH.match(text)
        if numbers is None:
            return found[0]
        month = int(numbers[2] if self._day_first else numbers[1])
        return next((iso for iso in found if int(iso[5:7]) == month), found[0])

    @staticmethod
    def currency(text: str) -> str:
        """The ISO code of a currency; of a sign that several countries use, the most usual."""
        return currency_forms(text.strip(" ."))[0].upper()


def _is_day_first(dates: Iterable[str], *, american: bool) -> bool:
    """Whether the day comes before the month: dates that can be read in one way only decide, and points do; else
    whether the document names a place in the United States."""
    votes = 0
    for text in dates:
        if numbers := _DAY_AND_MONTH.match(text):
            first, second = int(numbers[1]), int(numbers[2])
            votes += (first > 12 >= second) - (second > 12 >= first) + 3 * ("." in numbers[0])
    return votes > 0 or (votes == 0 and not american)
