"""What a model sees of the documents: maps, pages, tables and search hits, in small pieces with a way to go on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from quire.core.context import Json
from quire.core.types import Block, Cell, PageInfo, shortened
from quire.evidence.catalog.builder import cell_id
from quire.evidence.catalog.records import EvidenceRecord
from quire.lexicon.terms import terms
from quire.retrieval.search.lexical_ranking import LexicalRanking
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.tools.arguments import BadCall

ROOM = 6000
"""Characters of an answer: longer ones fill the context of a model."""
_PIECE = 1500
"""Characters of a block, or of a cell, in one piece."""
_SNIPPET = 300
_HITS = 40
_BLOCKS_OF_A_HIT = 3
_HEADINGS, _TABLES, _HEADS = 8, 8, 12
_SIGNS = re.compile(r"(?<!\S)-+|[\"“”:]")
"""What would be an operator in a query of the search."""


class CatalogViews:
    """The documents of a task as tools show them."""

    def __init__(self, documents: JoinedCatalog) -> None:
        self._documents = documents
        self._catalog = documents.whole

    def search(self, query: str, start: int) -> dict[str, Json]:
        """The chunks that say most of a query, with the blocks in them that do."""
        words = _SIGNS.sub(" ", query)
        wanted = {*terms(words)}
        by_chunk, by_block = self._chunk_ranking.scores(words), self._block_ranking.scores(words)
        scored = {record.id: score for record, score in zip(self._catalog.texts.blocks, by_block, strict=True)}
        chunks = self._catalog.texts.chunks
        best = sorted((at for at, score in enumerate(by_chunk) if score > 0), key=lambda at: (-by_chunk[at], at))
        hits = [self._hit(chunks[at], scored, wanted) for at in best[:_HITS]]
        if not hits:
            return {"hits": [], "hint": "no passage has these words; try others, or read_page for a map"}
        return _paged("hits", hits, start)

    def map(self, short: str | None, start: int) -> dict[str, Json]:
        """The pages of one document, or of all, with what stands on each."""
        pages = [page for page in self._catalog.pages if short is None or self._short(page.number) == short]
        return _paged("pages", [self._page_line(page) for page in pages], start)

    def page(self, number: int, start: int) -> dict[str, Json]:
        """The blocks of a page of the whole in reading order, tables as rows."""
        info = next(page for page in self._catalog.pages if page.number == number)
        items = [item for block in self._blocks_on(number) for item in _items(block)]
        return {**self.place(number), **_remarks(info), **_paged("blocks", items, start)}

    def table(self, record: str, start: int) -> dict[str, Json]:
        """The rows of a table. Raises BadCall for a record that is in none."""
        block = self._catalog.block_by_id.get(record.partition(":")[0])
        if block is None or block.table is None:
            tables = [one.id for one in self._catalog.blocks if one.table is not None]
            raise BadCall(f"{shortened(record)!r} is no table; tables are {', '.join(tables[:20]) or 'not there'}")
        size = {"rows": block.table.rows, "columns": block.table.columns}
        return {"table": block.id, **self.place(block.page), **size, **_paged("cells", list(_rows(block)), start)}

    def page_number(self, document: str, page: int) -> int:
        """The number in the whole of a page of a document. Raises BadCall, with what there is."""
        short = self.short_name(document)
        numbers = [self._documents.place_of(one.number)[1] for one in self._pages_of(short)]
        if page not in numbers:
            there = f"pages {min(numbers)} to {max(numbers)}" if numbers else "no pages"
            raise BadCall(f"there is no page {page}; {short or 'the document'} has {there}")
        return self._documents.page_in_whole(short, page)

    def short_name(self, document: str) -> str:
        """The short name of a document, which may also be named by its file. Raises BadCall."""
        names = self._documents.names
        if len(names) == 1 or document in names:
            return document if document in names else ""
        by_file = [short for short, name in names.items() if name == document]
        if len(by_file) == 1:
            return by_file[0]
        there = ", ".join(names)
        raise BadCall(
            f"there is no document {shortened(document)!r}; choose from {there}"
            if document
            else f"`document` is missing; choose from {there}"
        )

    def place(self, number: int) -> dict[str, Json]:
        """The document, where there are several, and the page in it."""
        at, page = self._documents.place_of(number)
        short = self._documents.shorts[at]
        return {"document": short, "page": page} if short else {"page": page}

    @cached_property
    def _chunk_ranking(self) -> LexicalRanking:
        return LexicalRanking([record.text for record in self._catalog.texts.chunks])

    @cached_property
    def _block_ranking(self) -> LexicalRanking:
        return LexicalRanking([record.text for record in self._catalog.texts.blocks])

    @cached_property
    def _by_page(self) -> Mapping[int, Sequence[Block]]:
        found: dict[int, list[Block]] = {}
        for block in self._catalog.blocks:
            for page in dict.fromkeys(place.page for place in block.places):
                found.setdefault(page, []).append(block)
        return found

    def _blocks_on(self, number: int) -> Sequence[Block]:
        return self._by_page.get(number, ())

    def _pages_of(self, short: str) -> list[PageInfo]:
        return [page for page in self._catalog.pages if self._short(page.number) == short]

    def _short(self, number: int) -> str:
        return self._documents.shorts[self._documents.place_of(number)[0]]

    def _hit(self, chunk: EvidenceRecord, scores: Mapping[str, float], wanted: set[str]) -> dict[str, Json]:
        inside = [name for name in chunk.blocks if scores.get(name, 0) > 0]
        best = sorted(inside, key=lambda name: -scores[name])[:_BLOCKS_OF_A_HIT]
        blocks = [{"id": name, "text": _snippet(self._catalog.by_id[name].text, wanted)} for name in best]
        text = {} if blocks else {"text": _snippet(chunk.text, wanted)}
        return {"record": chunk.id, **self.place(chunk.page), "blocks": blocks, **text}

    def _page_line(self, page: PageInfo) -> dict[str, Json]:
        blocks = self._blocks_on(page.number)
        headings = [shortened(one.text, 80) for one in blocks if one.kind in ("title", "heading")][:_HEADINGS]
        begins = next((shortened(one.text, 80) for one in blocks if one.text.strip()), "")
        line: dict[str, Json] = {**self.place(page.number), **_remarks(page)}
        line |= {"headings": headings} if headings else {"begins": begins} if begins else {}
        tables = [_table_line(one) for one in blocks if one.table is not None and one.page == page.number]
        return {**line, "tables": tables[:_TABLES]} if tables else line


def _table_line(block: Block) -> dict[str, Json]:
    table = block.table
    assert table is not None
    heads = [cell.text for cell in table.cells if cell.row == 0]
    return {"id": block.id, "rows": table.rows, "heads": [shortened(text, 30) for text in heads[:_HEADS]]}


def _remarks(page: PageInfo) -> dict[str, Json]:
    """What a reader has to know of a page: that it was not read, that text of it is hidden, how sure its OCR is."""
    remarks: dict[str, Json] = {}
    if page.status != "ok":
        remarks["status"] = page.status
    if page.reason:
        remarks["remark"] = shortened(page.reason, 200)
    hidden = page.characters.left_out.get("hidden", 0) if page.characters else 0
    if hidden:
        remarks["hidden_characters"] = hidden
    if page.confidence is not None:
        remarks["ocr_confidence"] = round(page.confidence, 2)
    return remarks


def _items(block: Block) -> Iterator[dict[str, Json]]:
    """A block in pieces: rows of a table, parts of a long text."""
    if block.table is not None and block.table.cells:
        for cells in _rows(block):
            yield {"table": block.id, "cells": cells}
        return
    for begin in range(0, max(len(block.text), 1), _PIECE):
        yield {"id": block.id, "kind": block.kind, "text": block.text[begin : begin + _PIECE]}


def _rows(block: Block) -> Iterator[dict[str, Json]]:
    rows: dict[int, list[Cell]] = {}
    for cell in block.table.cells if block.table else ():
        rows.setdefault(cell.row, []).append(cell)
    for row in sorted(rows):
        yield from _row_items(block.id, rows[row])


def _row_items(block: str, cells: Sequence[Cell]) -> Iterator[dict[str, Json]]:
    """The texts of a row by the names of its cells, in several objects where it is long."""
    row: dict[str, Json] = {}
    used = 0
    for cell in cells:
        name = cell_id(block, cell.row, cell.column).removeprefix(f"{block}:")
        for begin in range(0, len(cell.text), _PIECE):
            piece = cell.text[begin : begin + _PIECE]
            if row and (name in row or used + len(piece) > _PIECE):
                yield row
                row, used = {}, 0
            row[name] = piece
            used += len(piece) + len(name) + 6
    if row:
        yield row


def _paged(name: str, items: Sequence[Json], start: int) -> dict[str, Json]:
    kept, more = _taken(items, start)
    return {name: kept} if more is None else {name: kept, "more": more}


def _taken(items: Sequence[Json], start: int) -> tuple[list[Json], int | None]:
    """The items from `start` on that an answer has room for, at least one, and the position of the next."""
    kept: list[Json] = []
    used = 0
    for at in range(start, len(items)):
        used += len(json.dumps(items[at], ensure_ascii=False)) + 2
        if kept and used > ROOM:
            return kept, at
        kept.append(items[at])
    return kept, None


def _snippet(text: str, wanted: set[str]) -> str:
    """The lines of a text from the one on that has most of some words, as many as there is room for."""
    lines = [line for line in text.split("\n") if line.strip()] or [""]
    at = max(range(len(lines)), key=lambda number: (len(wanted.intersection(terms(lines[number]))), -number))
    return shortened("\n".join(lines[at:]), _SNIPPET) if len(text) > _SNIPPET else " ".join(text.split())
