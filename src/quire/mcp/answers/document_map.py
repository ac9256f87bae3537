"""The map of a document: what is on each page, with the ids by which the other tools take it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from pydantic import Field

from quire.core.page_ranges import page_numbers
from quire.core.types import FURNITURE, Block, PageInfo
from quire.mcp.answers.answer import Answer, Cursor, cursor_numbers
from quire.mcp.served_documents import DocumentContent, ListedTable
from quire.mcp.token_budget import ENVELOPE, first_fitting, tokens_of

LONGEST = 120
"""Characters of a heading or a caption."""
MOST = 40
"""Headings, and tables, of one page."""


class MapHeading(Answer):
    """A heading, by its block."""

    id: str
    level: int | None = None
    text: str


class MapTable(Answer):
    """A table; `id` is for the tool table."""

    id: str
    rows: int
    columns: int
    caption: str = ""


class MapPage(Answer):
    """A page and what begins on it."""

    page: int
    status: str = Field(description="ok, empty, failed (could not be read) or skipped")
    begins: str = Field(description="its first words")
    headings: list[MapHeading] = Field(default_factory=list)
    tables: list[MapTable] = Field(default_factory=list)
    figures: int = 0


class MapAnswer(Answer):
    """The map of a document."""

    document: str
    name: str
    pages: int = Field(description="pages of the document")
    outline: list[MapPage]
    next: Cursor = None


def map_of(content: DocumentContent, tables: Sequence[ListedTable]) -> list[MapPage]:
    """What is on each page."""
    blocks: dict[int, list[Block]] = defaultdict(list)
    for block in content.blocks:
        blocks[block.page].append(block)
    by_page: dict[int, list[ListedTable]] = defaultdict(list)
    for table in tables:
        by_page[table.page].append(table)
    return [_page(info, blocks, by_page) for info in content.pages]


def map_answer(
    document: tuple[str, str], outline: Sequence[MapPage], pages: str | None, cursor: str | None, max_tokens: int
) -> MapAnswer:
    """The part of a map that fits: of some pages, from a cursor on. `document` is its id and name."""
    id, name = document
    wanted = page_numbers(pages, max((one.page for one in outline), default=0))
    (first,) = cursor_numbers(cursor, 1) or (1,)
    asked = [one for one in outline if one.page in wanted and one.page >= first]
    shown = first_fitting(asked, max_tokens - ENVELOPE, lambda one: tokens_of(one.to_json()))
    following = asked[len(shown)].page if len(shown) < len(asked) else None
    return MapAnswer(
        document=id, name=name, pages=len(outline), outline=list(shown), next=str(following) if following else None
    )


def _page(
    info: PageInfo, blocks: Mapping[int, Sequence[Block]], tables: Mapping[int, Sequence[ListedTable]]
) -> MapPage:
    here = blocks.get(info.number, ())
    headings = [block for block in here if block.kind in ("heading", "title")]
    first = next((block.text for block in here if block.text.strip() and block.kind not in FURNITURE), "")
    return MapPage(
        page=info.number,
        status=info.status,
        begins=_line(first),
        headings=[MapHeading(id=block.id, level=block.level, text=_line(block.text)) for block in headings[:MOST]],
        tables=[
            MapTable(id=one.id, rows=one.rows, columns=one.columns, caption=_line(one.caption))
            for one in [*tables.get(info.number, ())][:MOST]
        ],
        figures=sum(block.kind == "figure" for block in here),
    )


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
