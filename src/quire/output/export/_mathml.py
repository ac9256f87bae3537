"""MathML from the LaTeX that formulas are read as: the commands that the layout writes, not all of LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from html import escape

from quire.pages.layout.formulas.signs import ACCENTS, COMMANDS, FUNCTIONS, INTEGRALS, OPERATORS, WITH_LIMITS

_TOKEN = re.compile(r"\\text\{[^{}]*\}|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S", re.S)
_SIGNS = {command: sign for sign, command in reversed(COMMANDS.items()) if command.startswith("\\")}
_SIGNS |= {r"\{": "{", r"\}": "}", r"\|": "‖", r"\colon": ":", r"\limits": "", r"\-": "-"}
_ACCENTS = {name: mark for mark, name in reversed(ACCENTS.items())}
_ACCENTS |= {
    "hat": "^",
    "tilde": "~",
    "bar": "¯",
    "vec": "→",
    "dot": "˙",
    "ddot": "¨",
    "widehat": "^",
    "widetilde": "~",
}
_STYLES = {
    "mathbf": "BOLD",
    "boldsymbol": "BOLD ITALIC",
    "mathcal": "SCRIPT",
    "mathbb": "DOUBLE-STRUCK",
    "mathfrak": "FRAKTUR",
    "mathsf": "SANS-SERIF",
    "mathtt": "MONOSPACE",
}
_BRACKETS = {"pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖", "cases": "{"}
_BRACES = {
    "underbrace": ("munder", "⏟"),
    "overbrace": ("mover", "⏞"),
    "overrightarrow": ("mover", "→"),
    "overleftarrow": ("mover", "←"),
}
_ARROWS = {"xrightarrow": "→", "xleftarrow": "←", "xRightarrow": "⇒", "xLeftarrow": "⇐", "xmapsto": "↦"}
_ALIGNED = {"cases": "left", "aligned": "right left"}
_STOPS = ("}", "&", r"\\", r"\end")


def mathml(latex: str, *, display: bool = False) -> str:
    """A `math` element, with the LaTeX as its annotation."""
    shown = _Writer(latex).row()
    attribute = ' display="block"' if display else ""
    note = f'<annotation encoding="application/x-tex">{escape(latex, quote=False)}</annotation>'
    return f"<math{attribute}><semantics><mrow>{shown}</mrow>{note}</semantics></math>"


class _Writer:
    """Reads LaTeX from left to right."""

    def __init__(self, latex: str) -> None:
        self.tokens = _TOKEN.findall(latex)
        self.place = 0

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.place += 1
        return token

    def row(self, *stops: str) -> str:
        """Everything up to one of these tokens, which stays, or a token that ends a group anyway."""
        parts: list[str] = []
        while (token := self.peek()) and token not in _STOPS and token not in stops:
            parts.append(self.scripted())
        if token == "}" and not stops:  # one too many: ignored
            self.take()
            return "".join(parts) + self.row()
        return "".join(parts)

    def scripted(self) -> str:
        token = self.peek()
        base = self.atom()
        if self.peek() == r"\limits":
            self.take()
        below = above = primes = ""
        while self.peek() in ("_", "^", "'"):
            mark = self.take()
            if mark == "'":
                primes += "′"
            elif mark == "_":
                below += self.atom()
            else:
                above += self.atom()
        if primes:
            above = f"<mrow><mo>{primes}</mo>{above}</mrow>" if above else f"<mo>{primes}</mo>"
        stacked = _has_limits(token)
        if below and above:
            tag = "munderover" if stacked else "msubsup"
            return f"<{tag}>{base}{below}{above}</{tag}>"
        if below:
            tag = "munder" if stacked else "msub"
            return f"<{tag}>{base}{below}</{tag}>"
        if above:
            tag = "mover" if stacked else "msup"
            return f"<{tag}>{base}{above}</{tag}>"
        return base

    def group(self) -> str:
        """The argument of a command, as one element."""
        return self.atom()

    def atom(self) -> str:
        token = self.take()
        if token == "{":
            inner = self.row("}")
            self.take()
            return f"<mrow>{inner}</mrow>"
        if token.startswith("\\text{"):
            words = token[6:-1].replace(" ", chr(0xA0))
            return f"<mtext>{escape(words)}</mtext>"
        if token.startswith("\\") and len(token) > 2:
            return self.command(token[1:])
        return _symbol(_SIGNS.get(token, token.removeprefix("\\")))

    def command(self, name: str) -> str:
        if name == "frac":
            return f"<mfrac>{self.group()}{self.group()}</mfrac>"
        if name == "binom":
            inner = f'<mfrac linethickness="0">{self.group()}{self.group()}</mfrac>'
            return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"
        if name == "sqrt":
            return self.root()
        if name == "begin":
            return self.table(self.name(), r"\end")
        if name in ("overline", "underline"):
            tag = "mover" if name == "overline" else "munder"
            return f'<{tag} accent="true">{self.group()}<mo stretchy="true">‾</mo></{tag}>'
        if name in ("stackrel", "overset", "underset"):
            label, base = self.group(), self.group()
            tag = "munder" if name == "underset" else "mover"
            return f"<{tag}>{base}{label}</{tag}>"
        if name in _BRACES:
            tag, sign = _BRACES[name]
            return f'<{tag}>{self.group()}<mo stretchy="true">{sign}</mo></{tag}>'
        if name in _ARROWS:
            return self.arrow(_ARROWS[name])
        if name == "substack":
            self.take()
            return self.table("substack", "}")
        if name in _ACCENTS:
            return f'<mover accent="true">{self.group()}<mo stretchy="false">{_ACCENTS[name]}</mo></mover>'
        if name == "pmod":
            return f"<mrow><mo>(</mo><mi>mod</mi><mspace width='0.3em'/>{self.group()}<mo>)</mo></mrow>"
        if name == "not":
            return f"<mrow>{self.atom().replace('</mo>', chr(0x338) + '</mo>')}</mrow>"
        if name == "mathrm" or name in _STYLES:
            return self.styled(name)
        if name in FUNCTIONS:
            return f"<mi>{name}</mi>"
        return _symbol(_SIGNS.get(f"\\{name}", name))

    def arrow(self, sign: str) -> str:
        """An arrow with a label above it, and perhaps one below."""
        arrow = f'<mo stretchy="true">{sign}</mo>'
        if self.peek() != "[":
            return f"<mover>{arrow}{self.group()}</mover>"
        self.take()
        below = self.row("]")
        self.take()
        return f"<munderover>{arrow}<mrow>{below}</mrow>{self.group()}</munderover>"

    def root(self) -> str:
        if self.peek() != "[":
            return f"<msqrt>{self.group()}</msqrt>"
        self.take()
        degree = self.row("]")
        self.take()
        return f"<mroot>{self.group()}<mrow>{degree}</mrow></mroot>"

    def styled(self, name: str) -> str:
        """Letters of an alphabet: those that Unicode has, others as they are."""
        if self.peek() != "{":
            return self.atom()
        self.take()
        letters: list[str] = []
        while (token := self.peek()) and token != "}":
            letters.append(_SIGNS.get(token, token))
            self.take()
        self.take()
        text = "".join(letters)
        if name == "mathrm":
            return f'<mi mathvariant="normal">{escape(text)}</mi>'
        return f"<mi>{escape(''.join(_in_style(letter, _STYLES[name]) for letter in text))}</mi>"

    def table(self, name: str, end: str) -> str:
        """The rows of an environment, or of the argument of a command, up to its end."""
        rows: list[list[str]] = [[]]
        while self.place < len(self.tokens):
            rows[-1].append(f"<mtd>{self.row(end)}</mtd>")
            token = self.take()
            if token == r"\\":
                rows.append([])
            elif token == end:
                if end == r"\end":
                    self.name()
                break
        align = f' columnalign="{_ALIGNED[name]}"' if name in _ALIGNED else ""
        lines = [f"<mtr>{''.join(row)}</mtr>" for row in rows]
        table = f"<mtable{align}>{''.join(lines)}</mtable>"
        return _bracketed(table, _BRACKETS.get(name, ""))

    def name(self) -> str:
        """The name of an environment, in braces."""
        letters = []
        self.take()
        while (token := self.take()) and token != "}":
            letters.append(token)
        return "".join(letters)


def _bracketed(table: str, brackets: Sequence[str]) -> str:
    if not brackets:
        return table
    closing = f"<mo>{escape(brackets[1])}</mo>" if len(brackets) > 1 else ""
    return f"<mrow><mo>{escape(brackets[0])}</mo>{table}{closing}</mrow>"


def _has_limits(token: str) -> bool:
    sign = _SIGNS.get(token, token)
    return (sign in OPERATORS and sign not in INTEGRALS) or token.removeprefix("\\") in WITH_LIMITS | _BRACES.keys()


def _symbol(sign: str) -> str:
    if not sign:
        return ""
    if sign[0].isdigit():
        return f"<mn>{sign}</mn>"
    if sign.isalpha():
        return f"<mi>{escape(sign)}</mi>"
    return f"<mo>{escape(sign)}</mo>"


def _in_style(letter: str, style: str) -> str:
    """The letter of a mathematical alphabet, where Unicode has it."""
    if not letter.isascii() or not letter.isalnum():
        name = unicodedata.name(letter, "").removeprefix("GREEK ").replace(" LETTER", "")
    elif letter.isdigit():
        style, name = style.removesuffix(" ITALIC"), unicodedata.name(letter)
    else:
        name = f"{'CAPITAL' if letter.isupper() else 'SMALL'} {letter.upper()}"
    for full in (f"MATHEMATICAL {style} {name}", f"{style} {name}", f"BLACK-LETTER {name}"):
        try:
            return unicodedata.lookup(full)
        except KeyError:
            continue
    return letter
