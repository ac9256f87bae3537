"""A box on a page as text, as commands and requests give it."""

from __future__ import annotations

from quire.core.errors import UsageError
from quire.core.types import BBox


def box_of(text: str) -> BBox:
    """`left,top,width,height` as fractions of the page. Raises UsageError unless it is a part of the page."""
    try:
        left, top, width, height = (round(float(part), 5) for part in text.split(","))
    except (ValueError, OverflowError):
        raise UsageError("box is not left,top,width,height: four numbers") from None
    if not (0 <= left < 1 and 0 <= top < 1 and 0 < width <= 1.00001 - left and 0 < height <= 1.00001 - top):
        raise UsageError("box is not a part of the page: its numbers are fractions of the page")
    return BBox(left, top, width, height)
