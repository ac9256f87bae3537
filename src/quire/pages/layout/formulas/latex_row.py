"""The LaTeX of a row of symbols: spaces, dots, long arrows, words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.pages.geometry.extents import box_of
from quire.pages.layout.formulas.placed_symbols import Symbol, SymbolKind
from quire.pages.layout.formulas.signs import COMMANDS

DOTS = 0.72  # of the size: from the first to the third dot of an ellipsis; nearer ones were typed one by one
LONGEST = 40  # characters: no command has a longer name
_BOLD_NUMBER = re.compile(r"\\mathbf\{(\d)\}")
_WORDS = re.compile(r"\\[A-Za-z]+\Z")
_MODULO = re.compile(r"\(\\mathrm\{mod\}\s*((?:[^()])+)\)")
_SEQUENCES = (
    (("·", "·", "·"), r"\cdots"),
    (("⋅", "⋅", "⋅"), r"\cdots"),
    ((".", ".", "."), r"\ldots"),
    (("−", "→"), r"\longrightarrow"),
    (("←", "−"), r"\longleftarrow"),
    (("=", "⇒"), r"\Longrightarrow"),
    (("⇐", "="), r"\Longleftarrow"),
    (("⇐", "⇒"), r"\Longleftrightarrow"),
    (("|", "="), r"\models"),
    (("↦", "→"), r"\mapsto"),
    ((",", "→"), r"\hookrightarrow"),
)
_STARTS = {start: {signs[1] for signs, _ in _SEQUENCES if signs[0] == start} for (start, *_), _ in _SEQUENCES}
_ROMAN = r"\mathrm{"
_LETTERS = re.compile(r"\\mathrm\{[\w ]*\}")


def as_script(latex: str) -> str:
    """A script: its dots stand close together, and its numbers are bold where the letter is."""
    return _BOLD_NUMBER.sub(r"\1", latex.replace("...", r"\ldots"))


def written(items: Sequence[Symbol]) -> str:
    """The LaTeX of the items of a row, one after the other."""
    latex = ""
    last: Symbol | None = None
    joined = _joined(items)
    for place, item in enumerate(joined):
        piece = item.latex
        if piece == ":" and last is not None and place + 1 < len(joined) and _is_colon(last, item, joined[place + 1]):
            piece = r"\colon"
        if piece == "|" and last is not None and place + 1 < len(joined) and _is_mid(last, item, joined[place + 1]):
            piece = r"\mid"
        sign = item.kind == "binary" and (
            last is None or last.kind in ("relation", "binary", "open") or last.sign == ","
        )
        wide = (item.kind in ("relation", "binary") and not sign) or (last is not None and last.kind == "relation")
        wide = wide or (last is not None and last.kind == "binary" and latex.endswith(" " + last.latex))
        if latex and (wide or (piece[:1].isalpha() and _WORDS.search(latex, max(len(latex) - LONGEST, 0)))):
            latex += " "
        latex += piece
        last = item
    return _modulo(latex) if "mod" in latex else latex


def _is_colon(before: Symbol, colon: Symbol, after: Symbol) -> bool:
    """Whether a colon stands nearer to what comes before it, like punctuation, and not like a relation."""
    gap = colon.left - before.right
    return gap < 0.2 * colon.size and gap < 0.6 * (after.left - colon.right)


def _is_mid(before: Symbol, bar: Symbol, after: Symbol) -> bool:
    """Whether a bar has the space of a relation on both sides, and not that of a sign beside it."""
    around = (before.kind, after.kind)
    gap = min(bar.left - before.right, after.left - bar.right)
    return gap > 0.18 * bar.size and not any(kind in ("relation", "binary", "operator") for kind in around)


def _modulo(latex: str) -> str:
    return _MODULO.sub(lambda match: rf"\pmod{{{match[1]}}}", latex)


def _joined(items: Sequence[Symbol]) -> list[Symbol]:
    """Items with those that make up one symbol joined: dots, long arrows; upright letters to words."""
    out: list[Symbol] = []
    place = 0
    while place < len(items):
        item = items[place]
        whole = None
        if item.sign in _STARTS and place + 1 < len(items) and items[place + 1].sign in _STARTS[item.sign]:
            whole = _sequence(items[place : place + 3])
        last = out[-1] if out else None
        if whole is not None:
            made, length = whole
            out.append(made)
            place += length
            continue
        if last is not None and item.latex.startswith(_ROMAN) and _LETTERS.fullmatch(last.latex):
            between = " " if item.spaced else ""
            last.latex = f"{last.latex[:-1]}{between}{item.latex[len(_ROMAN) :]}"
        else:
            out.append(item)
        place += 1
    for number, item in enumerate(out):
        if item.kind == "word":
            _put_in_text(item, out[number + 1 : number + 2])
    return out


def _put_in_text(item: Symbol, after: Sequence[Symbol]) -> None:
    """Write words of the text with spaces around them as such."""
    if _LETTERS.fullmatch(item.latex):
        text = item.latex[len(_ROMAN) : -1]
        if " " in text or (len(text) > 1 and item.spaced and any(next_one.spaced for next_one in after)):
            item.latex = rf"\text{{ {text} }}"


def _sequence(items: Sequence[Symbol]) -> tuple[Symbol, int] | None:
    """The symbol that these begin with, if several make it up, and how many."""
    for signs, latex in _SEQUENCES:
        part = items[: len(signs)]
        if tuple(item.sign for item in part) != signs or any(
            i.latex not in (COMMANDS.get(i.sign), i.sign) for i in part
        ):
            continue
        size = part[0].size
        if signs[0] == ".":
            near = part[2].left - part[0].left > DOTS * size
        else:
            near = signs[0] in "·⋅" or part[1].left - part[0].right < (0.05 if signs[0] in "↦⇐" else -0.03) * size
        if near:
            kind: SymbolKind = "letter" if signs[0] in "·⋅." else "relation"
            return Symbol(kind, latex, box_of(part), part[0].base, size), len(signs)
    return None
