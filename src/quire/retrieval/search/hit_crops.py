"""The part of a page that shows a hit."""

from __future__ import annotations

from quire.core.types import BBox
from quire.output.place_crops import MARGIN, around
from quire.retrieval.search.hits import SearchHit


def crop_box(hit: SearchHit, margin: float = MARGIN) -> BBox | None:
    """The box around all places of a hit on its page, with a margin; None for a document without places.

    Raises UsageError for a margin that is no fraction of the page.
    """
    return around((place.bbox for place in hit.places if place.page == hit.page), margin)
