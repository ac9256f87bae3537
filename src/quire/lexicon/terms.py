"""Search terms of a text: words folded to one spelling; numbers, dates, amounts and identifiers by value.

The same function serves documents and queries. It is not tied to one language: letters lose case and accents, words in
Latin letters their English plural, scripts without spaces become pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import accumulate, chain

from quire.lexicon.dates import days_in
from quire.lexicon.phrases import folded, without_accents
from quire.lexicon.words import words_of

_TOKEN = re.compile(
    r"[^\W_]+(?:[-./_'’&+#:][^\W_]+)*"  # words, identifiers like INV-2021/0042, numbers with points
    r"|[$€£¥₹₩]"
)
_WRITTEN = re.compile(r"([^\W_]+(?:[-./_'’&+#:,][^\W_]+)*|[$€£¥₹₩])")
"""A word, or a number with groups, as it is written. Splitting a text gives these and what is between them."""
_NUMBER = re.compile(r"\d+(?:[.,'’]\d+)*")
_GROUPED = re.compile(r"\d(?<![\w.,]\d)\d{0,2}(?:(?:[,'’ \u00a0\u202f]\d{3})+(?!\d)(?:\.\d+)?|(?:\.\d{3})+,\d+)")
"""It begins with a digit, not with what may not be before it: so the rest of a text is skipped quickly."""
_PARTS = re.compile(r"[-./_'’&+#:]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_RAISED = re.compile(r"(?<![⁰-⁹¹²³⁺⁻⁼⁽])(?:(?<=[^\W\d_]{3})|(?<=\d)|(?<=[^\w\s]))[⁰¹²³⁴-⁹⁺⁻⁼⁽]+")
"""Marks of notes and powers, which are no part of the word or number before them; `m²` is one word."""
CURRENCY_TERMS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₩": "krw"}
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_FISCAL = re.compile(r"(?:fy|q[1-4])(?P<y>(?:19|20)?\d\d)")
_SHORTEST_PLURAL = _SHORTEST_IDENTIFIER = 4
_LONGEST_DATE = len("the 31st of september, ")

STOP_WORDS = frozenset(folded(word, without_accents) for word in words_of("stop_words"))
"""Words of queries that find nothing by themselves. They are indexed, for phrases."""


def terms(text: str) -> list[str]:
    """The terms of a text, in its order."""
    folded = _folded(text)
    found = list(chain.from_iterable(map(_terms_between_spaces, _GROUPED.sub(_without_groups, folded).split())))
    found += _dates(folded)
    return found


def query_terms(text: str) -> list[str]:
    """The terms to look for: without stop words, unless there is nothing else, and each once."""
    found = list(dict.fromkeys(terms(text)))
    return [term for term in found if term not in STOP_WORDS] or found


def is_year(term: str) -> bool:
    return _YEAR.fullmatch(term) is not None


def is_identifier(term: str) -> bool:
    """Whether a term is the number of an article, a form or a message: letters and digits in one word."""
    return (
        len(term) >= _SHORTEST_IDENTIFIER
        and term.isalnum()
        and not term.isalpha()
        and not term.isdecimal()
        and not _FISCAL.fullmatch(term)
    )


def places_of(wanted: Set[str], text: str) -> list[tuple[int, int]]:
    """The spans of terms in a text, in any of their spellings, in their order and apart from each other."""
    found: list[tuple[int, int]] = []
    for begin, end in _pieces(wanted, text):
        if found and begin < found[-1][1]:
            continue
        piece = text[begin:end]
        if _UNSPACED.search(piece):
            found += _inside(wanted, piece, begin)
        else:
            found.append((begin, end))
    return found


def _pieces(wanted: Set[str], text: str) -> list[tuple[int, int]]:
    """Dates, grouped numbers and words with a term, as written; of those that begin together the longest first.

    Dates and groups of digits are looked for only where one is wanted.
    """
    parts = _WRITTEN.split(text)
    words = {word for word in {*parts[1::2]} if not wanted.isdisjoint(_terms_in(word))}
    ends = [*accumulate(map(len, parts))] if words else []
    found = {(ends[at - 1], ends[at]) for at in range(1, len(ends), 2) if parts[at] in words}
    longer: list[tuple[int, int]] = []
    if any(map(_DAY.fullmatch, wanted)):
        longer += (span for span, days in days_in(text) if not wanted.isdisjoint(days))
    if any(term.isdecimal() and len(term) > len("999") for term in wanted):
        longer += (match.span() for match in _GROUPED.finditer(text))
    found.update(span for span in longer if not wanted.isdisjoint(_terms_in(text[slice(*span)])))
    return sorted(found, key=lambda span: (span[0], -span[1]))


def _terms_in(piece: str) -> tuple[str, ...]:
    return (_singular(piece.lower()),) if piece.isascii() and piece.isalpha() else _terms_within(piece)


@lru_cache(maxsize=1 << 15)
def _terms_within(piece: str) -> tuple[str, ...]:
    return tuple(terms(piece))


def _inside(wanted: Set[str], piece: str, begin: int) -> list[tuple[int, int]]:
    """Places in a run of characters without spaces, those that touch joined to one."""
    found: list[tuple[int, int]] = []
    for at in range(len(piece)):
        length = max((len(term) for term in wanted if piece.startswith(term, at)), default=0)
        if not length:
            continue
        if found and begin + at <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], begin + at + length)
        else:
            found.append((begin + at, begin + at + length))
    return found


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    apart = _RAISED.sub(r" \g<0>", text.replace("ß", "ss"))
    spelled = unicodedata.normalize("NFKD", apart).casefold()
    return unicodedata.normalize("NFC", "".join(char for char in spelled if not unicodedata.combining(char)))


def _without_groups(match: re.Match[str]) -> str:
    """1,234.5 and 1.234,5 as 1234.5."""
    number = match[0]
    whole, comma, decimals = number.rpartition(",")
    if comma and "." in whole:
        return f"{whole.replace('.', '')}.{decimals}"
    return re.sub(r"[,'’ \u00a0\u202f]", "", number)


@lru_cache(maxsize=1 << 17)
def _terms_between_spaces(folded: str) -> tuple[str, ...]:
    return tuple(chain.from_iterable(map(_terms_of, _TOKEN.findall(folded))))


def _terms_of(token: str) -> tuple[str, ...]:
    if token in CURRENCY_TERMS:
        return (CURRENCY_TERMS[token],)
    if _NUMBER.fullmatch(token):
        return (_number(token),)
    if not token.isascii() and _UNSPACED.search(token):
        return tuple(_pairs(token))
    if token.isalpha():
        return (_singular(token),)
    fiscal = _FISCAL.fullmatch(token)
    if fiscal:
        year = fiscal["y"]
        return token, year if _YEAR.fullmatch(year) else f"20{year}"
    parts = [part for part in _PARTS.split(token) if part]
    if len(parts) == 1:
        return (token,)
    if token.endswith(("'s", "’s")):
        return _terms_of(token[:-2])
    if all(len(part) == 1 for part in parts):  # U.S.
        return ("".join(parts),)
    return ("-".join(parts), *(term for part in parts for term in _terms_of(part)))


def _number(token: str) -> str:
    """A number by its value: a comma with other than three digits behind it is a decimal point."""
    if token.count(",") == 1 and "." not in token and len(token.rpartition(",")[2]) != len("000"):
        token = token.replace(",", ".")
    plain = re.sub(r"[,'’]", "", token)
    if plain.count(".") != 1:
        return plain
    return plain.rstrip("0").rstrip(".")


def _singular(word: str) -> str:
    """Harman's S stemmer: English plurals, safe for other words."""
    if len(word) < _SHORTEST_PLURAL or not word.isascii() or word[-1] != "s":
        return word
    if word.endswith("ies") and word[-4] not in "ae":
        return f"{word[:-3]}y"
    if word.endswith("es") and word[-3] in "aeo":
        return word
    return word if word[-2] in "us" else word[:-1]


def _pairs(word: str) -> Iterator[str]:
    """Scripts without spaces: pairs of characters that overlap."""
    start = 0
    for match in _UNSPACED.finditer(word):
        if match.start() > start:
            yield word[start : match.start()]
        piece, start = match[0], match.end()
        yield from (piece[at : at + 2] for at in range(len(piece) - 1)) if len(piece) > 1 else (piece,)
    if start < len(word):
        yield word[start:]


def _dates(folded: str) -> Iterator[str]:
    """Dates as 2021-03-12, in addition to their parts. Looks around years only, which is several times faster."""
    seen = 0
    for year in _YEAR.finditer(folded):
        begin = max(seen, year.start() - _LONGEST_DATE)
        around = folded[begin : year.end() + len("-03-12")]
        if any(char.isdigit() for char in folded[begin : year.start()]) or around[year.end() - begin :][:1] == "-":
            for _, days in days_in(around):
                yield from sorted(days)
        seen = year.end()
