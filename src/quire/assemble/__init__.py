"""Structure across pages: running headers, heading levels, paragraphs and tables over a page break."""

from __future__ import annotations

from collections.abc import Sequence

from quire.assemble.continued import join_paragraphs, join_tables
from quire.assemble.headings import level_headings
from quire.assemble.lists import level_lists
from quire.assemble.running import mark_running
from quire.types import Block, OutlineEntry, PageResult

VERSION = "2"
"""Changed whenever the assembled document may change."""

__all__ = ["VERSION", "assemble"]


def assemble(pages: Sequence[PageResult], outline: Sequence[OutlineEntry]) -> tuple[Block, ...]:
    """The blocks of a document in reading order, from those of its pages."""
    blocks = mark_running(pages)
    blocks = level_headings(blocks, outline)
    blocks = level_lists(blocks)
    blocks = join_tables(blocks)
    return tuple(join_paragraphs(blocks))
