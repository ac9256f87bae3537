"""Serialises pages and documents: compact JSON, equal for equal values, without times.

Words are not repeated here: a block names the runs of the native text that it covers, and its words are created
lazily from that artifact. Words from elsewhere are written out. The engine answers that blocks, parts and cells
came from are listed once, in `sources`, and referenced by position.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from quire.core.lazy_words import JoinedWords, PageWords
from quire.core.pagetext import PageText
from quire.core.types import (
    AnswerSource,
    BBox,
    Block,
    Cell,
    Characters,
    Field,
    PageInfo,
    PageResult,
    Part,
    Span,
    Style,
    Table,
    Word,
)

_Sources = dict[AnswerSource, int]

Texts = Callable[[int], PageText]
"""Returns the native text of a page, by its number."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode_page(page: PageResult) -> bytes:
    return _bytes("page", info_row(page.info), page.blocks)


def decode_page(data: bytes, texts: Texts) -> PageResult:
    value = json.loads(data)
    return PageResult(info_of_row(value["page"]), _blocks(value, texts))


def encode_document(pages: Sequence[PageInfo], blocks: Sequence[Block]) -> bytes:
    return _bytes("pages", [info_row(info) for info in pages], blocks)


def decode_document(data: bytes, texts: Texts) -> tuple[tuple[PageInfo, ...], tuple[Block, ...]]:
    value = json.loads(data)
    return tuple(info_of_row(row) for row in value["pages"]), _blocks(value, texts)


def _bytes(name: str, head: object, blocks: Sequence[Block]) -> bytes:
    sources: _Sources = {}
    # one at a time: a tree of all is slow to free
    rows = ",".join([_encode(_block_row(block, sources)) for block in blocks])
    listed = f',"sources":{_encode([_source_row(source) for source in sources])}' if sources else ""
    whole = f'{{"{name}":{_encode(head)},"blocks":[{rows}]{listed}}}'
    return whole.encode("utf-8", "surrogatepass")  # broken fonts map to lone surrogates


def info_row(info: PageInfo) -> list[object]:
    """The ledger entry of a page as JSON."""
    row: list[object] = [info.number, info.width, info.height, info.rotation, info.status, info.reason]
    counted = info.characters
    account = None if counted is None else [counted.drawn, counted.in_blocks, dict(counted.left_out)]
    row += [account, info.tables, info.confidence]
    while row[-1] is None and len(row) > 6:
        row.pop()
    return row


def info_of_row(row: Sequence[Any]) -> PageInfo:
    """The ledger entry that `info_row` wrote."""
    account, tables, confidence = (*row[6:], None, None, None)[:3]
    characters = Characters(*account) if account else None
    return replace(PageInfo(*row[:6]), characters=characters, tables=tables, confidence=confidence)


def _box_row(box: BBox) -> tuple[float, float, float, float]:
    return box.left, box.top, box.width, box.height


def _source_row(source: AnswerSource) -> tuple[object, ...]:
    return source.engine, source.version, source.profile, source.key, source.similarity


def _place_of(source: AnswerSource | None, sources: _Sources) -> int | None:
    """The position of a source in the list; a new one is added."""
    return None if source is None else sources.setdefault(source, len(sources))


def _block_row(block: Block, sources: _Sources) -> dict[str, object]:
    row: dict[str, object] = {
        "id": block.id,
        "page": block.page,
        "kind": block.kind,
        "text": block.text,
        "bbox": _box_row(block.bbox),
        "engine": block.engine,
    }
    if block.source is not None:
        row["source"] = _place_of(block.source, sources)
    if block.level is not None:
        row["level"] = block.level
    if block.parts:
        row["parts"] = [_part_row(part, sources) for part in block.parts]
    if block.confidence is not None:
        row["confidence"] = block.confidence
    if block.marker:
        row["marker"] = block.marker
    if block.words:
        parts = block.words.parts if isinstance(block.words, JoinedWords) else (block.words,)
        row["words"] = [_words_row(part) for part in parts]
    if block.spans:
        row["spans"] = [_span_row(span) for span in block.spans]
    if block.table is not None:
        cells = [_cell_row(cell, sources) for cell in block.table.cells]
        row["table"] = {"rows": block.table.rows, "columns": block.table.columns, "cells": cells}
    if block.field is not None:
        row["field"] = _field_row(block.field)
    if block.style is not None:
        style = block.style
        values = (style.size, style.bold, style.italic, style.font, style.caps, style.centered, style.turned)
        row["style"] = (*values, True) if style.artifact else values
    return row


def _field_row(field: Field) -> tuple[object, ...]:
    return field.label, field.value, _box_row(field.label_bbox), _box_row(field.value_bbox)


def _words_row(words: Sequence[Word]) -> dict[str, object]:
    if isinstance(words, PageWords):
        return {"page": words.page, "runs": words.ranges}
    return {"words": [(word.text, *_box_row(word.bbox), word.confidence) for word in words]}


def _span_row(span: Span) -> tuple[object, ...]:
    looks = (span.bold, span.italic, span.superscript, span.subscript, span.code)
    row = span.start, span.end, *looks, span.link
    return row if span.latex is None else (*row, span.latex, span.unsure)


def _part_row(part: Part, sources: _Sources) -> tuple[object, ...]:
    place = part.page, *_box_row(part.bbox)
    return place if part.source is None else (*place, _place_of(part.source, sources))


def _cell_row(cell: Cell, sources: _Sources) -> tuple[object, ...]:
    spans = (cell.row_span, cell.column_span, cell.header)
    row = cell.row, cell.column, cell.text, cell.page, _box_row(cell.bbox), *spans
    if cell.confidence is None and cell.source is None:
        return row
    return *row, cell.confidence, _place_of(cell.source, sources)


def _blocks(value: dict[str, Any], texts: Texts) -> tuple[Block, ...]:
    sources = [AnswerSource(*row) for row in value.get("sources", ())]
    return tuple([_block(row, texts, sources) for row in value["blocks"]])


def _block(row: dict[str, Any], texts: Texts, sources: Sequence[AnswerSource]) -> Block:
    table, style, field = row.get("table"), row.get("style"), row.get("field")
    return Block(
        id=row["id"],
        page=row["page"],
        kind=row["kind"],
        text=row["text"],
        bbox=BBox(*row["bbox"]),
        level=row.get("level"),
        parts=tuple([_part(part, sources) for part in row.get("parts", ())]),
        confidence=row.get("confidence"),
        engine=row["engine"],
        marker=row.get("marker", ""),
        words=_words(row.get("words", ()), texts),
        spans=tuple(Span(*span) for span in row.get("spans", ())),
        table=Table(table["rows"], table["columns"], tuple([_cell(cell, sources) for cell in table["cells"]]))
        if table
        else None,
        style=Style(*style) if style else None,
        source=sources[row["source"]] if "source" in row else None,
        field=Field(field[0], field[1], BBox(*field[2]), BBox(*field[3])) if field else None,
    )


def _words(rows: Sequence[dict[str, Any]], texts: Texts) -> Sequence[Word]:
    parts: list[Sequence[Word]] = [
        PageWords(partial(texts, row["page"]), map(tuple, row["runs"]), page=row["page"])
        if "runs" in row
        else tuple(Word(text, BBox(*box), confidence) for text, *box, confidence in row["words"])
        for row in rows
    ]
    return parts[0] if len(parts) == 1 else JoinedWords(parts) if parts else ()


def _part(row: Sequence[Any], sources: Sequence[AnswerSource]) -> Part:
    page, left, top, width, height, *source = row
    return Part(page, BBox(left, top, width, height), sources[source[0]] if source else None)


def _cell(row: Sequence[Any], sources: Sequence[AnswerSource]) -> Cell:
    number, column, text, page, box, *rest = row
    if len(rest) > 4 and rest[4] is not None:
        rest[4] = sources[rest[4]]
    return Cell(number, column, text, page, BBox(*box), *rest)
