"""Typed spans in a line of text: amounts, dates, numbers, codes, accounts, addresses of mail and web, durations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from quire.extract.schema import ValueKind

_SYMBOLS = r"[$€£¥₹₩₽₺₫฿₦]"
_CODES = (
    "USD|EUR|GBP|CHF|JPY|CNY|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|INR|BRL|MXN|ARS|CLP|COP|ZAR|SGD|HKD|MYR|"
    "THB|IDR|PHP|VND|KRW|TWD|ILS|AED|SAR|EGP|RUB|UAH|NGN|KES"
)
_LOCAL = r"US\$|A\$|C\$|S\$|HK\$|NT\$|R\$|RM|Rs\.?|Rp\.?|kr\.?|zł|Kč|Ft|Fr\.|SFr\.?|Euro?s?"
CURRENCY = rf"(?:{_SYMBOLS}|\b(?:{_CODES})\b|(?<![A-Za-z])(?:{_LOCAL})(?![a-z]))"
_CURRENCY = re.compile(CURRENCY)
_MONTH = (
    r"(?:jan(?:uar[iy]?|vier|uari|eiro|\.)?|ene(?:ro|\.)?|gen(?:naio|\.)?|f[eé][bv](?:ruar[iy]?|rier|rero|braio|ereiro|\.|r\.?)?|"
    r"m(?:ar(?:ch|s|zo|ço|\.)?|ärz|aart|rz\.?)|a(?:pr(?:il[e]?|\.)?|vr(?:il|\.)?|br(?:il|\.)?)|m(?:ay(?:o)?|ai|ei|aggio|ag|aio)|"
    r"ju(?:ne|ni|in|nio|nho|n\.?)|giu(?:gno)?|ju(?:ly|li|illet|lio|lho|l\.?)|lug(?:lio)?|juil\.?|"
    r"a(?:ug(?:ust|ustus|\.)?|oût|out|gosto|go\.?)|set(?:tembre|embro|\.)?|sep(?:t(?:ember|embre|iembre|\.)?|\.)?|"
    r"o(?:[ck]t(?:ober|obre|ubre|\.)?|ut(?:ubro|\.)?|tt(?:obre)?)|nov(?:ember|embre|iembre|embro|\.)?|"
    r"d(?:e[cz](?:ember|embre|embro|\.)?|éc(?:embre|\.)?|ic(?:iembre|embre|\.)?))"
)
_YEAR = r"(?:1[89]|20)\d\d"
_DATE = re.compile(
    rf"(?<![\d.,/])(?:{_YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d)"
    rf"|\d{{1,2}}\s?[-/.]\s?\d{{1,2}}\s?[-/.]\s?(?:{_YEAR}|['’]?\d\d(?!\d))"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.|er|º)?[\s/-]*(?:of\s|de\s|d')?\s?{_MONTH}\b\.?[\s,/-]*(?:de[l]?\s)?(?:{_YEAR}|['’]?\d\d(?![\d:.]))"
    rf"|\b{_MONTH}\b\.?[\s-]*\d{{1,2}}(?:st|nd|rd|th)?\s?[,.\s-]\s?{_YEAR}"
    rf"|(?<!\d){_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d))",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"(?<![\w/#-])(?<!\w[.,])(?<!\d:)(?P<before>{CURRENCY}\s?)?"
    rf"(?P<sign>\(\s?{CURRENCY}?\s?|[-–−+]\s?{CURRENCY}?\s?)?"
    r"(?P<digits>\d{1,3}(?:[,.'’  ]\d{3})+(?:[.,]\d{1,4})?|\d+(?:[.,]\d{1,4})?)"
    r"(?P<negative>\s?\)|-(?!\w))?"
    rf"(?P<after>\s?{CURRENCY})?(?P<percent>\s?%)?"
    r"(?![\w:/#]|[.,-]\w)"
)
_SMASHED = re.compile(rf"(?<![A-Za-z\d])(?P<before>{_SYMBOLS}|RM|S|[A-Z]{{3}})(?P<digits>\d[\d,.']*[.,]\d\d)(?!\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,3})?\b")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(
    r"\b(?:https?://|www\.)[^\s,;()<>]+|\b[\w-]+\.(?:com|org|net|de|fr|nl|eu|co\.uk|it|es|ch|at)(?:/\S*)?\b", re.I
)
_PHONE = re.compile(r"(?<![\w/])(?:\+\d{1,3}[\s.-]?)?(?:\(\d{1,5}\)[\s.-]?)?\d{2,5}(?:[\s./-]\d{2,5}){1,4}(?![\w/])")
_CODE = re.compile(r"(?<![\w@.,/])(?<!\d:)#?(?=[\w./#-]*\d)[A-Za-z0-9](?:[\w./#*-]*[A-Za-z0-9])?(?![\w@]|[:.,]\d)")
_DURATION = re.compile(
    r"\b(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|eighteen|twenty(?:-four)?|thirty|sixty|ninety)"
    r"(?:\s?\(\d{1,3}\))?\s?-?(?:calendar\s|business\s|full\s)?"
    r"(?:days?|weeks?|months?|years?|hours?|tagen?|wochen?|monaten?|jahren?|jours?|semaines?|mois|ans?|années?|"
    r"d[ií]as?|semanas?|mes(?:es|i)?|años?|giorni|settimane|anni|dagen|weken|maanden|jaar|dias|anos)\b",
    re.IGNORECASE,
)
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
        yield from (TypedSpan("duration", *match.span()) for match in _DURATION.finditer(text))
        return
    if digits >= 8:
        for match in _IBAN.finditer(text):
            if sum(map(str.isdigit, match[0])) >= 8:
                taken.append(match.span())
                yield TypedSpan("iban", *match.span())
    for match in _DATE.finditer(text):
        taken.append(match.span())
        yield TypedSpan("date", *match.span())
    yield from _numbers(text, taken)
    for match in _PHONE.finditer(text):
        if 7 <= sum(map(str.isdigit, match[0])) <= 15 and not _is_taken(match.span(), taken):
            yield TypedSpan("phone", *match.span())
    for match in _CODE.finditer(text):
        start, end = match.span()
        start += match[0].startswith("#")
        if SHORTEST_CODE <= end - start <= LONGEST_CODE and not _is_taken((start, end), taken):
            yield TypedSpan("code", start, end)
    yield from _currencies(text)
    yield from (TypedSpan("duration", *match.span()) for match in _DURATION.finditer(text))


def _numbers(text: str, taken: list[tuple[int, int]]) -> Iterator[TypedSpan]:
    """Amounts, numbers and percentages; amounts are taken from then on."""
    seen: list[tuple[int, int]] = []
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        if _is_taken((start, end), taken):
            continue
        seen.append((start, end))
        if match["percent"]:
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
