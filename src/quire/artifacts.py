"""Pages and documents as bytes: compact JSON, equal for equal values, without times.

Words are not repeated here: a block names the runs of the native text that it covers, and its words are made
from that artifact when somebody looks at them. Words that come from elsewhere are written out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from quire.pagetext import PageText
from quire.types import BBox, Block, Cell, PageInfo, PageResult, Part, Span, Style, Table, Word
from quire.words import JoinedWords, PageWords

Texts = Callable[[int], PageText]
"""Gives the native text of a page, by its number."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode_page(page: PageResult) -> bytes:
    return _bytes("page", _info_row(page.info), page.blocks)


def decode_page(data: bytes, texts: Texts) -> PageResult:
    value = json.loads(data)
    return PageResult(PageInfo(*value["page"]), tuple(_block(row, texts) for row in value["blocks"]))


def encode_document(pages: Sequence[PageInfo], blocks: Sequence[Block]) -> bytes:
    return _bytes("pages", [_info_row(info) for info in pages], blocks)


def decode_document(data: bytes, texts: Texts) -> tuple[tuple[PageInfo, ...], tuple[Block, ...]]:
    value = json.loads(data)
    return tuple(PageInfo(*row) for row in value["pages"]), tuple(_block(row, texts) for row in value["blocks"])


def _bytes(name: str, head: object, blocks: Sequence[Block]) -> bytes:
    rows = ",".join([_encode(_block_row(block)) for block in blocks])  # one at a time: a tree of all is slow to free
    whole = f'{{"{name}":{_encode(head)},"blocks":[{rows}]}}'
    return whole.encode("utf-8", "surrogatepass")  # broken fonts map to lone surrogates


def _info_row(info: PageInfo) -> list[object]:
    return [info.number, info.width, info.height, info.rotation, info.status, info.reason]


def _box_row(box: BBox) -> tuple[float, float, float, float]:
    return box.left, box.top, box.width, box.height


def _block_row(block: Block) -> dict[str, object]:
    row: dict[str, object] = {
        "id": block.id,
        "page": block.page,
        "kind": block.kind,
        "text": block.text,
        "bbox": _box_row(block.bbox),
        "engine": block.engine,
    }
    if block.level is not None:
        row["level"] = block.level
    if block.parts:
        row["parts"] = [(part.page, *_box_row(part.bbox)) for part in block.parts]
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
        cells = [_cell_row(cell) for cell in block.table.cells]
        row["table"] = {"rows": block.table.rows, "columns": block.table.columns, "cells": cells}
    if block.style is not None:
        style = block.style
        told = (style.size, style.bold, style.italic, style.font, style.caps, style.centered, style.turned)
        row["style"] = (*told, True) if style.artifact else told
    return row


def _words_row(words: Sequence[Word]) -> dict[str, object]:
    if isinstance(words, PageWords):
        return {"page": words.page, "runs": words.ranges}
    return {"words": [(word.text, *_box_row(word.bbox), word.confidence) for word in words]}


def _span_row(span: Span) -> tuple[object, ...]:
    looks = (span.bold, span.italic, span.superscript, span.subscript, span.code)
    return span.start, span.end, *looks, span.link


def _cell_row(cell: Cell) -> tuple[object, ...]:
    spans = (cell.row_span, cell.column_span, cell.header)
    return cell.row, cell.column, cell.text, cell.page, _box_row(cell.bbox), *spans


def _block(row: dict[str, Any], texts: Texts) -> Block:
    table, style = row.get("table"), row.get("style")
    return Block(
        id=row["id"],
        page=row["page"],
        kind=row["kind"],
        text=row["text"],
        bbox=BBox(*row["bbox"]),
        level=row.get("level"),
        parts=tuple(Part(page, BBox(*box)) for page, *box in row.get("parts", ())),
        confidence=row.get("confidence"),
        engine=row["engine"],
        marker=row.get("marker", ""),
        words=_words(row.get("words", ()), texts),
        spans=tuple(Span(*span) for span in row.get("spans", ())),
        table=Table(table["rows"], table["columns"], tuple(map(_cell, table["cells"]))) if table else None,
        style=Style(*style) if style else None,
    )


def _words(rows: Sequence[dict[str, Any]], texts: Texts) -> Sequence[Word]:
    parts: list[Sequence[Word]] = [
        PageWords(partial(texts, row["page"]), map(tuple, row["runs"]), page=row["page"])
        if "runs" in row
        else tuple(Word(text, BBox(*box), confidence) for text, *box, confidence in row["words"])
        for row in rows
    ]
    return parts[0] if len(parts) == 1 else JoinedWords(parts) if parts else ()


def _cell(row: Sequence[Any]) -> Cell:
    number, column, text, page, box, *spans = row
    return Cell(number, column, text, page, BBox(*box), *spans)
