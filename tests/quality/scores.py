"""Scores of what was read against the truth: words, order, and each kind of block."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.core.types import FURNITURE, Block
from quire.core.types import Table as Grid
from tests.quality.truth import GoldenDocument, Part, TruthCell


@dataclass(frozen=True)
class Tally:
    """Things that were found, that are wanted, and that are both."""

    right: float = 0
    found: float = 0
    wanted: float = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.right + other.right, self.found + other.found, self.wanted + other.wanted)

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.found + self.wanted)

    @classmethod
    def of(cls, found: Iterable[object], wanted: Iterable[object]) -> Tally:
        one, other = Counter(found), Counter(wanted)
        return cls((one & other).total(), one.total(), other.total())


def tallies(document: GoldenDocument, blocks: Sequence[Block]) -> dict[str, Tally]:
    """The tally of each score on one document; a score without anything to find is left out."""
    parts = document.parts
    made = {
        "text": Tally.of(_words(block.text for block in blocks), _words(part.text for part in parts if part.text)),
        "order": _order(parts, blocks),
        "headings": Tally.of(_texts(blocks, "heading", "title"), _folded_parts(parts, "heading")),
        "levels": _levels(parts, blocks),
        "lists": Tally.of(_texts(blocks, "list_item"), _folded_parts(parts, "list_item")),
        "paragraphs": Tally.of(_texts(blocks, "paragraph"), _folded_parts(parts, "paragraph")),
        "captions": Tally.of(_texts(blocks, "caption"), _folded_parts(parts, "caption")),
        "footnotes": Tally.of(_notes(_texts(blocks, "footnote")), _notes(_folded_parts(parts, "footnote"))),
        "code": Tally.of(_texts(blocks, "code"), _folded_parts(parts, "code")),
        "furniture": Tally.of(_texts(blocks, *FURNITURE), _folded_parts(parts, *FURNITURE)),
        "formulas": Tally.of((_latex(b.latex or "") for b in blocks if b.kind == "formula"), _formulas(parts)),
        "tables": Tally.of(
            (pair for block in blocks if block.table for pair in _neighbours(_cells(block.table))),
            (pair for part in parts for pair in _neighbours(part.cells)),
        ),
        "fields": Tally.of(
            ((folded(b.field.label), folded(b.field.value)) for b in blocks if b.field),
            ((folded(part.label), folded(part.value)) for part in parts if part.kind == "field"),
        ),
    }
    return {name: tally for name, tally in made.items() if tally.wanted or tally.found}


def folded(text: str) -> str:
    """Letters, marks and digits alone, without case."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in plain if unicodedata.category(sign)[0] in "LNM")


def _words(texts: Iterable[str]) -> list[str]:
    """Words; letters where there are no spaces between words."""
    words = [folded(word) for text in texts for word in text.split()]
    return [piece for word in words if word for piece in ([word] if word[0] < "\u2e80" else word)]


def _texts(blocks: Sequence[Block], *kinds: str) -> list[str]:
    return [folded(b.text.removeprefix(b.marker)) for b in blocks if b.kind in kinds and not b.table]


def _folded_parts(parts: Sequence[Part], *kinds: str) -> list[str]:
    return [folded(part.text) for part in parts if part.kind in kinds]


def _notes(texts: Sequence[str]) -> list[str]:
    """Footnotes without their numbers."""
    return [text.lstrip("0123456789") for text in texts]


def _formulas(parts: Sequence[Part]) -> list[str]:
    return [_latex(part.text) for part in parts if part.kind == "formula"]


def _latex(text: str) -> str:
    return "".join(sign for sign in text if sign not in " {}")


def _order(parts: Sequence[Part], blocks: Sequence[Block]) -> Tally:
    """How many parts are found whole behind the one before them."""
    said = "".join(folded(block.text) for block in blocks if block.kind not in FURNITURE)
    texts = [folded(part.text) for part in parts if part.kind not in {*FURNITURE, "footnote", "formula", "figure"}]
    right = end = 0
    for text in texts:
        place = said.find(text, end)
        right += place >= 0
        place = place if place >= 0 else said.find(text)
        end = place + len(text) if place >= 0 else end
    return Tally(right, len(texts), len(texts))


def _levels(parts: Sequence[Part], blocks: Sequence[Block]) -> Tally:
    """How many pairs of neighbouring headings and items step up, down or not at all, as the truth does."""
    found = {folded(b.text.removeprefix(b.marker)): 0 if b.kind == "title" else b.level or 1 for b in blocks}
    right = wanted = 0
    for kind in ("heading", "list_item"):
        wanted_levels = [(part.level, found.get(folded(part.text))) for part in parts if part.kind == kind]
        both = [(level, read) for level, read in wanted_levels if read is not None]
        for (a, x), (b, y) in pairwise(both):
            wanted += 1
            right += _sign(a - b) == _sign(x - y)
    return Tally(right, wanted, wanted)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _cells(table: Grid) -> list[TruthCell]:
    return [TruthCell(c.row, c.column, c.text, c.row_span, c.column_span) for c in table.cells]


def _neighbours(cells: Sequence[TruthCell]) -> list[tuple[str, str, str]]:
    """Each cell with the next one at its right and below it, blank cells skipped."""
    at = {
        (row, column): cell
        for cell in cells
        if folded(cell.text)
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    }
    rows, columns = 1 + max((r for r, _ in at), default=0), 1 + max((c for _, c in at), default=0)
    pairs: dict[tuple[int, int, str], tuple[str, str, str]] = {}
    for (row, column), cell in at.items():
        beside = next((at[row, c] for c in range(column + 1, columns) if at.get((row, c), cell) is not cell), None)
        below = next((at[r, column] for r in range(row + 1, rows) if at.get((r, column), cell) is not cell), None)
        for other, way in ((beside, "right"), (below, "down")):
            if other:
                pairs[id(cell), id(other), way] = (folded(cell.text), folded(other.text), way)
    return list(pairs.values())
