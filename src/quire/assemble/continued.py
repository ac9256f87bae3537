"""Paragraphs and tables that continue in the next column or on the next page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.layout.account import characters_in
from quire.layout.textual import broken_word, join_lines
from quire.lazy_words import JoinedWords
from quire.types import FURNITURE, Block, Cell, LeftOut, Table

_PASSED = FURNITURE | {"footnote"}
_FLOATS = frozenset({"figure", "caption", "table"})
_FIGURE = re.compile(r"[-+−(]?[$€£]?\d")
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


def join_tables(blocks: Sequence[Block], left_out: PageCounts) -> list[Block]:
    """Join tables split by a page break."""
    done: list[Block] = []
    last: int | None = None
    for block in blocks:
        if block.kind in FURNITURE or block.kind == "footnote":
            done.append(block)
            continue
        if block.kind == "table" and last is not None and _continues(done[last], block):
            first = done[last]
            done[last] = joined = _longer(first, block)
            repeated = sum(map(characters_in, (first.text, block.text))) - characters_in(joined.text)
            left_out.add(block.page, "repeated", repeated)
            continue
        done.append(block)
        last = len(done) - 1 if block.kind == "table" else None
    return done


def _continues(first: Block, second: Block) -> bool:
    """The same columns, from the foot of one page to the head of the next."""
    place = first.places[-1]
    if second.page != place.page + 1 or first.table is None or second.table is None:
        return False
    if first.table.columns != second.table.columns or first.table.columns < 2:
        return False
    if place.bbox.bottom < 0.6 or second.bbox.top > 0.3:
        return False
    if abs(place.bbox.left - second.bbox.left) > 0.02 or abs(place.bbox.right - second.bbox.right) > 0.02:
        return False
    repeated = _head(first.table) == _head(second.table)
    fresh = any(cell.header for cell in second.table.cells if cell.row == 0)
    return repeated or not fresh or _head_like_body(second.table)


def _head_like_body(table: Table) -> bool:
    """Whether the first row has figures and words where the second has them: then it is not a header."""
    rows = [[bool(_FIGURE.match(cell.text)) for cell in table.cells if cell.row == row] for row in (0, 1)]
    return rows[0] == rows[1] and any(rows[0])


def _head(table: Table) -> list[str]:
    return [cell.text for cell in table.cells if cell.row == 0]


def _longer(first: Block, second: Block) -> Block:
    above, below = first.table, second.table
    assert above is not None and below is not None
    skipped = _repeated_rows(above, below)
    plain = not skipped
    moved = [_moved(cell, above.rows - skipped, plain) for cell in below.cells if cell.row >= skipped]
    table = Table(above.rows + below.rows - skipped, above.columns, (*above.cells, *moved))
    return replace(
        first,
        text=table.text,
        table=table,
        parts=(*first.places, *second.places),
        words=JoinedWords((first.words, second.words)),
    )


def _repeated_rows(above: Table, below: Table) -> int:
    """How many header rows of the second table repeat those of the first."""
    rows = 0
    while rows < min(above.rows, below.rows, 5):
        texts = [[cell.text for cell in table.cells if cell.row == rows] for table in (above, below)]
        if texts[0] != texts[1]:
            break
        rows += 1
    return rows


def _moved(cell: Cell, rows: int, plain: bool) -> Cell:
    """The cell moved down; in a part without its own header no cell is a header."""
    return replace(cell, row=cell.row + rows, header=cell.header and not plain)
