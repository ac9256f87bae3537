"""Hints for engines that take them: what people confirmed near a place of earlier documents."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from quire.core.types import BBox, Region
from quire.evidence.learn.samples import Sample

MOST = 5


@dataclass(frozen=True, slots=True)
class RecognitionHint:
    """A confirmed value near a place: its field, and how it is written."""

    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"

    @classmethod
    def from_store(cls, samples: Iterable[Sample], *, near: Region | BBox, k: int = MOST) -> tuple[str, ...]:
        """The values of samples that stand nearest to a place, each once: for `hints` of `quire.read`, of a `Pipeline`
        and of a `Question`. `samples` is a `SampleStore`, or any samples."""
        box = near.bbox if isinstance(near, Region) else near
        found: dict[str, float] = {}
        for sample in samples:
            for path, value in sample.values.items():
                place = sample.places.get(path)
                if value is not None and place is not None and place.bboxes:
                    hint, distance = str(cls(path, str(value))), _distance(box, place.bboxes[0])
                    found[hint] = min(distance, found.get(hint, distance))
        return tuple(sorted(found, key=lambda hint: (found[hint], hint))[:k])


def _distance(one: BBox, other: BBox) -> float:
    """Between their middles, as a share of the page."""
    x = one.left + one.width / 2 - other.left - other.width / 2
    y = one.top + one.height / 2 - other.top - other.height / 2
    return math.hypot(x, y)
