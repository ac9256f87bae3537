"""The lines of postal addresses: how much a text looks like one, where an address begins and ends."""

from __future__ import annotations

import re

from quire.lexicon.words import phrase_pattern, words_of

_STREET = re.compile(
    rf"\b(?:{phrase_pattern(words_of('street_words'))}|dr(?!\.?\s(?-i:[A-Z][a-z])))\b\.?"
    rf"|\w{phrase_pattern(words_of('street_endings'))}\.?\s*\d",
    re.IGNORECASE,
)
_POSTCODE = re.compile(
    r"(?<![\d./-])(?:\b[A-Z]{1,2}-)?\d{5}(?:-\d{4})?(?![\d./]|-\d)(?!\s*(?:[A-Z]{3}\b|%))"
    r"|\b\d{4}\s?[A-Z]{2}\b(?!-)|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|"
    r"\b\d{3}[ -]\d{2} [A-Z]|\b\d{4}-\d{3}\b|\b\d{4}\s[A-ZÄÖÜ][a-zäöü]{2,}"
)
_HOUSE = re.compile(
    r"^\W{0,2}(?:(?:no|nos|lot|n[°º]|nr|blk|unit|shop)\b[\s.:,]*[A-Z]?[-\w./]*\d|\d{1,5}[A-Za-z]?(?:[-/&]\s?\d{1,4}[A-Za-z]?)*[\s,.]+(?:[^\W\d_]|\d))",
    re.IGNORECASE,
)
_HOUSE_AT_END = re.compile(r"[^\W\d_]{4,}\.?,?\s(?:no\.?\s)?\d{1,4}\s?[a-zA-Z]?(?:\s?[-/]\s?\d{1,4}[a-z]?)?,?$")
_STOP = re.compile(
    rf"\b(?:{phrase_pattern(words_of('address_stops'))}"
    r"|station(?! (?:road|rd|street|st|lane|approach|square|plaza)\b))\b"
    r"|@|[a-z]{4,}\.(?:com|net|org|info|biz|eu|de|fr|es|it|nl|uk|my|sg|example)\b|"
    r":\s*\d{4,}|\d{2}[-/.]\d{2}[-/.]\d{2,4}|[€$£]\s?\d|"
    r"\d{1,2}:\d{2}|"
    r"\b(?:[A-Z]{1,3})?\d{8,}\b|^\W*(?:\w{1,4}\W+)?\(?\+?\d{2,5}\)?(?:[\s./-]+\d{2,5}){2,4}\W*$|\b\d{6,}-?[A-Z]\b|\(\d{5,}-?[A-Z]\)|\b0\d{1,2}-\d{3,4}\s?\d{3,4}\b|"
    r"(?:\(\d{3}\)\s?|\b\d{3}[-.])\d{3}[-.]\d{3,4}\b",
    re.IGNORECASE,
)
_PROSE = re.compile(rf"\b{phrase_pattern(words_of('sentence_words'))}\b")
_LETTERS = re.compile(r"[^\W\d_]{3}|[^\W\d_]{2,}.*[^\W\d_]{2,}")
_PLACE = re.compile(r"^[^\W\d_][\w.' -]*(?:,\s*[^\W\d_][\w.' -]*)*[,.]?$")
_UNIT = re.compile(r"^\W{0,2}#\s?[A-Z]?\d{1,3}-\d{1,4}[A-Z]?\W*$", re.IGNORECASE)  # of a floor
_COUNTRY = re.compile(
    rf"^{phrase_pattern([*words_of('countries'), *words_of('country_abbreviations')])}\W*$", re.IGNORECASE
)


def is_stop(text: str) -> bool:
    """Whether a line ends an address: a telephone number, a tax number, a date, a heading."""
    return _STOP.search(text) is not None


def address_marks(text: str) -> float:
    """The score of a line as one of an address, from 0: street, house number, postal code and country add to it."""
    marks = 1.0 * (_STREET.search(text) is not None) + 1.2 * (_POSTCODE.search(text) is not None)
    marks += 0.7 * (_HOUSE.search(text) is not None) + 0.7 * (_HOUSE_AT_END.search(text) is not None)
    return marks + 1.0 * (_COUNTRY.search(text.strip()) is not None)


def begins_address(text: str) -> bool:
    """Whether an address may begin with this line."""
    return not is_stop(text) and not _PROSE.search(text) and _is_worded(text) and address_marks(text) >= 0.7


def continues_address(text: str) -> bool:
    """Whether a line may be a further one of an address."""
    if is_stop(text) or _PROSE.search(text) or len(text) > 90:
        return False
    if _UNIT.match(text):
        return True
    if _PLACE.match(text.strip()) is not None:
        return len(text.split()) <= 7
    return _is_worded(text) and address_marks(text) > 0


def _is_worded(text: str) -> bool:
    return _LETTERS.search(text) is not None
