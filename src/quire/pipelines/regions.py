"""Region preprocessing as stages: binarised, padded, cut into slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.core.errors import ConfigurationError
from quire.core.types import BBox
from quire.pipelines.roles import Crop


@dataclass(frozen=True, slots=True)
class Binarize:
    name: str = "binarize"

    def preprocess_region(self, crop: Crop) -> Sequence[Crop]:
        from quire.pages.prepare import region_treatments as regions

        return [Crop(crop.region, regions.binarize(crop.picture), crop.box)]


@dataclass(frozen=True, slots=True)
class Pad:
    pixels: int
    name: str = "pad"

    def preprocess_region(self, crop: Crop) -> Sequence[Crop]:
        from quire.pages.prepare import region_treatments as regions

        padded = regions.pad(crop.picture, margin=self.pixels)
        across, down = (self.pixels * side / length for side, length in _sides(crop))
        box = crop.box
        around = BBox(box.left - across, box.top - down, box.width + 2 * across, box.height + 2 * down)
        return [Crop(crop.region, padded, around)]


@dataclass(frozen=True, slots=True)
class SliceHorizontal:
    height: int
    overlap: int
    name: str = "slice_horizontal"

    def preprocess_region(self, crop: Crop) -> Sequence[Crop]:
        from quire.pages.prepare import region_treatments as regions

        box, whole = crop.box, crop.picture.height
        return [
            Crop(
                crop.region,
                one.picture,
                BBox(
                    box.left, box.top + one.top / whole * box.height, box.width, one.picture.height / whole * box.height
                ),
            )
            for one in regions.slice_horizontal(crop.picture, height=self.height, overlap=self.overlap)
        ]


def binarize() -> Binarize:
    """Binarises a region: black on white."""
    return Binarize()


def pad(pixels: int = 8) -> Pad:
    """Adds a white margin: engines that detect lines miss text that touches the edge."""
    if pixels < 1:
        raise ConfigurationError(f"a margin of {pixels} pixels is not possible; give at least 1")
    return Pad(pixels)


def slice_horizontal(*, height: int, overlap: int = 0) -> SliceHorizontal:
    """Cuts a region between lines of text into slices of at most `height` pixel rows, read top-down and joined."""
    if height < 1 or not 0 <= overlap < height:
        raise ConfigurationError(f"slices of {height} pixel rows cannot overlap by {overlap}")
    return SliceHorizontal(height, overlap)


def _sides(crop: Crop) -> tuple[tuple[float, int], tuple[float, int]]:
    return (crop.box.width, crop.picture.width), (crop.box.height, crop.picture.height)
