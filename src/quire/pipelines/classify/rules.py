"""Roles of regions by rules: how much ink, what background, which edges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quire.core.median import median
from quire.core.picture import Picture
from quire.core.types import BBox, Layout, Region
from quire.pipelines.roles import Classified

if TYPE_CHECKING:
    from quire.pipelines.classify.ink import InkLook, PageInk

SHADED = 14.0
"""Levels by which the background of a header is darker than that of the other rows."""
BOLD = 1.25
"""Times by which the strokes of a header are wider than those of the other rows."""
RULED = 0.6
"""Share of the edges of a grid that must be drawn before a missing one is significant."""


@dataclass(frozen=True, slots=True)
class RuleClassifier:
    """Marks blank regions, header rows and cells without an edge between them."""

    blank_ink: float
    sure_ink: float
    name: str = "rule_based"

    def classify(self, layout: Layout, picture: Picture) -> Classified:
        from quire.pipelines.classify.ink import PageInk

        page = PageInk(picture)
        looks = {region.id: page.look(region.bbox) for region in layout.regions}
        groups = dict(_merged(layout, page))
        headers = set(_headers(layout, looks, self.blank_ink))
        unsure = frozenset(name for name, look in looks.items() if self.blank_ink <= look.ink < self.sure_ink)

        def classified(region: Region) -> Region:
            group = groups.get(region.id, region.merge_group)
            if looks[region.id].ink < self.blank_ink:
                return replace(region, role="blank", merge_group=group)
            return replace(region, role="header" if region.id in headers else region.role, merge_group=group)

        return Classified(Layout(tuple(map(classified, layout.regions))), unsure)


def rule_based(*, blank_ink: float = 0.00015, sure_ink: float = 0.0006) -> RuleClassifier:
    """A region with less than `blank_ink` square inches of ink is blank, one with less than `sure_ink` is unsure.

    A hyphen of ten points has 0.0004. Unsure regions are read: otherwise their content would be lost.
    """
    return RuleClassifier(blank_ink, sure_ink)


def _tables(layout: Layout) -> Iterator[list[Region]]:
    tables: dict[str | None, list[Region]] = {}
    for region in layout.regions:
        if region.grid:
            tables.setdefault(region.parent, []).append(region)
    yield from tables.values()


def _headers(layout: Layout, looks: Mapping[str, InkLook], blank: float) -> Iterator[str]:
    """The cells of the rows at the top that are shaded or bold, where the rows below are not."""
    for table in _tables(layout):
        rows = sorted({region.grid.row for region in table if region.grid})
        for row in rows[: len(rows) // 2]:
            here = [region.id for region in table if region.grid and region.grid.row == row]
            below = [looks[region.id] for region in table if region.grid and region.grid.row > row]
            if not _stands_out([looks[name] for name in here], below, blank):
                break
            yield from here


def _stands_out(row: list[InkLook], below: list[InkLook], blank: float) -> bool:
    written = [look for look in row if look.ink >= blank]
    others = [look.stroke for look in below if look.ink >= blank]
    if not written or not below:
        return False
    if median(look.ground for look in written) < median(look.ground for look in below) - SHADED:
        return True
    return bool(others) and min(look.stroke for look in written) > BOLD * median(others)


def _merged(layout: Layout, page: PageInk) -> Iterator[tuple[str, str]]:
    """Adjacent cells without an edge between them, in grids that draw their edges."""
    for table in _tables(layout):
        edges = list(_edges(table))
        drawn = [page.drawn(box, upright=upright) for _, _, box, upright in edges]
        if not edges or sum(drawn) < RULED * len(edges):
            continue
        group: dict[str, str] = {}
        for (first, second, _, _), is_drawn in zip(edges, drawn, strict=True):
            if is_drawn:
                continue
            new, old = group.setdefault(first.id, first.id), group.get(second.id, second.id)
            group[second.id] = new
            group.update({name: new for name, now in group.items() if now == old})
        yield from ((name, f"merge-{first}") for name, first in group.items())


def _edges(table: list[Region]) -> Iterator[tuple[Region, Region, BBox, bool]]:
    """Pairs of adjacent cells of equal extent, with the strip between them and whether it is vertical."""
    places = {(r.grid.row, r.grid.column): r for r in table if r.grid}
    for region in table:
        grid = region.grid
        assert grid is not None
        right = places.get((grid.row, grid.column + grid.column_span))
        if right and right.grid and right.grid.row_span == grid.row_span:
            yield region, right, _strip(region.bbox, right.bbox, upright=True), True
        below = places.get((grid.row + grid.row_span, grid.column))
        if below and below.grid and below.grid.column_span == grid.column_span:
            yield region, below, _strip(region.bbox, below.bbox, upright=False), False


def _strip(first: BBox, second: BBox, *, upright: bool) -> BBox:
    """The strip from slightly inside one cell to slightly inside the other, without the corners."""
    if upright:
        inside = 0.04 * min(first.width, second.width)
        left, right = sorted((first.right, second.left))
        top, height = max(first.top, second.top), min(first.height, second.height)
        return BBox(left - inside, top + 0.1 * height, right - left + 2 * inside, 0.8 * height)
    turned = _strip(_turned(first), _turned(second), upright=True)
    return _turned(turned)


def _turned(box: BBox) -> BBox:
    return BBox(box.top, box.left, box.height, box.width)
