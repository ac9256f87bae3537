"""Tables that continue on the next page, with a repeated header, under a caption that says so, or as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.core.lazy_words import JoinedWords
from quire.core.types import FURNITURE, Block, Cell, Table
from quire.lexicon.amounts import begins_with_number
from quire.pages.assemble.continued import PageCounts
from quire.pages.layout.account import characters_in

_SAID = re.compile(
    r"[(\[]\s*(continued|cont['’]?d\.?|cont\.|contd\.|fortsetzung|fortgesetzt|suite|continuación|continua|segue)[^)\]]*[)\]]"
    r"|[-–—,:]\s*(continued|cont['’]?d\.?|fortsetzung|suite)\s*\Z",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(19|20)\d\d")
_UNITS = re.compile(r"[\d(]")  # in a line above many tables: "Years ended December 31", "(in millions)"
_PLAIN = re.compile(r"[\W_]+")
_TITLES = ("heading", "title", "caption")
MOST_BETWEEN = 5  # short blocks between two parts of a table: a note below the first, titles over the second
SHORT = 200  # characters of such a block
SAME_EDGE, SAME_COLUMN = 0.02, 0.012  # of the page's width


def join_tables(blocks: Sequence[Block], left_out: PageCounts) -> list[Block]:
    """Join tables split by a page break; the titles that are repeated over the second part are left out."""
    done: list[Block] = []
    last: int | None = None
    for block in blocks:
        if block.kind in FURNITURE or block.kind == "footnote":
            done.append(block)
            continue
        if block.kind == "table" and last is not None:
            between = [other for other in done[last + 1 :] if other.kind not in FURNITURE and other.kind != "footnote"]
            title = next((other for other in reversed(done[:last]) if other.kind not in FURNITURE), None)
            if _continues(done[last], block, between, title):
                repeated = [other for other in between if other.page == block.page]
                first = done[last]
                done[last] = joined = _longer(first, block)
                done[last + 1 :] = [other for other in done[last + 1 :] if other not in repeated]
                characters = sum(characters_in(other.text) for other in (first, block, *repeated))
                left_out.add(block.page, "repeated", characters - characters_in(joined.text))
                continue
        done.append(block)
        if block.kind == "table":
            last = len(done) - 1
        elif last is not None and (len(block.text) > SHORT or len(done) - last > MOST_BETWEEN):
            last = None
    return done


def _continues(first: Block, second: Block, between: Sequence[Block], title: Block | None) -> bool:
    """Whether a table at the head of a page goes on with that at the foot of the last one: the columns are the same.

    Something may be between only if it says that the table continues, or repeats its title.
    """
    place = first.places[-1]
    if second.page != place.page + 1 or first.table is None or second.table is None:
        return False
    if first.table.columns != second.table.columns or first.table.columns < 2:
        return False
    if abs(place.bbox.left - second.bbox.left) > SAME_EDGE or abs(place.bbox.right - second.bbox.right) > SAME_EDGE:
        return False
    repeated = _repeated_rows(first.table, second.table) > 0
    broken = place.bbox.bottom >= 0.6 and second.bbox.top <= 0.3
    if not (broken if not between else _is_said(between, second) or (broken and _is_again(between, second, title))):
        return False
    fresh = any(cell.header for cell in second.table.cells if cell.row == 0)
    return repeated or not fresh or _head_like_body(second.table) or _are_texts(first.table, second.table)


def _is_said(between: Sequence[Block], second: Block) -> bool:
    """Whether a title over the second part says that it continues, and no title stands below the first."""
    if any(block.page < second.page and block.kind in _TITLES for block in between):
        return False
    return any(_SAID.search(block.text) for block in between if block.page == second.page)


def _is_again(between: Sequence[Block], second: Block, title: Block | None) -> bool:
    """Whether all that is between is the title of the first part again."""
    if title is None or len(between) != 1 or between[0].page != second.page:
        return False
    named = title.kind in _TITLES or not _UNITS.search(title.text)
    return named and _plain(between[0].text) == _plain(title.text)


def _plain(text: str) -> str:
    return _PLAIN.sub("", _SAID.sub("", text)).casefold()


def _head_like_body(table: Table) -> bool:
    """Whether the first row has figures, not years, and words where the second has them: then it is not a header."""
    first = [cell.text for cell in table.cells if cell.row == 0]
    if any(map(_YEAR.fullmatch, first)):
        return False
    rows = [[begins_with_number(cell.text) for cell in table.cells if cell.row == row] for row in (0, 1)]
    return rows[0] == rows[1] and any(rows[0])


def _are_texts(above: Table, below: Table) -> bool:
    """Whether both are tables of texts with columns in exactly the same places: nothing shows that one begins anew."""
    cells = (*above.cells, *below.cells)
    if 10 * sum(begins_with_number(cell.text) for cell in cells if cell.column) > len(cells):
        return False
    edges = [
        [min(cell.bbox.left for cell in table.cells if cell.column == column) for column in range(table.columns)]
        for table in (above, below)
        if {cell.column for cell in table.cells} == set(range(table.columns))
    ]
    return len(edges) == 2 and all(abs(a - b) < SAME_COLUMN for a, b in zip(*edges, strict=True))


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
    """The number of header rows of the second table that repeat those of the first."""
    rows = 0
    while rows < min(above.rows, below.rows, 5):
        texts = [[_plain(cell.text) for cell in table.cells if cell.row == rows] for table in (above, below)]
        if texts[0] != texts[1] or not any(texts[0]):
            break
        rows += 1
    return rows


def _moved(cell: Cell, rows: int, plain: bool) -> Cell:
    """The cell moved down; in a part without its own header no cell is a header."""
    return replace(cell, row=cell.row + rows, header=cell.header and not plain)
