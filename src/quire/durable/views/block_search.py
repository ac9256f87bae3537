"""Matches of a search in the blocks of a document: their place, and some text around it. Pure functions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quire.core.types import BBox, Block, BlockKind, Part
from quire.evidence.catalog.block_places import span_places

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


def snippet(text: str, start: int, end: int) -> str:
    """The match with some text around it, on one line."""
    before, after = max(0, start - AROUND), min(len(text), end + AROUND)
    line = _SPACES.sub(" ", text[before:after])
    return ("…" if before else "") + line + ("…" if after < len(text) else "")


def place_of(block: Block, start: int, end: int) -> Part:
    """The place of characters of a block, on the page where they begin; that of the block where it is not known."""
    places = span_places(block, (start, end))
    page = places[0].page
    return Part(page, BBox.union(place.bbox for place in places if place.page == page))
