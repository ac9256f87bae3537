"""Places for the pictures of a document: the images and drawings of the printed pages between the texts around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.core.pagetext import PageText
from quire.core.types import Box
from quire.pages.formats.candidate_chains import PossiblePlace, chained
from quire.pages.geometry.extents import overlap
from quire.pages.layout.figures import find_figures

_SAME_SHAPE = 0.05
_SAME_PLACE = 0.5
_TOLERANCE_POINTS = 6.0


class Spot(NamedTuple):
    """A box on a page, by the index of the page."""

    page: int
    box: Box


@dataclass(slots=True)
class SoughtPicture:
    """A picture of the structure, and what is known about its place."""

    ratio: float | None
    """Width by height; None when its pixels are not known."""
    before: Spot | None = None
    """The text before it."""
    after: Spot | None = None
    page: int | None = None
    """The page that it is certainly on: of a slide or a sheet."""
    shape: Box | None = None
    """Where the slide says that it is."""


def place_pictures(pictures: Sequence[SoughtPicture], pages: Sequence[PageText], *, running: bool) -> list[Spot | None]:
    """The place of each picture. `running`: what is in the same place of several pages is no picture of the text."""
    if not pictures:
        return []
    pixels = _images(pages, running=running)
    drawn = [spot for spot in _drawings(pages) if not any(_same_spot(spot, other) for other in pixels)]
    images = sorted([*pixels, *drawn], key=lambda spot: (spot.page, spot.box.top, spot.box.left))
    without_pixels = set(drawn)
    things = [
        [
            PossiblePlace(number, number + 1, 1)
            for number, image in enumerate(images)
            if _may_be(picture, image, drawn=image in without_pixels)
        ]
        for picture in pictures
    ]
    found: list[Spot | None] = [images[place.start] if place else None for place in chained(things)]
    taken = {spot for spot in found if spot}
    for number, candidates in enumerate(things):  # out of order, but there is no other
        free = {images[candidate.start] for candidate in candidates} - taken
        if found[number] is None and len(free) == 1:
            rivals = [
                n for n, other in enumerate(things) if found[n] is None and {images[c.start] for c in other} & free
            ]
            if rivals == [number]:
                found[number] = free.pop()
    _as_many(pictures, found, [spot for spot in images if spot not in without_pixels])
    return found


def _as_many(pictures: Sequence[SoughtPicture], found: list[Spot | None], images: Sequence[Spot]) -> None:
    """Place pictures that were cropped or stretched, if there are as many of them as there are images left."""
    left = [number for number, spot in enumerate(found) if spot is None and pictures[number].ratio is not None]
    free = [image for image in images if image not in found]
    if len(left) == len(free) and all(_is_between(pictures[n], spot) for n, spot in zip(left, free, strict=True)):
        for number, spot in zip(left, free, strict=True):
            found[number] = spot


def _images(pages: Sequence[PageText], *, running: bool) -> list[Spot]:
    spots = [
        Spot(index, Box(*page.images[at : at + 4]))
        for index, page in enumerate(pages)
        for at in range(0, len(page.images), 4)
    ]
    if not running:
        return spots
    seen = Counter(tuple(map(round, spot.box)) for spot in spots)
    return [spot for spot in spots if seen[tuple(map(round, spot.box))] == 1]


def _drawings(pages: Sequence[PageText]) -> list[Spot]:
    """Drawings without pixels: charts, shapes."""
    figures = ((index, figure) for index, page in enumerate(pages) for figure in find_figures(page, (), 0.0))
    return [Spot(index, Box(each.left, each.top, each.right, each.bottom)) for index, each in figures]


def _same_spot(one: Spot, other: Spot) -> bool:
    return one.page == other.page and overlap(one.box, other.box) > 0


def _may_be(picture: SoughtPicture, image: Spot, *, drawn: bool) -> bool:
    if picture.shape is not None:
        return picture.page == image.page and overlap(picture.shape, image.box) >= _SAME_PLACE
    if drawn or picture.ratio is None:  # a picture without pixels is a drawing
        return drawn and picture.ratio is None and _is_between(picture, image)
    width, height = image.box.right - image.box.left, image.box.bottom - image.box.top
    return height > 0 and abs(width / height / picture.ratio - 1) <= _SAME_SHAPE and _is_between(picture, image)


def _is_between(picture: SoughtPicture, image: Spot) -> bool:
    """Whether it is on the page of the picture, and between the texts around it."""
    if picture.page is not None and picture.page != image.page:
        return False
    before, after = picture.before, picture.after
    if before and (image.page, image.box.bottom) < (before.page, before.box.top - _TOLERANCE_POINTS):
        return False
    return not (after and (image.page, image.box.top) > (after.page, after.box.bottom + _TOLERANCE_POINTS))
