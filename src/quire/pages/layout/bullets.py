"""Bullets and numbers that stand apart from their item: behind them a wide tab, or drawn instead of written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.core.pagetext import PageText
from quire.pages.layout.lines import Line
from quire.pages.layout.patterns import is_bullet, is_enumeration

TAB = 5.0  # of the size: a wider gap between a bullet and its text is no tab
DRAWN = (0.15, 0.75)  # of the size: how large a drawn bullet is
_STEP = re.compile(r"(\d{1,2})\s+[^\W\d_]")
BAND = 16.0  # points: the height of the bands in which lines are looked up
ALIKE = 2  # drawn bullets on a page, at least: a single square is an ornament


def with_bullets(page: PageText, lines: Sequence[Line]) -> list[Line]:
    """The lines, bullets and numbers joined with those behind them; a line behind a drawn bullet gets its marker."""
    alone = [line for line in lines if is_bullet(line.text) or is_enumeration(line.text)]
    done = list(lines)
    for mark in alone:
        item = _item_of(mark, done)
        if item is None:
            continue
        joined = Line(page, mark.runs + item.runs)
        joined.tag, joined.cap = item.tag, item.cap
        joined.size, joined.baseline, joined.top, joined.bottom = item.size, item.baseline, item.top, item.bottom
        joined.font, joined.bold, joined.italic, joined.mono = item.font, item.bold, item.italic, item.mono
        joined.text = f"{mark.text} {item.text}"
        joined.signs = item.signs
        done = [joined if line is item else line for line in done if line is not mark]
    _mark_drawn(page, done)
    _mark_steps(page, done)
    return done


def _item_of(mark: Line, lines: Sequence[Line]) -> Line | None:
    behind = [
        line
        for line in lines
        if 0 < line.left - mark.right < TAB * line.size
        and not is_bullet(line.text)
        and not line.math
        and (abs(line.baseline - mark.baseline) < 0.35 * line.size or line.top < mark.middle < line.bottom)
    ]
    return min(behind, key=lambda line: line.left, default=None)


def _mark_steps(page: PageText, lines: Sequence[Line]) -> None:
    """Set the markers of steps: numbers in sequence at one left edge, set in larger or bolder type than their text."""
    found: dict[int, list[tuple[int, Line]]] = {}
    for line in lines:
        written = _STEP.match(line.text)
        if written and not line.marker and len(line.runs) > 1 and _differs(page, line.runs[0], line.runs[1]):
            found.setdefault(round(line.left / 2), []).append((int(written[1]), line))
    for steps in found.values():
        numbers = {number for number, _ in steps}
        for number, line in steps:
            if number - 1 in numbers or number + 1 in numbers:
                line.marker = str(number)


def _differs(page: PageText, number: int, text: int) -> bool:
    look, other = (page.font_table[page.fonts[run]].look for run in (number, text))
    return page.sizes[number] > 1.15 * page.sizes[text] or (look.bold and not other.bold)


def _mark_drawn(page: PageText, lines: Sequence[Line]) -> None:
    shapes = list(_squares(page))
    if len(shapes) < ALIKE:
        return
    found: dict[tuple[int, ...], list[Line]] = {}
    at: dict[int, list[Line]] = {}  # lines by the bands of the page that they touch
    for line in lines:
        for band in range(_band(page, line.top), _band(page, line.bottom) + 1):
            at.setdefault(band, []).append(line)
    for left, top, right, bottom in shapes:
        for line in at.get(_band(page, (top + bottom) / 2), ()):
            small, large = DRAWN[0] * line.size, DRAWN[1] * line.size
            if not (small < right - left < large and small < bottom - top < large):
                continue
            if 0 < line.left - right < 0.6 * TAB * line.size and line.top < (top + bottom) / 2 < line.bottom:
                tab = line.left - right
                for key in ((round(left / 2),), (round(4 * (right - left)), round(4 * (bottom - top)), round(tab))):
                    found.setdefault(key, []).append(line)  # below each other, or of one size and tab
    for listed in found.values():
        if len(listed) >= ALIKE:
            for line in listed:
                line.marker = "•"


def _band(page: PageText, y: float) -> int:
    return int(min(max(y, 0.0), page.height) / BAND)


def _squares(page: PageText) -> Iterator[tuple[float, float, float, float]]:
    """Drawings and filled rectangles about as wide as high."""
    for array in (page.drawings, page.rects):
        for left, top, right, bottom in zip(*[iter(array)] * 4, strict=True):
            width, height = right - left, bottom - top
            if 1 < width < 12 and 0.6 * width < height < 1.7 * width:
                yield left, top, right, bottom
