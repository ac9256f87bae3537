"""Running headers and footers: lines that repeat at the same position on several pages.

The first page has no page before it that could show what repeats: a line at its top is a letterhead or a title
unless its style says otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from quire.core.types import FURNITURE, Block, BlockKind, PageResult
from quire.pages.layout.patterns import section_depth

EDGE = 0.14  # of the page's height: running lines are in this margin
DEEP = 4  # blocks from the edge that are considered
_MANY = 5  # pages that are enough to show what repeats
_LONG = 60  # characters: a longer line is not a heading
_SMALL = 0.92  # of the size of most text
_NUMBERED = re.compile(r"^(\d{1,4})\s*[|·•–—]\s*\D|[|·•–—]\s*(?:page\s*)?(\d{1,4})$|\bpage (\d+) of \d", re.IGNORECASE)
_CITED = re.compile(
    r"^(?:https?://|www\.)\S+$|\bdoi\.org/|\bet al\.?$|\bvol(?:ume|\.)?\s*\d"
    r"|\b(?:19|20)\d\d\)?[,;]?\s*\d+(?:\(\d+\))?:\w*\d",  # 2006, 7:350
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_TEXT_KINDS = frozenset({"paragraph", "heading", "list_item", "header", "footer", "page_number", "footnote", "caption"})


def mark_running(pages: Sequence[PageResult]) -> list[Block]:
    """All blocks in page order, with those that repeat in the margins marked as header, footer or page number."""
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
        headings = _letterhead(page) if page is pages[0] and len(pages) < _MANY else frozenset()
        for block in page.blocks:
            sign = edges.get(block.id)
            counted = block.kind == "heading" and texts[block.text] == 1  # Chapter 1, Chapter 2, ...
            if sign and counts[sign] >= needed and not counted and _runs(block, sign):
                blocks.append(replace(block, kind=_kind(block, sign[0]), marker="", level=None))
            elif sign and len(pages) >= _MANY and block.kind in FURNITURE and counts[sign] == 1:
                blocks.append(replace(block, kind=_once(block)))
            elif sign and block.kind == "header" and counts[sign] == 1 and _tops_the_text(block, page, pages):
                blocks.append(replace(block, kind="heading"))
            elif block.id in headings:
                blocks.append(replace(block, kind=_of_text(block)))
            else:
                blocks.append(block)
    return blocks


def _edges(page: PageResult) -> list[tuple[Block, tuple[str, str]]]:
    """Blocks in the margins of a page with the signature by which they are found on others."""
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
        found.append((last, ("bottom", "|#")))  # the number of a page whose text ends above the bottom
    return found


def _sign(block: Block, top: float) -> str:
    """Text without its numbers, and its vertical position."""
    return f"{round(top * 40)}|{_words(block)}"


def _words(block: Block) -> str:
    return " ".join(_DIGITS.sub("#", block.text).lower().split())


def _runs(block: Block, sign: tuple[str, str]) -> bool:
    """Numbers alone (`#`) repeat on pages of tables too: they must be isolated like page numbers."""
    words = sign[1].partition("|")[2]
    return block.text.count("\n") < 3 and (words != "#" or block.bbox.width < 0.2)


def _once(block: Block) -> BlockKind:
    """The kind of a margin block that occurs only once in a long document: long ones and bold ones are text."""
    kind = _of_text(block)
    stamped = block.style is not None and block.style.turned
    return block.kind if stamped or (kind == "paragraph" and len(block.text) <= _LONG) else kind


def _tops_the_text(block: Block, page: PageResult, pages: Sequence[PageResult]) -> bool:
    """Whether a bold line at the top of a page, once in a document, is a heading: it has the number of a section, or
    most pages have no such line."""
    if block.style is None or not block.style.bold or len(block.text) > _LONG or page is pages[0]:
        return False
    if any(_in_a_row(block, other) for other in page.blocks if other.id != block.id):
        return False
    if section_depth(block.text):
        return True
    headed = sum(any(b.kind == "header" for b in other.blocks) for other in pages[1:])
    return len(pages) > 3 and 2 * headed < len(pages) - 1


def _of_text(block: Block) -> BlockKind:
    short = len(block.text) <= _LONG
    return "heading" if short and block.kind == "header" and block.style and block.style.bold else "paragraph"


def _letterhead(page: PageResult) -> frozenset[str]:
    """The ids of headers of a first page that are not running headers.

    A page with a number above 1 is one of many: there a header beside the number, or in smaller type, is accepted.
    So is one that cites its publication, as in journals, and everything beside one of these.
    """
    numbers = [block for block in page.blocks if block.kind == "page_number" and _is_later(block.text)]
    later = bool(numbers) or page.info.number > 1
    body = _body_size(page)
    headers = [  # an engine's kind is kept, and so is a stamp
        block for block in page.blocks if block.kind == "header" and block.style and not block.style.turned
    ]
    running = [
        block
        for block in headers
        if (block.style and block.style.artifact)
        or _is_numbered(block.text)
        or _CITED.search(block.text)
        or any(_in_a_row(block, number) for number in numbers)
        or (later and block.style and block.style.size < _SMALL * body)
    ]
    return frozenset(block.id for block in headers if not any(_in_a_row(block, other) for other in running))


def _is_later(text: str) -> bool:
    """Whether a page number is not that of the first page: `3`, `Page 2 of 7`, `xvii`."""
    found = _DIGITS.search(text)
    return found is not None and found[0].lower() not in ("1", "i")


def _is_numbered(text: str) -> bool:
    """Whether a line has the number of a later page: `3 | Journal of Tides`, `Report 12 – Page 3 of 7`."""
    found = _NUMBERED.search(text)
    return found is not None and (found[1] or found[2] or found[3]) != "1"


def _in_a_row(one: Block, other: Block) -> bool:
    middle = (one.bbox.top + one.bbox.bottom) / 2
    return other.bbox.top <= middle <= other.bbox.bottom


def _body_size(page: PageResult) -> float:
    """The type size of most of the text."""
    sizes: Counter[float] = Counter()
    for block in page.blocks:
        if block.kind not in FURNITURE and block.style is not None:
            sizes[block.style.size] += len(block.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _kind(block: Block, edge: str) -> BlockKind:
    words = _words(block).strip("-–—|[]() .")
    if block.kind == "page_number" or words in ("#", "page #", "page # of #", "# of #", "# / #"):
        return "page_number"
    return "header" if edge == "top" else "footer"
