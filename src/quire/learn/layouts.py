"""Layouts that were seen before: documents of one sender, or one form, have the same texts in the same places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from quire.catalog.records import SourceCatalog
from quire.extract.candidates.lines import lines_of
from quire.learn.choices import LeafChoice
from quire.learn.features import feature, tokens
from quire.types import NO_BOX, BBox

ROWS, COLUMNS = 24, 8
LEAST_ALIKE = 0.25
"""The least share of texts that two documents of one layout have in common."""
FIRST_PAGES = 2
_LONGEST = 60  # characters: a longer line is no label


@dataclass(frozen=True, slots=True)
class LayoutPlace:
    """Where a value stands in a document of a layout, and the hash of its label."""

    page: int
    box: BBox
    label: int


@dataclass(frozen=True, slots=True)
class KnownLayout:
    """What is kept of the layout of a sample: hashes of its texts with their rough places, and the place of each
    value."""

    marks: frozenset[int]
    places: Mapping[str, LayoutPlace] = field(default_factory=dict)


def marks_of(catalog: SourceCatalog) -> frozenset[int]:
    """Hashes of the short lines of the first pages without their digits, each with its place in a coarse grid."""
    found = set()
    for line in lines_of(catalog):
        if line.page > FIRST_PAGES or len(line.text) > _LONGEST or line.bbox == NO_BOX:
            continue
        words = [word for word in tokens(line.text) if word[0].isalpha()]
        if words:
            at = f"{line.page},{int(line.bbox.left * COLUMNS)},{int(line.bbox.top * ROWS)}"
            found.add(feature(f"{at} {' '.join(words)}"))
            found.add(feature(" ".join(words)))
    return frozenset(found)


def place_of(choice: LeafChoice) -> LayoutPlace:
    return LayoutPlace(choice.candidate.page, choice.candidate.bbox, label_of(choice))


def nearest(marks: frozenset[int], known: Sequence[KnownLayout]) -> tuple[float, KnownLayout] | None:
    """The most similar layout, if it is similar enough."""
    best: tuple[float, KnownLayout] | None = None
    for one in known:
        either = len(marks | one.marks)
        alike = len(marks & one.marks) / either if either else 0.0
        if alike >= LEAST_ALIKE and (best is None or alike > best[0]):
            best = alike, one
    return best


def placed(choice: LeafChoice, path: str, found: tuple[float, KnownLayout] | None) -> Iterator[str]:
    """The features of a choice in a document whose layout is known."""
    if found is None:
        return
    alike, layout = found
    place = layout.places.get(path)
    if place is None:
        return
    sure = min(int(alike * 4), 3)
    candidate = choice.candidate
    near = abs(candidate.bbox.left - place.box.left) < 0.04 and abs(candidate.bbox.top - place.box.top) < 0.04
    if near and candidate.page == place.page:
        yield f"layout=place,{sure}"
        yield "layout=place"
    if place.label and label_of(choice) == place.label:
        yield f"layout=label,{sure}"
        yield "layout=label"


def label_of(choice: LeafChoice) -> int:
    """The hash of what stands before a value; 0 for nothing."""
    one = choice.candidate
    words = [word for word in tokens(one.before or one.left or one.row_head or one.above) if word[0].isalpha()]
    return feature(" ".join(words[-4:])) if words else 0
