"""Pictures for reports: the places of values, and whole pages."""

from __future__ import annotations

import io

from quire.core.errors import InputError
from quire.core.types import BBox
from quire.output.export.crops import Crop
from quire.output.place_crops import around

PAGE_SCALE = 1.5
"""Pixels to a point, for a whole page: 108 dpi."""
PLACE_SCALE = 2.0
"""Pixels to a point, for a place."""
QUALITY = 80
WHOLE = (0.0, 0.0, 1.0, 1.0)


def place_picture(crop: Crop | None, page: int | None, boxes: tuple[BBox, ...]) -> bytes | None:
    """The PNG of the place of a value, with a margin; None where it has none or it cannot be drawn."""
    box = around(boxes)
    if crop is None or page is None or box is None:
        return None
    try:
        return crop(page, (box.left, box.top, box.width, box.height), PLACE_SCALE)
    except InputError:
        return None


def page_picture(crop: Crop | None, page: int) -> bytes | None:
    """A whole page as WebP, which is a quarter of a PNG; None where it cannot be drawn."""
    from PIL.Image import open as open_image

    if crop is None:
        return None
    try:
        png = crop(page, WHOLE, PAGE_SCALE)
    except InputError:
        return None
    target = io.BytesIO()
    open_image(io.BytesIO(png)).convert("RGB").save(target, "WEBP", quality=QUALITY)
    return target.getvalue()
