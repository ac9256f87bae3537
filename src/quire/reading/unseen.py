"""Text in the file that its page does not show.

What the file says about a text (drawn invisibly, off the page, white on nothing) the layout knows. Type that is too
small to be seen is left out of a page that is read, and counted as hidden. Whether a text is below something only the
picture knows: that is looked at by `quire inspect`, and at the places of values (`evidence.extract.shown_values`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from quire.core.document import Document
from quire.core.errors import InputError
from quire.core.pagetext import INVISIBLE, LINE, PageText
from quire.core.types import BBox, Box, LeftOut
from quire.pages.geometry.extents import area

LEAST_POINTS = 1.0
"""The height of type below which no person reads it on paper."""
LEAST_SHARE = 0.001
"""Of the longer side of the page: type that is less than a pixel high where the page is a thousand pixels."""
WHOLE = 0.75
"""Of the page: a picture that is the page is a scan, text below or above it its text layer; such a box is the ground on
which the page is drawn."""
DPI = 72
PDF = "application/pdf"
WHITE = 0xFFFFFF


def without_tiny(document: Document, text: PageText) -> PageText | None:
    """The text of a page without what is too small to be seen; None if nothing is."""
    unseen = {*_tiny(text)} if _is_drawn(document, text) else ()
    return _without(text, unseen) if unseen else None


def without_unseen(document: Document, text: PageText) -> PageText | None:
    """The text of a page without what its picture does not show; None if it shows all of it."""
    unseen = {*_tiny(text), *_covered(document, text)} if _is_drawn(document, text) else ()
    return _without(text, unseen) if unseen else None


def _is_drawn(document: Document, text: PageText) -> bool:
    return not (text.ready or text.engine) and bool(text.texts) and document.media_type == PDF


def _tiny(text: PageText) -> Iterator[int]:
    least = min(LEAST_POINTS, LEAST_SHARE * max(text.width, text.height))
    if min(text.sizes) < least:
        for run, size in enumerate(text.sizes):
            _, top, _, bottom = text.box(run)
            if size < least and bottom - top < LEAST_POINTS:
                yield run


def _covered(document: Document, text: PageText) -> Sequence[int]:
    """The runs under a picture or a rectangle where the page shows nothing.

    Below a picture that shows something, a text may be what the picture says: a text layer.
    """
    most, known = WHOLE * text.width * text.height, {WHITE, *text.colors}
    pictures = [box for box in text.pictures() if area(box) < most]
    boxes = (Box(*text.rects[4 * at : 4 * at + 4]) for at in range(len(text.rect_colors)))
    coloured = zip(boxes, text.rect_colors, strict=True)
    rects = [(box, color) for box, color in coloured if color in known and area(box) < most]
    if not pictures and not rects:
        return ()
    asked = sorted({*_inside(text, [(box, None) for box in pictures]), *_inside(text, rects)})
    return _blank(document, text, asked) if asked else ()


def _inside(text: PageText, boxes: Sequence[tuple[Box, int | None]]) -> list[int]:
    """The visible runs in these boxes; in one with a colour, those of another colour on white, or of the same one."""
    if not boxes:
        return []
    import numpy as np  # lazy: most pages have no such boxes

    corners = np.array(text.boxes, np.float32).reshape(-1, 4)
    x, y = (corners[:, 0] + corners[:, 2]) / 2, (corners[:, 1] + corners[:, 3]) / 2
    colors = np.array(text.colors, np.int64)
    found = np.zeros(len(text.texts), bool)
    for box, color in boxes:
        within = (box.left <= x) & (x <= box.right) & (box.top <= y) & (y <= box.bottom)
        if color is not None:  # white text on white the layout leaves out itself
            within &= (colors != WHITE) if color == WHITE else (colors == color)
        found |= within
    return [
        run for run in np.flatnonzero(found).tolist() if not text.flags[run] & INVISIBLE and text.texts[run].strip()
    ]


def _blank(document: Document, text: PageText, runs: Sequence[int]) -> list[int]:
    """The runs at whose place the picture of the page has one colour."""
    from quire.pages.prepare.blank import is_one_colour
    from quire.pages.prepare.page_pictures import drawn_page

    try:
        picture = drawn_page(document.reader, text.number, DPI)
    except InputError:
        return []  # the text is there, only the picture is damaged
    size = text.width, text.height
    return [run for run in runs if is_one_colour(picture, BBox.of_points(text.box(run), size))]


def _without(text: PageText, unseen: Collection[int]) -> PageText:
    """The page without some runs. A line whose first run is gone begins with the next one."""
    kept: list[int] = []
    begins: set[int] = set()
    begun = False
    for run, flag in enumerate(text.flags):
        begun = begun or bool(flag & LINE)
        if run not in unseen:
            kept.append(run)
            if begun:
                begins.add(run)
            begun = False
    counted: Counter[LeftOut] = Counter(text.left_out)
    hidden = sum(len(text.texts[run]) for run in unseen)
    counted["hidden"] += hidden
    return replace(
        text,
        chars=max(0, text.chars - hidden),
        texts=[text.texts[run] for run in kept],
        boxes=[value for run in kept for value in text.box(run)],
        baselines=[text.baselines[run] for run in kept],
        sizes=[text.sizes[run] for run in kept],
        colors=[text.colors[run] for run in kept],
        fonts=[text.fonts[run] for run in kept],
        angles=[text.angles[run] for run in kept],
        mcids=[text.mcids[run] for run in kept],
        flags=[text.flags[run] | (LINE if run in begins else 0) for run in kept],
        left_out=dict(counted),
    )
