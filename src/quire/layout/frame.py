"""Pages whose text is turned as a whole are laid out upright; boxes are turned back afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from quire.pagetext import PageText

Points = tuple[float, float, float, float]
Turn = Callable[[float, float, float, float], Points]


def upright(page: PageText) -> tuple[PageText, Turn | None]:
    """The page with its text upright, and the way back for boxes; the page itself when it is upright."""
    angle = _main_angle(page)
    if angle == 0:
        return page, None
    width, height = page.width, page.height
    there, back = _turns(angle, width, height)
    size = (height, width) if angle in (90, 270) else (width, height)
    turned = replace(
        page,
        width=size[0],
        height=size[1],
        boxes=_all(page.boxes, there),
        baselines=[_baseline(b, angle, width, height) for b in page.baselines],
        angles=[(a - angle) % 360 for a in page.angles],
        rulings=_rulings(page.rulings, there),
        rects=_all(page.rects, there),
        images=_all(page.images, there),
        drawings=_all(page.drawings, there),
        links=[{**link, "box": list(there(*link["box"]))} for link in page.links],
        fields=[{**field, "box": list(there(*field["box"]))} for field in page.fields],
    )
    return turned, back


def _main_angle(page: PageText) -> int:
    """The right angle in which most characters of a page are written."""
    if not any(page.angles):
        return 0
    letters: dict[int, int] = {}
    for angle, text in zip(page.angles, page.texts, strict=True):
        letters[angle] = letters.get(angle, 0) + len(text)
    angle = max(letters, key=lambda a: letters[a])
    most = 2 * letters[angle] > sum(letters.values())
    return angle if most and angle in (90, 180, 270) else 0


def _turns(angle: int, width: float, height: float) -> tuple[Turn, Turn]:
    if angle == 90:  # written downwards: turned back by a quarter to the left
        return (
            lambda l, t, r, b: (t, width - r, b, width - l),
            lambda l, t, r, b: (width - b, l, width - t, r),
        )
    if angle == 180:
        around: Turn = lambda l, t, r, b: (width - r, height - b, width - l, height - t)  # noqa: E731
        return around, around
    return (
        lambda l, t, r, b: (height - b, l, height - t, r),
        lambda l, t, r, b: (t, height - r, b, height - l),
    )


def _baseline(value: float, angle: int, width: float, height: float) -> float:
    if angle == 90:
        return width - value
    return height - value if angle == 180 else value


def _all(values: Sequence[float], turn: Turn) -> list[float]:
    return [v for i in range(0, len(values), 4) for v in turn(*values[i : i + 4])]


def _rulings(values: Sequence[float], turn: Turn) -> list[float]:
    return [v for i in range(0, len(values), 5) for v in (*turn(*values[i : i + 4]), values[i + 4])]
