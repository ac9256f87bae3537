"""The part of a page that shows a hit."""

from __future__ import annotations

from quire.errors import UsageError
from quire.search.values import SearchHit
from quire.types import NO_BOX, BBox

MARGIN = 0.01
"""Around a hit, as a fraction of the page."""


def crop_box(hit: SearchHit, margin: float = MARGIN) -> BBox | None:
    """The box around all places of a hit on its page, with a margin; None for a document without places.

    Raises UsageError for a margin that is no fraction of the page.
    """
    if not 0 <= margin <= 1:
        raise UsageError(f"margin is {margin}; choose a fraction of the page from 0 to 1")
    boxes = [place.bbox for place in hit.places if place.page == hit.page and place.bbox != NO_BOX]
    if not boxes:
        return None
    whole = BBox.union(boxes)
    if margin == 0 and not (whole.width and whole.height):
        return None
    left, top = max(0.0, whole.left - margin), max(0.0, whole.top - margin)
    right, bottom = min(1.0, whole.right + margin), min(1.0, whole.bottom + margin)
    return BBox(left, top, right - left, bottom - top)
