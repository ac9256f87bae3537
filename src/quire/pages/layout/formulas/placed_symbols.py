"""The symbols of a formula with their places: what the parser composes until one is left."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from quire.core.fonts import Font, hangs
from quire.core.pagetext import SPACE, PageText
from quire.pages.layout.formulas.signs import (
    ACCENTS,
    BINARY,
    BRACES,
    CLOSING,
    DELIMITERS,
    FUNCTIONS,
    LARGE,
    OPENING,
    OPERATORS,
    PIECES,
    RELATIONS,
    SURE_ACCENTS,
)
from quire.pages.layout.formulas.symbols import in_blackboard, is_symbol_font, letter_of

ASCENT, DESCENT = 0.7, 0.22  # of the size: from where to where a letter reaches above and below its baseline
AXIS = 0.25  # of the size: how high above the baseline fractions and brackets have their middle

WIDE = 0.8  # of the size: a bracket is never as wide, an operator is
TALLEST = 2.6  # of the size: an operator is never taller, a bracket of this width is
FLAT = 0.5  # of the size: a bracket is never as low, a wide accent and a part of a horizontal brace are
_OPERATORS = str.maketrans("[]\\", "⋃⨄⋂")
_FLAT = str.maketrans("bcdefgz{|}(", "︿︿︿﹋﹋﹋╭╮╰╯╌")

SymbolKind = Literal[
    "letter", "word", "operator", "relation", "binary", "open", "close", "bar", "accent", "root", "brace", "whole"
]

_PARTS = re.compile(r"[^\W\d_]+|\d+|.", re.S)
_NAMES = re.compile(rf"(?:{'|'.join(sorted(FUNCTIONS, key=len, reverse=True))})+\Z")
_NAME = re.compile("|".join(sorted(FUNCTIONS, key=len, reverse=True)))


class Symbol:
    """A symbol, or a part of a formula that is composed already: its LaTeX and its place."""

    __slots__ = ("axis", "base", "bottom", "centred", "kind", "latex", "left", "right", "sign", "size", "spaced", "top")

    def __init__(
        self,
        kind: SymbolKind,
        latex: str,
        box: tuple[float, float, float, float],
        base: float,
        size: float,
        *,
        sign: str = "",
        centred: bool = False,
        spaced: bool = False,
    ) -> None:
        self.kind = kind
        self.latex = latex
        self.sign = sign
        self.left, self.top, self.right, self.bottom = box
        self.base = base
        self.size = size
        self.axis = base - AXIS * size
        self.centred = centred
        self.spaced = spaced

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def __repr__(self) -> str:
        return f"{self.kind} {self.latex!r} {self.left:.1f}-{self.right:.1f} base {self.base:.1f} size {self.size:.1f}"


class DrawnRule(NamedTuple):
    """A drawn horizontal line."""

    left: float
    right: float
    y: float

    @property
    def width(self) -> float:
        return self.right - self.left


def items_of(page: PageText, runs: Sequence[int], *, tail: int = 0) -> list[Symbol]:
    """The symbols of these runs, without the last `tail` characters."""
    texts, fonts, table, boxes = page.texts, page.fonts, page.font_table, page.boxes
    sizes, baselines, flags = page.sizes, page.baselines, page.flags
    last = runs[-1]
    items: list[Symbol] = []
    for run in runs:
        text, font = texts[run], table[fonts[run]]
        size, base, left = sizes[run], baselines[run], boxes[4 * run]
        step = (boxes[4 * run + 2] - left) / len(text)
        if hangs(font.name):  # its box is what is drawn
            top, bottom = boxes[4 * run + 1], boxes[4 * run + 3]
            text = _by_shape(text, step / size, (bottom - top) / size)
        else:
            top, bottom = base - ASCENT * size, base + DESCENT * size
        spaced = bool(flags[run] & SPACE)
        if tail and run == last:
            text = text[:-tail]
        for kind, latex, start, end, sign, centred in _shapes(text, font):
            box = (left + step * start, top, left + step * end, bottom)
            items.append(Symbol(kind, latex, box, base, size, sign=sign, centred=centred, spaced=spaced))
            spaced = False
    return items


def _by_shape(text: str, width: float, height: float) -> str:
    """Codes of a font of large symbols that are brackets or something else, told apart by how they are drawn."""
    if height < FLAT:
        return text.translate(_FLAT)
    return text.translate(_OPERATORS) if width > WIDE and height < TALLEST else text


class _Shape(NamedTuple):
    """A symbol of a text in a font: what does not depend on its place."""

    kind: SymbolKind
    latex: str
    start: int
    end: int
    sign: str = ""
    centred: bool = False


@lru_cache(maxsize=8192)
def _shapes(text: str, font: Font) -> tuple[_Shape, ...]:
    """The symbols of a text: the same few signs and numbers are on every page."""
    made: list[_Shape] = []
    place = 0
    for part in _PARTS.findall(text):
        roman = len(part) > 1 and all(letter_of(c, font).alphabet == "mathrm" for c in part)
        pieces = _NAME.findall(part) if roman and _NAMES.match(part) else [part] if roman else list(part)
        alphabets = {letter_of(c, font).alphabet for c in part} if len(part) > 1 else set()
        grouped = not roman and len(alphabets) == 1 and (alphabets == {"mathtt"} or len(part) > 2)
        if grouped and alphabets != {""}:
            (alphabet,) = alphabets
            latex = in_alphabet("".join(letter_of(c, font).latex for c in part), alphabet)
            made.append(_Shape("letter", latex, place, place + len(part)))
            place += len(part)
            continue
        for piece in pieces:
            end = place + len(piece)
            if roman:
                latex = rf"\{piece}" if piece in FUNCTIONS else rf"\mathrm{{{piece}}}"
                made.append(_Shape("word", latex, place, end, sign=piece))
            else:
                made.append(_shape(piece, font, place, end))
                if len(made) > 1 and made[-2].kind == "accent" and unicodedata.combining(made[-2].sign):
                    letter, mark = made.pop(), made.pop()  # the file wrote the accent before its letter
                    made.append(letter._replace(latex=rf"\{ACCENTS[mark.sign]}{{{letter.latex}}}"))
            place = end
    return tuple(made)


def _shape(sign: str, font: Font, start: int, end: int) -> _Shape:
    tall = hangs(font.name)
    sign = LARGE.get(sign, sign) if tall else sign
    if sign in "[\\]" and in_blackboard(font):
        sign = {"]": "﹋"}.get(sign, "︿")
    if sign == "/" and is_symbol_font(font):
        sign = "\u0338"  # the stroke through a relation
    if sign in PIECES:
        kind: SymbolKind = "bar" if sign == "⏐" else "open" if PIECES[sign] in OPENING else "close"
        return _Shape(kind, "", start, end, sign, centred=True)
    decomposed = unicodedata.normalize("NFD", sign) if sign.isalpha() else sign
    if len(decomposed) == 2 and decomposed[1] in ACCENTS:
        letter, alphabet = letter_of(decomposed[0], font)
        latex = rf"\{ACCENTS[decomposed[1]]}{{{in_alphabet(letter, alphabet)}}}"
        return _Shape("letter", latex, start, end, sign)
    letter, alphabet = letter_of(sign, font)
    latex = in_alphabet(letter, alphabet)
    centred = tall
    kind = "letter"
    if sign in SURE_ACCENTS:
        kind = "accent"
    elif sign in BRACES:
        kind, latex = "brace", BRACES[sign]
    elif sign == "√":
        kind, centred = "root", tall
    elif sign in OPERATORS:
        kind, centred = "operator", True
    elif sign in DELIMITERS:
        kind = "open" if sign in OPENING else "close" if sign in CLOSING else "bar"
    elif sign in RELATIONS:
        kind = "relation"
    elif sign in BINARY:
        kind = "binary"
    return _Shape(kind, latex, start, end, sign, centred)


def in_alphabet(letter: str, alphabet: str) -> str:
    return rf"\{alphabet}{{{letter}}}" if alphabet else letter
