"""Columns that a table holds as one: `Hours Rate` above `16 €95.00`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quire.core.types import BBox, Block, Cell
from quire.evidence.extract.candidates.spans import TypedSpan, spans_of
from quire.evidence.extract.rules.leaves import WantedLeaf
from quire.evidence.extract.schema import ValueKind
from quire.lexicon.labels import LabelMatcher
from quire.pages.geometry.extents import has_middle

LEAST_NAMED = 0.9
"""The least score with which each half of a head names a property."""
HALVES = 2
_NUMBERS: frozenset[ValueKind] = frozenset({"amount", "number"})


def merged_properties(
    block: Block, column: int, head: str, first_row: int, wanted: Sequence[WantedLeaf], matcher: LabelMatcher
) -> tuple[str, str] | None:
    """The paths of the two properties that a column holds; None for a column of one."""
    words = head.split()
    for at in range(1, len(words)):
        left, right = (_named(" ".join(half), wanted, matcher) for half in (words[:at], words[at:]))
        if left and right and left != right and _has_two_numbers(block, column, first_row):
            return left, right
    return None


def half_of(block: Block, cell: Cell, number: int) -> Cell | None:
    """The cell with only the first number of its text (0) or the second (1), and the place of that."""
    numbers = _numbers(cell.text)
    if len(numbers) != HALVES:
        return None
    span = numbers[number]
    return replace(cell, text=cell.text[span.start : span.end], bbox=_place(block, cell, span))


def _named(text: str, wanted: Sequence[WantedLeaf], matcher: LabelMatcher) -> str:
    named: Mapping[str, float] = matcher.names(text)
    scores = {
        one.leaf.path: max((named.get(name, 0.0) * weight for name, weight in one.names.items()), default=0.0)
        for one in wanted
    }
    best = max(scores, key=scores.__getitem__, default="")
    return best if best and scores[best] >= LEAST_NAMED else ""


def _has_two_numbers(block: Block, column: int, first_row: int) -> bool:
    """Whether most cells of a column with figures have two of them."""
    assert block.table is not None
    cells = [cell for cell in block.table.cells if cell.column == column and cell.row >= first_row]
    counts = [count for cell in cells if (count := len(_numbers(cell.text)))]
    return bool(counts) and 2 * counts.count(HALVES) > len(counts)


def _numbers(text: str) -> list[TypedSpan]:
    return sorted((span for span in spans_of(text) if span.kind in _NUMBERS), key=lambda span: span.start)


def _place(block: Block, cell: Cell, span: TypedSpan) -> BBox:
    """The box of the words that the characters are in; that of the cell if its words are not known."""
    start, end = (len("".join(cell.text[:at].split())) for at in (span.start, span.end))
    at, found = 0, list[BBox]()
    inside = (word for word in block.words if has_middle(cell.bbox, word.bbox))
    for word in sorted(inside, key=lambda word: word.bbox.left):
        following = at + len("".join(word.text.split()))
        if at < end and start < following:
            found.append(word.bbox)
        at = following
    return BBox.union(found) if found and at == len("".join(cell.text.split())) else cell.bbox
