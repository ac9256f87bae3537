"""Running headers and footers: lines that come back at the same place of several pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from quire.types import FURNITURE, Block, BlockKind, PageResult

EDGE = 0.14  # of the page's height: running lines stand in this margin
DEEP = 4  # blocks from the edge that are looked at
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_TEXT_KINDS = frozenset({"paragraph", "heading", "list_item", "header", "footer", "page_number", "footnote", "caption"})


def mark_running(pages: Sequence[PageResult]) -> list[Block]:
    """All blocks in page order, with those that come back in the margins marked as header, footer or page number."""
    counts: Counter[tuple[str, str]] = Counter()
    texts: Counter[str] = Counter()
    seen: list[dict[str, tuple[str, str]]] = []
    for page in pages:
        edges = {block.id: sign for block, sign in _edges(page)}
        counts.update(set(edges.values()))
        texts.update({block.text for block in page.blocks if block.id in edges})
        seen.append(edges)
    needed = 2 if len(pages) < 4 else 3
    blocks: list[Block] = []
    for page, edges in zip(pages, seen, strict=True):
        for block in page.blocks:
            sign = edges.get(block.id)
            counted = block.kind == "heading" and texts[block.text] == 1  # Chapter 1, Chapter 2, ...
            if sign and counts[sign] >= needed and not counted and _runs(block, sign):
                blocks.append(replace(block, kind=_kind(block, sign[0]), marker="", level=None))
            elif sign and len(pages) >= 5 and block.kind in FURNITURE and counts[sign] == 1:
                blocks.append(replace(block, kind=_once(block)))
            else:
                blocks.append(block)
    return blocks


def _edges(page: PageResult) -> list[tuple[Block, tuple[str, str]]]:
    """Blocks in the margins of a page with the sign by which they are recognised on others."""
    text = [block for block in page.blocks if block.kind in _TEXT_KINDS and len(block.text) < 200]
    found = []
    for block in sorted(text, key=lambda b: b.bbox.top)[:DEEP]:
        if block.bbox.bottom < EDGE:
            found.append((block, ("top", _sign(block, block.bbox.top))))
    low = sorted(text, key=lambda b: -b.bbox.bottom)[:DEEP]
    for block in low:
        if block.bbox.top > 1 - EDGE:
            found.append((block, ("bottom", _sign(block, block.bbox.top))))
    last = max(page.blocks, key=lambda b: b.bbox.bottom, default=None)
    if last is not None and last in low and last.bbox.top <= 1 - EDGE and _words(last) == "#":
        found.append((last, ("bottom", "|#")))  # the number of a page whose text ends above its foot
    return found


def _sign(block: Block, top: float) -> str:
    """Text without its numbers, and how far down it stands."""
    return f"{round(top * 40)}|{_words(block)}"


def _words(block: Block) -> str:
    return " ".join(_DIGITS.sub("#", block.text).lower().split())


def _runs(block: Block, sign: tuple[str, str]) -> bool:
    """Numbers alone (`#`) come back on pages of tables too: they must stand alone like page numbers."""
    words = sign[1].partition("|")[2]
    return block.text.count("\n") < 3 and (words != "#" or block.bbox.width < 0.2)


def _once(block: Block) -> BlockKind:
    """What a block in the margin is that comes only once in a long document: long ones and bold ones are text."""
    if len(block.text) > 60:
        return "paragraph"
    return "heading" if block.kind == "header" and block.style and block.style.bold else block.kind


def _kind(block: Block, edge: str) -> BlockKind:
    words = _words(block).strip("-–—|[]() .")
    if block.kind == "page_number" or words in ("#", "page #", "page # of #", "# of #", "# / #"):
        return "page_number"
    return "header" if edge == "top" else "footer"
