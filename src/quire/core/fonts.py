"""The style of a font, from its name and flags. PDFium's own value for the weight is a guess from its stems."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

# PDF 32000-1, table 123: flags of a font descriptor.
FIXED_PITCH, ITALIC, FORCE_BOLD = 1, 1 << 6, 1 << 18

_BOLD = re.compile(
    r"-medi(?!um)|kp-medium|bold|black|heavy|cm(?:ss)?bx|cmssdc|-demi|semibd|sf(?:bx|bi|sx|so|xc)|[.-]bi?\Z"
)
_PLAIN = re.compile(r"regular|light|book|roman|medium|thin|italic|oblique|cmr\d|cmti|cmmi|cmsy|-regu")
_ITALIC = re.compile(r"italic|(?:regu|medi)ital|oblique|cm(?:bx)?ti|cmssi|cmmi|sfti|sfit|sfbi|-ital|slant|[.-]b?i\Z")
_MONO = re.compile(
    r"mono|courier|cm(?:it|sl)?tt|sftt|sfit|consol|nimbusmon|typewriter|menlo|letter ?gothic|lucidacon|fixed"
)
_PROPORTIONAL = re.compile(r"arial|helvetica|times|calibri|verdana|tahoma|georgia|garamond|cambria")  # flags may err
_MATH = re.compile(
    r"cm(mi|sy|ex|bsy|mib)\d|msam|msbm|math|symbol|mtmi|mtsy|mtex|rmtmi|euf[mb]|eus[mb]|mjx|katex|lm(mi|sy|ex)|new[tp]xb?mi|[tp]x(?:sys|exs)"
    r"|\A(?:[rn]?[tp]x|ntx)b?(?:mi|sy|ex|mia|sya|syb|syc)\d*\Z|eu(?:rm|rb|ex)\d|kp--m|rsfs|bbm\d|dsrom|esint|stmary|wasy"
)

_STYLE = re.compile(r"[-,.]|(?<=[a-z])(?=Bold|Ital|Med|Regu|Demi|Roman)|\d")


_HANGING = ("CMEX", "MTEX", "TXEX", "PXEX", "YHEX", "ESINT", "EUEX", "KP--M-EX")


class Font(NamedTuple):
    """A font of a page: its base name without the subset prefix, and its style."""

    name: str
    flags: int = 0
    weight: int = 400

    @property
    def look(self) -> FontStyle:
        return look_of(self.name, self.flags, self.weight)


class FontStyle(NamedTuple):
    bold: bool
    italic: bool
    mono: bool
    math: bool


@cache
def hangs(name: str) -> bool:
    """Fonts of large operators and brackets, which hang from the baseline (The TeXbook, appendix G)."""
    upper = name.upper()
    return upper.startswith(_HANGING) or "EXTENSION" in upper


@lru_cache(maxsize=64)
def looks_of(fonts: tuple[Font, ...]) -> tuple[FontStyle, ...]:
    """The style of each font."""
    return tuple(font.look for font in fonts)


def family(name: str) -> str:
    """The typeface of a font, without its style: MyriadPro of MyriadPro-Bold."""
    return _STYLE.split(name, maxsplit=1)[0].lower()


@cache
def look_of(name: str, flags: int, weight: int) -> FontStyle:
    """The style of a font, by its name first, then by the flags in the file."""
    lower = name.lower()
    bold = bool(flags & FORCE_BOLD or _BOLD.search(lower)) or (weight >= 700 and not _PLAIN.search(lower))
    return FontStyle(
        bold=bold,
        italic=bool(flags & ITALIC or _ITALIC.search(lower)),
        mono=bool(_MONO.search(lower) or (flags & FIXED_PITCH and not _PROPORTIONAL.search(lower))),
        math=bool(_MATH.search(lower)),
    )
