"""Characters and fonts of formulas in LaTeX: commands of symbols, alphabets, names of functions, kinds of symbols."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal, NamedTuple

from quire.fonts import Font

Alphabet = Literal["", "mathrm", "mathbf", "boldsymbol", "mathcal", "mathbb", "mathfrak", "mathsf", "mathtt"]

_GREEK = {
    **dict(zip("αβγδεζηθικλμνξπρστυφχψω", ["alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "varphi", "chi", "psi", "omega"], strict=True)),
    **dict(zip("ϵϑϖϱςϕϰϝ", ["epsilon", "vartheta", "varpi", "varrho", "varsigma", "phi", "varkappa", "digamma"], strict=True)),
    **dict(zip("ΓΔΘΛΞΠΣΥΦΨΩ", ["Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"], strict=True)),
    "\u00b5": "mu", "\u2126": "Omega", "\u2206": "Delta", "\u03d2": "Upsilon",
}  # fmt: skip

_OPERATORS = dict(
    zip("∑∏∐∫∬∭∮⋃⋂⨁⨂⨀⋀⋁⨆⨄", ["sum", "prod", "coprod", "int", "iint", "iiint", "oint", "bigcup", "bigcap", "bigoplus", "bigotimes", "bigodot", "bigwedge", "bigvee", "bigsqcup", "biguplus"], strict=True)
)  # fmt: skip

_RELATIONS = dict(
    zip("≤≥≠≡∼≈≅≃≍∝≪≫≺≻⪯⪰⊂⊃⊆⊇⊊⊋⊏⊐⊑⊒∈∋∉⊢⊣⊨⊩⊥∥∣≐≜→←↔⇒⇐⇔↦⟶⟵⟷⟹⟸⟺↪↩↑↓↕⇑⇓⇕↗↘↙↖⇀⇁↼↽⇌⩽⩾≲≳≶≷≼≽⊴⊵⊲⊳◁▷≇≉≮≯⊈⊉⊄∤∦⋈", ["leq", "geq", "neq", "equiv", "sim", "approx", "cong", "simeq", "asymp", "propto", "ll", "gg", "prec", "succ", "preceq", "succeq", "subset", "supset", "subseteq", "supseteq", "subsetneq", "supsetneq", "sqsubset", "sqsupset", "sqsubseteq", "sqsupseteq", "in", "ni", "notin", "vdash", "dashv", "models", "Vdash", "perp", "parallel", "mid", "doteq", "triangleq", "rightarrow", "leftarrow", "leftrightarrow", "Rightarrow", "Leftarrow", "Leftrightarrow", "mapsto", "longrightarrow", "longleftarrow", "longleftrightarrow", "Longrightarrow", "Longleftarrow", "Longleftrightarrow", "hookrightarrow", "hookleftarrow", "uparrow", "downarrow", "updownarrow", "Uparrow", "Downarrow", "Updownarrow", "nearrow", "searrow", "swarrow", "nwarrow", "rightharpoonup", "rightharpoondown", "leftharpoonup", "leftharpoondown", "rightleftharpoons", "leqslant", "geqslant", "lesssim", "gtrsim", "lessgtr", "gtrless", "preccurlyeq", "succcurlyeq", "trianglelefteq", "trianglerighteq", "vartriangleleft", "vartriangleright", "triangleleft", "triangleright", "ncong", "napprox", "nless", "ngtr", "nsubseteq", "nsupseteq", "nsubset", "nmid", "nparallel", "bowtie"], strict=True)
)  # fmt: skip

_BINARY = dict(
    zip("±∓×÷·⋅∘◦∗⋆•⊕⊖⊗⊘⊙∩∪⊎⊓⊔∧∨∖≀⋄†‡⊞⊟⊠⊡⋉⋊", ["pm", "mp", "times", "div", "cdot", "cdot", "circ", "circ", "*", "star", "bullet", "oplus", "ominus", "otimes", "oslash", "odot", "cap", "cup", "uplus", "sqcap", "sqcup", "wedge", "vee", "setminus", "wr", "diamond", "dagger", "ddagger", "boxplus", "boxminus", "boxtimes", "boxdot", "ltimes", "rtimes"], strict=True)
)  # fmt: skip

_OTHERS = {
    **dict(zip("∞∂∇∀∃∄¬∅ℵℶℜℑ℘ℓℏħı√⊤∠□△▽♯♭♮♠♡♢♣◯∎°…⋯⋮⋱§¶ȷ", ["infty", "partial", "nabla", "forall", "exists", "nexists", "neg", "emptyset", "aleph", "beth", "Re", "Im", "wp", "ell", "hbar", "hbar", "imath", "surd", "top", "angle", "square", "triangle", "triangledown", "sharp", "flat", "natural", "spadesuit", "heartsuit", "diamondsuit", "clubsuit", "bigcirc", "blacksquare", "degree", "ldots", "cdots", "vdots", "ddots", "S", "P", "jmath"], strict=True)),
}  # fmt: skip

_BRACKETS = {
    "{": r"\{", "}": r"\}", "⟨": r"\langle", "⟩": r"\rangle", "\u3008": r"\langle", "\u3009": r"\rangle",
    "\u2329": r"\langle", "\u232a": r"\rangle", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil",
    "‖": r"\|", "∥": r"\|", "⟦": r"\llbracket", "⟧": r"\rrbracket",
}  # fmt: skip

_PLAIN = {"−": "-", "∶": ":", "⁄": "/", "′": "'", "″": "''", "‴": "'''", "’": "'", "–": "-", "‐": "-"}
_ESCAPED = {
    "%": r"\%",
    "#": r"\#",
    "&": r"\&",
    "_": r"\_",
    "$": r"\$",
    "\\": r"\setminus",
    "~": r"\sim",
    "^": r"\wedge",
}

COMMANDS: dict[str, str] = {
    **{sign: "\\" + name if name != "*" else "*" for table in (_GREEK, _OPERATORS, _RELATIONS, _BINARY, _OTHERS)
       for sign, name in table.items()},
    **_BRACKETS,
    **_PLAIN,
    **_ESCAPED,
}  # fmt: skip
"""What LaTeX writes for a character; letters, digits and other ASCII signs stand for themselves."""

LARGE = {"⊕": "⨁", "⊗": "⨂", "⊙": "⨀", "⊎": "⨄", "⊔": "⨆"}
"""Signs that are operators with limits in a font of large symbols."""

OPERATORS = frozenset(_OPERATORS)
INTEGRALS = frozenset("∫∬∭∮")
RELATIONS = frozenset(_RELATIONS) | frozenset("=<>:")
BINARY = (frozenset(_BINARY) | frozenset("+−-/")) - frozenset("•†‡⋆∗")
OPENING, CLOSING = frozenset("([{⟨⌊⌈⟦\u2329\u3008"), frozenset(")]}⟩⌋⌉⟧\u232a\u3009")
DELIMITERS = OPENING | CLOSING | frozenset("|‖∥")

PIECES = {
    **dict.fromkeys("⎛⎜⎝", "("), **dict.fromkeys("⎞⎟⎠", ")"), **dict.fromkeys("⎡⎢⎣", "["), **dict.fromkeys("⎤⎥⎦", "]"),
    **dict.fromkeys("⎧⎨⎩", "{"), **dict.fromkeys("⎫⎬⎭", "}"), "⎪": "", "⏐": "|",
}  # fmt: skip
"""The parts that a large bracket is built from, and the bracket."""

ACCENTS = {
    "ˆ": "hat", "^": "hat", "\u0302": "hat", "˜": "tilde", "~": "tilde", "∼": "tilde", "\u0303": "tilde",
    "¯": "bar", "\u0304": "bar", "\u0305": "bar", "˙": "dot", "\u0307": "dot", "¨": "ddot", "\u0308": "ddot",
    "´": "acute", "\u0301": "acute", "`": "grave", "\u0300": "grave", "˘": "breve", "\u0306": "breve",
    "ˇ": "check", "\u030c": "check", "⃗": "vec", "˚": "mathring", "\u030a": "mathring",
    "⇀": "vec",
}  # fmt: skip
SURE_ACCENTS = frozenset(ACCENTS) - frozenset("^~∼`⇀")
"""Signs that are accents wherever they stand; the others only directly above a letter."""

FUNCTIONS = frozenset(
    [
        "arccos",
        "arcsin",
        "arctan",
        "arg",
        "cos",
        "cosh",
        "cot",
        "coth",
        "csc",
        "deg",
        "det",
        "dim",
        "exp",
        "gcd",
        "hom",
        "inf",
        "ker",
        "lg",
        "lim",
        "liminf",
        "limsup",
        "ln",
        "log",
        "max",
        "min",
        "Pr",
        "sec",
        "sin",
        "sinh",
        "sup",
        "tan",
        "tanh",
    ]
)
WITH_LIMITS = frozenset(["det", "gcd", "inf", "lim", "liminf", "limsup", "max", "min", "Pr", "sup", "argmax", "argmin"])

_BLACKBOARD = re.compile(r"msbm|mathdesignsymbol|bbm|bbold|dsrom|doublestroke")
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
    if character in _GREEK:
        alphabet = "boldsymbol" if font.look.bold else ""
    elif len(latex) > 1 or (alphabet == "mathcal" and _SYMBOLS.search(font.name.lower()) and not character.isupper()):
        alphabet = ""
    return Letter(latex, alphabet)


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
    for part, alphabet in _NAMES:
        if part in name:
            return alphabet, plain  # type: ignore[return-value]
    return "", plain
