"""Preparation of pages as stages: upright, straight, without noise, of an even contrast. Boxes find their way back."""

from __future__ import annotations

from dataclasses import dataclass

from quire.picture import Picture
from quire.prepare import PrepareProfile, prepare
from quire.roles import PreparedPicture

_ANY_DPI = 100_000


@dataclass(frozen=True, slots=True)
class PagePreparation:
    """Does to a picture what its profile says, where the picture needs it."""

    name: str
    profile: PrepareProfile

    def preprocess(self, picture: Picture) -> PreparedPicture:
        made, told = prepare(picture, self.profile)
        return PreparedPicture(made, (told.turn + told.skew) % 360, told.to_given)


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


def _only(
    *, orientation: bool = False, deskew: bool = False, treat: bool = False, dpi: int = 200, max_dpi: int = _ANY_DPI
) -> PrepareProfile:
    return PrepareProfile(
        dpi=dpi, max_dpi=max_dpi, orientation=orientation, deskew=deskew, treat=treat, blank_gate=False
    )
