"""Document structure shared by the formats: its headings, its lists and which caption belongs to what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from quire.core.types import FURNITURE, Block, BlockKind, Field


def body(blocks: Iterable[Block]) -> list[Block]:
    """The blocks of the text itself, without running headers, footers and page numbers."""
    return [block for block in blocks if block.kind not in FURNITURE]


def tables(blocks: Iterable[Block]) -> list[Block]:
    """The blocks that hold a table with something in it."""
    return [block for block in blocks if block.table is not None and block.table.cells]


def depths(blocks: Iterable[Block]) -> dict[str, int]:
    """Map block ids to the depth (1 to 6) of each title and heading: below a title, headings begin with 2."""
    headings = [block for block in blocks if block.kind in ("title", "heading")]
    under = 1 if any(block.kind == "title" for block in headings) else 0
    return {b.id: 1 if b.kind == "title" else min(max(b.level or 1, 1) + under, 6) for b in headings}


_CAPTIONED: frozenset[BlockKind] = frozenset({"figure", "table"})
_TABLE_CAPTION = re.compile(r"\s*(tab(le|elle|ella|la|\.)|cuadro|表)", re.IGNORECASE)
_FIGURE_CAPTION = re.compile(r"\s*(fig|abb|image|photo|chart|plate|図|图)", re.IGNORECASE)


def captions(blocks: Sequence[Block]) -> dict[str, Block]:
    """Map the id of a figure or table to the caption directly before or after it on the page."""
    found: dict[str, Block] = {}
    flowing = body(blocks)
    for position, caption in enumerate(flowing):
        if caption.kind != "caption":
            continue
        beside = [flowing[i] for i in (position - 1, position + 1) if 0 <= i < len(flowing)]
        free = [
            block
            for block in beside
            if block.kind in _CAPTIONED and block.id not in found and any(p.page == caption.page for p in block.places)
        ]
        if free:
            found[min(free, key=lambda block: _distance(caption, block)).id] = caption
    return found


def _distance(caption: Block, other: Block) -> tuple[bool, float]:
    """Sort key, smaller is more likely: first the caption's own label, then the gap on the page."""
    wrong = _FIGURE_CAPTION if other.kind == "table" else _TABLE_CAPTION
    gaps = [
        max(place.bbox.top - caption.bbox.bottom, caption.bbox.top - place.bbox.bottom, 0.0)
        for place in other.places
        if place.page == caption.page
    ]
    return bool(wrong.match(caption.text)), min(gaps)


_NUMBER = re.compile(r"\d{1,9}[.)]?")
_BOXES = frozenset("☐☑☒□■✓✔✗✘")


def is_numbered(item: Block) -> bool:
    """Whether the marker of a list item is a number or letter: 1. (a) iv) 2.1"""
    return "\ufffd" not in item.marker and any(character.isalnum() for character in item.marker)


def is_plain_number(item: Block) -> bool:
    """Whether the marker is a number that a list of Markdown can begin with: `1.`, `1)`, or `1` of a step."""
    return _NUMBER.fullmatch(item.marker) is not None


def marker_length(item: Block) -> int:
    """The characters that the marker of a list item and the space after it take at the start of its text.

    Checkboxes carry meaning, so they count as text.
    """
    if not item.marker or item.marker in _BOXES or not item.text.startswith(item.marker):
        return 0
    rest = item.text[len(item.marker) :]
    return len(item.text) - len(rest.lstrip())


@dataclass(slots=True)
class Item:
    """A list item and what is nested in it."""

    block: Block
    children: list[Item] = field(default_factory=list)


def nested(items: Sequence[Block]) -> list[Item]:
    """Consecutive list items as trees, by their levels."""
    top: list[Item] = []
    open_items: list[Item] = []
    for block in items:
        while open_items and (open_items[-1].block.level or 1) >= (block.level or 1):
            open_items.pop()
        item = Item(block)
        (open_items[-1].children if open_items else top).append(item)
        open_items.append(item)
    return top


def by_numbering(items: Sequence[Item]) -> Iterator[tuple[bool, list[Item]]]:
    """Adjacent items that are all numbered, or all not: each group is a separate list."""
    for numbered, group in groupby(items, key=lambda item: is_numbered(item.block)):
        yield numbered, list(group)


def with_lists(blocks: Iterable[Block], *, fields: bool = False) -> Iterator[Block | list[Block]]:
    """The blocks in order, with consecutive list items grouped; with `fields`, consecutive fields too."""
    grouped = ("list_item", "field") if fields else ("list_item",)
    for kind, group in groupby(blocks, key=lambda block: block.kind if block.kind in grouped else None):
        if kind is None:
            yield from group
        else:
            yield list(group)


def are_fields(group: Sequence[Block]) -> bool:
    """Whether a group of `with_lists` is one of fields."""
    return group[0].kind == "field"


def field_of(block: Block) -> Field:
    """The label and the value of a field; all is value in one that an engine read as a text."""
    return block.field or Field("", block.text, value_bbox=block.bbox)


def value_start(block: Block) -> int:
    """The position of the value in the text of a field."""
    return len(block.text) - len(field_of(block).value)
