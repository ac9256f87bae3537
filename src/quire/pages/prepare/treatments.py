"""Treatments of a picture: each one only when its measures require it, and only those that improve OCR."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from quire.pages.prepare.pixels import Pixels, pixels
from quire.pages.prepare.prepared import ImageMeasures

_FAINT = 60.0  # levels between paper and ink
_LEAST_SPAN = 8.0
_SHADED = 60.0  # levels between the bright and the dark parts of the paper
_NOISY = 15.0


def treated(found: Pixels, paper: Pixels, measures: ImageMeasures) -> tuple[Pixels, list[str]]:
    """The picture after the treatments that its measures require, and which they were and why."""
    done: list[str] = []
    for name, result in _steps(found, paper, measures):
        found = result
        done.append(name)
    return found, done


def _steps(found: Pixels, paper: Pixels, measures: ImageMeasures) -> Iterator[tuple[str, Pixels]]:
    if measures.bilevel:
        return
    if measures.noise_sigma > _NOISY:
        found = pixels(cv2.bilateralFilter(found, 5, 50, 3))
        yield f"noise: sigma {measures.noise_sigma:.0f}", found
    if measures.shade > _SHADED:
        found = without_shadow(found, paper)
        yield f"shadow: paper differs by {measures.shade:.0f} levels", found
    if measures.letters and _LEAST_SPAN <= measures.paper - measures.ink_level < _FAINT:
        found = stretched(found, measures)
        yield f"contrast: ink only {measures.paper - measures.ink_level:.0f} levels darker than paper", found


def stretched(found: Pixels, measures: ImageMeasures) -> Pixels:
    """Map paper to white and ink to black, everything between linearly."""
    span = max(_LEAST_SPAN, measures.paper - measures.ink_level)
    table = np.clip((np.arange(256) - (measures.ink_level - 0.2 * span)) * 255 / (1.2 * span), 0, 255)
    return pixels(cv2.LUT(found, np.rint(table).astype(np.uint8)))


def without_shadow(found: Pixels, paper: Pixels) -> Pixels:
    """Divide by the level of the paper, so that it is white everywhere."""
    height, width = found.shape[:2]
    ground = cv2.resize(cv2.GaussianBlur(paper, (0, 0), 3), (width, height), interpolation=cv2.INTER_LINEAR)
    ground = np.maximum(ground, 32)
    return pixels(cv2.divide(found, ground if found.ndim == 2 else cv2.merge([ground] * 3), scale=255))
