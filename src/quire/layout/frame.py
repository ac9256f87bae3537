"""Pages whose text is turned as a whole are laid out upright; boxes are turned back afterwards.

Japanese or Chinese written in columns from top to bottom, the first at the right, is turned too: its columns become
lines, one below the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from quire.pagetext import LINE, SPACE, PageText

Points = tuple[float, float, float, float]
Turn = Callable[[float, float, float, float], Points]


def upright(page: PageText) -> tuple[PageText, Turn | None]:
    """The page with its text upright, and the way back for boxes; the page itself when it is upright."""
    follows = _below_the_last(page)
    vertical = 2 * sum(follows) > len(follows)
    angle = 90 if vertical else _main_angle(page)
    if angle == 0:
        return page, None
    width, height = page.width, page.height
    there, back = _turns(angle, width, height)
    size = (height, width) if angle in (90, 270) else (width, height)
    baselines = [_baseline(b, angle, width, height) for b in page.baselines]
    angles: Sequence[int] = [(a - angle) % 360 for a in page.angles]
    flags = page.flags
    if vertical:
        middles = [(left + right) / 2 for left, right in zip(page.boxes[0::4], page.boxes[2::4], strict=True)]
        baselines = [width - middle + 0.35 * size for middle, size in zip(middles, page.sizes, strict=True)]
        angles = [0] * len(baselines)
        flags = [flag & ~(SPACE | LINE) if below else flag for flag, below in zip(flags, follows, strict=True)]
    turned = replace(
        page,
        width=size[0],
        height=size[1],
        boxes=_all(page.boxes, there),
        baselines=baselines,
        flags=flags,
        angles=angles,
        rulings=_rulings(page.rulings, there),
        rects=_all(page.rects, there),
        images=_all(page.images, there),
        drawings=_all(page.drawings, there),
        links=[{**link, "box": list(there(*link["box"]))} for link in page.links],
        fields=[{**field, "box": list(there(*field["box"]))} for field in page.fields],
    )
    return turned, back


def _below_the_last(page: PageText) -> list[bool]:
    """For each run whether it goes on below the one before it, as characters of a vertical column do."""
    texts, boxes, sizes = page.texts, page.boxes, page.sizes
    if not texts or max(map(max, texts)) < "\u2e80":
        return [False] * len(texts)
    follows = [False]
    for run in range(1, len(texts)):
        at, size = 4 * run, sizes[run]
        beside = abs(boxes[at] + boxes[at + 2] - boxes[at - 4] - boxes[at - 2]) / 2
        step = boxes[at + 1] - boxes[at - 3]
        follows.append(len(texts[run]) <= 2 and beside < 0.35 * size and 0.5 * size < step < 1.7 * size)
    return follows


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
