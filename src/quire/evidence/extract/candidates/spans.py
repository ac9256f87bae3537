"""Typed spans in a line of text: amounts, dates, numbers, codes, accounts, addresses of mail and web, durations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from quire.evidence.extract.schema import ValueKind
from quire.lexicon.amounts import CURRENCY, CURRENCY_SIGN
from quire.lexicon.dates import days_in
from quire.lexicon.durations import durations_in

_CURRENCY = re.compile(CURRENCY)
_NUMBER = re.compile(
    rf"(?<![\w/#-])(?<!\w[.,])(?<!\d:)(?P<before>{CURRENCY}\s?)?"
    rf"(?P<sign>\(\s?{CURRENCY}?\s?|[-–−+]\s?{CURRENCY}?\s?)?"
    r"(?P<digits>\d{1,3}(?:[,.'’  ]\d{3})+(?:[.,]\d{1,4})?|\d+(?:[.,]\d{1,4})?)"
    r"(?P<negative>\s?\)|-(?!\w))?"
    rf"(?P<after>\s?{CURRENCY})?(?P<percent>\s?%)?"
    r"(?![\w:/#]|[.,-]\w)"
)
_SMASHED = re.compile(
    rf"(?<![A-Za-z\d])(?P<before>{CURRENCY_SIGN}|RM|S|[A-Z]{{3}})(?P<digits>\d[\d,.']*[.,]\d\d)(?!\d)"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,3})?\b")
_GROUPED = re.compile(  # a tax number: CH 123.456.789, FR 60 421938861, NL 8104.33.941.B01
    r"\b(?:(?:AT ?U|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK)[ .]?"
    r"(?:\d{2,4}[ .]){1,4}(?:B\d{2}|\d{2,9})|[A-Z]{2}[ .]?(?:\d{2,4}[ .]){2,4}\d{2,4})\b"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(
    r"\b(?:https?://|www\.)[^\s,;()<>]+|\b[\w-]+\.(?:com|org|net|de|fr|nl|eu|co\.uk|it|es|ch|at)(?:/\S*)?\b", re.I
)
_PHONE = re.compile(r"(?<![\w/-])(?:\+\d{1,3}[\s.-]?)?(?:\(\d{1,5}\)[\s.-]?)?\d{2,5}(?:[\s./-]\d{2,7}){1,4}(?![\w/])")
_CODE = re.compile(r"(?<![\w@.,/])(?<!\d:)#?(?=[\w./#-]*\d)[A-Za-z0-9](?:[\w./#*-]*[A-Za-z0-9])?(?![\w@]|[:.,]\d)")
_DIGIT_GROUPS = re.compile(r"\d{2,6}(?: \d{2,6}){1,5}\Z")  # a number of an invoice in groups: 4410 2281 90
_LEAD = re.compile(r"(?<=[.:#]\s)[A-Z]{1,4}\s\Z")  # Policy No. HR 4471-220-9
_DECIMALS = re.compile(r"[.,]\d\d\Z")
SHORTEST_CODE, LONGEST_CODE = 2, 40


class TypedSpan(NamedTuple):
    """Characters of a line that look like a value of a kind."""

    kind: ValueKind
    start: int
    end: int


def spans_of(text: str) -> Iterator[TypedSpan]:
    """The values in a line, in no order; kinds may overlap, except that what is a date is no number."""
    taken: list[tuple[int, int]] = []
    if "@" in text:
        for match in _EMAIL.finditer(text):
            taken.append(match.span())
            yield TypedSpan("email", *match.span())
    if "." in text:
        for match in _URL.finditer(text):
            if not _is_taken(match.span(), taken):
                yield TypedSpan("url", *match.span())
    digits = sum(map(str.isdigit, text))
    if not digits:
        yield from _currencies(text)
        yield from (TypedSpan("duration", *one.span) for one in durations_in(text))
        return
    if digits >= 8:
        for match in _IBAN.finditer(text):
            if sum(map(str.isdigit, match[0])) >= 8:
                taken.append(match.span())
                yield TypedSpan("iban", *match.span())
        for match in _GROUPED.finditer(text):
            if not _is_taken(match.span(), taken):
                taken.append(match.span())
                yield TypedSpan("code", *match.span())
    for date in days_in(text):
        taken.append(date.span)
        yield TypedSpan("date", *date.span)
    yield from _numbers(text, taken)
    for match in _PHONE.finditer(text):
        if 7 <= sum(map(str.isdigit, match[0])) <= 15 and not _is_taken(match.span(), taken):
            yield TypedSpan("phone", *match.span())
    if _DIGIT_GROUPS.match(text):
        yield TypedSpan("code", 0, len(text))
    for match in _CODE.finditer(text):
        start, end = match.span()
        start += match[0].startswith("#")
        if lead := _LEAD.search(text, 0, start):
            start = lead.start()
        if SHORTEST_CODE <= end - start <= LONGEST_CODE and not _is_taken((start, end), taken):
            yield TypedSpan("code", start, end)
    yield from _currencies(text)
    yield from (TypedSpan("duration", *one.span) for one in durations_in(text))


def _numbers(text: str, taken: list[tuple[int, int]]) -> Iterator[TypedSpan]:
    """Amounts, numbers and percentages; amounts are taken from then on."""
    seen: list[tuple[int, int]] = []
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        if _is_taken((start, end), taken):
            continue
        seen.append((start, end))
        if match["percent"]:
            taken.append((start, end))
            yield TypedSpan("percentage", start, end)
            continue
        money = match["before"] or match["after"] or (match["sign"] and _CURRENCY.search(match["sign"]))
        is_amount = bool(money or _DECIMALS.search(match["digits"]))
        if is_amount:
            taken.append((start, end))
        yield TypedSpan("amount" if is_amount else "number", start, end)
    for match in _SMASHED.finditer(text):  # a currency sign that OCR took for a letter
        if not _is_taken(match.span(), [*taken, *seen]):
            yield TypedSpan("amount", *match.span())


def _currencies(text: str) -> Iterator[TypedSpan]:
    for match in _CURRENCY.finditer(text):
        yield TypedSpan("currency", *match.span())


def _is_taken(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)
