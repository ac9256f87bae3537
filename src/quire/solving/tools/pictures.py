"""Pictures for models: not larger than they look at."""

from __future__ import annotations

LONGEST_EDGE = 1568
"""Pixels: vision models scale larger pictures down, and count them all the same."""


def fitting_png(png: bytes) -> bytes:
    """A picture whose longest edge is at most `LONGEST_EDGE`; a smaller one as it is. Raises ValueError for none."""
    width, height = _size(png)
    longest = max(width, height)
    if longest <= LONGEST_EDGE:
        return png
    import cv2

    from quire.pages.prepare.pixels import decoded, picture_of, pixels

    share = LONGEST_EDGE / longest
    size = max(1, round(width * share)), max(1, round(height * share))
    return picture_of(pixels(cv2.resize(decoded(png), size, interpolation=cv2.INTER_AREA)), 72).png()


def _size(png: bytes) -> tuple[int, int]:
    if png[:8] != b"\x89PNG\r\n\x1a\n" or len(png) < 24:
        raise ValueError("it is no PNG")
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])
