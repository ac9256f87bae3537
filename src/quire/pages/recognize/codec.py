"""Serialises recognitions as the bytes of an answer, for engines whose answer has no format of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from quire.core.engine import ReadBlock, ReadLine, Recognition
from quire.core.errors import EngineError
from quire.core.types import BBox, Cell, GridCell, Table, Word


def encode_recognitions(recognitions: Sequence[Recognition]) -> bytes:
    """Deterministic. The provenance is not part of an answer."""
    return json.dumps([_recognition(one) for one in recognitions], separators=(",", ":")).encode()


def decode_recognitions(answer: bytes, *, engine: str) -> list[Recognition]:
    """Deserialise the output of `encode_recognitions`; checks only its structure. Raises EngineError if invalid."""
    try:
        return [_recognition_of(one) for one in json.loads(answer)]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise EngineError(engine, f"the answer is not a list of recognitions ({type(error).__name__})") from error


def _recognition(one: Recognition) -> dict[str, object]:
    return {
        "engine": one.engine,
        "region": one.region,
        "language": one.language,
        "error": one.error,
        "grid": one.grid and [one.grid.row, one.grid.column, one.grid.row_span, one.grid.column_span],
        "lines": [[l.text, _box(l.bbox), l.confidence, l.angle, [_word(w) for w in l.words]] for l in one.lines],
        "blocks": [_block(block) for block in one.blocks],
    }


def _word(word: Word) -> list[object]:
    return [word.text, _box(word.bbox), word.confidence]


def _block(block: ReadBlock) -> dict[str, object]:
    return {
        "kind": block.kind,
        "text": block.text,
        "box": block.bbox and _box(block.bbox),
        "confidence": block.confidence,
        "level": block.level,
        "table": block.table and _table(block.table),
    }


def _table(table: Table) -> dict[str, object]:
    cells = [
        [c.row, c.column, c.text, c.page, _box(c.bbox), c.row_span, c.column_span, c.header, c.confidence]
        for c in table.cells
    ]
    return {"rows": table.rows, "columns": table.columns, "cells": cells}


def _box(box: BBox) -> list[float]:
    return [box.left, box.top, box.width, box.height]


def _recognition_of(one: Any) -> Recognition:
    lines = (
        ReadLine(
            text, BBox(*box), confidence, tuple(Word(word, BBox(*place), sure) for word, place, sure in words), angle
        )
        for text, box, confidence, angle, words in one["lines"]
    )
    return Recognition(
        one["engine"],
        tuple(lines),
        tuple(_block_of(block) for block in one["blocks"]),
        one["region"],
        one["language"],
        one["grid"] and GridCell(*one["grid"]),
        one["error"],
    )


def _block_of(block: Any) -> ReadBlock:
    box, table = block["box"], block["table"]
    return ReadBlock(
        block["kind"],
        block["text"],
        box and BBox(*box),
        block["confidence"],
        block["level"],
        table and Table(table["rows"], table["columns"], tuple(_cell_of(*cell) for cell in table["cells"])),
    )


def _cell_of(row: int, column: int, text: str, page: int, box: list[float], *rest: Any) -> Cell:
    return Cell(row, column, text, page, BBox(*box), *rest)
