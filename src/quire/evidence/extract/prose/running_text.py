"""The text of a document without breaks, in which sentences go on over lines and pages."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from quire.core.types import FURNITURE, Block

_BODY = frozenset({"title", "heading", "paragraph", "list_item", "field", "footnote", "caption"})
_ABBREVIATION = re.compile(
    r"(?:\b(?:(?i:Inc|Ltd|Co|Corp|Cos|Bros)|Mr|Mrs|Ms|Dr|Jr|Sr|St|No|Nos|Sec|Art|Esq|vs|cf|e\.g|i\.e|[A-Z])|\b[A-Z]\.[A-Z])\.$"
)
_END = re.compile(r"[.!?;:][”\"’')\]]*\s+(?=[A-Z“\"(\[0-9])")
_LONGEST = 1200
"""Characters of a sentence: what has no end in sight is cut."""


@dataclass(frozen=True)
class TextStart:
    """The beginning of a block in the running text."""

    at: int
    block: Block


@dataclass(frozen=True)
class ProseLine:
    """A line as it is printed, and where it begins in the running text."""

    at: int
    text: str


class RunningText:
    """The body of a document as one text; every place in it is a place in a block."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        pieces: list[str] = []
        self._starts: list[TextStart] = []
        length = 0
        for block in blocks:
            if block.kind in FURNITURE or block.kind not in _BODY or not block.text.strip():
                continue
            self._starts.append(TextStart(length, block))
            pieces.append(re.sub(r"\s", " ", block.text) + "\n")
            length += len(pieces[-1])
        self.text = "".join(pieces)

    def block_at(self, place: int) -> TextStart:
        return self._starts[bisect_right(self._offsets, place) - 1]

    @cached_property
    def lines(self) -> Sequence[ProseLine]:
        """The printed lines that are not empty, in order."""
        found = []
        for start in self._starts:
            at = start.at
            for line in start.block.text.split("\n"):
                if line.strip():
                    found.append(ProseLine(at, line))
                at += len(line) + 1
        return found

    def sentence(self, place: int) -> tuple[int, int]:
        """The span of the sentence around a place; a block that ends without a full stop goes on."""
        begin, end = max(0, place - _LONGEST), min(len(self.text), place + _LONGEST)
        stops = [
            found
            for found in _END.finditer(self.text, begin, end)
            if found[0][0] not in ";:" and not _ABBREVIATION.search(self.text[begin : found.start() + 1])
        ]
        first = max((found.end() for found in stops if found.end() <= place), default=begin)
        last = min((found.start() + 1 for found in stops if found.start() >= place), default=end)
        return first, last

    @cached_property
    def _offsets(self) -> list[int]:
        return [start.at for start in self._starts]
