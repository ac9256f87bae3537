"""What was read in one frame, told in another: from a crop to its page, from a turned page to the displayed one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.engine import ReadBlock, ReadLine, Recognition
from quire.roles import Affine
from quire.types import BBox, Layout, Region, Table

_SAME = Affine()


def placed(recognition: Recognition, change: Affine) -> Recognition:
    """The recognition with every box changed."""
    if change == _SAME:
        return recognition
    lines = tuple(_line(line, change) for line in recognition.lines)
    return replace(recognition, lines=lines, blocks=tuple(_block(block, change) for block in recognition.blocks))


def placed_layout(layout: Layout, change: Affine) -> Layout:
    if change == _SAME:
        return layout
    return Layout(tuple(replace(region, bbox=change.box(region.bbox)) for region in layout.regions))


def joined(region: Region, slices: Sequence[Recognition]) -> Recognition:
    """The readings of the slices of a region as one, in their order; lines where slices overlap are kept once."""
    first = slices[0]
    lines: list[ReadLine] = []
    for one in slices:
        before = list(lines)
        lines += [line for line in one.lines if not any(_same(line.bbox, known.bbox) for known in before)]
    hits = [one.provenance for one in slices if one.provenance.tier != "asked"]
    return replace(
        first,
        lines=tuple(lines),
        blocks=tuple(block for one in slices for block in one.blocks),
        region=region.id,
        grid=region.grid,
        provenance=hits[0] if len(hits) == len(slices) else replace(first.provenance, tier="asked", similarity=None),
    )


def _same(box: BBox, other: BBox) -> bool:
    """Whether two boxes cover mostly each other."""
    width = min(box.right, other.right) - max(box.left, other.left)
    height = min(box.bottom, other.bottom) - max(box.top, other.top)
    shared = max(0.0, width) * max(0.0, height)
    return shared > 0.5 * max(box.width * box.height, other.width * other.height)


def _line(line: ReadLine, change: Affine) -> ReadLine:
    words = tuple(replace(word, bbox=change.box(word.bbox)) for word in line.words)
    angle = (line.angle + change.quarter_turn) % 360
    return replace(line, bbox=change.box(line.bbox), words=words, angle=angle)


def _block(block: ReadBlock, change: Affine) -> ReadBlock:
    box = None if block.bbox is None else change.box(block.bbox)
    return replace(block, bbox=box, table=None if block.table is None else _table(block.table, change))


def _table(table: Table, change: Affine) -> Table:
    return replace(table, cells=tuple(replace(cell, bbox=change.box(cell.bbox)) for cell in table.cells))
