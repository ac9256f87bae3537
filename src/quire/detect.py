"""Detectors for pipelines: they find the regions of a page to read."""

from quire.pipelines.detect import (
    box_annotations,
    fallback,
    hough_grid,
    morphological_grid,
    tiles,
    whole_page,
    with_surroundings,
)

__all__ = [
    "box_annotations",
    "fallback",
    "hough_grid",
    "morphological_grid",
    "tiles",
    "whole_page",
    "with_surroundings",
]
