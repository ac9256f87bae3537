"""Paragraphs that continue in the next column or on the next page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.core.lazy_words import JoinedWords
from quire.core.types import FURNITURE, Block, LeftOut
from quire.pages.layout.account import characters_in
from quire.pages.layout.textual import broken_word, join_lines

_PASSED = FURNITURE | {"footnote"}
_FLOATS = frozenset({"figure", "caption", "table"})
_ENDS = (".", "!", "?", ":", ";", ".”", '."', "?”", "!”", ".)", "…")


class PageCounts(dict[int, dict[LeftOut, int]]):
    """The characters that joining left out, by page and reason."""

    def add(self, page: int, reason: LeftOut, count: int) -> None:
        if count:
            reasons = self.setdefault(page, {})
            reasons[reason] = reasons.get(reason, 0) + count


def join_paragraphs(blocks: Sequence[Block], left_out: PageCounts) -> list[Block]:
    """Join paragraphs whose last line breaks off with the one that continues them."""
    done: list[Block] = []
    open_at: int | None = None
    floated = False
    for block in blocks:
        if block.kind in _PASSED or block.kind in _FLOATS or (block.style and block.style.turned):
            done.append(block)
            floated = floated or block.kind in _FLOATS
            continue
        if open_at is not None and block.kind == "paragraph" and _text_continues(done[open_at], block, floated):
            first = done[open_at]
            done[open_at] = joined = _joined(first, block)
            hyphens = sum(map(characters_in, (first.text, block.text))) - characters_in(joined.text)
            left_out.add(first.places[-1].page, "hyphen", hyphens)
        else:
            done.append(block)
            open_at = len(done) - 1 if block.kind in ("paragraph", "list_item") else None
            floated = False
    return done


def _text_continues(first: Block, second: Block, floated: bool) -> bool:
    """Whether the text of `first` breaks off and continues in `second`.

    Across a figure or table only a broken word is joined: figures and tables stay where they are printed.
    """
    last = first.places[-1]
    beside = second.bbox.left >= last.bbox.right or second.bbox.right <= last.bbox.left
    moved = second.page != last.page or (beside and second.bbox.top < last.bbox.bottom)
    if not moved or second.page - last.page > 1:
        return False
    if second.page == last.page and not (first.style and second.style):
        return False  # an engine that returns blocks, or a detector, says where they end on a page
    if first.style and second.style and abs(first.style.size - second.style.size) > 0.1 * first.style.size:
        return False
    text = first.text.rstrip()
    if text.endswith(_ENDS):
        return False
    begins = second.text.lstrip("“\"'([")[:1]
    if floated:
        return begins.islower() and broken_word(text[-1:], text.rpartition("\n")[2], second.text) is not None
    return begins.islower() or (text.endswith(("-", ",")) and begins.isalpha())


def _joined(first: Block, second: Block) -> Block:
    text = join_lines(first.text, second.text)
    offset = len(text) - len(second.text)
    spans = [replace(span, end=min(span.end, offset)) for span in first.spans if span.start < offset]
    spans += [replace(span, start=span.start + offset, end=span.end + offset) for span in second.spans]
    return replace(
        first,
        text=text,
        spans=tuple(spans),
        parts=(*first.places, *second.places),
        words=JoinedWords((first.words, second.words)),
    )
