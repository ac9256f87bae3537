"""What preparation is told and what it tells: settings, the profile of a picture, and how to get back to the page.

Standard library only: these values cross processes and are stored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

from quire.keys import Digest, Profile
from quire.types import BBox

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PrepareProfile(Profile):
    """The settings that change the prepared picture. Pictures finer than `max_dpi` are lowered to `dpi`."""

    dpi: int = 200
    max_dpi: int = 250
    orientation: bool = True
    deskew: bool = True
    min_skew: float = 0.5  # degrees; below it resampling a coarse scan loses more than level lines gain
    treat: bool = True  # contrast, shadows and specks, where the profile of the picture asks for it
    blank_gate: bool = True
    redactions: bool = False
    version: str = "1"


@dataclass(frozen=True, slots=True)
class ImageProfile:
    """What a cheap look tells about a picture. Levels are 0 (black) to 255, lengths are pixels of the picture."""

    mean: float
    paper: float  # level of the background
    ink_level: float  # level of the darkest twentieth of what is written on it
    otsu_separability: float  # 0 to 1: how clearly the levels fall into two classes
    noise_sigma: float
    stroke_width: float
    specks: int
    text_height: float  # median height of what looks like letters, 0 when there are hardly any
    letters: int  # how many those are
    ink: float  # share of the picture
    shade: float  # how many levels the paper differs between the bright and the dark parts of the picture
    bilevel: bool
    inverted: bool  # light writing on dark ground


@dataclass(frozen=True, slots=True)
class Redaction:
    """A dark filled box on the displayed page. The score, 0 to 1, says how sure it is."""

    bbox: BBox
    score: float


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was done to the picture of a page, and the way back.

    `page` is the size of the displayed page in pixels of the prepared picture. It was turned by `turn` degrees
    clockwise (0, 90, 180, 270), then by `skew` degrees clockwise on a sheet large enough to lose nothing.
    """

    digest: Digest
    size: tuple[int, int]
    dpi: float
    page: tuple[int, int]
    turn: int
    skew: float
    blank: bool
    treatments: tuple[str, ...]
    profile: ImageProfile
    redactions: tuple[Redaction, ...] = ()

    def to_page(self, box: BBox) -> BBox:
        """From fractions of the prepared picture to fractions of the displayed page: the box around it, clamped."""
        if not self.turn and not self.skew:
            return box
        back = (
            self._unturned(self._rotated(at, self.size, self._upright, -self.skew)) for at in _corners(box, self.size)
        )
        return BBox.of_points(_hull(back), self.page)

    def from_page(self, box: BBox) -> BBox:
        """From fractions of the displayed page to fractions of the prepared picture: the box around it, clamped."""
        if not self.turn and not self.skew:
            return box
        there = (
            self._rotated(self._turned(at), self._upright, self.size, self.skew) for at in _corners(box, self.page)
        )
        return BBox.of_points(_hull(there), self.size)

    @property
    def _upright(self) -> tuple[int, int]:
        """The size of the page after its turn."""
        return (self.page[1], self.page[0]) if self.turn in (90, 270) else self.page

    def _turned(self, at: Point) -> Point:
        x, y = at
        width, height = self.page
        return {0: (x, y), 90: (height - y, x), 180: (width - x, height - y), 270: (y, width - x)}[self.turn]

    def _unturned(self, at: Point) -> Point:
        x, y = at
        width, height = self.page
        return {0: (x, y), 90: (y, height - x), 180: (width - x, height - y), 270: (width - y, x)}[self.turn]

    @staticmethod
    def _rotated(at: Point, old: tuple[int, int], new: tuple[int, int], degrees: float) -> Point:
        """Turned clockwise about the middle, from a sheet of the old size to one of the new."""
        x, y = at[0] - old[0] / 2, at[1] - old[1] / 2
        sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
        return x * cosine - y * sine + new[0] / 2, x * sine + y * cosine + new[1] / 2

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Prepared:
        value: dict[str, Any] = json.loads(text)
        return cls(
            digest=Digest(value["digest"]),
            size=_pair(value["size"]),
            dpi=value["dpi"],
            page=_pair(value["page"]),
            turn=value["turn"],
            skew=value["skew"],
            blank=value["blank"],
            treatments=tuple(value["treatments"]),
            profile=ImageProfile(**{field.name: value["profile"][field.name] for field in fields(ImageProfile)}),
            redactions=tuple(Redaction(BBox(**found["bbox"]), found["score"]) for found in value["redactions"]),
        )


def _pair(value: list[int]) -> tuple[int, int]:
    return value[0], value[1]


def _corners(box: BBox, size: tuple[int, int]) -> Iterator[Point]:
    left, top, right, bottom = box.points(size)
    yield from ((left, top), (right, top), (right, bottom), (left, bottom))


def _hull(points: Iterable[Point]) -> tuple[float, float, float, float]:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)
