"""Tiles of a sheet: parts small enough to be read at full resolution, which overlap."""

from __future__ import annotations

from dataclasses import dataclass

from quire.core.errors import ConfigurationError
from quire.core.picture import Picture
from quire.core.types import BBox, Layout, Region

_INK = 48  # levels between the lightest and the darkest pixel of a tile that is not blank


@dataclass(frozen=True, slots=True)
class Tiles:
    """A region for each tile, `tile-1-3` for the first row and the third column; one without ink is `blank`."""

    side_px: int
    overlap_px: int
    name: str = "tiles"

    def __post_init__(self) -> None:
        if self.side_px < 1 or not 0 <= self.overlap_px < self.side_px:
            raise ConfigurationError(f"tiles of {self.side_px} pixels cannot overlap by {self.overlap_px}")

    def detect(self, picture: Picture, page: int = 1) -> Layout:
        from quire.pages.prepare.pixels import pixels_of

        pixels = pixels_of(picture)
        regions = []
        for row, (top, bottom) in enumerate(self._spans(picture.height), 1):
            for column, (left, right) in enumerate(self._spans(picture.width), 1):
                part = pixels[top:bottom, left:right]
                blank = int(part.max()) - int(part.min()) < _INK
                box = BBox(
                    left / picture.width,
                    top / picture.height,
                    (right - left) / picture.width,
                    (bottom - top) / picture.height,
                )
                regions.append(Region(f"tile-{row}-{column}", box, "blank" if blank else "text"))
        return Layout(tuple(regions))

    def _spans(self, length: int) -> list[tuple[int, int]]:
        """The beginnings and ends of the tiles along one side: equally far apart, the last one at the end."""
        if length <= self.side_px:
            return [(0, length)]
        step = self.side_px - self.overlap_px
        count = -(-(length - self.overlap_px) // step)
        begins = [round(at * (length - self.side_px) / (count - 1)) for at in range(count)]
        return [(begin, begin + self.side_px) for begin in begins]


def tiles(*, side_px: int = 1024, overlap_px: int = 256) -> Tiles:
    """Tiles of a large sheet, each read at full resolution. A text must be shorter than `overlap_px` to be whole in one
    of them."""
    return Tiles(side_px, overlap_px)
