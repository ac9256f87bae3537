"""Structure across pages: running headers, heading levels, paragraphs and tables over a page break."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.assemble.continued import PageCounts, join_paragraphs
from quire.assemble.continued_tables import join_tables
from quire.assemble.headings import level_headings
from quire.assemble.lists import level_lists
from quire.assemble.running import mark_running
from quire.types import Block, OutlineEntry, PageInfo, PageResult

VERSION = "6"
"""Changed whenever the assembled document may change."""

__all__ = ["VERSION", "assemble", "assemble_pages"]


def assemble_pages(
    pages: Sequence[PageResult], outline: Sequence[OutlineEntry]
) -> tuple[tuple[PageInfo, ...], tuple[Block, ...]]:
    """The ledger and the blocks of a document; what joining left out is in the accounts of the pages."""
    left_out = PageCounts()
    blocks = assemble(pages, outline, left_out)
    return tuple(_counted(page.info, left_out) for page in pages), blocks


def _counted(info: PageInfo, left_out: PageCounts) -> PageInfo:
    gone = left_out.get(info.number)
    return info if info.characters is None or gone is None else replace(info, characters=info.characters.without(gone))


def assemble(
    pages: Sequence[PageResult], outline: Sequence[OutlineEntry], left_out: PageCounts | None = None
) -> tuple[Block, ...]:
    """The blocks of a document in reading order, from those of its pages."""
    counts = PageCounts() if left_out is None else left_out
    blocks = mark_running(pages)
    blocks = level_headings(blocks, outline)
    blocks = level_lists(blocks)
    blocks = join_tables(blocks, counts)
    return tuple(join_paragraphs(blocks, counts))
