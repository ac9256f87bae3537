"""Boxes in the JSON of the ready-made pipelines."""

from __future__ import annotations

from quire.core.context import Json
from quire.core.types import BBox


def box_json(box: BBox) -> Json:
    return {name: round(getattr(box, name), 5) for name in ("left", "top", "width", "height")}
