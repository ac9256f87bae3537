"""Boxes in the JSON of the ready-made pipelines."""

from __future__ import annotations

from quire.context import Json
from quire.types import BBox


def box_json(box: BBox) -> Json:
    return {name: round(getattr(box, name), 5) for name in ("left", "top", "width", "height")}
