"""The runs of a page that belong to formulas, by font, sign and shape, and those that are words of the text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from quire.core.pagetext import PageText
from quire.pages.layout.formulas.placed_symbols import DrawnRule
from quire.pages.layout.formulas.signs import COMMANDS, FUNCTIONS, GREEK, names

ANCHOR = 1  # certainly of a formula: in one of its fonts, or one of its signs
VARIABLE = 2  # a letter or a few in italics: variables, where formulas are around
SOFT = 4  # of a formula if its neighbours are: numbers, brackets, operators, names of functions, single letters
WORD = 8  # a word, or a piece of one, of the text
PUNCTUATION = 16
MATHEMATICAL = 32  # in a font of formulas

THIN = 1.5  # points: the height of a bitmap that is a rule
LONG = max(map(len, FUNCTIONS))  # letters: a longer text is the name of no function
GREEK_WORDS = 3  # on a page with text in Greek
LONGEST = 3  # letters in italics that may be variables beside each other

_MARKS = frozenset("•∗*†‡§¶|⋆◦▪■□✓✗✉★☆▶►▷△○●")
"""Signs of formula fonts that text uses too: bullets, marks of footnotes."""

_SIGNS = frozenset(COMMANDS) - frozenset("–‐’%#&_$\\~^|{}°§¶…\u00b5") - _MARKS
_NOT_ALONE = _MARKS | frozenset(".,;:()[]<>/-–—“”‘’")
_SOFT = re.compile(
    rf"(?:[-−–=+×·/<>≤≥≈()\[\]{{}}|\d.,:;!'’′*∗†…%~ˆ˜¯˙¨#]|{'|'.join(sorted(FUNCTIONS, key=len, reverse=True))}|mod)+\Z"
)
_HYPHENATED = re.compile("\\d*[\u2010\u2011][\\d\u2010\u2011]*\\Z")
_ROMAN = re.compile(r"[rn]?[tp]xb?r\d*\Z")
_SINGLE = re.compile(rf"[(\[{{]*[A-Za-z{''.join(GREEK)}\u2100-\u214f\U0001d400-\U0001d7ff][(\[{{)\]}}]*\Z")
_PUNCTUATION = re.compile(r"[.,:;!?'’]+\Z")
_GREEK_WORD = re.compile("[\u03ac-\u03b0\u03cc-\u03ce\u1f00-\u1fff]|(?<![a-zA-Z])[\u0386-\u03ce]{4,}(?![a-zA-Z])")
_GREEK_TEXT = re.compile(r"\W*[\u0386-\u03ce]+\W*\Z")
_LATIN_WORD = re.compile("[a-zA-Z\u00c0-\u024f]{2}")
_TEXTUAL = re.compile(rf"[\u2190-\u21ff\u27f0-\u27ff{re.escape(''.join(sorted(_NOT_ALONE)))}]+\Z")
"""Arrows and marks: text has these in fonts of formulas too."""
_COMMON = names(
    """
    ad al all an and any are as at be but by ca can cf con das de del der des die e.g. eg el en et for has ie if iff
    in is it its la las le les let los map may new no not of on one or our per por que re see set so the to two un
    und une via vs was we
    """
)


class FormulaRuns:
    """The part that each run of a page has in a formula: a sign, a letter, or a word of the text."""

    def __init__(self, page: PageText) -> None:
        self.page = page
        looks = page.looks()
        fonts = zip(page.font_table, looks, strict=True)
        formal = {
            number for number, (font, look) in enumerate(fonts) if look.math and "symbol" not in font.name.lower()
        }
        texts = zip(page.texts, page.fonts, strict=True)
        self.has_fonts = any(font in formal and not _TEXTUAL.match(text) for text, font in texts) if formal else False
        """Whether the page has fonts of formulas, for more than arrows and bullets; text takes its Greek letters and
        signs from Symbol."""
        roman = [bool(_ROMAN.match(font.name.lower())) for font in page.font_table]
        self.has_roman = any(roman)
        """Whether the page has a font of upright letters for text and formulas, apart from that of most of its text."""
        self._looks = [(look.math, look.italic, also) for look, also in zip(looks, roman, strict=True)]
        words = (_GREEK_WORD.search(text) for text in page.texts if not text.isascii())
        self._greek = sum(map(bool, words)) >= GREEK_WORDS
        """Whether the page has text in Greek."""

    def has_formulas(self) -> bool:
        """Whether anything on the page may be part of a formula."""
        return any(math for math, _, _ in self._looks) or any(
            _is_sign(text) for text in self.page.texts if not text.isascii()
        )

    @cached_property
    def codes(self) -> Sequence[int]:
        """For each run, what it is: a sum of the numbers above."""
        looks = self._looks
        return [
            WORD
            if len(text) > LONG and not looks[font][0] and text.isascii() and text.isalpha()
            else _code(text, *looks[font], self._greek)
            for text, font in zip(self.page.texts, self.page.fonts, strict=True)
        ]

    def any(self, runs: Iterable[int], code: int) -> bool:
        """Whether one of the runs is any of these."""
        codes = self.codes
        return any(codes[run] & code for run in runs)

    def is_anchor(self, run: int) -> bool:
        return bool(self.codes[run] & ANCHOR)

    def is_variable(self, run: int) -> bool:
        return bool(self.codes[run] & VARIABLE)

    def is_word(self, run: int) -> bool:
        return bool(self.codes[run] & WORD)

    def is_punctuation(self, run: int) -> bool:
        return bool(self.codes[run] & PUNCTUATION)

    def is_math_font(self, run: int) -> bool:
        return bool(self.codes[run] & MATHEMATICAL)

    @cached_property
    def _rules(self) -> list[DrawnRule]:
        return sorted(_rules(self.page), key=lambda rule: rule.y)

    @cached_property
    def _heights(self) -> list[float]:
        return [rule.y for rule in self._rules]

    def rules_in(self, left: float, top: float, right: float, bottom: float) -> list[DrawnRule]:
        """The horizontal rules drawn inside a box."""
        heights = self._heights
        start, end = bisect_left(heights, top), bisect_right(heights, bottom)
        return [rule for rule in self._rules[start:end] if left <= rule.left and rule.right <= right]


@lru_cache(maxsize=8192)
def _code(text: str, mathematical: bool, italic: bool, roman: bool, greek: bool) -> int:
    """What a text in a font is to a formula. Of a `roman` font, formulas take the signs and text takes the letters;
    where text is in Greek, its letters are no signs."""
    mathematical = mathematical or (roman and not text.isalpha())
    if mathematical:
        anchor = 0 if all(c in _NOT_ALONE for c in text) or _HYPHENATED.match(text) else ANCHOR
        return MATHEMATICAL | anchor | (SOFT if _SOFT.match(text) or _SINGLE.match(text) else 0)
    letters = text.isalpha()
    if letters and len(text) > LONGEST and text.isascii():
        return SOFT if text in FUNCTIONS else WORD
    if not text.isascii() and _is_language(text, greek):
        return WORD
    code = ANCHOR if not text.isascii() and _is_sign(text) else 0
    if italic and letters and len(text) <= LONGEST and text.lower() not in _COMMON:
        code |= VARIABLE
    soft = bool(_SOFT.match(text))
    if soft or _SINGLE.match(text):
        code |= SOFT
    if not soft and not code & (ANCHOR | VARIABLE) and sum(map(str.isalpha, text)) > 1:
        code |= WORD
    if _PUNCTUATION.match(text):
        code |= PUNCTUATION
    return code


def _rules(page: PageText) -> Iterator[DrawnRule]:
    """The horizontal rules of a page: strokes, and bitmaps that are one, as some programs draw them."""
    rulings, images = page.rulings, page.images
    for at in range(0, len(rulings), 5):
        if rulings[at + 1] == rulings[at + 3]:
            yield DrawnRule(rulings[at], rulings[at + 2], rulings[at + 1])
    for at in range(0, len(images), 4):
        left, top, right, bottom = images[at : at + 4]
        if bottom - top < THIN and right - left > bottom - top:
            yield DrawnRule(left, right, (top + bottom) / 2)


def _is_language(text: str, greek: bool) -> bool:
    """Whether a text is a word of a language: letters that formulas do not have, or several of one script together."""
    if any("\u0370" <= c <= "\u1fff" or "\u2c00" <= c < "\U0001d400" for c in text if c.isalpha() and c not in GREEK):
        return True
    if _GREEK_WORD.search(text) or (greek and _GREEK_TEXT.match(text)):
        return True
    return bool(_LATIN_WORD.search(text)) and not any(c in GREEK for c in text)


def _is_sign(text: str) -> bool:
    return any(c in _SIGNS or "\U0001d400" <= c <= "\U0001d7ff" for c in text)
