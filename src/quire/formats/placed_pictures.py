"""Places for the pictures of a document: the images of the printed pages between the texts around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.formats.chaining import Candidate, chained
from quire.pagetext import Box, PageText

_SAME_SHAPE = 0.05
_SAME_PLACE = 0.5
_TOLERANCE_POINTS = 6.0


class Spot(NamedTuple):
    """A box on a page, by the index of the page."""

    page: int
    box: Box


@dataclass(slots=True)
class Picture:
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


def place_pictures(pictures: Sequence[Picture], pages: Sequence[PageText], *, running: bool) -> list[Spot | None]:
    """The place of each picture. `running`: what is in the same place of several pages is no picture of the text."""
    images = sorted(_images(pages, running=running), key=lambda spot: (spot.page, spot.box.top, spot.box.left))
    things = [
        [Candidate(number, number + 1, 1) for number, image in enumerate(images) if _may_be(picture, image)]
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
    return found


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


def _may_be(picture: Picture, image: Spot) -> bool:
    if picture.page is not None and picture.page != image.page:
        return False
    if picture.shape is not None:
        return _overlap(picture.shape, image.box) >= _SAME_PLACE
    width, height = image.box.right - image.box.left, image.box.bottom - image.box.top
    if picture.ratio is None or height <= 0 or abs(width / height / picture.ratio - 1) > _SAME_SHAPE:
        return False
    before, after = picture.before, picture.after
    if before and (image.page, image.box.bottom) < (before.page, before.box.top - _TOLERANCE_POINTS):
        return False
    return not (after and (image.page, image.box.top) > (after.page, after.box.bottom + _TOLERANCE_POINTS))


def _overlap(one: Box, other: Box) -> float:
    """What two boxes share of what they cover together."""
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    shared = max(width, 0) * max(height, 0)
    both = _area(one) + _area(other) - shared
    return shared / both if both > 0 else 0.0


def _area(box: Box) -> float:
    return (box.right - box.left) * (box.bottom - box.top)
