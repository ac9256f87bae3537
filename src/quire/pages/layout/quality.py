"""Whether the native text of a page is usable, absent, or present but unusable."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal

from quire.core.pagetext import PageText

FEW = 12  # fewer characters than this on a page that is a picture are a stamp, not its text
UNMAPPED_SHARE = 0.25
ODD_SHARE = 0.35
OUTSIDE_SHARE = 0.5
MANY_LOST = 100
FEW_LOST = 5  # this many on a page without any characters
WORDS = 40  # fewer are not enough to judge the language
GRID = 64  # squares across and down a page, on which the area of its pictures is measured
VOWELS = 0.2  # of the letters: prose of any language has more

_PLAIN = frozenset("_.,;:!?()[]{}<>=+-*/%$€£&'\"“”‘’«»–—@#|°•…·\\^~§©®™−×")

_SIGNS = re.compile(r"[A-Za-z0-9][;<=>?@]|[;<=>?@][A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Quality:
    """Whether the native text of a page can be used, and why."""

    status: Literal["usable", "absent", "unusable"]
    reason: str = ""


def judge(page: PageText) -> Quality:
    """Judge the native text of a page from the text itself and from what is visible on the page."""
    if page.engine:
        return Quality("usable")  # an OCR engine has read what the file does not contain as text
    covered = _picture_share(page)
    if page.lost > MANY_LOST + 5 * page.chars:
        return Quality("unusable", "text that PDFium cannot read")
    if page.chars == 0 and page.lost >= FEW_LOST:
        return Quality("unusable", "text that PDFium cannot read")
    if page.chars == 0:
        return Quality("absent", "no text" if covered > 0.02 or page.drawings else "blank")
    if page.chars < FEW and covered > 0.5:
        return Quality("absent", "a picture with a few characters")
    if page.unmapped > UNMAPPED_SHARE * page.chars:
        return Quality("unusable", "characters without a Unicode value")
    if _outside(page) > OUTSIDE_SHARE:
        return Quality("unusable", "text outside the page")
    if page.chars > 40 and _odd(page) > ODD_SHARE:
        return Quality("unusable", "garbage instead of words")
    if _shuffled(page):
        return Quality("unusable", "letters that make no words")
    if page.invisible > 0.5 * page.chars and covered > 0.5 and not _plausible(page):
        return Quality("unusable", "an invisible text layer that does not fit the page")
    return Quality("usable")


def _picture_share(page: PageText) -> float:
    """The share of the page that its largest picture covers, or all of them together: many are strips of one scan."""
    whole = page.width * page.height
    rows = [0] * GRID  # the squares of the page that pictures cover, as bits
    best = 0.0
    for picture in page.pictures():
        left, right = (min(max(x, 0.0), page.width) for x in (picture.left, picture.right))
        top, bottom = (min(max(y, 0.0), page.height) for y in (picture.top, picture.bottom))
        best = max(best, (right - left) * (bottom - top) / whole)
        first, end = round(left / page.width * GRID), round(right / page.width * GRID)
        for row in range(round(top / page.height * GRID), round(bottom / page.height * GRID)):
            rows[row] |= (1 << end) - (1 << first)
    return max(best, sum(row.bit_count() for row in rows) / GRID**2)


def _outside(page: PageText) -> float:
    boxes = page.boxes
    width, height = page.width, page.height
    if not boxes or (max(boxes[0::4]) <= width and min(boxes[2::4]) >= 0 and max(boxes[1::4]) <= height):
        return 0.0
    outside = sum(
        1
        for i in range(0, len(boxes), 4)
        if boxes[i] > width or boxes[i + 2] < 0 or boxes[i + 1] > height or boxes[i + 3] < 0
    )
    return 4 * outside / len(boxes)


def _odd(page: PageText) -> float:
    """Share of the characters that text does not have, whatever its script: signs that hardly occur in any language,
    codes without a character, and signs that combine with letters after a letter of another script."""
    text = " ".join(page.texts)
    odd = sum(count for c, count in Counter(text).items() if _is_odd(c))
    if not text.isascii():
        odd += sum(count for pair, count in Counter(pairwise(text)).items() if _is_impossible(*pair))
    return odd / max(len(text) - len(page.texts) + 1, 1)


@cache
def _is_odd(character: str) -> bool:
    kind = unicodedata.category(character)
    if kind[0] == "P":  # that of other scripts is in the blocks of their letters
        return character not in _PLAIN and (character < "\u0370" or "\u2000" <= character < "\u2e00")
    return (kind[0] == "S" and character not in _PLAIN) or kind in ("Cc", "Cn", "Co", "Cs")


@cache
def _is_impossible(letter: str, sign: str) -> bool:
    if unicodedata.category(sign)[0] != "M" or not letter.isalpha():
        return False
    script = _script(sign)
    return script not in ("COMBINING", "VARIATION") and script != _script(letter)


def _script(character: str) -> str:
    """The script of a character: names begin with it, those of signs that many scripts share with COMBINING."""
    return unicodedata.name(character, "").partition(" ")[0]


def _shuffled(page: PageText) -> bool:
    """Whether the fonts map letters to other letters or symbols: prose without vowels, or words full of symbols."""
    prose = [text for text in page.texts if len(text) > 2 and text.isascii() and text.isalpha() and text[1:].islower()]
    if len(prose) > WORDS:
        lower = "".join(prose).lower()
        return sum(map(lower.count, "aeiouy")) < VOWELS * len(lower)
    words = [text for text in page.texts if len(text) > 2]
    return len(words) > WORDS and sum(1 for word in words if _SIGNS.search(word)) > 0.4 * len(words)


def _plausible(page: PageText) -> bool:
    """Whether an invisible text layer looks like the words of the picture: inside it, in lines, mostly letters."""
    text = "".join(page.texts)
    letters = sum(1 for c in text if unicodedata.category(c)[0] in "LM")
    words = [
        t for t in page.texts if len(t) > 1 or unicodedata.category(t[:1] or " ") == "Lo"
    ]  # one sign may be a word
    return letters > 0.55 * len(text) and len(words) > 0.4 * len(page.texts)
