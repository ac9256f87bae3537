"""Pictures that were looked at, as values."""

from __future__ import annotations

from quire.keys import digest_bytes
from quire.prepare.prepared import ImageProfile, Prepared

PROFILE = ImageProfile(
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
        profile=PROFILE,
        redactions=tuple(redactions),
    )
