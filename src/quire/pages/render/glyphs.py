"""Corrections of PDFium's characters, as tables that both readers use.

PDFium returns raw codes for TeX fonts without a Unicode map: a prime as `0`, a sum as `X`. The codes of these
fonts are fixed (The TeXbook, appendix F), so the font's name determines what the code means. Codes that are also the
correct reading of some glyph of the font (brackets, letters) stay unchanged.
"""

from __future__ import annotations

import unicodedata

_CONTROLS = "".join(map(chr, range(0x20)))

# cmsy: symbols. Capitals are calligraphic letters and stay.
_OMS = (
    "−·×∗÷⋄±∓⊕⊖⊗⊘⊙◯∘•≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻",
    {
        **dict(zip("!\"#$%&'(),.", "→↑↓↔↗↘≃⇐⇒⇔↙", strict=True)),
        **dict(zip("0123456789:;<=>?@", "′∞∈∋△▽/↦∀∃¬∅ℜℑ⊤⊥ℵ", strict=True)),
        **dict(zip("[]^_`abcdefghijklmnopqrstuvwxyz", "∪⊎∧∨⊢⊣⌊⌋⌈⌉{}⟨⟩|∥↕⇕\\≀√∐∇∫⊔⊓⊑⊒§†‡", strict=True)),
    },
)
# cmex: large delimiters and operators.
_OMX = (
    "()[]⌊⌋⌈⌉{}⟨⟩|∥/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\",
    {
        **dict(zip(" !\"#$%&'*+,-.", "()[]⌊⌋⌈⌉⟨⟩/\\/", strict=True)),
        **dict(zip("0123456789:;<=>?@ABCDEFG", "⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪⏐⎝⎠⎜⎟⟨⟩⊔⊔", strict=True)),
        **dict(zip("HIJKLMNOPQRSTUVWXYZ^_`a", "∮∮⊙⊙⊕⊕⊗⊗∑∏∫⋃⋂⊎⋀⋁∑∏∫⋀⋁∐∐", strict=True)),
        **dict(zip("hijklmnopqrstuvwxy", "[]⌊⌋⌈⌉{}√√√√√|⌜‖↑↓", strict=True)),
    },
)
_DESIGNS = tuple(f"MATHDESIGN-{family}-{weight}" for family in ("CH", "GM", "UT") for weight in ("REGULAR", "BOLD"))
_EXTENSIONS = (
    *("CMEX", "LMMATHEXTENSION", "TXEX", "PXEX", "EUEX", "KP--M-EX"),
    *(f"{design}-EXTENSION" for design in _DESIGNS),
)
_SYMBOLS = ("CMSY", "CMBSY", "TXSY", "PXSY", "LMMATHSYMBOLS", "KP--M-SY", *(f"{design}-SYMBOL" for design in _DESIGNS))
# msam: relations that have no name known to PDFium
_AMS = ("&.6>,", "≳≲⩽⩾≜")
# txsyc: the same, of the fonts that look like Times, Palatino and Kp
_MORE = (",\x1b", "≠≅")
# cmmi: Greek letters and punctuation of formulas.
_OML = (
    "ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχ",
    dict(zip("!\"#$%&':;=?@`", "ωεϑϖϱςφ.,/⋆∂ℓ", strict=True)),
)
# cmr and its relatives: ligatures and letters below 0x20.
_OT1: tuple[str, dict[str, str]] = ("ΓΔΘΛΞΠΣΥΦΨΩ\ue000\ue001\ue002\ue003\ue004ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ", {})


def _pair(table: tuple[str, dict[str, str]]) -> tuple[str, str]:
    controls, others = table
    return _CONTROLS + "".join(others), controls + "".join(others.values())


SYMBOLS: tuple[tuple[str, str, str], ...] = (
    *((name, *_pair(_OMS)) for name in _SYMBOLS),
    *((name, *_pair(_OMX)) for name in _EXTENSIONS),
    *((name, *_pair(_OML)) for name in ("CMMI", "CMMIB", "RTXMI", "TXMI", "RPXMI", "PXMI", "RTXBMI")),
    *((name, *_AMS) for name in ("MSAM", "TXSYA", "PXSYA")),
    *((name, *_MORE) for name in ("TXSYC", "PXSYC", "KP--M-SYC")),
    *((name, "", "") for name in ("TXSYB", "PXSYB", "KP--M-SYA", "KP--M-SYB", "KP--M-SYD")),
    ("CMR", *_pair(_OT1)),
    ("CMBX", *_pair(_OT1)),
    ("CMTI", *_pair(_OT1)),
    ("CMSS", *_pair(_OT1)),
    ("STIXMATHCALLIGRAPHY", "".join(map(chr, range(0xE22D, 0xE247))), "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
)
"""Prefix of the font's name, characters as PDFium returns them, correct characters (one for one)."""

EXPANSIONS: dict[str, str] = {
    "\ue000": "ff",
    "\ue001": "fi",
    "\ue002": "fl",
    "\ue003": "ffi",
    "\ue004": "ffl",
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
    "\uf0b7": "•",
    "\uf0a7": "▪",
    "\uf0a8": "▫",
    "\uf06f": "○",
    "\uf0d8": "➢",
    "\uf076": "❖",
    "\uf0fc": "✓",
    "\uf0e0": "→",
    "\uf02d": "−",
    "\uf0b0": "°",
    "\uf0b1": "±",
    "\uf0a3": "≤",
    "\uf0b3": "≥",
    "\uf06d": "μ",
    **dict(zip(map(chr, range(0xF8EB, 0xF8FF)), "⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⌠⎞⎟⎠⎤⎥⎦⎫⎬⎭", strict=True)),
}
"""Ligatures and the letters they represent; bullets, symbols and parts of large brackets of the symbol fonts."""

_MARKS = {
    "`": "\u0300",
    "´": "\u0301",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "¯": "\u0304",
    "˘": "\u0306",
    "˙": "\u0307",
    "¨": "\u0308",
    "˚": "\u030a",
    "˝": "\u030b",
    "ˇ": "\u030c",
    "¸": "\u0327",
    "˛": "\u0328",
}
_BASES = "ABCDEGHIJKLNORSTUYZabcdeghijklnorstuyz"


def _composed() -> dict[tuple[str, str], str]:
    found = {}
    for accent, mark in _MARKS.items():
        for base in _BASES:
            one = unicodedata.normalize("NFC", base + mark)
            if len(one) == 1:
                found[accent, base] = one
        for dotless, base in (("ı", "i"), ("ȷ", "j")):
            one = unicodedata.normalize("NFC", base + mark)
            if len(one) == 1:
                found[accent, dotless] = one
    return found


COMPOSED: dict[tuple[str, str], str] = _composed()
"""Map (accent drawn as a separate glyph, the letter under it) to the combined character."""
