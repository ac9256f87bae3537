"""The periods of the columns of a statement: the words that name them, and what they are called in fiscal years."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from quire.lexicon.dates import dates_in
from quire.lexicon.words import words_by_language, words_of

_COUNTS = {"three": 3, "six": 6, "nine": 9, "twelve": 12, "3": 3, "6": 6, "9": 9, "12": 12}
_MONTHS = re.compile(r"\b(three|six|nine|twelve|3|6|9|12)[\s-]months?\b", re.IGNORECASE)
_WEEKS = re.compile(r"\b(13|14|26|27|39|40|52|53)[\s-]weeks?\b", re.IGNORECASE)
_QUARTER = re.compile(r"\bquarter(?:ly)?\b", re.IGNORECASE)
_YEARLY = re.compile(r"\b(?:fiscal )?years?\b", re.IGNORECASE)
_BARE_YEAR = re.compile(r"(?<![\d,.$])(?:FY\s?)?((?:19|20)\d\d)(?![\d,.]*\d)")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_MONTH_NAMES = frozenset(name for names in words_by_language("months")["en"].values() for name in names)
_KEYS = frozenset(words_of("period_words")) | _MONTH_NAMES
_FILLERS = frozenset(words_of("period_fillers"))
_UNITS = frozenset(words_of("unit_words"))
_YEAR = re.compile(r"(?:19|20)\d\d")
_DRIFT = 7
"""Days: a fiscal period of whole weeks may end a few days into the next month."""


@dataclass(frozen=True, slots=True)
class StatedPeriod:
    """A period by its last day and its months; 0 months is a point in time, None is not said."""

    end: date
    months: int | None

    @property
    def is_time_point(self) -> bool:
        return self.months == 0


def stated_period(head: str, above: str = "") -> StatedPeriod | None:
    """The period that the head of a column names; `above` is what stands over the table. None without one."""
    length = _length(head)
    days = [reading for found in dates_in(head) for reading in found.readings if len(reading) == len("2024-12-31")]
    if len({*days}) == 1:
        return StatedPeriod(date.fromisoformat(days[0]), 0 if length is None else length)
    years = {*_BARE_YEAR.findall(head)}
    if days or len(years) != 1:
        return None
    (year,) = years
    length = _length(above) if length is None else length
    return StatedPeriod(date(int(year), 12, 31), length)


def is_period(text: str) -> bool:
    """Whether a line names the period or the unit of numbers, and nothing else: `Three months ended March 31`."""
    if text.count("(") != text.count(")"):
        return False
    tokens = {token.casefold() for token in _TOKEN.findall(text)}
    rest = tokens - _KEYS
    return rest != tokens and all(token in _FILLERS or token.isdigit() for token in rest)


def is_period_title(word: str) -> bool:
    """Whether a word is a year or the name of a month, as over a column of numbers."""
    return _YEAR.fullmatch(word) is not None or word.casefold() in _MONTH_NAMES


def names_unit(text: str) -> bool:
    """Whether a text has a word that is usual in the line above numbers: `(in millions, except per share amounts)`."""
    return not _UNITS.isdisjoint(re.findall(r"\w+", text.casefold()))


def _length(text: str) -> int | None:
    if found := _MONTHS.search(text):
        return _COUNTS[found[1].casefold()]
    if found := _WEEKS.search(text):
        return round(int(found[1]) / 13) * 3
    if _QUARTER.search(text):
        return 3
    return 12 if _YEARLY.search(text) else None


def fiscal_year_end(points: Iterable[StatedPeriod]) -> int | None:
    """The month in which the fiscal year ends: that of the earlier of the two days of a balance sheet."""
    days = sorted({one.end for one in points if one.is_time_point})
    return _month(days[0])[1] if len(days) == 2 else None


def fiscal_label(period: StatedPeriod, year_end: int) -> str:
    """`FY2025 Q2`, `FY2025 H1`, `FY2024`: how a period is called in fiscal years that end in a month."""
    year, month = _month(period.end)
    year += month > year_end
    quarter = ((month - year_end) % 12) // 3 or 4
    if period.months == 12 or (quarter == 4 and period.months in (0, None)):
        return f"FY{year}"
    if period.months == 6 and quarter in (2, 4):
        return f"FY{year} H{quarter // 2}"
    if period.months == 9:
        return f"FY{year} YTD"
    return f"FY{year} Q{quarter}"


def _month(day: date) -> tuple[int, int]:
    if day.day > _DRIFT:
        return day.year, day.month
    return (day.year, day.month - 1) if day.month > 1 else (day.year - 1, 12)
