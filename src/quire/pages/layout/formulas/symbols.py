"""A character in a font of formulas as LaTeX writes it: its alphabet and its command."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal, NamedTuple

from quire.core.fonts import Font
from quire.pages.layout.formulas.signs import COMMANDS, GREEK

Alphabet = Literal["", "mathrm", "mathbf", "boldsymbol", "mathcal", "mathbb", "mathfrak", "mathsf", "mathtt"]

_BLACKBOARD = re.compile(r"msbm|mathdesignsymbol|fplmbb|bbm|bbold|dsrom|doublestroke")
_FRAKTUR = re.compile(r"euf[mb]|frak")
_SCRIPT = re.compile(r"eus[mb]|rsfs|calligra|script")
_SYMBOLS = re.compile(r"cmb?sy|mathsymbols|[tp]xb?sy|--m-sy|-symbol-|mtsy|lmsy")
_EULER = re.compile(r"eur[mb]\d")
_LETTERS = re.compile(r"cmmi|mtmi|[tp]xb?mi|lmmi|mathitalic")
_SANS = re.compile(r"cmss|lmsans|sfss|nimbussan|sans|helvet|arial|futura")
_NAMES = (
    ("DOUBLE-STRUCK", "mathbb"),
    ("FRAKTUR", "mathfrak"),
    ("BLACK-LETTER", "mathfrak"),
    ("SCRIPT", "mathcal"),
    ("SANS-SERIF", "mathsf"),
    ("MONOSPACE", "mathtt"),
    ("BOLD ITALIC", "boldsymbol"),
    ("BOLD", "mathbf"),
)


class Letter(NamedTuple):
    """A character as LaTeX writes it, and the alphabet it is from."""

    latex: str
    alphabet: Alphabet


_SWAPPED = (
    ("mathdesign", {"φ": "ϕ", "ϕ": "φ", "ε": "ϵ", "ϵ": "ε"}),
    ("kp--m", {"φ": "ϕ", "ϕ": "φ"}),
    ("standardsym", {"φ": "ϕ", "ϕ": "φ"}),
)
"""Fonts whose names of glyphs have the two forms of a letter the other way round."""


@cache
def letter_of(character: str, font: Font) -> Letter:
    """The LaTeX of a character in a font."""
    for start, swapped in _SWAPPED:
        if character in swapped and font.name.lower().startswith(start):
            character = swapped[character]
    alphabet, plain = _unicode_alphabet(character)
    if plain != character:
        return Letter(COMMANDS.get(plain, plain), alphabet)
    latex = COMMANDS.get(character, character)
    if not character.isalpha():
        bold, digit = font.look.bold, character.isdigit()
        alphabet = "mathtt" if digit and font.look.mono else "mathbf" if digit and bold else ""
        return Letter(latex, "boldsymbol" if bold and character == "∇" else alphabet)
    alphabet = _alphabet(font)
    if character in GREEK:
        alphabet = "boldsymbol" if font.look.bold else ""
    elif len(latex) > 1 or (alphabet == "mathcal" and _SYMBOLS.search(font.name.lower()) and not character.isupper()):
        alphabet = ""
    return Letter(latex, alphabet)


@cache
def is_symbol_font(font: Font) -> bool:
    return bool(_SYMBOLS.search(font.name.lower()))


@cache
def in_blackboard(font: Font) -> bool:
    """Whether a font has double-struck letters, and wide accents at the places of brackets."""
    return bool(_BLACKBOARD.search(font.name.lower()))


@cache
def _alphabet(font: Font) -> Alphabet:
    name, look = font.name.lower(), font.look
    if _BLACKBOARD.search(name):
        return "mathbb"
    if _FRAKTUR.search(name):
        return "mathfrak"
    if _SCRIPT.search(name) or _SYMBOLS.search(name):
        return "mathcal"
    if look.mono:
        return "mathtt"
    if _SANS.search(name):
        return "mathsf"
    italic = look.italic or _EULER.search(name) or _LETTERS.search(name)
    if look.bold:
        return "boldsymbol" if italic else "mathbf"
    return "" if italic else "mathrm"


@cache
def _unicode_alphabet(character: str) -> tuple[Alphabet, str]:
    """The alphabet that Unicode has the letter in, and the plain letter."""
    if character < "\u2100" or (character > "\u214f" and character < "\U0001d400"):
        return "", character
    name = unicodedata.name(character, "")
    kind, _, code = unicodedata.decomposition(character).partition(" ")
    if kind != "<font>" or character in "ℓℏ":
        return "", character
    plain = chr(int(code, 16))
    if plain == "l" and "SCRIPT" in name:
        return "", "ℓ"
    for part, alphabet in _NAMES:
        if part in name:
            return alphabet, plain  # type: ignore[return-value]
    return "", plain
