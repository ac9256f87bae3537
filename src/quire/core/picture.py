"""A picture: pixels in memory, parts of it, and its PNG file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from quire.core import png
from quire.core.keys import Digest
from quire.core.types import BBox


@dataclass(frozen=True)
class Picture:
    """Pixels as they lie in memory: rows from the top, one byte (L) or three (RGB) each, no padding."""

    width: int
    height: int
    mode: Literal["L", "RGB"]
    pixels: bytes = field(repr=False)
    dpi: float

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @cached_property
    def digest(self) -> Digest:
        """Of the pixels and their shape; equal pictures have equal digests, however they were encoded."""
        head = f"{self.width} {self.height} {self.mode}\0".encode()
        return Digest(hashlib.sha256(head + self.pixels).hexdigest())

    def png(self) -> bytes:
        """The picture as a PNG file."""
        stride = self.width * len(self.mode)
        rows = (self.pixels[at : at + stride] for at in range(0, len(self.pixels), stride))
        return png.encoded(rows, self.size, len(self.mode), dpi=self.dpi)

    def crop(self, box: BBox) -> Picture:
        """The part of the picture inside a box (fractions of the picture), at least one pixel large."""
        left, top, right, bottom = box.points(self.size)
        x0, y0 = min(max(0, round(left)), self.width - 1), min(max(0, round(top)), self.height - 1)
        x1, y1 = min(max(x0 + 1, round(right)), self.width), min(max(y0 + 1, round(bottom)), self.height)
        depth, stride = len(self.mode), self.width * len(self.mode)
        rows = [self.pixels[y * stride + x0 * depth : y * stride + x1 * depth] for y in range(y0, y1)]
        return Picture(x1 - x0, y1 - y0, self.mode, b"".join(rows), self.dpi)
