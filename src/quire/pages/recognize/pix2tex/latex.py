"""The tokens of pix2tex as LaTeX: spaces only where a command ends before a letter."""

from __future__ import annotations

import re

_PIECES = re.compile(r"\\[A-Za-z]+|\\.|[^\s\\]|\s+", re.S)
_UPRIGHT = re.compile(r"\\(operatorname|mathrm|text|textrm)\s*(\*?)\s*\{([^{}]*)\}")
_BOLD = re.compile(r"\{\\bf\s*([^{}]*)\}")
_STYLE = re.compile(r"\\(?:display|text|script)style(?![A-Za-z])")
_CASES = re.compile(r"\\left\\\{\\begin\{array\}\{[lcr]+\}((?:(?!\\begin).)*?)\\end\{array\}\\right\.")
_ROWS = re.compile(r"\\begin\{array\}\{[lcr]+\}(.*?)\\end\{array\}")
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
    out = _CASES.sub(_cases, out)
    out = _ROWS.sub(_gathered, out)
    out = _PRIMES.sub(lambda found: "'" * found[1].count("prime"), out)
    return _FILLER.sub("", out).rstrip("\\")


def _cases(found: re.Match[str]) -> str:
    """Rows behind a brace on their left."""
    rows = ["&".join(map(_bare, row.split("&"))) for row in found[1].split("\\\\")]
    return "\\begin{cases}" + "\\\\".join(row for row in rows if row) + "\\end{cases}"


def _gathered(found: re.Match[str]) -> str:
    """Rows without columns, which the network writes as an array, as lines one below the other."""
    if "&" in found[1]:
        return found[0]
    rows = [_bare(row) for row in found[1].split("\\\\")]
    return "\\begin{gathered}" + "\\\\".join(row for row in rows if row) + "\\end{gathered}"


def _bare(row: str) -> str:
    """A row without the braces around all of it."""
    while row.startswith("{") and row.endswith("}"):
        depth = 0
        for place, sign in enumerate(row):
            depth += (sign == "{") - (sign == "}")
            if depth == 0 and place < len(row) - 1:
                return row
        row = row[1:-1]
    return row


def _upright(found: re.Match[str]) -> str:
    r"""`\operatorname*{m a x}` as `\max`; other names as they are, without the spaces between their letters."""
    command, star, name = found[1], found[2], found[3].replace(" ", "")
    if command != "text" and _FUNCTIONS.fullmatch(name):
        return f"\\{name} "
    return f"\\{command}{star}{{{name}}}"
