"""Page preprocessing as stages: orientation, deskew, denoising, contrast. Boxes are mapped back to the page."""

from __future__ import annotations

from dataclasses import dataclass

from quire.core.picture import Picture
from quire.pages.prepare import PrepareProfile, prepare
from quire.pipelines.roles import PreparedPicture

_ANY_DPI = 100_000


@dataclass(frozen=True, slots=True)
class PagePreparation:
    """Applies the steps of its profile to a picture, where the picture needs them."""

    name: str
    profile: PrepareProfile

    def preprocess(self, picture: Picture) -> PreparedPicture:
        made, applied = prepare(picture, self.profile)
        return PreparedPicture(made, (applied.turn + applied.skew) % 360, applied.to_given)


@dataclass(frozen=True, slots=True)
class Denoise:
    """Smooths the background and keeps the edges of glyphs (a bilateral filter)."""

    strength: float
    name: str = "denoise"

    def preprocess(self, picture: Picture) -> Picture:
        import cv2

        from quire.pages.prepare.pixels import picture_of, pixels, pixels_of

        return picture_of(pixels(cv2.bilateralFilter(pixels_of(picture), 5, self.strength, 5)), picture.dpi)


def orientation() -> PagePreparation:
    """Rotates a page that is sideways or upside down."""
    return PagePreparation("orientation", _only(orientation=True))


def deskew() -> PagePreparation:
    """Straightens a skewed page."""
    return PagePreparation("deskew", _only(deskew=True))


def normalize(*, dpi: int = 200, max_dpi: int = 250) -> PagePreparation:
    """Corrects contrast, shadows and specks where needed; downscales pictures above `max_dpi`."""
    return PagePreparation("normalize", _only(treat=True, dpi=dpi, max_dpi=max_dpi))


def denoise(*, strength: float = 30.0) -> Denoise:
    """Removes noise, whether the picture needs it or not; `strength` is in grey levels."""
    return Denoise(strength)


def prepared(profile: PrepareProfile | None = None) -> PagePreparation:
    """All the preprocessing that `quire.read` does before OCR."""
    return PagePreparation("prepared", profile or PrepareProfile())


def _only(
    *, orientation: bool = False, deskew: bool = False, treat: bool = False, dpi: int = 200, max_dpi: int = _ANY_DPI
) -> PrepareProfile:
    return PrepareProfile(
        dpi=dpi, max_dpi=max_dpi, orientation=orientation, deskew=deskew, treat=treat, blank_gate=False
    )
