"""Maps layouts and slices of regions back to their page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.core.affine import Affine
from quire.core.engine import ReadLine, Recognition
from quire.core.types import BBox, Layout, Region
from quire.pages.geometry.extents import area, shared_area

_SAME = Affine()


def placed_layout(layout: Layout, change: Affine) -> Layout:
    if change == _SAME:
        return layout
    return Layout(
        tuple(
            replace(
                region,
                bbox=change.box(region.bbox),
                polygon=tuple(change.point(x, y) for x, y in region.polygon),
            )
            for region in layout.regions
        )
    )


def joined(region: Region, slices: Sequence[Recognition]) -> Recognition:
    """Join the recognitions of the slices of a region in order; lines in the overlap are kept once."""
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
        provenance=hits[0] if len(hits) == len(slices) else replace(first.provenance, tier="asked"),
    )


def _same(box: BBox, other: BBox) -> bool:
    """Whether two boxes mostly cover each other."""
    return shared_area(box, other) > 0.5 * max(area(box), area(other))
