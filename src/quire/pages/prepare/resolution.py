"""The resolution of a picture, and downsampling it to what OCR needs."""

from __future__ import annotations

import cv2

from quire.pages.prepare.pixels import Pixels, pixels

_LONGEST_INCHES = 17.5  # A3 is 16.5 inches long; the resolution of a larger picture is unknown
_LETTER_POINTS = 5.6  # median height of the letters of 10 point type
_STANDARD_DPI = (100, 150, 200, 240, 300, 400, 600)
_PAPER_INCHES = 8.3  # A4 and Letter are 8.27 and 8.5 inches wide
_ASPECTS = (1.2, 1.7)
_LEAST_LETTER = 9.0  # pixels: a picture whose type would become smaller than this is not downsampled


def estimated_dpi(size: tuple[int, int], dpi: float, text_height: float) -> tuple[float, str]:
    """The resolution and its source: `stated` when that is plausible, otherwise `text` or `paper`, or `unknown`."""
    if dpi > 0 and max(size) / dpi <= _LONGEST_INCHES:
        return dpi, "stated"
    if text_height > 0:
        return text_height * 72 / _LETTER_POINTS, "text"
    short, long = sorted(size)
    if _ASPECTS[0] <= long / short <= _ASPECTS[1]:
        return float(min(_STANDARD_DPI, key=lambda standard: abs(standard - short / _PAPER_INCHES))), "paper"
    return dpi, "unknown"


def lowered(found: Pixels, scale: float) -> Pixels:
    """A smaller copy, averaged over the pixels it replaces."""
    height, width = found.shape[:2]
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return pixels(cv2.resize(found, size, interpolation=cv2.INTER_AREA))


def least_scale(text_height: float) -> float:
    """The smallest scale to which a picture with letters of that height may be downsampled."""
    return min(1.0, _LEAST_LETTER / text_height) if text_height > 0 else 0.0
