"""Which runs of a page belong to formulas: by font, by sign, by shape; and which are words of the text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from quire.layout.formulas.parse import DrawnRule
from quire.layout.formulas.signs import COMMANDS, FUNCTIONS, names
from quire.pagetext import PageText

THIN = 1.5  # points: the height of a bitmap that is a rule

_MARKS = frozenset("•∗*†‡§¶|⋆◦▪■□✓✗✉★☆▶►▷△○●")
"""Signs of formula fonts that text uses too: bullets, marks of footnotes."""

_SIGNS = frozenset(COMMANDS) - frozenset("–‐’%#&_$\\~^|{}°§¶…\u00b5") - _MARKS
_SOFT = re.compile(
    rf"(?:[-−–=+×·/<>≤≥≈()\[\]{{}}|\d.,:;!'’′*∗†…%~ˆ˜¯˙¨#]|{'|'.join(sorted(FUNCTIONS, key=len, reverse=True))}|mod)+\Z"
)
_SINGLE = re.compile(r"[(\[{]*[^\W\d_][(\[{)\]}]*\Z")
_COMMON = names(
    """
    ad al all an and any are as at be but by ca can cf con das de del der des die eg el en et for has ie if iff in
    is it its la las le les let los map may new no not of on one or our per por que re see set so the to two un
    und une via vs was we
    """
)
LONGEST = 3  # letters in italics that may be variables beside each other
_PUNCTUATION = re.compile(r"[.,:;!?'’]+\Z")


class FormulaRuns:
    """What each run of a page is to a formula."""

    def __init__(self, page: PageText) -> None:
        self.page = page
        self._math = [font.look.math for font in page.font_table]
        self.has_fonts = any(self._math)
        self._rules: list[DrawnRule] | None = None
        self._italic = [font.look.italic for font in page.font_table]

    def has_formulas(self) -> bool:
        """Whether anything on the page may be part of a formula."""
        if self.has_fonts:
            return True
        return any(_is_sign(text) for text in self.page.texts if not text.isascii())

    def rules_in(self, left: float, top: float, right: float, bottom: float) -> list[DrawnRule]:
        """The horizontal rules drawn inside a box."""
        if self._rules is None:
            self._rules = sorted(_rules(self.page), key=lambda rule: rule.y)
        start = bisect_left(self._rules, top, key=lambda rule: rule.y)
        found: list[DrawnRule] = []
        for rule in self._rules[start:]:
            if rule.y > bottom:
                break
            if left <= rule.left and rule.right <= right:
                found.append(rule)
        return found

    def is_anchor(self, run: int) -> bool:
        """Whether a run is certainly of a formula: in one of its fonts, or one of its signs."""
        text = self.page.texts[run]
        if self._math[self.page.fonts[run]]:
            return not all(c in _MARKS or c in ".,;:()[]<>/-" for c in text)
        return not text.isascii() and _is_sign(text)

    def is_math_font(self, run: int) -> bool:
        return self._math[self.page.fonts[run]]

    def is_variable(self, run: int) -> bool:
        """Whether a run is a letter or two in italics: a variable, where formulas are around."""
        text = self.page.texts[run]
        if not self._italic[self.page.fonts[run]] or len(text) > LONGEST or not text.isalpha():
            return False
        return text.lower() not in _COMMON

    def is_soft(self, run: int) -> bool:
        """Whether a run may be part of a formula if its neighbours are: numbers, brackets, operators, functions."""
        text = self.page.texts[run]
        return bool(_SOFT.match(text) or _SINGLE.match(text))

    def is_word(self, run: int) -> bool:
        """Whether a run is a word, or a piece of one, of the text."""
        text = self.page.texts[run]
        if self._math[self.page.fonts[run]] or _SOFT.match(text):
            return False
        return sum(map(str.isalpha, text)) > 1 and not self.is_variable(run) and not self.is_anchor(run)

    def is_punctuation(self, run: int) -> bool:
        return bool(_PUNCTUATION.match(self.page.texts[run])) and not self._math[self.page.fonts[run]]


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


@lru_cache(maxsize=4096)
def _is_sign(text: str) -> bool:
    return any(c in _SIGNS or "\U0001d400" <= c <= "\U0001d7ff" for c in text)
