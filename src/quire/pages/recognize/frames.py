"""Converts readings between coordinate frames: from a part of a picture to the whole, from a turned page to the
displayed one. The only place that does it."""

from __future__ import annotations

from dataclasses import replace

from quire.core.affine import Affine
from quire.core.engine import ReadBlock, ReadLine, Recognition
from quire.core.types import Table

_SAME = Affine()


def placed(recognition: Recognition, change: Affine) -> Recognition:
    """The recognition with every box transformed. `Affine.into(box)` maps from a crop at `box` to the whole picture."""
    if change == _SAME:
        return recognition
    lines = tuple(placed_line(line, change) for line in recognition.lines)
    return replace(recognition, lines=lines, blocks=tuple(_block(block, change) for block in recognition.blocks))


def placed_line(line: ReadLine, change: Affine) -> ReadLine:
    words = tuple(replace(word, bbox=change.box(word.bbox)) for word in line.words)
    angle = (line.angle + change.quarter_turn) % 360
    return replace(line, bbox=change.box(line.bbox), words=words, angle=angle)


def _block(block: ReadBlock, change: Affine) -> ReadBlock:
    box = None if block.bbox is None else change.box(block.bbox)
    return replace(block, bbox=box, table=None if block.table is None else _table(block.table, change))


def _table(table: Table, change: Affine) -> Table:
    return replace(table, cells=tuple(replace(cell, bbox=change.box(cell.bbox)) for cell in table.cells))
