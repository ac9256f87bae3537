"""Pictures that were looked at, pages and lines, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.core.engine import ReadLine
from quire.core.fonts import Font
from quire.core.keys import digest_bytes
from quire.core.pagetext import LINE, SPACE, PageText
from quire.core.types import BBox
from quire.pages.prepare.prepared import ImageMeasures, Prepared
from quire.pages.recognize.linewords import words_in

MEASURES = ImageMeasures(
    mean=240.0,
    paper=244.0,
    ink_level=30.0,
    otsu_separability=0.9,
    noise_sigma=1.0,
    stroke_width=3.0,
    specks=0,
    text_height=20.0,
    letters=100,
    ink=0.05,
    shade=2.0,
    bilevel=False,
    inverted=False,
)


def prepared(*, size: tuple[int, int] = (1000, 1400), turn: int = 0, skew: float = 0.0, redactions=()) -> Prepared:
    """A picture of that size, turned from a page on its side or not."""
    return Prepared(
        digest=digest_bytes(b"picture"),
        size=size,
        dpi=150.0,
        page=size[::-1] if turn % 180 else size,
        turn=turn,
        skew=skew,
        blank=False,
        treatments=(),
        measures=MEASURES,
        redactions=tuple(redactions),
    )


A_PAGE = (500.0, 700.0)
"""Points of the page that `native` gives: half of the pixels of `prepared`."""


def native(*, texts: Sequence[tuple[str, tuple[float, float, float, float]]] = (), images=(), size=A_PAGE) -> PageText:
    """A page with these words at these places, in points, and pictures."""
    count = len(texts)
    return PageText(
        number=1,
        width=size[0],
        height=size[1],
        rotation=0,
        chars=sum(len(text) for text, _ in texts),
        unmapped=0,
        invisible=0,
        font_table=[Font("Times")],
        links=[],
        fields=[],
        tags=[],
        texts=[text for text, _ in texts],
        boxes=[value for _, box in texts for value in box],
        baselines=[box[3] - 2 for _, box in texts],
        sizes=[10.0] * count,
        colors=[0] * count,
        fonts=[0] * count,
        angles=[0] * count,
        mcids=[-1] * count,
        flags=[LINE | SPACE] * count,
        rulings=[],
        rects=[],
        rect_colors=[],
        images=[value for box in images for value in box],
        drawings=[],
    )


def line(text: str, left: float, top: float, *, size: float = 12.0, confidence: float = 0.95, angle: int = 0):
    """A line as an engine gives it: places in points of the upright page, as wide as its letters."""
    wide, high = 0.5 * size * len(text) / A_PAGE[0], 1.3 * size / A_PAGE[1]
    read = ReadLine(text, BBox(left / A_PAGE[0], top / A_PAGE[1], wide, high), confidence, angle=angle)
    return replace(read, words=words_in(read))
