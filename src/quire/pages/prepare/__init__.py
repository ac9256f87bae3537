"""Preparation of page pictures: upright, straight, not finer than needed, treated where that helps.

The values import quickly; the two functions load OpenCV lazily, when they are called. Both run in a worker process.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.document import Reader
from quire.core.picture import Picture
from quire.core.types import BBox
from quire.pages.prepare.prepared import ImageMeasures, Prepared, PrepareProfile, Redaction

__all__ = [
    "ImageMeasures",
    "PrepareProfile",
    "Prepared",
    "Redaction",
    "page_picture",
    "prepare",
]


def page_picture(reader: Reader, number: int, profile: PrepareProfile) -> Picture:
    """The displayed page as a picture. Raises the InputError of a page that cannot be rendered."""
    from quire.pages.prepare.page_pictures import page_picture

    return page_picture(reader, number, profile)


def prepare(
    picture: Picture, profile: PrepareProfile, *, keep: Sequence[BBox] = (), turn: int | None = None
) -> tuple[Picture, Prepared]:
    """The prepared picture of a displayed page and what was done to it; with `keep` only those boxes of the page.

    `turn` is by how many degrees clockwise the page is turned, instead of by what it shows.
    """
    from quire.pages.prepare.preparation import prepare

    return prepare(picture, profile, keep=keep, turn=turn)
