"""What was read in a part of a picture, in fractions of the whole picture."""

from __future__ import annotations

from dataclasses import replace

from quire.engine import ReadBlock, ReadLine, Recognition
from quire.types import BBox


def moved(recognition: Recognition, place: BBox) -> Recognition:
    """The recognition of a picture that was cut out of a larger one at `place`."""
    lines = tuple(_line(line, place) for line in recognition.lines)
    blocks = tuple(_block(block, place) for block in recognition.blocks)
    return replace(recognition, lines=lines, blocks=blocks)


def _line(line: ReadLine, place: BBox) -> ReadLine:
    words = tuple(replace(word, bbox=_box(word.bbox, place)) for word in line.words)
    return replace(line, bbox=_box(line.bbox, place), words=words)


def _block(block: ReadBlock, place: BBox) -> ReadBlock:
    table = block.table
    if table is not None:
        table = replace(table, cells=tuple(replace(cell, bbox=_box(cell.bbox, place)) for cell in table.cells))
    return replace(block, bbox=_box(block.bbox, place) if block.bbox else None, table=table)


def _box(box: BBox, place: BBox) -> BBox:
    return BBox(
        place.left + box.left * place.width,
        place.top + box.top * place.height,
        box.width * place.width,
        box.height * place.height,
    )
