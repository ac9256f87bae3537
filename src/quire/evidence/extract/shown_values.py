"""Looks at the pictures of places: a value whose place is empty there is text of the file that no person sees."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from quire.core.document import Document
from quire.core.errors import InputError
from quire.core.picture import Picture
from quire.core.types import NO_BOX
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.values import Extraction, LeafEvidence
from quire.pages.prepare.blank import is_one_colour

DPI = 36
"""Enough to see whether there is anything."""
PDF = "application/pdf"
"""Only here text and picture are two things: other files say no places, or are pictures themselves."""
UNSEEN = "the file has it as text, but the page shows nothing at its place"

PagePicture = Callable[[int], Picture | None]
"""The picture of a page at `DPI`; None for one that cannot be drawn."""


def seen_values(extraction: Extraction, catalog: SourceCatalog, document: Document) -> Extraction:
    """The extraction after a look at the pages of its document, which is open."""
    if document.media_type != PDF:
        return extraction
    from quire.pages.prepare.page_pictures import drawn_page

    def draw(page: int) -> Picture | None:
        try:
            return drawn_page(document.reader, page, DPI)
        except InputError:
            return None  # its text was read: only the picture is damaged

    return with_shown(extraction, catalog, draw)


def seen_when_reopened(extraction: Extraction, catalog: SourceCatalog, reopen: Callable[[], Document]) -> Extraction:
    """The same for a document that is closed; one that is gone cannot be looked at."""
    if not any(one.supported for one in extraction.evidence.values()):
        return extraction
    try:
        document = reopen()
    except InputError:
        return extraction
    with closing(document):
        return seen_values(extraction, catalog, document)


def with_shown(extraction: Extraction, catalog: SourceCatalog, draw: PagePicture) -> Extraction:
    """The extraction in which no value of the file's own text is supported by a place where its page shows nothing.

    What an engine read in the picture was seen already. Each page is drawn once, and none without such a value.
    """
    native = {record.id for record in catalog.records if record.tier == "native"}
    pictures: dict[int, Picture | None] = {}
    evidence = dict(extraction.evidence)
    for path, one in extraction.evidence.items():
        boxes = [box for box in one.bboxes if box != NO_BOX]
        if not one.supported or one.page is None or not boxes or not native.intersection(one.blocks):
            continue
        if one.page not in pictures:
            pictures[one.page] = draw(one.page)
        picture = pictures[one.page]
        if picture is not None and all(is_one_colour(picture, box) for box in boxes):
            evidence[path] = _unseen(one)
    return extraction if evidence == extraction.evidence else replace(extraction, evidence=evidence)


def _unseen(one: LeafEvidence) -> LeafEvidence:
    return replace(
        one,
        status="unverified",
        match=None,
        probability=0.0,
        confidence={**one.confidence, "total": 0.0},
        reason=f"{one.reason}; {UNSEEN}" if one.reason else UNSEEN,
    )
