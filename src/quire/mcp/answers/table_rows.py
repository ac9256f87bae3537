"""Rows of a table, as many as fit."""

from __future__ import annotations

from pydantic import Field

from quire.core.types import Table
from quire.mcp.answers.answer import Answer, Cursor, cursor_numbers
from quire.mcp.served_documents import ListedTable
from quire.mcp.token_budget import ENVELOPE, first_fitting, fitting, tokens_of


class TableAnswer(Answer):
    """Rows of a table. A cell over several columns or rows has its text in each of them."""

    document: str
    table: str
    page: int
    caption: str = ""
    columns: list[str] = Field(description="the title of each column; empty without a header")
    total_rows: int = Field(description="rows of the whole table, with its header")
    first_row: int = Field(description="the number of the first row below, from 0")
    rows: list[list[str]]
    next: Cursor = None


def table_answer(document: str, listed: ListedTable, table: Table, cursor: str | None, max_tokens: int) -> TableAnswer:
    """The rows from a cursor on. A row that is too large alone has its cells cut, which the resource has in full."""
    (first,) = cursor_numbers(cursor, 1) or (0,)
    header, rows = table.header, table.grid(fill_spans=True)
    left = max(1, max_tokens - ENVELOPE - tokens_of(header) - tokens_of(listed.caption))
    shown = [*first_fitting(rows[first:], left, tokens_of)]
    if len(shown) == 1 and tokens_of(shown[0]) > left:
        each = max(1, left // len(shown[0]))
        shown = [[cell[: fitting(cell, each)] if cell else "" for cell in shown[0]]]
    following = first + len(shown)
    return TableAnswer(
        document=document,
        table=listed.id,
        page=listed.page,
        caption=listed.caption,
        columns=header,
        total_rows=len(rows),
        first_row=first,
        rows=shown,
        next=str(following) if following < len(rows) else None,
    )
