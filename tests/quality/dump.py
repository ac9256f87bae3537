"""Blocks as stable text: one line for each block, and one for each row of a table."""

from __future__ import annotations

from collections.abc import Iterable

from quire.core.types import BBox, Block, Table


def dumped(blocks: Iterable[Block]) -> list[str]:
    """Kind, level, place in per cent of the page (left, top, right, bottom) and text of each block."""
    return [line for block in blocks for line in _lines(block, place=True)]


def content(blocks: Iterable[Block]) -> list[str]:
    """The same without the places."""
    return [line for block in blocks for line in _lines(block, place=False)]


def _lines(block: Block, *, place: bool) -> list[str]:
    kind = f"{block.kind} {block.level}" if block.level else block.kind
    head = f"{kind} {_place(block.bbox)}" if place else kind
    if block.table:
        return [f"{head} {block.table.rows} x {block.table.columns}", *_rows(block.table)]
    if block.field:
        return [f"{head} {_text(block.field.label)} => {_text(block.field.value)}"]
    return [f"{head} {block.latex or _text(block.text)}".rstrip()]


def _rows(table: Table) -> list[str]:
    rows: list[list[str]] = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        span = "" if cell.row_span == cell.column_span == 1 else f" {{{cell.row_span} x {cell.column_span}}}"
        rows[cell.row][cell.column] = ("# " if cell.header else "") + _text(cell.text) + span
    return [f"    {' | '.join(row)}" for row in rows]


def _place(box: BBox) -> str:
    return "[" + " ".join(f"{100 * edge:.1f}" for edge in (box.left, box.top, box.right, box.bottom)) + "]"


def _text(text: str) -> str:
    return text.replace("\n", " / ")
