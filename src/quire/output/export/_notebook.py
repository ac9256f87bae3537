"""Results and pages in a notebook: a line about them, and the beginning of their text as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from quire.core.types import Block, PageInfo, PageResult, shortened
from quire.output.export._escape import escape
from quire.output.export._markdown import of_blocks
from quire.output.export._structure import body
from quire.output.export.contracts import Exportable

MOST_CHARACTERS = 20_000
MOST_REASONS = 5


def document(result: Exportable, status: str) -> str:
    """A document; pages that were not read are named with the reason."""
    pages = result.pages
    counts = f"{_counted(len(pages), 'page')} · {_counted(len(result.blocks), 'block')}"
    about = f"**{escape(shortened(result.name, 80))}** · {counts} · {status}"
    return "\n\n".join([about, *_unread(pages), _beginning(result.blocks)])


def page(read: PageResult) -> str:
    """A page; one that was not read has its reason."""
    about = f"**Page {read.number}** · {_counted(len(read.blocks), 'block')} · {read.status}"
    return "\n\n".join([about, *_unread([read.info]), _beginning(read.blocks)])


def _unread(pages: Sequence[PageInfo]) -> list[str]:
    reasons = [f"page {page.number} {page.status}: {escape(page.reason)}" for page in pages if page.reason]
    left = len(reasons) - MOST_REASONS
    return [*reasons[:MOST_REASONS], *([f"… and {left} further pages"] if left > 0 else [])]


def _beginning(blocks: Sequence[Block]) -> str:
    """As many blocks as are displayed quickly."""
    text = body(blocks)
    lengths = accumulate(len(block.text) for block in text)
    shown = 1 + sum(length <= MOST_CHARACTERS for length in lengths)
    left = len(text) - shown
    more = f"\n*… and {left} further blocks; `to_markdown()` gives the whole text*\n" if left > 0 else ""
    return of_blocks(text[:shown]) + more


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
