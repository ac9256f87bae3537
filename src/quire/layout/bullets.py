"""Bullets and numbers that stand apart from their item: behind them a wide tab, or drawn instead of written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quire.layout.lines import Line
from quire.layout.patterns import is_bullet, is_enumeration
from quire.pagetext import PageText

TAB = 5.0  # of the size: a wider gap between a bullet and its text is no tab
DRAWN = (0.15, 0.75)  # of the size: how large a drawn bullet is
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


def _mark_drawn(page: PageText, lines: Sequence[Line]) -> None:
    shapes = list(_squares(page))
    if len(shapes) < ALIKE:
        return
    found: dict[int, list[Line]] = {}
    for left, top, right, bottom in shapes:
        for line in lines:
            small, large = DRAWN[0] * line.size, DRAWN[1] * line.size
            if not (small < right - left < large and small < bottom - top < large):
                continue
            if 0 < line.left - right < 0.6 * TAB * line.size and line.top < (top + bottom) / 2 < line.bottom:
                found.setdefault(round(left / 2), []).append(line)
    for listed in found.values():
        if len(listed) >= ALIKE:
            for line in listed:
                line.marker = "•"


def _squares(page: PageText) -> Iterator[tuple[float, float, float, float]]:
    """Drawings and filled rectangles about as wide as high."""
    for array in (page.drawings, page.rects):
        for left, top, right, bottom in zip(*[iter(array)] * 4, strict=True):
            width, height = right - left, bottom - top
            if 1 < width < 12 and 0.6 * width < height < 1.7 * width:
                yield left, top, right, bottom
