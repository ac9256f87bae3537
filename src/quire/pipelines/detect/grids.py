"""Detectors of ruled grids: forms and tables whose cells are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quire.core.errors import ConfigurationError
from quire.core.picture import Picture
from quire.core.types import BBox, Layout, Region


@dataclass(frozen=True, slots=True)
class GridDetector:
    """A region for each cell of every ruled grid, with its row and column; `parent` names the grid: `t1`, `t2` …"""

    method: Literal["morphological", "hough"]
    min_line_length_ratio: float
    merge_threshold_px: float
    padding_px: float

    def __post_init__(self) -> None:
        if not 0 < self.min_line_length_ratio <= 1:
            raise ConfigurationError(f"min_line_length_ratio must be between 0 and 1, not {self.min_line_length_ratio}")
        if self.merge_threshold_px < 1 or self.padding_px < 0:
            raise ConfigurationError("merge_threshold_px must be at least 1, padding_px at least 0")

    @property
    def name(self) -> str:
        return f"{self.method}_grid"

    def detect(self, picture: Picture, page: int = 1) -> Layout:
        from quire.pages.prepare.pixels import pixels_of
        from quire.pipelines.detect.lattice import CellBox, grids
        from quire.pipelines.detect.ruled import by_hough, by_morphology, find_ruled

        near = self.merge_threshold_px
        find = by_morphology if self.method == "morphological" else by_hough
        ruled = find_ruled(pixels_of(picture), picture.dpi, ratio=self.min_line_length_ratio, near=near, find=find)

        def region(table: str, cell: CellBox) -> Region:
            left, top, right, bottom = cell.box
            middle = ruled.back((left + right) / 2, (top + bottom) / 2)
            half = max(1, (right - left) / 2 - self.padding_px), max(1, (bottom - top) / 2 - self.padding_px)
            corners = (middle[0] - half[0], middle[1] - half[1], middle[0] + half[0], middle[1] + half[1])
            place = f"{table}-r{cell.grid.row}-c{cell.grid.column}"
            return Region(place, BBox.of_points(corners, picture.size), "cell", cell.grid, parent=table)

        found = enumerate(grids(ruled.rows, ruled.columns, near), 1)
        return Layout(tuple(region(f"t{number}", cell) for number, cells in found for cell in cells))


def morphological_grid(
    *, min_line_length_ratio: float = 0.03, merge_threshold_px: float = 8, padding_px: float = 3
) -> GridDetector:
    """Grids with solid lines: fast, with few false positives. A page may be skewed by some degrees.

    Lines shorter than `min_line_length_ratio` of the page are letters. Lines nearer than `merge_threshold_px` (double
    lines) are merged, and gaps up to it are bridged. `padding_px` is cut off at each side of a cell: the lines.
    """
    return GridDetector("morphological", min_line_length_ratio, merge_threshold_px, padding_px)


def hough_grid(
    *, min_line_length_ratio: float = 0.05, merge_threshold_px: float = 8, padding_px: float = 3
) -> GridDetector:
    """Grids whose lines are dashed, broken or faint. Slower, and more easily misled by rows of text."""
    return GridDetector("hough", min_line_length_ratio, merge_threshold_px, padding_px)
