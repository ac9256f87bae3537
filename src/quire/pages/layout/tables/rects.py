"""Filled rectangles as the backgrounds of cells: their visible edges are lines too, where no others are drawn."""

from __future__ import annotations

from quire.core.pagetext import PageText
from quire.core.types import Box
from quire.pages.layout.tables.strokes import Rule, merged

WHITE = 0xFCFCFC
LEAST = 4.0  # points: smaller rectangles are dots and bars
TOUCH = 0.4  # points: rectangles nearer than this touch
NEAR = 8.0  # points: an edge this near to a drawn line is its padding
MAX_RECTS = 3_000
MAX_LARGEST = 12  # of each colour that others may be inside of

Rect = tuple[int, float, float, float, float]  # colour, left, top, right, bottom


def edges_of(page: PageText) -> list[Rule]:
    """The upper and lower edges of coloured rectangles, except those as large as the page or invisible.

    Their sides are left out: the colours of single cells say less about columns than white space does.
    """
    if len(page.rect_colors) > MAX_RECTS:
        return []
    rects: list[Rect] = []
    for i, color in enumerate(page.rect_colors):
        left, top, right, bottom = page.rects[4 * i : 4 * i + 4]
        if color >= WHITE or right - left < LEAST or bottom - top < LEAST:
            continue
        if bottom - top > 0.9 * page.height or (right - left) * (bottom - top) > 0.8 * page.width * page.height:
            continue
        rects.append((color, left, top, right, bottom))
    return merged(
        [
            edge
            for _, left, top, right, bottom in _visible(rects)
            for edge in ((top, left, right), (bottom, left, right))
        ]
    )


def _visible(rects: list[Rect]) -> list[Rect]:
    """Merge rectangles of one colour stacked without a gap; drop those inside one of their colour."""
    rects.sort(key=lambda r: (r[0], round(r[1]), round(r[3]), r[2]))
    stacked: list[Rect] = []
    for rect in rects:
        last = stacked[-1] if stacked else None
        same = last and last[0] == rect[0] and abs(last[1] - rect[1]) < 1 and abs(last[3] - rect[3]) < 1
        if last and same and rect[2] - last[4] < TOUCH:
            stacked[-1] = (last[0], last[1], last[2], last[3], max(last[4], rect[4]))
        else:
            stacked.append(rect)
    stacked.sort(key=lambda r: (r[0], -(r[3] - r[1]) * (r[4] - r[2])))
    seen: list[Rect] = []
    largest: list[Rect] = []  # of the current colour
    for rect in stacked:
        if largest and largest[0][0] != rect[0]:
            largest = []
        if not any(_within(rect, other) for other in largest):
            seen.append(rect)
            if len(largest) < MAX_LARGEST:
                largest.append(rect)
    return seen


def _within(a: Rect, b: Rect) -> bool:
    return b[1] - TOUCH <= a[1] and b[2] - TOUCH <= a[2] and a[3] <= b[3] + TOUCH and a[4] <= b[4] + TOUCH


def with_edges(across: list[Rule], edges: list[Rule], boxes: list[Box]) -> list[Rule]:
    """The drawn lines and the edges that add information: not beside a line, nor in one of the ruled boxes."""
    new = [edge for edge in edges if not _beside(edge, across) and not _inside(edge, boxes)]
    return merged([(rule.at, rule.start, rule.end) for rule in across + new]) if new else across


def _beside(edge: Rule, drawn: list[Rule]) -> bool:
    """Whether a drawn line runs along the edge."""
    return any(
        abs(rule.at - edge.at) < NEAR and min(rule.end, edge.end) - max(rule.start, edge.start) > 0.5 * edge.length
        for rule in drawn
    )


def _inside(edge: Rule, boxes: list[Box]) -> bool:
    x = (edge.start + edge.end) / 2
    return any(left <= x <= right and top - 2 <= edge.at <= bottom + 2 for left, top, right, bottom in boxes)
