"""Finds the pixels of ink: those that differ from the background like letters, on light and dark backgrounds."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels

_FAINT = 24  # minimum contrast of ink


def ink_of(pixels: Pixels) -> NDArray[np.bool_]:
    """The ink among pixels of three channels; the background is the majority of them."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.uint8)
    level, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    dark = grey <= level
    if dark.all() or not dark.any() or float(grey[~dark].mean() - grey[dark].mean()) < _FAINT:
        return np.zeros(grey.shape, np.bool_)
    return np.asarray(~dark if dark.mean() > 0.5 else dark)
