"""The financial statements among the chunks of a document, recognised while it is indexed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from quire.lexicon.finance.statement_kinds import Statement, StatementLines, statement_lines, statement_pages
from quire.retrieval.search.chunk_places import main_page

if TYPE_CHECKING:
    from quire.retrieval.chunk.rows import ChunkRow

_BEGINNING = 300
"""Characters of a page in which its title is looked for."""


def statements(rows: Sequence[ChunkRow]) -> list[Statement | Literal[""]]:
    """The statement that each chunk of a document is a part of; empty for most."""
    by_page: dict[int, list[ChunkRow]] = defaultdict(list)
    for row in rows:
        by_page[main_page(row)].append(row)
    found = statement_pages({page: _lines(held) for page, held in by_page.items() if any(map(_has_table, held))})
    return [found.get(main_page(row), "") if _has_table(row) else "" for row in rows]


def _lines(rows: Sequence[ChunkRow]) -> StatementLines:
    tables = [row for row in rows if _has_table(row)]
    headings = (heading for row in tables for heading in row["section"][-1:])
    head = "|".join([rows[0]["text"][:_BEGINNING], *headings])
    return statement_lines(head, "\n".join(row["text"] for row in tables))


def _has_table(row: ChunkRow) -> bool:
    return "table" in row["meta"]["kinds"]
