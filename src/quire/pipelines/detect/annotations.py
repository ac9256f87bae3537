"""Regions annotated by hand: boxes from a JSON file beside the document, or a mapping."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from quire.core.errors import ConfigurationError
from quire.core.picture import Picture
from quire.core.types import BBox, GridCell, Layout, Region, RegionRole

Annotations = Mapping[int, Sequence[Region]]
"""The regions of each page by its number."""


@dataclass(frozen=True, slots=True)
class BoxAnnotations:
    """Returns the annotated regions whatever the picture shows; none on a page without annotations."""

    pages: Annotations
    name: str = "box_annotations"

    def detect(self, picture: Picture, page: int = 1) -> Layout:
        return Layout(tuple(self.pages.get(page, ())))


def box_annotations(source: str | Path | Mapping[str, object] | Annotations) -> BoxAnnotations:
    """Regions from a JSON file, its content, or regions by page number.

    The file: `{"pages": {"1": [{"id": "total", "bbox": [left, top, width, height], "role": "text", "grid": {"row": 0,
    "column": 1}}]}}`. Boxes are fractions of the page; with `"size": [1240, 1754]` beside `pages` they are pixels of a
    picture of that size. `polygon` is a list of points in the same unit, `attrs` anything else about the region.
    Without `id` regions are numbered. Raises ConfigurationError for anything else.
    """
    if isinstance(source, (str, Path)):
        try:
            content: object = json.loads(Path(source).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"cannot read the annotations {source}: {error}") from error
    else:
        content = source
    if isinstance(content, Mapping) and content and all(isinstance(number, int) for number in content):
        return BoxAnnotations(cast(Annotations, content))
    try:
        return BoxAnnotations(_parsed(content))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ConfigurationError(f"the annotations are invalid: {type(error).__name__}: {error}") from error


def _parsed(content: Any) -> Annotations:
    width, height = content.get("size", (1, 1))
    return {
        int(number): tuple(_region(box, at, (float(width), float(height))) for at, box in enumerate(boxes, 1))
        for number, boxes in content["pages"].items()
    }


def _region(box: Any, number: int, size: tuple[float, float]) -> Region:
    left, top, width, height = (float(value) for value in box["bbox"])
    role = box.get("role", "cell" if "grid" in box else "text")
    if role not in get_args(RegionRole):
        raise ValueError(f"there is no role {role!r}; choose from {', '.join(get_args(RegionRole))}")
    if not (left >= 0 and top >= 0 and left + width <= size[0] * 1.001 and top + height <= size[1] * 1.001):
        raise ValueError(f"the box {box['bbox']} is outside the page; pixels need a `size`")
    grid = GridCell(**box["grid"]) if "grid" in box else None
    place = BBox.of_points((left, top, left + width, top + height), size)
    return Region(
        str(box.get("id", f"b{number}")),
        place,
        role,
        grid,
        box.get("parent"),
        box.get("merge_group"),
        tuple((float(x) / size[0], float(y) / size[1]) for x, y in box.get("polygon", ())),
        dict(box.get("attrs", {})),
    )
