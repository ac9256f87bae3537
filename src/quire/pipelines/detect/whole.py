"""The page as one region."""

from __future__ import annotations

from dataclasses import dataclass

from quire.core.picture import Picture
from quire.core.types import BBox, Layout, Region


@dataclass(frozen=True, slots=True)
class WholePage:
    name: str = "whole_page"

    def detect(self, picture: Picture, page: int = 1) -> Layout:
        return Layout((Region("page", BBox(0.0, 0.0, 1.0, 1.0), "page"),))


def whole_page() -> WholePage:
    """One region, the page itself: the default of a pipeline without a detector."""
    return WholePage()
