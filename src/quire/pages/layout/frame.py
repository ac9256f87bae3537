"""Pages whose whole text is rotated are laid out upright; boxes are rotated back afterwards.

Vertical Japanese or Chinese text (columns from top to bottom, the first at the right) is rotated too: its columns
become lines, one below the other. Skewed OCR pages are deskewed by their angle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from quire.core.lazy_patterns import lazy_pattern
from quire.core.pagetext import LINE, SPACE, PageText

USUAL_SIZE = 10.0  # points: that of the type of most texts
USUAL_SPREAD = 1.25  # sizes that differ by less are left alone

_EAST_ASIAN = lazy_pattern("[\u2e80-\U0010ffff]")

Points = tuple[float, float, float, float]
Turn = Callable[[float, float, float, float], Points]


class Ways(NamedTuple):
    """The transform of boxes to the page with its text upright, and its inverse."""

    there: Turn
    back: Turn


def upright(page: PageText) -> tuple[PageText, Ways | None]:
    """The page with its text upright, and the transforms for boxes; the page itself when it is upright."""
    steps: list[Ways] = []
    for step in (_straight, _turned, _sized):
        page, ways = step(page)
        if ways is not None:
            steps.append(ways)
    if not steps:
        return page, None
    return page, Ways(_chained([ways.there for ways in steps]), _chained([ways.back for ways in reversed(steps)]))


def _chained(turns: Sequence[Turn]) -> Turn:
    """Compose several transforms into one."""

    def chained(left: float, top: float, right: float, bottom: float) -> Points:
        box = left, top, right, bottom
        for turn in turns:
            box = turn(*box)
        return box

    return chained


def _sized(page: PageText) -> tuple[PageText, Ways | None]:
    """An OCR page scaled to the usual type size: the dpi of a scan is often a guess."""
    if not page.engine or page.recognised or not page.sizes:
        return page, None
    sizes = sorted(size for size, text in zip(page.sizes, page.texts, strict=True) for _ in text)
    scale = USUAL_SIZE / sizes[len(sizes) // 2]
    if abs(math.log(scale)) < math.log(USUAL_SPREAD):
        return page, None
    grown = replace(
        page,
        width=page.width * scale,
        height=page.height * scale,
        boxes=[value * scale for value in page.boxes],
        baselines=[value * scale for value in page.baselines],
        sizes=[value * scale for value in page.sizes],
        rulings=[value * scale for value in page.rulings],
        images=[value * scale for value in page.images],
        links=[{**link, "box": [value * scale for value in link["box"]]} for link in page.links],
        fields=[{**field, "box": [value * scale for value in field["box"]]} for field in page.fields],
    )
    return grown, Ways(
        lambda l, t, r, b: (l * scale, t * scale, r * scale, b * scale),
        lambda l, t, r, b: (l / scale, t / scale, r / scale, b / scale),
    )


def _straight(page: PageText) -> tuple[PageText, Ways | None]:
    """The page deskewed: rotated by its skew about its centre, boxes about theirs."""
    if not page.skew:
        return page, None
    there, back = _tilt(-page.skew, page, shrink=True), _tilt(page.skew, page, shrink=False)
    boxes = _all(page.boxes, there)
    quarter = [angle % 180 != 0 for angle in page.angles]
    moved = zip(page.baselines, page.boxes[0::4], page.boxes[1::4], boxes[0::4], boxes[1::4], quarter, strict=True)
    baselines = [y + (x1 - x0 if side else y1 - y0) for y, x0, y0, x1, y1, side in moved]
    return (
        replace(
            page,
            boxes=boxes,
            baselines=baselines,
            rulings=_levelled(_rulings(page.rulings, there)),
            images=_all(page.images, there),
        ),
        Ways(_tilt(-page.skew, page, shrink=False), back),
    )


def _levelled(values: list[float]) -> list[float]:
    """Make the rulings exactly horizontal or vertical again."""
    level: list[float] = []
    for x0, y0, x1, y1, thickness in zip(*[iter(values)] * 5, strict=True):
        if x1 - x0 > y1 - y0:
            y0 = y1 = (y0 + y1) / 2
        else:
            x0 = x1 = (x0 + x1) / 2
        level += [x0, y0, x1, y1, thickness]
    return level


def _tilt(degrees: float, page: PageText, *, shrink: bool) -> Turn:
    """Boxes rotated clockwise about the centre of the page; each becomes the bounding box of the rotated one.

    With `shrink` the given box already is such a bounding box, and gets the size of what it encloses.
    """
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    middle_x, middle_y = page.width / 2, page.height / 2
    c, s = abs(cosine), abs(sine)

    def turn(left: float, top: float, right: float, bottom: float) -> Points:
        x, y = (left + right) / 2 - middle_x, (top + bottom) / 2 - middle_y
        width, height = right - left, bottom - top
        if shrink:
            spread = c * c - s * s
            width, height = (c * width - s * height) / spread, (c * height - s * width) / spread
            width, height = max(width, 0.0), max(height, 0.0)
        else:
            width, height = c * width + s * height, s * width + c * height
        x, y = middle_x + x * cosine - y * sine, middle_y + x * sine + y * cosine
        return x - width / 2, y - height / 2, x + width / 2, y + height / 2

    return turn


def _turned(page: PageText) -> tuple[PageText, Ways | None]:
    """The page rotated by the right angle in which most of its text is written."""
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
    return turned, Ways(there, back)


def _below_the_last(page: PageText) -> list[bool]:
    """For each run whether it continues below the one before it, as characters of a vertical column do."""
    texts, boxes, sizes = page.texts, page.boxes, page.sizes
    if not _EAST_ASIAN.search("".join(texts)):
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
    if angle == 90:  # written downwards: rotated back by 90° to the left
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
