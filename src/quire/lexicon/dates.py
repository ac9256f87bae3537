"""Dates in a text by value, in the formats and languages that documents have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from quire.core.lazy_patterns import lazy_pattern
from quire.lexicon.phrases import TextSpan, unaccented
from quire.lexicon.words import folded_words, word_groups

CENTURY = 50
"""A year of two digits below it is in this century, another in the last."""
LONGEST = 40  # characters of a date
MONTHS = {name: int(number) for name, number in folded_words("months").items()}
_NAMES = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
_YEAR = r"(?P<y>(?:1[6-9]|2[01])\d\d)"
_SHORT_YEAR = r"(?P<y>(?:1[6-9]|2[01])\d\d|[’']?\d\d)"
_DAY = r"(?P<d>0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?P<m>0?[1-9]|1[0-2])"
_NAMED = rf"(?P<n>{_NAMES})"
_ORDINAL = r"(?:\s?(?:st|nd|rd|th|er|re|eme|os?|as?|º|ª|[.]))?"
_OF = r"(?:\s*(?:of|de|del|di|du|d')\s+(?:the\s+month\s+of\s+)?|[\s.,/_-]*)"
_BETWEEN = r"(?:\s*(?:of|de|del|di|do|anno|г\.?)\s+|[\s.,/_'’-]*)"
_MONTH_NAME = lazy_pattern(_NAMED)
_NUMBERED_DAYS = tuple(
    lazy_pattern(pattern)
    for pattern in (
        rf"(?<!\d){_YEAR}\s?[-/.]\s?{_MONTH}\s?[-/.]\s?{_DAY}(?!\d)",
        rf"(?<!\d){_YEAR}\s?[年년]\s?{_MONTH}\s?[月월]\s?{_DAY}\s?[日일]",
        rf"(?<![\d]){_YEAR}(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?!\d)",
    )
)
_NAMED_DAYS = tuple(
    lazy_pattern(pattern)
    for pattern in (
        rf"(?<!\w){_DAY}{_ORDINAL}(?:\s+day)?{_OF}{_NAMED}(?!\w(?<!\d)){_BETWEEN}{_SHORT_YEAR}(?!\d)",
        rf"(?<!\w){_NAMED}[\s.,/_-]*{_DAY}{_ORDINAL}\s*[,./\s_-]\s*{_SHORT_YEAR}(?!\d)",
        rf"(?<!\w){_YEAR}[\s.,/_-]*{_NAMED}[\s.,/_-]*{_DAY}(?!\d)",
    )
)
_NUMERIC = lazy_pattern(
    r"(?<![\d.,/])(\d{1,2})\s?([-/.‐–])\s?(\d{1,2})\s?\2\s?((?:1[6-9]|2[01])\d\d|\d\d)(?!\d(?!\d?:\d\d))"
)
_NAMED_MONTHS = (lazy_pattern(rf"(?<!\w){_NAMED}{_BETWEEN}{_YEAR}(?!\d)"),)
_NUMBERED_MONTHS = (
    lazy_pattern(rf"(?<![\d./-]){_MONTH}\s?[/.-]\s?{_YEAR}(?![\d./-])"),
    lazy_pattern(rf"(?<!\d){_YEAR}-(?P<m>0[1-9]|1[0-2])(?![\d-])"),
    lazy_pattern(rf"(?<!\d){_YEAR}\s?[年년]\s?{_MONTH}\s?[月월](?!\s?\d)"),
)
_WORDED_DAYS = [name for names in word_groups("ordinals").values() for name in names]
_WORDED = lazy_pattern(
    rf"(?<!\w)(?P<w>{'|'.join(sorted(_WORDED_DAYS, key=len, reverse=True))})\s+(?:day\s+)?(?:of\s+)?{_NAMED}"
    rf"{_BETWEEN}{_YEAR}(?!\d)"
)


class PrintedDate(NamedTuple):
    """A date as it stands in a text. `readings` are what it may mean: `2024-03-12`, or `2024-03` for a month.

    03/04/24 has two.
    """

    span: TextSpan
    readings: frozenset[str]


def dates_in(text: str) -> list[PrintedDate]:
    """All dates of a text in their order, of those that overlap the longest."""
    line = unaccented(text)
    has_name = _MONTH_NAME.search(line) is not None  # few texts do: the others are not searched for each order
    found = [*_days(line, has_name), *_months(line, has_name)]
    found.sort(key=lambda one: (one.span[0], -one.span[1]))
    kept: list[PrintedDate] = []
    for one in found:
        if not kept or one.span[0] >= kept[-1].span[1]:
            kept.append(one)
    return kept


def days_in(text: str) -> list[PrintedDate]:
    """All dates of a text that name a day, in their order."""
    return [one for one in dates_in(text) if all(map(_is_day, one.readings))]


def is_date(text: str) -> bool:
    """Whether a text is a date, or a month of a year, and nothing else."""
    return len(text) <= LONGEST and any(map(str.isdigit, text)) and bool(date_readings(text))


def date_readings(value: str) -> frozenset[str]:
    """The readings of a text that is a date and nothing else; empty for another text."""
    text = re.sub(r"[Tt ]\d\d:\d\d(:\d\d)?([.]\d+)?([Zz]|[+-]\d\d:?\d\d)?$", "", value.strip())
    found = dates_in(text)
    if len(found) != 1:
        return frozenset()
    (start, end), readings = found[0]
    rest = re.sub(r"\W+|(?:the|this|le|den|am|on|day|of)\b", "", unaccented(text[:start] + " " + text[end:]))
    return frozenset() if rest else readings


def _is_day(reading: str) -> bool:
    return len(reading) == len("2024-03-12")


def _days(line: str, has_name: bool) -> Iterator[PrintedDate]:
    for pattern in (*_NUMBERED_DAYS, *(_NAMED_DAYS if has_name else ())):
        for match in pattern.finditer(line):
            named = match.groupdict()
            month = MONTHS[named["n"]] if named.get("n") else int(match["m"])
            yield from _one(match, {_iso(_year(match["y"]), month, int(match["d"]))})
    for match in _NUMERIC.finditer(line):
        first, second, year = int(match[1]), int(match[3]), _year(match[4])
        readings = {_iso(year, second, first), _iso(year, first, second)}
        if len(match[1]) == len("24") and len(match[4]) == len("24") and not readings - {""}:
            readings = {_iso(_year(match[1]), second, int(match[4]))}  # 99/12/31
        yield from _one(match, readings)
    for match in _WORDED.finditer(line) if has_name else ():
        yield from _one(match, {_iso(int(match["y"]), MONTHS[match["n"]], _WORDED_DAYS.index(match["w"]) + 1)})


def _months(line: str, has_name: bool) -> Iterator[PrintedDate]:
    for pattern in (*(_NAMED_MONTHS if has_name else ()), *_NUMBERED_MONTHS):
        for match in pattern.finditer(line):
            named = match.groupdict()
            month = MONTHS[named["n"]] if named.get("n") else int(match["m"])
            yield PrintedDate(match.span(), frozenset({f"{match['y']}-{month:02}"}))


def _one(match: re.Match[str], readings: set[str]) -> Iterator[PrintedDate]:
    if known := frozenset(readings - {""}):
        yield PrintedDate(match.span(), known)


def _year(written: str) -> int:
    digits = written.lstrip("’'")
    if len(digits) > len("24"):
        return int(digits)
    return int(digits) + (2000 if int(digits) < CENTURY else 1900)


def _iso(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""
