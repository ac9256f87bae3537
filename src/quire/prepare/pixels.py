"""Pictures as numpy arrays and back: the border between the core's bytes and everything that computes on pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quire.engine import Picture

Pixels = NDArray[np.uint8]
"""(height, width) for grey, (height, width, 3) for red, green, blue."""


def pixels_of(picture: Picture) -> Pixels:
    """The pixels without copying them; the array is read-only."""
    shape = (picture.height, picture.width) if picture.mode == "L" else (picture.height, picture.width, 3)
    return np.frombuffer(picture.pixels, np.uint8).reshape(shape)


def picture_of(pixels: Pixels, dpi: float) -> Picture:
    height, width = pixels.shape[:2]
    return Picture(width, height, "L" if pixels.ndim == 2 else "RGB", np.ascontiguousarray(pixels).tobytes(), dpi)
