"""The picture of a place in a document. Its id follows from the document, the page, the box and the resolution, so that
evidence can name it before it was ever drawn; drawn again, it is the same picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quire.core.document import Document, PageImage, RenderOptions
from quire.core.errors import InputError, UsageError
from quire.core.keys import ArtifactKey, Profile, artifact_key
from quire.core.types import NO_BOX, BBox
from quire.output.export._show import fitting

PICTURE = "1"
"""Version of the pictures of pages and places: changes when the same place gives another picture."""
MARGIN = 0.01
"""Around a place, as a fraction of the page."""
DPI = 150
"""Of the picture of a place."""
PAGE_DPI = 100
"""Of the picture of a page."""


@dataclass(frozen=True, slots=True)
class _Drawing(Profile):
    dpi: int
    box: tuple[float, float, float, float] | None


def picture_id(document: str, page: int, *, dpi: int, box: BBox | None = None) -> ArtifactKey:
    """The key of the picture of a page, or of the part of it inside a box; `document` is the sha256 of its bytes."""
    area = None if box is None else (box.left, box.top, box.width, box.height)
    return artifact_key("page-picture", PICTURE, (document, str(page)), _Drawing(dpi, area).digest())


def crop_id(document: str, page: int, bbox: BBox, *, margin: float = MARGIN, dpi: int = DPI) -> ArtifactKey:
    """The id of the crop of a place. Nothing is drawn."""
    return picture_id(document, page, dpi=dpi, box=with_margin(bbox, margin))


def with_margin(bbox: BBox, margin: float = MARGIN) -> BBox:
    """A box with a margin around it, as a fraction of the page, inside the page and rounded.

    Raises UsageError for a margin that is no fraction of the page.
    """
    if not 0 <= margin <= 1:
        raise UsageError(f"margin is {margin}; choose a fraction of the page from 0 to 1")
    left, top = max(0.0, round(bbox.left - margin, 5)), max(0.0, round(bbox.top - margin, 5))
    right, bottom = min(1.0, bbox.right + margin), min(1.0, bbox.bottom + margin)
    return BBox(left, top, round(right - left, 5), round(bottom - top, 5))


def around(boxes: Iterable[BBox], margin: float = MARGIN) -> BBox | None:
    """The box around some places on one page, with a margin; None if none has a place."""
    placed: Sequence[BBox] = [box for box in boxes if box != NO_BOX]
    if not placed:
        return None
    whole = BBox.union(placed)
    if margin == 0 and not (whole.width and whole.height):
        return None
    return with_margin(whole, margin)


def crop(document: Document, page: int, bbox: BBox, margin: float = MARGIN, *, dpi: int = DPI) -> bytes:
    """The PNG of a place with a margin around it, drawn in this process: that of `crop_id`.

    Raises InputError for a page that does not exist or cannot be drawn.
    """
    (drawn,) = fitting(document, [page], RenderOptions(dpi=dpi), threads=1)
    if isinstance(drawn, InputError):
        raise drawn
    return part_of(drawn, with_margin(bbox, margin)).png


def part_of(image: PageImage, box: BBox) -> PageImage:
    """The part of a picture inside a box."""
    from quire.pages.prepare.pixels import decoded, picture_of

    part = picture_of(decoded(image.png), image.dpi).crop(box)
    return PageImage(image.number, part.png(), part.width, part.height, image.dpi, part.mode, image.render_ms)
