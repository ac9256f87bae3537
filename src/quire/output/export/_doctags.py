"""DocTags: docling's markup with a location for every block, on a grid of 500 by 500 per page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from quire.core.types import Block, Cell, Part, Table
from quire.output.export._docling import label
from quire.output.export._flow import flow
from quire.output.export._grid import cell_text, grid, header_rows
from quire.output.export._structure import Item, by_numbering, captions, marker_length, nested, with_lists
from quire.output.export.contracts import Exportable

_GRID = 500
_TAG = re.compile(r"<(?=[A-Za-z/_!])")


def doctags(result: Exportable) -> str:
    """All blocks, page by page. A list that continues on the next page starts again there."""
    linked = captions(result.blocks)
    within = {caption.id for caption in linked.values()}
    shown = (block for block in result.blocks if block.id not in within)
    pages = ["".join(_page(blocks, linked)) for _, blocks in groupby(shown, key=lambda block: block.page)]
    broken = "<page_break>\n".join(pages)
    return f"<doctag>{broken}</doctag>\n"


def _page(blocks: Iterable[Block], linked: dict[str, Block]) -> Iterable[str]:
    for part in with_lists(blocks):
        text = _list(nested(part)) if isinstance(part, list) else _block(part, linked.get(part.id))
        yield f"{text}\n"


def _block(block: Block, caption: Block | None) -> str:
    tag, inner = label(block), _escape(flow(block.text))
    if block.table is not None:
        tag, inner = "otsl", _table(block.table)
    elif block.kind == "figure":
        tag, inner = "picture", ""
    elif block.kind == "heading":
        tag = f"section_header_level_{min(max(block.level or 1, 1), 6)}"
    elif block.latex:
        inner = _escape(flow(block.latex))
    elif block.kind == "code":
        inner = f"<_unknown_>{_escape(block.text)}"
    below = f"<caption>{_places(caption)}{_escape(flow(caption.text))}</caption>" if caption else ""
    return f"<{tag}>{_places(block)}{inner}{below}</{tag}>"


def _list(items: Sequence[Item]) -> str:
    lists = []
    for numbered, group in by_numbering(items):
        tag = "ordered_list" if numbered else "unordered_list"
        lists.append(f"<{tag}>{''.join(map(_item, group))}</{tag}>")
    return "\n".join(lists)


def _item(item: Item) -> str:
    text = _escape(flow(item.block.text[marker_length(item.block) :]))
    written = f"<list_item>{_places(item.block)}{text}</list_item>\n"
    return written + (f"<list_item>{_list(item.children)}</list_item>\n" if item.children else "")


def _table(table: Table) -> str:
    head = header_rows(table)
    rows = [
        "".join(_cell(cell, row, column, head) for column, cell in enumerate(cells))
        for row, cells in enumerate(grid(table))
    ]
    return "".join(f"{row}<nl>" for row in rows)


def _cell(cell: Cell | None, row: int, column: int, head: int) -> str:
    """A token of OTSL: a cell, or how the position continues the cell to its left, above it or both."""
    if cell is None:
        return "<ecel>"
    if (row, column) != (cell.row, cell.column):
        return "<lcel>" if row == cell.row else "<ucel>" if column == cell.column else "<xcel>"
    text = _escape(cell_text(cell))
    if not text:
        return "<ecel>"
    return f"<{('ched' if row < head else 'rhed') if cell.header else 'fcel'}>{text}"


def _places(block: Block) -> str:
    return "".join(map(_location, block.places))


def _location(part: Part) -> str:
    box = part.bbox
    edges = (box.left, box.top, box.right, box.bottom)
    return "".join(f"<loc_{min(max(round(_GRID * edge), 0), _GRID - 1)}>" for edge in edges)


def _escape(text: str) -> str:
    """Escape text that looks like a tag."""
    return _TAG.sub("&lt;", text)
