"""Detectors: find the regions of a page to read. Detectors with heavy imports load them lazily, when they run."""

from __future__ import annotations

from quire.pipelines.detect.annotations import box_annotations
from quire.pipelines.detect.around import with_surroundings
from quire.pipelines.detect.first import fallback
from quire.pipelines.detect.grids import hough_grid, morphological_grid
from quire.pipelines.detect.tiles import tiles
from quire.pipelines.detect.whole import whole_page

__all__ = [
    "box_annotations",
    "fallback",
    "hough_grid",
    "morphological_grid",
    "tiles",
    "whole_page",
    "with_surroundings",
]
