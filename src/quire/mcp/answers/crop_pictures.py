"""Pictures of places, small enough for the context of a model."""

from __future__ import annotations

import io

from pydantic import Field

from quire.core.types import BBox, PageInfo
from quire.mcp.answers.answer import Answer, BoxNumbers

LONGEST_EDGE = 1568
"""Pixels: models scale larger pictures down, after they have been paid for."""
MOST_BYTES = 400_000
"""Of a PNG: a larger picture is sent as JPEG."""
DPI = 200
MARGIN = 0.01
"""Around a block, as a fraction of the page."""
QUALITY = 80


class CropAnswer(Answer):
    """What the picture shows."""

    document: str
    page: int
    box: BoxNumbers
    width: int = Field(description="of the picture, in pixels")
    height: int


def dpi_for(page: PageInfo, box: BBox) -> int:
    """The resolution at which a part of a page has the longest edge that is allowed, or less."""
    longest = max(page.width * box.width, page.height * box.height) / 72
    return min(DPI, max(20, int(LONGEST_EDGE / longest))) if longest > 0 else DPI


def around(box: BBox) -> BBox:
    """A box with a margin, as far as the page goes."""
    left, top = max(0.0, box.left - MARGIN), max(0.0, box.top - MARGIN)
    right, bottom = min(1.0, box.right + MARGIN), min(1.0, box.bottom + MARGIN)
    return BBox(left, top, right - left, bottom - top)


def fitted(png: bytes) -> tuple[bytes, str, tuple[int, int]]:
    """The picture with its media type and size: no edge is longer than allowed, and large ones are JPEG."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        size = picture.size
        if max(size) <= LONGEST_EDGE and len(png) <= MOST_BYTES:
            return png, "image/png", size
        smaller = picture.convert("RGB")
        smaller.thumbnail((LONGEST_EDGE, LONGEST_EDGE))
        buffer = io.BytesIO()
        if len(png) <= MOST_BYTES:
            smaller.save(buffer, "PNG")
            return buffer.getvalue(), "image/png", smaller.size
        smaller.save(buffer, "JPEG", quality=QUALITY)
        return buffer.getvalue(), "image/jpeg", smaller.size
