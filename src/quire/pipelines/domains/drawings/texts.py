"""The texts of a sheet with their boxes and angles: from the file, or read in tiles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from quire.core.engine import Recognition
from quire.core.pagetext import INVISIBLE, LINE, SPACE, PageText
from quire.core.types import BBox, Layout, Region
from quire.pages.geometry.extents import area, shared_area

GAP = 1.2  # of the size of the type: a wider gap separates two texts of one line
SAME = 0.5  # of the smaller box: two readings that share this much are of one text
EDGE = 0.003  # of the sheet: a text nearer to the edge of its tile may be cut
_ALIKE = math.log(1.15)  # lengths that differ by less count as equal


@dataclass(frozen=True, slots=True)
class SheetText:
    """One text of a sheet. `angle` is the direction of writing, clockwise: 270 for one that is read upwards.

    `confidence` is that of the OCR engine, None for text of the file.
    """

    text: str
    page: int
    bbox: BBox
    angle: int = 0
    confidence: float | None = None

    @property
    def is_upright(self) -> bool:
        """Whether the text runs along the height of the sheet."""
        return 45 <= self.angle % 180 < 135


def native_texts(page: PageText) -> list[SheetText]:
    """The texts of a page of the file: words of one line that stand close together."""
    found: list[SheetText] = []
    size = (page.width, page.height)
    last: tuple[float, float, float, float] | None = None
    for run, text in enumerate(page.texts):
        flags, angle = page.flags[run], page.angles[run]
        if flags & INVISIBLE or not text.strip():
            continue
        box = page.box(run)
        near = last is not None and found[-1].angle == angle and _gap(last, box, angle) < GAP * page.sizes[run]
        placed = SheetText(text.strip(), page.number, BBox.of_points(box, size), angle)
        if near and not flags & LINE:
            before = found[-1]
            joined = f"{before.text}{' ' if flags & SPACE else ''}{placed.text}"
            found[-1] = replace(before, text=joined, bbox=BBox.union((before.bbox, placed.bbox)))
        else:
            found.append(placed)
        last = box
    return found


def _gap(before: Sequence[float], box: Sequence[float], angle: int) -> float:
    """Between two runs in the direction of writing, in points."""
    match round(angle / 90) % 4:
        case 0:
            return box[0] - before[2]
        case 1:
            return box[1] - before[3]
        case 2:
            return before[0] - box[2]
    return before[1] - box[3]


def tiled_texts(page: int, layout: Layout, recognitions: Iterable[Recognition]) -> list[SheetText]:
    """The texts that were read in tiles. What several tiles show is kept once, where it is whole and read best."""
    regions = {region.id: region for region in layout.regions}
    read = [
        (SheetText(line.text.strip(), page, line.bbox, line.angle, line.confidence), regions.get(one.region or ""))
        for one in recognitions
        for line in one.lines
        if line.text.strip()
    ]
    kept: list[SheetText] = []
    for text, _ in sorted(read, key=lambda pair: _rank(*pair)):
        if not any(_is_same(text, other) for other in kept):
            kept.append(text)
    return sorted(kept, key=lambda text: (round(text.bbox.top, 3), text.bbox.left))


def _rank(text: SheetText, tile: Region | None) -> tuple[bool, int, float]:
    """Whole texts before cut ones, longer before shorter ones, sure before unsure ones."""
    box = text.bbox
    length = max(box.width, box.height, 1e-6)
    return tile is not None and _is_cut(box, tile.bbox), -round(math.log(length) / _ALIKE), -(text.confidence or 0.0)


def _is_cut(box: BBox, tile: BBox) -> bool:
    sides = (
        (box.left - tile.left, tile.left),
        (box.top - tile.top, tile.top),
        (tile.right - box.right, 1 - tile.right),
        (tile.bottom - box.bottom, 1 - tile.bottom),
    )
    return any(distance < EDGE < beyond for distance, beyond in sides)


def _is_same(text: SheetText, other: SheetText) -> bool:
    shared = shared_area(text.bbox, other.bbox)
    return shared > 0 and shared > SAME * min(area(text.bbox), area(other.bbox))
