"""Preparation of pages as stages: upright, straight, without noise, of an even contrast. Boxes find their way back."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin

from quire.engine import Picture
from quire.prepare import Prepared, PrepareProfile, prepare
from quire.roles import Affine, PreparedPicture

_ANY_DPI = 100_000
_UNTURNED = {
    0: Affine(),
    90: Affine(0, 1, 0, -1, 0, 1),
    180: Affine(-1, 0, 1, 0, -1, 1),
    270: Affine(0, -1, 1, 1, 0, 0),
}
"""Fractions of a page that was turned clockwise to fractions of the page as it lay."""


@dataclass(frozen=True, slots=True)
class PagePreparation:
    """Does to a picture what its profile says, where the picture needs it."""

    name: str
    profile: PrepareProfile

    def preprocess(self, picture: Picture) -> PreparedPicture:
        made, told = prepare(picture, self.profile)
        return PreparedPicture(made, (told.turn + told.skew) % 360, way_back(told))


@dataclass(frozen=True, slots=True)
class Denoise:
    """Smooths the paper and keeps the edges of letters (a bilateral filter)."""

    strength: float
    name: str = "denoise"

    def preprocess(self, picture: Picture) -> Picture:
        import cv2

        from quire.prepare.pixels import picture_of, pixels, pixels_of

        return picture_of(pixels(cv2.bilateralFilter(pixels_of(picture), 5, self.strength, 5)), picture.dpi)


def orientation() -> PagePreparation:
    """Turns a page that lies on its side or upside down."""
    return PagePreparation("orientation", _only(orientation=True))


def deskew() -> PagePreparation:
    """Straightens a page that was laid askew."""
    return PagePreparation("deskew", _only(deskew=True))


def normalize(*, dpi: int = 200, max_dpi: int = 250) -> PagePreparation:
    """Contrast, shadows and specks treated where the picture asks for it; pictures finer than `max_dpi` lowered."""
    return PagePreparation("normalize", _only(treat=True, dpi=dpi, max_dpi=max_dpi))


def denoise(*, strength: float = 30.0) -> Denoise:
    """Noise smoothed away, whether the picture asks for it or not; `strength` is in levels of grey."""
    return Denoise(strength)


def prepared(profile: PrepareProfile | None = None) -> PagePreparation:
    """All that `quire.read` does to a page before it is recognised."""
    return PagePreparation("prepared", profile or PrepareProfile())


def way_back(prepared: Prepared) -> Affine:
    """From fractions of the prepared picture to fractions of the page."""
    width, height = prepared.size
    upright = prepared.page[::-1] if prepared.turn in (90, 270) else prepared.page
    sine, cosine = sin(radians(-prepared.skew)), cos(radians(-prepared.skew))
    centred = Affine(width, 0, -width / 2, 0, height, -height / 2)
    turned = centred.then(Affine(cosine, -sine, upright[0] / 2, sine, cosine, upright[1] / 2))
    return turned.then(Affine(1 / upright[0], 0, 0, 0, 1 / upright[1], 0)).then(_UNTURNED[prepared.turn])


def _only(
    *, orientation: bool = False, deskew: bool = False, treat: bool = False, dpi: int = 200, max_dpi: int = _ANY_DPI
) -> PrepareProfile:
    return PrepareProfile(
        dpi=dpi, max_dpi=max_dpi, orientation=orientation, deskew=deskew, treat=treat, blank_gate=False
    )
