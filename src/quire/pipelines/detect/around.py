"""The text above, between and below the regions that a detector finds."""

from __future__ import annotations

from dataclasses import dataclass

from quire.core.picture import Picture
from quire.core.types import BBox, Layout, Region
from quire.pipelines.roles import LayoutDetector
from quire.system.awaited import settled

LEAST_HEIGHT = 0.012  # of the page: a lower strip holds no line


@dataclass(frozen=True, slots=True)
class SurroundedDetector:
    """The regions of a detector, and the remaining strips of the page, from the top."""

    detector: LayoutDetector
    name: str = "with_surroundings"

    def detect(self, picture: Picture, page: int = 1) -> Layout:
        found = settled(self.detector.detect(picture, page)).regions
        parts: list[Region] = []
        at = 0.0
        for top, bottom, regions in [*_bands(found), (1.0, 1.0, ())]:
            if top - at > LEAST_HEIGHT:
                parts.append(Region(f"rest-{round(at * 1000)}", BBox(0.0, at, 1.0, round(top - at, 5)), "page"))
            parts += regions
            at = bottom
        return Layout(tuple(parts))


def with_surroundings(detector: LayoutDetector) -> SurroundedDetector:
    """Grids and the text around them: strips of the page without a region are read and laid out like pages."""
    return SurroundedDetector(detector)


def _bands(regions: tuple[Region, ...]) -> list[tuple[float, float, tuple[Region, ...]]]:
    """Regions that are side by side, as top, bottom and the regions in their order."""
    bands: list[tuple[float, float, tuple[Region, ...]]] = []
    for region in sorted(regions, key=lambda region: region.bbox.top):
        box = region.bbox
        if bands and box.top < bands[-1][1] + LEAST_HEIGHT:
            top, bottom, before = bands[-1]
            bands[-1] = (top, max(bottom, box.bottom), (*before, region))
        else:
            bands.append((box.top, box.bottom, (region,)))
    order = {region.id: place for place, region in enumerate(regions)}
    return [(top, bottom, tuple(sorted(band, key=lambda r: order[r.id]))) for top, bottom, band in bands]
