"""Texts compared: without regard to case, line breaks, kinds of quotes and dashes; with some letters misread."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from quire.core.lazy_patterns import lazy_pattern

FUZZY = 0.9
"""The least similarity of two texts that are taken for the same: 1 letter of 10 may be misread."""
SHORTEST_FUZZY = 6
"""Letters and digits of a text: in a shorter one every letter counts."""
Letter: TypeAlias = Callable[[str], str]
"""The form in which a character that is not ASCII is compared."""
TextSpan: TypeAlias = tuple[int, int]
"""The first character, and the one after the last."""
_REMEMBERED = 200  # characters of a text
_SPACES = re.compile(r"\s+")
_NOT_SOLID = re.compile(r"[\W_]+")
_ALIKE = {
    **dict.fromkeys("‘’‚‛′´ʼ`", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    **dict.fromkeys("\xad\u200b\u200c\u200d\u2060\ufeff", ""),
}
_UNSPACED = lazy_pattern(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


class Likeness(NamedTuple):
    """The part of a text that is most like another text, and how much: 1 is equal."""

    span: TextSpan
    ratio: float


@lru_cache(maxsize=4096)
def compared(character: str) -> str:
    """NFKC, quotes and dashes of every kind as one, without soft hyphens."""
    return _ALIKE.get(character, unicodedata.normalize("NFKC", character))


@lru_cache(maxsize=4096)
def without_accents(character: str) -> str:
    """The letter alone; nothing for an accent and for a soft hyphen."""
    letters = unicodedata.normalize("NFKD", character)
    return "".join(one for one in letters if not unicodedata.combining(one) and one != "\xad")


def unaccented(text: str) -> str:
    """Lower case and without accents, each character in its place."""
    if text.isascii():
        return text.lower()
    return "".join(letters if len(letters := without_accents(one).lower()) == 1 else one for one in text)


def folded(text: str, letter: Letter = compared) -> str:
    """Lower case, line breaks as spaces, each letter as `letter` says: what is compared."""
    if not text.isascii():
        text = "".join(map(letter, text))
    return _SPACES.sub(" ", text.casefold())


def matches(text: str, comparable: str, query: str, letter: Letter = compared) -> list[TextSpan]:
    """The spans of a folded query in a text, whose folded form is `comparable`."""
    if not query or query not in comparable:
        return []
    found = [match.start() for match in re.finditer(re.escape(query), comparable)]
    ends = list(accumulate(_lengths(text, letter)))  # of each character, in the folded text
    return [(bisect_right(ends, at), bisect_right(ends, at + len(query) - 1) + 1) for at in found]


def stands_alone(text: str, span: TextSpan) -> bool:
    """Whether a part of a text is no part of a longer word or number."""
    start, end = span
    return not (_is_joined(text[start - 1 : start], text[start : start + 1]) if start else False) and not (
        _is_joined(text[end - 1 : end], text[end : end + 1])
        or (text[end - 1 : end].isdigit() and re.match(r"[.,]\d", text[end : end + 2]) is not None)
        or (
            start > 1 and text[start : start + 1].isdigit() and re.match(r"\d[.,]", text[start - 2 : start]) is not None
        )
    )


def solid(text: str) -> str:
    """Letters and digits only: texts differ in spaces, in punctuation, and in hyphens at the ends of lines."""
    return _short_solid(text) if len(text) <= _REMEMBERED else _solid(text)


def _solid(text: str) -> str:
    return _NOT_SOLID.sub("", folded(text, without_accents))


_short_solid = lru_cache(maxsize=8192)(_solid)
"""Lines and values of a document are compared many times."""


def solid_span(text: str, wanted: str) -> TextSpan | None:
    """The span of a text that has the letters and digits of a solid text one after the other, as whole words."""
    if not wanted:
        return None
    letters: list[str] = []
    origins: list[int] = []
    for at, character in enumerate(text):
        for one in without_accents(character).casefold():
            if one.isalnum():
                letters.append(one)
                origins.append(at)
    line, at = "".join(letters), -1
    while (at := line.find(wanted, at + 1)) >= 0:
        span = origins[at], origins[at + len(wanted) - 1] + 1
        if stands_alone(text, span):
            return span
    return None


def most_alike(text: str, wanted: str, *, least: float = FUZZY) -> Likeness | None:
    """The part of a text that is most like a folded text, if it is as much as `least`; both in their folded form.

    Digits are never misread: a number that differs is another number. Myers' algorithm (1999), with the whole pattern
    in one integer.
    """
    if sum(map(str.isalnum, wanted)) < SHORTEST_FUZZY or not text:
        return None
    most = int(len(wanted) * (1 - least))
    distance, end = _nearest(text, wanted)
    if distance > most:
        return None
    back, length = _nearest(text[:end][::-1][: len(wanted) + most], wanted[::-1])
    span = end - length, end
    part = text[slice(*span)]
    if back > most or _digits(part) != _digits(wanted) or not _words_alike(part, wanted):
        return None
    return Likeness(span, 1 - distance / len(wanted))


def distance(first: str, second: str) -> int:
    """The number of letters to change, add or remove to make one text of the other."""
    row = list(range(len(second) + 1))
    for at, one in enumerate(first, 1):
        before, row[0] = row[0], at
        for column, other in enumerate(second, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (one != other))
    return row[-1]


def _words_alike(part: str, wanted: str) -> bool:
    """Whether every word of a text is in the other with few misread letters: a word is never replaced by another."""
    there = re.findall(r"\w+", part)
    return all(
        any(abs(len(word) - len(other)) <= 2 and distance(word, other) <= (len(word) + 2) // 4 for other in there)
        or word in part.replace(" ", "")
        for word in re.findall(r"\w+", wanted)
    )


def _nearest(text: str, wanted: str) -> tuple[int, int]:
    """The distance of a text to the nearest part of another, and where this part ends."""
    masks: dict[str, int] = {}
    for at, character in enumerate(wanted):
        masks[character] = masks.get(character, 0) | 1 << at
    last, full = 1 << len(wanted) - 1, (1 << len(wanted)) - 1
    plus, minus, score = full, 0, len(wanted)
    best, end = score, 0
    for at, character in enumerate(text, 1):
        mask = masks.get(character, 0)
        vertical = mask | minus
        horizontal = (((mask & plus) + plus) ^ plus) | mask
        above, below = minus | ~(horizontal | plus), plus & horizontal
        score += 1 if above & last else -1 if below & last else 0
        above, below = above << 1, below << 1
        plus, minus = (below | ~(vertical | above)) & full, above & vertical & full
        if score < best:
            best, end = score, at
    return best, end


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _is_joined(before: str, after: str) -> bool:
    return before.isalnum() and after.isalnum() and not (_UNSPACED.match(before) or _UNSPACED.match(after))


def _lengths(text: str, letter: Letter) -> Iterator[int]:
    """The length of each character in the folded text; of several spaces the first counts."""
    space = False
    for character in text:
        letters = character if character.isascii() else letter(character)
        length = 0
        for one in letters.casefold():
            if not one.isspace() or not space:
                length += 1
            space = one.isspace()
        yield length
