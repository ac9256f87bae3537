"""Layouts that were seen before: documents of one sender, or one form, have the same texts in the same places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from quire.core.types import NO_BOX, BBox
from quire.evidence.extract.lines import PlacedLine
from quire.evidence.learn.choices import LeafChoice
from quire.evidence.learn.features import REMEMBERED, feature, tokens

ROWS, COLUMNS = 24, 8
LEAST_ALIKE = 0.25
"""The least share of texts that two documents of one layout have in common."""
FIRST_PAGES = 2
_LONGEST = 60  # characters: a longer line is no label


@dataclass(frozen=True, slots=True)
class LayoutPlace:
    """The place of a value in a document of a layout, with the hash of its label."""

    page: int
    box: BBox
    label: int


@dataclass(frozen=True, slots=True)
class KnownLayout:
    """The layout of a sample, as it is kept: hashes of its texts with their rough places, and the place of each
    value."""

    marks: frozenset[int]
    places: Mapping[str, LayoutPlace] = field(default_factory=dict)


def marks_of(lines: Sequence[PlacedLine]) -> frozenset[int]:
    """Hashes of the short lines of the first pages without their digits, each with its place in a coarse grid."""
    found = set()
    for line in lines:
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


def nearest(marks: frozenset[int], known: Iterable[KnownLayout]) -> tuple[float, KnownLayout] | None:
    """The most similar layout, if it is similar enough."""
    return most_similar((similarity(marks, one.marks), one) for one in known)


def most_similar(known: Iterable[tuple[float, KnownLayout]]) -> tuple[float, KnownLayout] | None:
    best = max(known, key=lambda one: one[0], default=None)
    return best if best is not None and best[0] >= LEAST_ALIKE else None


def similarity(one: frozenset[int], other: frozenset[int]) -> float:
    """The share of the marks of two layouts that both have."""
    both = len(one & other)
    either = len(one) + len(other) - both
    return both / either if either else 0.0


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
    return _label(one.before or one.left or one.row_head or one.above)


@lru_cache(maxsize=REMEMBERED)
def _label(text: str) -> int:
    words = [word for word in tokens(text) if word[0].isalpha()]
    return feature(" ".join(words[-4:])) if words else 0
