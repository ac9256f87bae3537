"""Detectors tried in turn."""

from __future__ import annotations

from dataclasses import dataclass

from quire.core.errors import ConfigurationError
from quire.core.picture import Picture
from quire.core.types import Layout
from quire.pipelines.roles import LayoutDetector
from quire.system.awaited import settled


@dataclass(frozen=True, slots=True)
class FallbackDetector:
    """The regions of the first detector that finds any."""

    detectors: tuple[LayoutDetector, ...]
    name: str = "fallback"

    def detect(self, picture: Picture, page: int = 1) -> Layout:
        for detector in self.detectors:
            layout = settled(detector.detect(picture, page))
            if layout.regions:
                return layout
        return Layout()


def fallback(*detectors: LayoutDetector) -> FallbackDetector:
    """Run one detector after the other until one finds a region: `fallback(morphological_grid(), whole_page())`."""
    if not detectors:
        raise ConfigurationError("fallback needs at least one detector")
    return FallbackDetector(detectors)
