"""Search in the blocks of a document: without regard to case, accents and line breaks. Pure functions."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

from quire.types import BBox, Block, BlockKind, Cell, Part, Table, Word

AROUND = 60
"""Characters of a snippet on both sides of the match."""
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A match: characters `start` to `end` of the text of a block, and where they are on a page."""

    block: str
    kind: BlockKind
    page: int
    bbox: BBox
    start: int
    end: int
    snippet: str


def folded(text: str) -> str:
    """Lower case, without accents, line breaks as spaces: what is compared."""
    if not text.isascii():
        text = "".join(map(_letter, text))
    return _SPACES.sub(" ", text.casefold())


def matches(text: str, comparable: str, query: str) -> list[tuple[int, int]]:
    """Where a folded query is in a text, whose folded form is `comparable`."""
    found = [match.start() for match in re.finditer(re.escape(query), comparable)]
    if not found:
        return []
    ends = _ends(text)  # of each character, in the folded text
    return [(_first_after(ends, at), _first_after(ends, at + len(query) - 1) + 1) for at in found]


def snippet(text: str, start: int, end: int) -> str:
    """The match with some text around it, on one line."""
    before, after = max(0, start - AROUND), min(len(text), end + AROUND)
    line = _SPACES.sub(" ", text[before:after])
    return ("…" if before else "") + line + ("…" if after < len(text) else "")


def place_of(block: Block, words: Sequence[Sequence[Word]], start: int, end: int) -> Part:
    """The place of characters of a block from its words by place; that of the block where they cannot be told."""
    place = block.places[0]
    if block.table is not None:
        return _cells_at(block.table, start, end) if block.text == block.table.text else place
    listed = [(part.page, word) for part, there in zip(block.places, words, strict=True) for word in there]
    before, matched = len(_solid(block.text[:start])), len(_solid(block.text[start:end]))
    if not matched or "".join(_solid(word.text) for _, word in listed) != _solid(block.text):
        return place
    bounds = pairwise(accumulate((len(_solid(word.text)) for _, word in listed), initial=0))
    touched = [
        one for one, (first, last) in zip(listed, bounds, strict=True) if first < before + matched and last > before
    ]
    page = touched[0][0]
    return Part(page, BBox.union(word.bbox for number, word in touched if number == page))


def _cells_at(table: Table, start: int, end: int) -> Part:
    """The place of the cells that characters `start` to `end` of `table.text` are from."""
    rows: list[list[Cell]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        if cell.text:
            rows[cell.row].append(cell)
    written = [cell for row in rows for cell in row]
    bounds = pairwise(accumulate((len(cell.text) + 1 for cell in written), initial=0))
    touched = [cell for cell, (first, last) in zip(written, bounds, strict=True) if first < end and last - 1 > start]
    page = touched[0].page
    return Part(page, BBox.union(cell.bbox for cell in touched if cell.page == page))


@lru_cache(maxsize=4096)
def _letter(character: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", character) if not _is_dropped(c))


def _is_dropped(character: str) -> bool:
    return unicodedata.combining(character) > 0 or character == "\xad"


def _solid(text: str) -> str:
    """Letters and digits only: words and text differ in spaces, and in hyphens at the ends of lines."""
    return "".join(c for c in folded(text) if c.isalnum())


def _ends(text: str) -> list[int]:
    return list(accumulate(_lengths(text)))


def _lengths(text: str) -> Iterator[int]:
    """How many characters of the folded text each character becomes; of several spaces the first counts."""
    space = False
    for character in text:
        letters = character if character.isascii() else _letter(character)
        length = 0
        for letter in letters.casefold():
            if not letter.isspace() or not space:
                length += 1
            space = letter.isspace()
        yield length


def _first_after(ends: Sequence[int], at: int) -> int:
    return bisect_right(ends, at)
