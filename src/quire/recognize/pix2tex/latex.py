"""The tokens of pix2tex as LaTeX: spaces only where a command ends before a letter."""

from __future__ import annotations

import re

_PIECES = re.compile(r"\\[A-Za-z]+|\\.|[^\s\\]|\s+", re.S)
_UPRIGHT = re.compile(r"\\(operatorname|mathrm|text|textrm)\s*(\*?)\s*\{([^{}]*)\}")
_BOLD = re.compile(r"\{\\bf\s*([^{}]*)\}")
_STYLE = re.compile(r"\\(?:display|text|script)style(?![A-Za-z])")
_PRIMES = re.compile(r"\^\{((?:\\prime)+)\}")
_FILLER = re.compile(r"(?:\\[,;!:]|~|\{\}|\\mathrm\{~*\}|\{\\mathrm\{~*\}\})+\Z")
_FUNCTIONS = re.compile(
    r"arc(?:cos|sin|tan)|(?:cos|sin|tan|cot)h?|arg|csc|deg|det|dim|exp|gcd|hom|inf|ker|lg|lim(?:inf|sup)?|ln|log|max|min|"
    r"Pr|sec|sup"
)


def latex_of(text: str) -> str:
    """LaTeX as one would write it from the text that the network writes, which has a space between any two signs."""
    text = _UPRIGHT.sub(_upright, _STYLE.sub(" ", text))
    out = ""
    for piece in _PIECES.findall(text):
        if piece.isspace():
            continue
        if piece[0].isalpha() and re.search(r"\\[A-Za-z]+\Z", out):
            out += " "
        out += piece
    out = _BOLD.sub(r"{\\mathbf{\1}}", out)
    out = _PRIMES.sub(lambda found: "'" * found[1].count("prime"), out)
    return _FILLER.sub("", out).rstrip("\\")


def _upright(found: re.Match[str]) -> str:
    r"""`\operatorname*{m a x}` as `\max`; other names as they are, without the spaces between their letters."""
    command, star, name = found[1], found[2], found[3].replace(" ", "")
    if command != "text" and _FUNCTIONS.fullmatch(name):
        return f"\\{name} "
    return f"\\{command}{star}{{{name}}}"
