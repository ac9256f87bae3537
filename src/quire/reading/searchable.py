"""Pages with a hidden text layer over a scan: ruled lines, photographs and drawings are found in the picture.

The file knows one picture, the page itself. Where its drawings are decides which words are their labels, and rules make
tables; a page without hidden text is returned as it is, and nothing is drawn for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quire.core.errors import InputError
from quire.core.guarded_parts import Notes
from quire.core.median import median
from quire.core.pagetext import INVISIBLE, PageText
from quire.core.types import Box
from quire.pages.geometry.extents import area, shared_area

if TYPE_CHECKING:
    from quire.core.document import Reader

DPI = 150  # enough for rules and drawings
FEW = 50  # characters: a page with fewer hidden ones is a picture
WHOLE = 0.75  # of the page: a picture that is the page
LETTER = 0.5  # of the size of type: the height of usual letters
LETTERED = 0.6  # of a picture covered by words: it is text


def with_pictures(reader: Reader, text: PageText) -> PageText | None:
    """The text with the pictures that a scan shows instead of the scan itself; None for any other page."""
    if text.ready or text.chars < FEW or 2 * text.invisible <= text.chars:
        return None
    placed = text.pictures()
    others = [box for box in placed if area(box) < WHOLE * text.width * text.height]
    if len(others) == len(placed):
        return None
    from quire.pages.prepare.page_pictures import drawn_page  # lazy: few documents have such pages
    from quire.pages.recognize.page_job import rules_and_pictures
    from quire.pages.recognize.recognised_text import strikes

    try:
        picture = drawn_page(reader, text.number, DPI)
    except InputError:
        return None  # the text is there, only the picture is damaged
    letter = LETTER * median(size for size, word in zip(text.sizes, text.texts, strict=True) for _ in word)
    across, down = text.width / picture.width, text.height / picture.height
    words = [Box(*box) for box in zip(*[iter(text.boxes)] * 4, strict=True)]
    notes = Notes(text.notes)
    rules, pictures = rules_and_pictures(picture, letter * picture.dpi / 72, notes)
    for x0, y0, x1, y1 in pictures:
        box = Box(x0 * across, y0 * down, x1 * across, y1 * down)
        if sum(shared_area(box, word) for word in words) < LETTERED * area(box):
            others.append(box)
    rulings = list(text.rulings)
    for x0, y0, x1, y1, thickness in rules:
        left, top, right, bottom = x0 * across, y0 * down, x1 * across, y1 * down
        if not any(strikes(left, top, right, bottom, word) for word in words):
            rulings += [left, top, right, bottom, thickness * across]
    shown = [value for box in others for value in box]
    flags = [flag & ~INVISIBLE for flag in text.flags]  # what they say is seen in the scan, in black
    colors = [0 if flag & INVISIBLE else color for flag, color in zip(text.flags, text.colors, strict=True)]
    return replace(text, images=shown, rulings=rulings, flags=flags, colors=colors, notes=tuple(notes))
