"""Prepares the input of Tesseract: grey, large enough, with a margin. Imports OpenCV: only where it runs."""

from __future__ import annotations

import cv2

from quire.picture import Picture
from quire.prepare.pixels import grey_of, picture_of, pixels, pixels_of

_LARGEST_SIDE = 16000  # Tesseract refuses sides of 32767 pixels and more


def prepared(picture: Picture, *, below_dpi: float, dpi: float, margin: int) -> Picture:
    """The picture in grey, enlarged to `dpi` when it is coarser than `below_dpi`, inside a white margin in pixels."""
    grey = grey_of(pixels_of(picture))
    scale = _scale(picture, dpi) if picture.dpi < below_dpi else 1.0
    if scale > 1.0:
        grey = pixels(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC))
    if margin:
        grey = pixels(cv2.copyMakeBorder(grey, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=255))
    return picture_of(grey, picture.dpi * scale)


def _scale(picture: Picture, dpi: float) -> float:
    return max(1.0, min(dpi / max(1.0, picture.dpi), _LARGEST_SIDE / max(picture.size)))
