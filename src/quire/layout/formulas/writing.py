"""The LaTeX of a row of symbols: spaces, dots, long arrows, words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.layout.formulas.items import Symbol, box_of
from quire.layout.formulas.signs import COMMANDS

DOTS = 0.72  # of the size: from the first to the third dot of an ellipsis; nearer ones were typed one by one
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
)


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
        sign = item.kind == "binary" and (
            last is None or last.kind in ("relation", "binary", "open") or last.sign == ","
        )
        wide = (item.kind in ("relation", "binary") and not sign) or (last is not None and last.kind == "relation")
        wide = wide or (last is not None and last.kind == "binary" and latex.endswith(" " + last.latex))
        if latex and (wide or (_WORDS.search(latex) and piece[:1].isalpha())):
            latex += " "
        latex += piece
        last = item
    return _modulo(latex)


def _is_colon(before: Symbol, colon: Symbol, after: Symbol) -> bool:
    """Whether a colon stands nearer to what comes before it, like punctuation, and not like a relation."""
    return colon.left - before.right < 0.13 * colon.size < after.left - colon.right


def _modulo(latex: str) -> str:
    return _MODULO.sub(lambda match: rf"\pmod{{{match[1]}}}", latex)


def _joined(items: Sequence[Symbol]) -> list[Symbol]:
    """Items with those that make up one symbol joined: dots, long arrows; upright letters to words."""
    out: list[Symbol] = []
    place = 0
    items = list(items)
    while place < len(items):
        for signs, latex in _SEQUENCES:
            part = items[place : place + len(signs)]
            plain = [item.sign for item in part] == list(signs) and all(
                i.latex in (COMMANDS.get(i.sign), i.sign) for i in part
            )
            near = len(part) > 1 and part[1].left - part[0].right < (0.05 if signs[0] == "↦" else -0.03) * part[0].size
            if signs[0] in "·⋅.":
                near = signs[0] != "." or (len(part) > 2 and part[2].left - part[0].left > DOTS * part[0].size)
            if plain and near:
                out.append(
                    Symbol(
                        "letter" if signs[0] in "·⋅." else "relation", latex, box_of(part), part[0].base, part[0].size
                    )
                )
                place += len(signs)
                break
        else:
            item = items[place]
            last = out[-1] if out else None
            joins = (
                last is not None
                and item.latex.startswith(r"\mathrm{")
                and last.latex.startswith(r"\mathrm{")
                and re.fullmatch(r"\\mathrm\{\w*\}", last.latex)
                and not item.spaced
            )
            if joins and last is not None:
                last.latex = last.latex[:-1] + item.latex[len(r"\mathrm{") :]
            else:
                out.append(item)
            place += 1
    return out
