"""The symbols of a formula with their places: what the parser composes until one is left."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal, NamedTuple

from quire.fonts import hangs
from quire.layout.formulas.signs import (
    ACCENTS,
    BINARY,
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
from quire.layout.formulas.symbols import is_symbol_font, letter_of
from quire.pagetext import SPACE, PageText

ASCENT, DESCENT = 0.7, 0.22  # of the size: from where to where a letter reaches above and below its baseline
AXIS = 0.25  # of the size: how high above the baseline fractions and brackets have their middle

SymbolKind = Literal[
    "letter", "word", "operator", "relation", "binary", "open", "close", "bar", "accent", "root", "whole"
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
        self.kind, self.latex, self.sign = kind, latex, sign
        self.left, self.top, self.right, self.bottom = box
        self.base, self.size = base, size
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
    items: list[Symbol] = []
    for run in runs:
        items += _items_of_run(page, run, tail if run == runs[-1] else 0)
    return items


def _items_of_run(page: PageText, run: int, tail: int) -> list[Symbol]:
    text, font = page.texts[run], page.font_table[page.fonts[run]]
    size, base = page.sizes[run], page.baselines[run]
    left, top, right, bottom = page.boxes[4 * run : 4 * run + 4]
    tall = hangs(font.name)  # its box is what is drawn
    if not tall:
        top, bottom = base - ASCENT * size, base + DESCENT * size
    step = (right - left) / len(text)
    spaced = bool(page.flags[run] & SPACE)
    made: list[Symbol] = []
    place = 0
    for part in _PARTS.findall(text[: len(text) - tail]):
        roman = len(part) > 1 and all(letter_of(c, font).alphabet == "mathrm" for c in part)
        pieces = _NAME.findall(part) if roman and _NAMES.match(part) else [part] if roman else list(part)
        alphabets = {letter_of(c, font).alphabet for c in part} if len(part) > 1 else set()
        grouped = not roman and len(alphabets) == 1 and (alphabets == {"mathtt"} or len(part) > 2)
        for piece in pieces:
            box = (left + step * place, top, left + step * (place + len(piece)), bottom)
            first = spaced and not made
            if grouped and alphabets != {""}:
                (alphabet,) = alphabets
                latex = in_alphabet("".join(letter_of(c, font).latex for c in part), alphabet)
                made.append(
                    Symbol("letter", latex, (box[0], top, box[0] + step * len(part), bottom), base, size, spaced=first)
                )
                place += len(part)
                break
            if roman:
                kind: SymbolKind = "word"
                latex = rf"\{piece}" if piece in FUNCTIONS else rf"\mathrm{{{piece}}}"
                made.append(Symbol(kind, latex, box, base, size, sign=piece, spaced=first))
            else:
                made += _symbol(page, run, piece, box, tall=tall, spaced=first)
                if len(made) > 1 and made[-2].kind == "accent" and unicodedata.combining(made[-2].sign):
                    _accent(made)
            place += len(piece)
    return made


def _symbol(
    page: PageText, run: int, sign: str, box: tuple[float, float, float, float], *, tall: bool, spaced: bool
) -> list[Symbol]:
    font, size, base = page.font_table[page.fonts[run]], page.sizes[run], page.baselines[run]
    sign = LARGE.get(sign, sign) if tall else sign
    if sign == "/" and is_symbol_font(font):
        sign = "\u0338"  # the stroke through a relation
    if sign in PIECES:
        kind: SymbolKind = "bar" if sign == "⏐" else "open" if PIECES[sign] in OPENING else "close"
        return [Symbol(kind, "", box, base, size, sign=sign, centred=True, spaced=spaced)]
    decomposed = unicodedata.normalize("NFD", sign) if sign.isalpha() else sign
    if len(decomposed) == 2 and decomposed[1] in ACCENTS:
        letter, alphabet = letter_of(decomposed[0], font)
        latex = rf"\{ACCENTS[decomposed[1]]}{{{in_alphabet(letter, alphabet)}}}"
        return [Symbol("letter", latex, box, base, size, sign=sign, spaced=spaced)]
    letter, alphabet = letter_of(sign, font)
    latex = in_alphabet(letter, alphabet)
    centred = tall
    kind = "letter"
    if sign in SURE_ACCENTS:
        kind = "accent"
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
    return [Symbol(kind, latex, box, base, size, sign=sign, centred=centred, spaced=spaced)]


def _accent(made: list[Symbol]) -> None:
    """Put an accent on the letter that the file wrote after it."""
    letter, mark = made.pop(), made.pop()
    letter.latex = rf"\{ACCENTS[mark.sign]}{{{letter.latex}}}"
    letter.spaced = mark.spaced
    made.append(letter)


def in_alphabet(letter: str, alphabet: str) -> str:
    return rf"\{alphabet}{{{letter}}}" if alphabet else letter
