"""Affine transforms between the points of pictures: rotation, cropping, scaling and their inverses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from quire.core.types import BBox, Box


@dataclass(frozen=True, slots=True)
class Affine:
    """(x, y) becomes (a·x + b·y + c, d·x + e·y + f): fractions of pictures, or points of a PDF and of its page."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 0.0
    e: float = 1.0
    f: float = 0.0

    @classmethod
    def into(cls, box: BBox) -> Affine:
        """From a crop of `box` to the picture that contains this box."""
        return cls(box.width, 0.0, box.left, 0.0, box.height, box.top)

    def then(self, after: Affine) -> Affine:
        """This transform followed by another."""
        return Affine(
            after.a * self.a + after.b * self.d,
            after.a * self.b + after.b * self.e,
            after.a * self.c + after.b * self.f + after.c,
            after.d * self.a + after.e * self.d,
            after.d * self.b + after.e * self.e,
            after.d * self.c + after.e * self.f + after.f,
        )

    def inverse(self) -> Affine:
        """The inverse transform."""
        scale = self.a * self.e - self.b * self.d
        a, b, d, e = self.e / scale, -self.b / scale, -self.d / scale, self.a / scale
        return Affine(a, b, -a * self.c - b * self.f, d, e, -d * self.c - e * self.f)

    def box(self, box: BBox) -> BBox:
        """The bounding box of the transformed one, clamped to the picture."""
        corners = [(x, y) for x in (box.left, box.right) for y in (box.top, box.bottom)]
        return BBox.of_points(self.bounds(corners), (1.0, 1.0))

    def bounds(self, points: Iterable[tuple[float, float]]) -> Box:
        """The box around some transformed points."""
        xs, ys = zip(*(self.point(x, y) for x, y in points), strict=True)
        return Box(min(xs), min(ys), max(xs), max(ys))

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.a * x + self.b * y + self.c, self.d * x + self.e * y + self.f

    @property
    def quarter_turn(self) -> int:
        """By how many degrees it rotates directions, clockwise, to the nearest of 0, 90, 180 and 270."""
        return round(math.degrees(math.atan2(self.d, self.a)) / 90) * 90 % 360


IDENTITY = Affine()
"""The identity transform."""
