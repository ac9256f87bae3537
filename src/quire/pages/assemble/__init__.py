"""Structure across pages: running headers, heading levels, paragraphs and tables over a page break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from quire.core.guarded_parts import Notes
from quire.core.types import Block, OutlineEntry, PageInfo, PageResult
from quire.pages.assemble.continued import PageCounts, join_paragraphs
from quire.pages.assemble.continued_tables import join_tables
from quire.pages.assemble.headings import level_headings
from quire.pages.assemble.lists import level_lists
from quire.pages.assemble.running_headers import mark_running

__all__ = ["assemble", "assemble_pages"]


def assemble_pages(
    pages: Sequence[PageResult], outline: Sequence[OutlineEntry]
) -> tuple[tuple[PageInfo, ...], tuple[Block, ...]]:
    """The ledger and the blocks of a document; what joining left out is in the accounts of the pages."""
    notes = Notes()
    unjoined: Sequence[Block] = [block for page in pages for block in page.blocks]
    unjoined = notes.enriched("running headers", lambda: mark_running(pages), unjoined)
    unjoined = notes.enriched("heading levels", lambda: level_headings(unjoined, outline), unjoined)
    unjoined = notes.enriched("list levels", lambda: level_lists(unjoined), unjoined)
    none = PageCounts()
    blocks, rows = notes.enriched("tables over pages", lambda: _joined(join_tables, unjoined), (unjoined, none))
    blocks, hyphens = notes.enriched("paragraphs over pages", lambda: _joined(join_paragraphs, blocks), (blocks, none))
    infos = [_counted(_counted(page.info, rows), hyphens) for page in pages]
    if infos and any(notes):  # of the document: its first page says it
        infos[0] = replace(infos[0], reason="; ".join(filter(None, (infos[0].reason, *notes))))
    return tuple(infos), tuple(blocks)


def _joined(
    join: Callable[[Sequence[Block], PageCounts], Sequence[Block]], blocks: Sequence[Block]
) -> tuple[Sequence[Block], PageCounts]:
    left_out = PageCounts()
    return join(blocks, left_out), left_out


def _counted(info: PageInfo, left_out: PageCounts) -> PageInfo:
    gone = left_out.get(info.number)
    return info if info.characters is None or gone is None else replace(info, characters=info.characters.without(gone))


def assemble(pages: Sequence[PageResult], outline: Sequence[OutlineEntry]) -> tuple[Block, ...]:
    """The blocks of a document in reading order, from those of its pages."""
    return assemble_pages(pages, outline)[1]
