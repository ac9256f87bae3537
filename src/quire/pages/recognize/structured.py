"""Pages from an engine that returns structure: its blocks are the blocks of the page, in its order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from quire.core.engine import ReadBlock, ReadLine, Recognition
from quire.core.types import REDACTED, AnswerSource, BBox, Block, Cell, PageInfo, PageResult, Table, Word
from quire.pages.prepare.prepared import Redaction
from quire.pages.recognize.linewords import words_in
from quire.pages.recognize.seen import Seen

WHOLE = BBox(0.0, 0.0, 1.0, 1.0)
"""The box of text without a box: the whole page."""


def is_structured(readings: Sequence[Recognition]) -> bool:
    return any(reading.blocks for reading in readings)


def page_of(
    info: PageInfo,
    seen: Seen,
    readings: Sequence[Recognition],
    *,
    engine: str,
    source: AnswerSource | None = None,
) -> PageResult:
    """The page with the blocks of an engine, in the frame of the displayed page."""
    parts = [part for reading in readings for part in reading.blocks]
    read = [_block(part, number, info, seen, engine, source) for number, part in enumerate(parts, start=1)]
    marks = [_mark(found, len(read) + number, info) for number, found in enumerate(seen.prepared.redactions, start=1)]
    blocks = tuple(read + marks)
    return PageResult(replace(info, status="ok" if blocks else "empty", reason=None), blocks)


def lines_of(block: ReadBlock) -> Iterator[ReadLine]:
    """The lines of a block, in even parts of its box; none without a box."""
    texts = [text for text in block.text.splitlines() if text.strip()]
    if block.bbox is None or not texts:
        return
    height = block.bbox.height / len(texts)
    for number, text in enumerate(texts):
        box = BBox(block.bbox.left, block.bbox.top + number * height, block.bbox.width, height)
        line = ReadLine(text, box, block.confidence)
        yield replace(line, words=words_in(line))


def with_evidence(part: ReadBlock, source: AnswerSource | None) -> Table | None:
    """The table of a block; cells without a confidence get that of the block."""

    def known(cell: Cell) -> Cell:
        confidence = part.confidence if cell.confidence is None else cell.confidence
        return replace(cell, confidence=confidence, source=source)

    return part.table and replace(part.table, cells=tuple(map(known, part.table.cells)))


def _block(part: ReadBlock, number: int, info: PageInfo, seen: Seen, engine: str, source: AnswerSource | None) -> Block:
    table = with_evidence(part, source)
    words = (word for line in lines_of(part) for word in line.words)
    return Block(
        id=f"p{info.number}-b{number}",
        page=info.number,
        kind="paragraph" if part.kind == "table" and table is None else part.kind,
        text=table.text if table else part.text,
        bbox=seen.prepared.to_page(part.bbox) if part.bbox else WHOLE,
        level=part.level,
        confidence=part.confidence,
        engine=engine,
        words=tuple(Word(word.text, seen.prepared.to_page(word.bbox), word.confidence) for word in words),
        table=_table(table, info.number, seen) if table else None,
        source=source,
    )


def _mark(found: Redaction, number: int, info: PageInfo) -> Block:
    """A placeholder block for a redaction."""
    word = Word(REDACTED, found.bbox, found.score)
    return Block(f"p{info.number}-b{number}", info.number, "paragraph", REDACTED, found.bbox, words=(word,))


def _table(table: Table, page: int, seen: Seen) -> Table:
    return replace(table, cells=tuple(_cell(cell, page, seen) for cell in table.cells))


def _cell(cell: Cell, page: int, seen: Seen) -> Cell:
    return replace(cell, page=page, bbox=seen.prepared.to_page(cell.bbox))
