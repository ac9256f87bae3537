"""Input and output of preparation: settings, the measures of a picture, and the transform back to the page.

Standard library only: these values cross processes and are stored.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any

from quire.core.affine import Affine
from quire.core.keys import Digest, Profile
from quire.core.types import BBox


@dataclass(frozen=True, slots=True)
class PrepareProfile(Profile):
    """The settings that change the prepared picture. Pictures finer than `max_dpi` are downsampled to `dpi`."""

    dpi: int = 200
    max_dpi: int = 250
    orientation: bool = True
    deskew: bool = True
    min_skew: float = 0.5  # degrees; below it, resampling a coarse scan loses more than straight lines gain
    treat: bool = True  # contrast, shadows and specks, where the measures of the picture require it
    blank_gate: bool = True
    redactions: bool = False


@dataclass(frozen=True, slots=True)
class ImageMeasures:
    """Cheap measures of a picture. Levels are 0 (black) to 255, lengths are pixels of the picture."""

    mean: float
    paper: float  # level of the background
    ink_level: float  # level of the darkest twentieth of the ink
    otsu_separability: float  # 0 to 1: how clearly the levels fall into two classes
    noise_sigma: float
    stroke_width: float
    specks: int
    text_height: float  # median height of the letter-like components, 0 when there are hardly any
    letters: int  # the number of those
    ink: float  # share of the picture
    shade: float  # by how many levels the paper differs between the bright and the dark parts of the picture
    bilevel: bool
    inverted: bool  # light text on a dark background


@dataclass(frozen=True, slots=True)
class Redaction:
    """A dark filled box on the displayed page. The score, 0 to 1, is its confidence."""

    bbox: BBox
    score: float


@dataclass(frozen=True, slots=True)
class Prepared:
    """The treatment that the picture of a page got, and the inverse transform.

    `page` is the size of the displayed page in pixels of the prepared picture. It was rotated by `turn` degrees
    clockwise (0, 90, 180, 270), then by `skew` degrees clockwise on a canvas large enough to lose nothing.
    `turn_confidence`, 0 to 1, is how certain that turn is.
    """

    digest: Digest
    size: tuple[int, int]
    dpi: float
    page: tuple[int, int]
    turn: int
    skew: float
    blank: bool
    treatments: tuple[str, ...]
    measures: ImageMeasures
    redactions: tuple[Redaction, ...] = ()
    turn_confidence: float = 1.0
    notes: tuple[str, ...] = ()
    """Which treatments failed, and why."""

    @property
    def to_given(self) -> Affine:
        """The transform from fractions of the prepared picture to fractions of the displayed page."""
        return _way_back(self.size, self.page, self.turn, self.skew)

    def to_page(self, box: BBox) -> BBox:
        """A box of the prepared picture on the displayed page, in fractions of each: the bounding box, clamped."""
        return self.to_given.box(box) if self.turn or self.skew else box

    def from_page(self, box: BBox) -> BBox:
        """A box of the displayed page in the prepared picture, in fractions of each: the bounding box, clamped."""
        return self.to_given.inverse().box(box) if self.turn or self.skew else box

    def to_json(self) -> str:
        named = asdict(self)
        if not self.notes:
            del named["notes"]
        named = {"profile" if name == "measures" else name: value for name, value in named.items()}  # as in old stores
        return json.dumps(named, ensure_ascii=False, separators=(",", ":"))

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
            measures=ImageMeasures(**{field.name: value["profile"][field.name] for field in fields(ImageMeasures)}),
            redactions=tuple(Redaction(BBox(**found["bbox"]), found["score"]) for found in value["redactions"]),
            turn_confidence=value["turn_confidence"],
            notes=tuple(value.get("notes", ())),
        )


def _pair(value: list[int]) -> tuple[int, int]:
    return value[0], value[1]


_UNTURNED = {
    0: Affine(),
    90: Affine(0, 1, 0, -1, 0, 1),
    180: Affine(-1, 0, 1, 0, -1, 1),
    270: Affine(0, -1, 1, 1, 0, 0),
}
"""Map fractions of a page that was rotated clockwise to fractions of the original page."""


@lru_cache(maxsize=8)  # called for every word of a page
def _way_back(size: tuple[int, int], page: tuple[int, int], turn: int, skew: float) -> Affine:
    (width, height), (across, down) = size, page[::-1] if turn in (90, 270) else page
    sine, cosine = math.sin(math.radians(-skew)), math.cos(math.radians(-skew))
    centred = Affine(width, 0, -width / 2, 0, height, -height / 2)
    upright = centred.then(Affine(cosine, -sine, across / 2, sine, cosine, down / 2))
    return upright.then(Affine(1 / across, 0, 0, 0, 1 / down, 0)).then(_UNTURNED[turn])
