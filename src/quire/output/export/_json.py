"""JSON in the schema `quire/1`, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from quire.core.engine import Attempt
from quire.core.types import (
    NO_BOX,
    AnswerSource,
    BBox,
    Block,
    Cell,
    Characters,
    Field,
    PageInfo,
    Part,
    Span,
    Table,
    Word,
)
from quire.output.export.contracts import Exportable, Traced

SCHEMA = "quire/1"
_FLAGS = ("bold", "italic", "superscript", "subscript", "code", "unsure")


def json_(result: Exportable, *, words: bool = False) -> str:
    """Everything, one block per line; the words, the sources of blocks and the path of pages only when requested."""
    url = getattr(result, "url", None)
    document = {
        "id": result.id,
        "name": result.name,
        **({"url": url} if url else {}),
        "media_type": result.media_type,
        "pages": [page_json(page) for page in result.pages],
    }
    path = result.trace if isinstance(result, Traced) else None
    trace = path is not None
    listed = (block_json(block, words=block.words if words else None, trace=trace) for block in result.blocks)
    blocks = ",\n".join(map(_dump, listed))
    written = f"[\n{blocks}\n]" if blocks else "[]"
    traced = f',\n"trace": {_dump(_trace(path))}' if path else ""
    return f'{{"schema": "{SCHEMA}",\n"document": {_dump(document)},\n"blocks": {written}{traced}}}\n'


def from_json(text: str) -> tuple[list[PageInfo], list[Block]]:
    """The pages and blocks that `json_` wrote."""
    tree = json.loads(text)
    if tree.get("schema") != SCHEMA:
        raise ValueError(f"expected a document of the schema {SCHEMA}, got {tree.get('schema')!r}")
    return [read_page(page) for page in tree["document"]["pages"]], [read_block(block) for block in tree["blocks"]]


def _trace(trace: Mapping[int, Sequence[Attempt]]) -> list[dict[str, object]]:
    """The attempts to read each page: with durations, so that they are not reproducible."""
    return [{"page": page, "attempts": [asdict(attempt) for attempt in path]} for page, path in trace.items()]


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def page_json(page: PageInfo) -> dict[str, object]:
    """The ledger entry of a page."""
    return {
        "number": page.number,
        "width": round(page.width, 2),
        "height": round(page.height, 2),
        "rotation": page.rotation,
        "status": page.status,
        "reason": page.reason,
        "characters": characters_json(page.characters),
        **({"tables": page.tables} if page.tables else {}),
        "confidence": page.confidence,
    }


def characters_json(counted: Characters | None) -> dict[str, object] | None:
    """The account of the characters of a page; None where they were not counted."""
    if counted is None:
        return None
    return {"drawn": counted.drawn, "in_blocks": counted.in_blocks, "left_out": dict(counted.left_out)}


def read_page(tree: Mapping[str, Any]) -> PageInfo:
    """The ledger entry that `page_json` wrote; other members are ignored."""
    row = (tree[name] for name in ("number", "width", "height", "rotation", "status", "reason"))
    counted = tree.get("characters")
    characters = None if counted is None else Characters(**counted)
    return replace(PageInfo(*row), characters=characters, tables=tree.get("tables"), confidence=tree.get("confidence"))


def block_json(block: Block, *, words: Sequence[Word] | None = None, trace: bool = False) -> dict[str, object]:
    """One block, with those words; with its sources if `trace` is set."""
    written: dict[str, object] = {
        "id": block.id,
        "page": block.page,
        "kind": block.kind,
        "level": block.level,
        "text": block.text,
        "bbox": box_json(block.bbox),
    }
    if len(block.parts) > 1:
        written["parts"] = [
            {"page": part.page, "bbox": box_json(part.bbox), **_other(part, block, trace=trace)} for part in block.parts
        ]
    written["confidence"] = None if block.confidence is None else round(block.confidence, 5)
    written["engine"] = block.engine
    sources = block.sources
    if any(source.tier == "semantic" for source in sources):
        written["tier"] = "semantic"
    if trace and sources:
        written["source"] = _source(block.source)
    if block.marker:
        written["marker"] = block.marker
    if block.spans:
        written["spans"] = [_span(span) for span in block.spans]
    if words is not None:
        written["words"] = [_word(word) for word in words]
    if block.table is not None:
        written["table"] = table_json(block.table, block, trace=trace)
    if block.field is not None:
        written["field"] = _field(block.field)
    return written


def _field(field: Field) -> dict[str, object]:
    return {
        "label": field.label,
        "label_bbox": box_json(field.label_bbox),
        "value": field.value,
        "value_bbox": box_json(field.value_bbox),
    }


def _source(source: AnswerSource | None) -> dict[str, object] | None:
    if source is None:
        return None
    return {
        "engine": source.engine,
        "version": source.version,
        "profile": source.profile,
        "key": source.key,
        "tier": source.tier,
        "similarity": source.similarity,
    }


def _other(part: Part | Cell, block: Block, *, trace: bool) -> dict[str, object]:
    """The source of a part or cell, where it differs from that of the block."""
    return {"source": _source(part.source)} if trace and part.source != block.source else {}


def _word(word: Word) -> dict[str, object]:
    written: dict[str, object] = {"text": word.text, "bbox": box_json(word.bbox)}
    return written if word.confidence is None else written | {"confidence": round(word.confidence, 3)}


def box_json(box: BBox) -> dict[str, float] | None:
    """Fractions of the page; None for a block without a place."""
    if box == NO_BOX:
        return None
    # adding 0.0 turns -0.0 into 0.0
    return {
        "left": round(box.left, 5) + 0.0,
        "top": round(box.top, 5) + 0.0,
        "width": round(box.width, 5) + 0.0,
        "height": round(box.height, 5) + 0.0,
    }


def _span(span: Span) -> dict[str, object]:
    """Its start and end, and only the properties that are true."""
    written: dict[str, object] = {"start": span.start, "end": span.end}
    written |= {flag: True for flag in _FLAGS if getattr(span, flag)}
    written |= {"link": span.link} if span.link else {}
    return written | ({"latex": span.latex} if span.latex else {})


def table_json(table: Table, block: Block, *, trace: bool = False) -> dict[str, object]:
    """The grid of a table."""
    cells = [
        {
            "row": cell.row,
            "column": cell.column,
            "row_span": cell.row_span,
            "column_span": cell.column_span,
            "header": cell.header,
            "text": cell.text,
            "page": cell.page,
            "bbox": box_json(cell.bbox),
            **({} if cell.confidence is None else {"confidence": round(cell.confidence, 3)}),
            **_other(cell, block, trace=trace),
        }
        for cell in table.cells
    ]
    return {"rows": table.rows, "columns": table.columns, "cells": cells}


def read_block(tree: dict[str, Any]) -> Block:
    """The block that `block_json` wrote."""
    source = _read_source(tree, None)
    return Block(
        id=tree["id"],
        page=tree["page"],
        kind=tree["kind"],
        level=tree["level"],
        text=tree["text"],
        bbox=_readbox_json(tree["bbox"]),
        parts=tuple(_read_part(part, source) for part in tree.get("parts", ())),
        confidence=tree["confidence"],
        engine=tree["engine"],
        marker=tree.get("marker", ""),
        spans=tuple(Span(**span) for span in tree.get("spans", ())),
        words=_read_words(tree.get("words", ())),
        table=read_table(tree["table"], source) if "table" in tree else None,
        source=source,
        field=_read_field(tree["field"]) if "field" in tree else None,
    )


def _read_field(tree: dict[str, Any]) -> Field:
    boxes = _readbox_json(tree["label_bbox"]), _readbox_json(tree["value_bbox"])
    return Field(tree["label"], tree["value"], *boxes)


def _readbox_json(tree: dict[str, float] | None) -> BBox:
    return NO_BOX if tree is None else BBox(**tree)


def _read_source(tree: dict[str, Any], default: AnswerSource | None) -> AnswerSource | None:
    if "source" not in tree:
        return default
    source = tree["source"]
    return source and AnswerSource(**{name: value for name, value in source.items() if name != "tier"})


def _read_part(tree: dict[str, Any], source: AnswerSource | None) -> Part:
    return Part(tree["page"], _readbox_json(tree["bbox"]), _read_source(tree, source))


def _read_words(words: Sequence[dict[str, Any]]) -> tuple[Word, ...]:
    return tuple(Word(word["text"], _readbox_json(word["bbox"]), word.get("confidence")) for word in words)


def read_table(tree: Mapping[str, Any], source: AnswerSource | None = None) -> Table:
    """The table that `table_json` wrote; other members are ignored."""
    cells = tuple(
        Cell(**{**cell, "bbox": _readbox_json(cell["bbox"]), "source": _read_source(cell, source)})
        for cell in tree["cells"]
    )
    return Table(tree["rows"], tree["columns"], cells)
