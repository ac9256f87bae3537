"""Several grey pictures as one uncompressed TIFF file: the only format in which Tesseract takes several pages."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from quire.core.picture import Picture

_SHORT, _LONG, _RATIONAL = 3, 4, 5


def tiff(pictures: Sequence[Picture]) -> bytes:
    """The pictures, all of mode L, in order (TIFF 6.0, section 4: grayscale images)."""
    parts = [b"II*\0" + struct.pack("<I", 8)]
    at = 8
    for number, picture in enumerate(pictures, 1):
        size = len(picture.pixels)
        fields = _fields(picture, density_at=at + _DIRECTORY, pixels_at=at + _DIRECTORY + 8)
        after = at + _DIRECTORY + 8 + size + size % 2  # directories begin on a word
        parts.append(struct.pack("<H", len(fields)) + b"".join(struct.pack("<HHII", *field) for field in fields))
        parts.append(struct.pack("<III", after if number < len(pictures) else 0, round(picture.dpi), 1))
        parts.append(picture.pixels + b"\0" * (size % 2))
        at = after
    return b"".join(parts)


def _fields(picture: Picture, *, density_at: int, pixels_at: int) -> list[tuple[int, int, int, int]]:
    """Tag, type, count and value of each field, in the order of their tags."""
    return [
        (256, _LONG, 1, picture.width),
        (257, _LONG, 1, picture.height),
        (258, _SHORT, 1, 8),  # bits of a sample
        (259, _SHORT, 1, 1),  # no compression
        (262, _SHORT, 1, 1),  # zero is black
        (273, _LONG, 1, pixels_at),
        (277, _SHORT, 1, 1),  # samples of a pixel
        (278, _LONG, 1, picture.height),  # all rows in one strip
        (279, _LONG, 1, len(picture.pixels)),
        (282, _RATIONAL, 1, density_at),
        (283, _RATIONAL, 1, density_at),
        (296, _SHORT, 1, 2),  # dots per inch
    ]


_DIRECTORY = 2 + 12 * 12 + 4
"""Bytes of a directory: the count, twelve fields and the place of the next."""
