"""Numbers in a text by value: separators, signs, brackets, currencies, percent and words of scale."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from quire.core.lazy_patterns import lazy_pattern
from quire.lexicon.phrases import TextSpan, folded
from quire.lexicon.words import alternatives, folded_words, word_groups, words_of

DecimalMark = Literal[".", ","]
_SCALES = {name: int(factor) for name, factor in folded_words("scales").items()}
_CURRENCIES = word_groups("currencies")
_GROUPS = r"['’ʼ˙·٬\u00a0\u202f\u2009]"
_DIGITS = (
    rf"(?:\d{{1,3}}(?:(?:{_GROUPS}|[ ]|[.,])\d{{3}})+(?:\s?[.,]\s?\d{{1,}})?(?!\d)"  # 1 234 567,89
    r"|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?(?!\d)"  # 12,34,567.89
    r"|\d+(?:[.,]\d+)+|\d+\s[.,]\d{2}(?!\d)|\d+[.,]\s\d{2}(?!\d)|\d+|(?<![\d\w])[.]\d+)"
)
_SIGN = r"(?<![-−–])[-−–+]"
_ABBREVIATED = r"US\$|A\$|C\$|S\$|HK\$|NT\$|R\$|RM|Rs\.?|Rp\.?|kr\.?|zł|Kč|Ft|Fr\.|SFr\.?|Euro?s?"
CURRENCY_SIGN = r"[$€£¥₹₩₽₺₴₫฿₦]"
CURRENCY = (
    rf"(?:{CURRENCY_SIGN}|\b{alternatives(map(str.upper, words_of('currency_codes')))}\b"
    rf"|(?<![A-Za-z])(?:{_ABBREVIATED})(?![a-z]))"
)
"""A pattern for the sign, the ISO code or the abbreviation of a currency; case matters."""
_ONE = (
    rf"(?:\d{{1,3}}(?:(?:{_GROUPS}|[ .,])\d{{3}})+(?:[.,]\d+)?|\d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?:\.\d+)?"
    r"|\d+(?:[.,]\d+)?|\.\d+)"
)
_ALONE = lazy_pattern(
    rf"\(?\s?(?:{_SIGN}\s?)?(?P<before>{CURRENCY}\s?)?\(?(?:{_SIGN})?(?P<inside>{CURRENCY})?\s?(?P<digits>{_ONE})"
    rf"(?:(?<=[.,]\d\d)[-−])?\s?(?P<percent>[%‰])?\s?(?:\)%?)?(?P<after>\s?{CURRENCY}\)?)?"
)
_BEGINS = lazy_pattern(rf"[(]?(?:{_SIGN})?(?:{CURRENCY}\s?)?[(]?(?:{_SIGN})?\d")
_PAID = lazy_pattern(rf"{CURRENCY}\s?[-−–]?\d|\d\s?{CURRENCY}")
_CENTS = lazy_pattern(r"(?<![.,\d])\d[\d.,]*[.,]\d\d(?![.,]?\d)")
LONGEST = 40  # characters of a number with its currency
_CURRENCY = r"(?:[$€£¥₹₩₽₺₴₦฿]|[A-Z]{2,3}\$?|Rs\.?|Fr\.?|kr\.?)"
_NUMBER = lazy_pattern(
    rf"(?P<open>\()?\s?(?P<sign>{_SIGN})?\s?(?:(?P<currency>{_CURRENCY})\s?)?(?P<sign2>{_SIGN})?(?P<open2>\()?\s?"
    rf"(?P<digits>{_DIGITS})"
    rf"(?P<trailing>(?:[-−]|\s[-−](?=\s*(?:\n|$)))(?![\w\-−]))?"
    r"\s?(?P<percent>%|٪|‰|(?:per\s?cent|percent|prozent|pour cent|por ciento)\b)?"
    rf"\s?(?P<close>\))?"
)
_SCALE = lazy_pattern(
    rf"\s*(?:{_CURRENCY}\s)?({'|'.join(sorted(map(re.escape, _SCALES), key=len, reverse=True))})\b\.?", re.IGNORECASE
)
_HEAD = lazy_pattern(
    r"\b(?:in|en|expressed in|amounts? in|stated in|dollars in|\$ in|€ in|£ in)\s+"
    r"(?:(?:[A-Z]{3}|US|U\.S\.|[$€£¥₹])\s*)?"
    rf"({'|'.join(sorted((name for name in _SCALES if len(name) > 1), key=len, reverse=True))})\b"
    r"|[(\[]\s*(?:[$€£¥₹]|[A-Z]{3})?\s*['’]?(000s?|m|mn|bn|k)\s*[)\]]|[$€£¥₹]\s?['’]?(000s?)\b",
    re.IGNORECASE,
)
_CREDIT = lazy_pattern(r"\s?(?:CR|DR|Cr|Dr|H|S)\.?(?!\w)")
_WHOLE_CELL = lazy_pattern(r"[\s$€£¥₹()A-Z]*")


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number as it stands in a text. `readings` are the values that it may have: 1,234 is 1234, or 1.234 where a
    comma begins the decimals; a percentage is also its fraction. `digits` are its digits alone, without sign, currency
    and scale, and `plain` what these may be. `in_code`: it is a part of a word, like 7 in A7."""

    span: TextSpan
    readings: frozenset[Decimal]
    digits: TextSpan
    plain: frozenset[Decimal]
    in_code: bool = False


def numbers_in(text: str, *, mark: DecimalMark | None = None, scale: int = 1) -> list[PrintedNumber]:
    """All numbers of a text, in order.

    `mark` begins the decimals in this document, where that is known (`decimal_mark`). `scale` is what the head of a
    table says (`scale_of`): its numbers are read with and without it.
    """
    return [number for match in _NUMBER.finditer(text) for number in _printed(text, match, mark, scale)]


def number_readings(value: object, *, mark: DecimalMark | None = None) -> frozenset[Decimal]:
    """The values of a number, or of a text that says one number; none for another value."""
    if isinstance(value, bool) or value is None:
        return frozenset()
    if isinstance(value, (int, float, Decimal)):
        known = Decimal(str(value))
        return frozenset({known}) if known.is_finite() else frozenset()
    text = str(value).strip()
    found = numbers_in(text, mark=mark)
    if len(found) != 1 or re.search(r"[^\W\d_]{4,}", text[: found[0].span[0]] + text[_scaled_end(text, found[0]) :]):
        return frozenset()
    return found[0].readings


def is_number(text: str) -> bool:
    """Whether a text is one number and nothing else, with its sign, brackets, currency or percent."""
    return _alone(text) is not None


def is_measure(text: str) -> bool:
    """Whether a text is one number with decimals, groups, percent or a currency: a year or a count is none."""
    found = _alone(text)
    return found is not None and bool(_has_currency(found) or found["percent"] or not found["digits"].isdigit())


def is_amount(text: str) -> bool:
    """Whether a text is one number of money: with a currency, or with two decimals."""
    return (found := _alone(text)) is not None and (_has_currency(found) or _has_cents(found))


def is_price(text: str) -> bool:
    """Whether a text is one number with a currency and with two decimals."""
    return (found := _alone(text)) is not None and _has_currency(found) and _has_cents(found)


def begins_with_number(text: str) -> bool:
    """Whether a number stands at the beginning of a text."""
    return _BEGINS.match(text) is not None


def has_price(text: str) -> bool:
    """Whether a number with a currency stands somewhere in a text."""
    return _PAID.search(text) is not None


def has_amount(text: str) -> bool:
    """Whether a number of money stands somewhere in a text: with a currency, or with two decimals."""
    return has_price(text) or _CENTS.search(text) is not None


@lru_cache(maxsize=4096)
def _alone(text: str) -> re.Match[str] | None:
    return _ALONE.fullmatch(text.strip()) if len(text) <= LONGEST else None


def _has_currency(number: re.Match[str]) -> bool:
    return bool(number["before"] or number["inside"] or number["after"])


def _has_cents(number: re.Match[str]) -> bool:
    return not number["percent"] and number["digits"][-3:-2] in (".", ",")


def decimal_mark(texts: Iterable[str]) -> DecimalMark | None:
    """The decimal mark of a document, by its numbers with two decimals; None if there are both."""
    points = commas = 0
    for text in texts:
        points += len(re.findall(r"(?<![\d.,])\d{1,3}(?:,\d{3})*\.\d\d(?![\d.,])", text))
        commas += len(re.findall(r"(?<![\d.,])\d{1,3}(?:\.\d{3})*,\d\d(?![\d.,])", text))
    if points > 20 * commas and points:
        return "."
    return "," if commas > 20 * points and commas else None


def scale_of(text: str) -> int:
    """The factor that a text gives for the numbers below it: 1000 for `in thousands`; else 1."""
    match = _HEAD.search(text)
    if match is None:
        return 1
    name = next(group for group in match.groups() if group).lower()
    return 1000 if name.startswith("000") else _SCALES[name]


def scale_named(unit: str) -> int:
    """The factor in the name of a unit: a million for `USD million`; 1 for `USD`."""
    words = re.findall(r"[^\W\d_]+", unit.lower())
    return next((_SCALES[word] for word in words if word in _SCALES and len(word) > 1), 1)


def currency_forms(value: str) -> tuple[str, ...]:
    """The spellings of a currency: its code, its sign, its names."""
    given = folded(value).strip()
    code = next((code for code, names in _CURRENCIES.items() if given == code or given in names), given)
    return (code, *_CURRENCIES.get(code, ()), *((given,) if given != code else ()))


def values_of(digits: str, mark: DecimalMark | None = None) -> frozenset[Decimal]:
    """The values that the digits of a number, with their separators, may have."""
    plain = re.sub(r"[\s'’ʼ˙·٬\u00a0\u202f\u2009]", "", digits)
    readings = set()
    if re.fullmatch(r"\d*(\.\d+)?", plain):
        readings.add(plain)
    if re.fullmatch(r"[1-9]\d{0,2}(,\d{2,3})*,\d{3}(\.\d+)?", plain):
        readings.add(plain.replace(",", ""))
    if re.fullmatch(r"[1-9]\d{0,2}(\.\d{3})+(,\d+)?", plain):
        readings.add(plain.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d+,\d+", plain):
        readings.add(plain.replace(",", "."))
    if mark is not None and len(readings) > 1:
        other = "," if mark == "." else "."
        readings = {plain.replace(other, "").replace(",", ".")} & readings or readings
    if not readings:  # 1.234.56 and 1,234,56: groups, and decimals by a separator that OCR took for the other
        whole, _, rest = re.sub(r"[.,]", ".", plain).rpartition(".")
        if len(rest) <= 2 and re.fullmatch(r"\d{1,3}(\.\d{3})*", whole):
            readings.add(f"{whole.replace('.', '')}.{rest}")
    return frozenset(Decimal(one) for one in readings if one)


def _printed(text: str, match: re.Match[str], mark: DecimalMark | None, scale: int) -> Iterator[PrintedNumber]:
    digits, start = match["digits"], match.start("digits")
    plain = values = values_of(digits, mark)
    if not values:
        return
    in_code = text[start - 1 : start].isalpha() and not match["currency"]
    end = max(match.end(name) for name in ("digits", "trailing", "percent", "close") if match[name])
    if match["percent"]:
        per = 1000 if match["percent"] == "‰" else 100
        values |= {value / per for value in values}
    else:
        named = _SCALE.match(text, match.end("digits"))
        if named is not None and not (named[1].lower() in ("m", "b", "k", "cr") and named[0][:1].isspace()):
            factor, end = _SCALES[named[1].lower()], max(end, named.end())
            values = frozenset(value * factor for value in values)
        if scale != 1:
            values |= {value * scale for value in values}
    span = _start(match, start), end
    yield PrintedNumber(span, _signed(text, match, values), match.span("digits"), plain, in_code)
    if " " in digits and "." not in digits and "," not in digits:  # perhaps two numbers side by side
        for part in re.finditer(r"\d+", digits):
            span, value = (start + part.start(), start + part.end()), frozenset({Decimal(part[0])})
            yield PrintedNumber(span, value, span, value)


def _signed(text: str, match: re.Match[str], values: frozenset[Decimal]) -> frozenset[Decimal]:
    negative = frozenset(Decimal(0) - value for value in values)
    bracketed = (match["open"] or match["open2"]) and match["close"]
    if bracketed:
        alone = _WHOLE_CELL.fullmatch(text[: match.start()]) and _WHOLE_CELL.fullmatch(text[match.end() :])
        return negative if alone else negative | values
    sign = match["sign"] or match["sign2"] or ""
    if match["trailing"]:
        return negative
    if sign and sign in "-−–":
        joined = match.start("sign") if match["sign"] else match.start("sign2")
        is_range = text[:joined].rstrip()[-1:].isalnum()  # 10 - 20, A-17
        return values | negative if is_range else negative
    return values | negative if _CREDIT.match(text, match.end("digits")) else values


def _start(match: re.Match[str], start: int) -> int:
    """With its sign, bracket and currency."""
    named = [match.start(name) for name in ("open", "sign", "currency", "sign2", "open2") if match[name]]
    return min([start, *named])


def _scaled_end(text: str, number: PrintedNumber) -> int:
    named = _SCALE.match(text, number.span[1])
    return named.end() if named else number.span[1]
