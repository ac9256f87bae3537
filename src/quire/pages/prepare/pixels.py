"""Pictures as numpy arrays and back: the border between the core's bytes and everything that computes on pixels."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.core.picture import Picture

cv2.setNumThreads(1)  # pages are read in parallel, and OpenCV does not honour the environment

Pixels = NDArray[np.uint8]
"""(height, width) for grey, (height, width, 3) for RGB."""


def pixels_of(picture: Picture) -> Pixels:
    """The pixels without copying them; the array is read-only."""
    shape = (picture.height, picture.width) if picture.mode == "L" else (picture.height, picture.width, 3)
    return np.frombuffer(picture.pixels, np.uint8).reshape(shape)


def picture_of(pixels: Pixels, dpi: float) -> Picture:
    height, width = pixels.shape[:2]
    return Picture(width, height, "L" if pixels.ndim == 2 else "RGB", np.ascontiguousarray(pixels).tobytes(), dpi)


def decoded(png: bytes) -> Pixels:
    """The pixels of an encoded picture, grey or RGB. Raises ValueError when it is damaged."""
    found = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_ANYCOLOR)
    if found is None:
        raise ValueError("the picture cannot be decoded")
    return pixels(found if found.ndim == 2 else cv2.cvtColor(found, cv2.COLOR_BGR2RGB))


def grey_of(found: Pixels) -> Pixels:
    return found if found.ndim == 2 else pixels(cv2.cvtColor(found, cv2.COLOR_RGB2GRAY))


def pixels(found: NDArray[np.generic]) -> Pixels:
    """Cast an OpenCV result to pixels: its stubs know the kind of number but not its width."""
    return found.astype(np.uint8, copy=False)
