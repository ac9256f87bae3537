"""Filled rectangles as the backgrounds of cells: their visible edges are lines too, where no others are drawn."""

from __future__ import annotations

from quire.layout.tables.strokes import Rule, Rules, Stroke, merged
from quire.pagetext import PageText

WHITE = 0xFCFCFC
LEAST = 4.0  # points: smaller rectangles are dots and bars
TOUCH = 0.4  # points: rectangles nearer than this touch
NEAR = 8.0  # points: an edge this near to a drawn line is its padding
MAX_RECTS = 3_000

Rect = tuple[int, float, float, float, float]  # colour, left, top, right, bottom


def edges_of(page: PageText) -> Rules:
    """The edges of coloured rectangles, but for those as large as the page and those that cannot be seen."""
    if len(page.rect_colors) > MAX_RECTS:
        return Rules([], [])
    rects: list[Rect] = []
    for i, color in enumerate(page.rect_colors):
        left, top, right, bottom = page.rects[4 * i : 4 * i + 4]
        if color >= WHITE or right - left < LEAST or bottom - top < LEAST:
            continue
        if bottom - top > 0.9 * page.height or (right - left) * (bottom - top) > 0.8 * page.width * page.height:
            continue
        rects.append((color, left, top, right, bottom))
    across: list[Stroke] = []
    down: list[Stroke] = []
    for _, left, top, right, bottom in _visible(rects):
        across += [(top, left, right), (bottom, left, right)]
        down += [(left, top, bottom), (right, top, bottom)]
    return Rules(merged(across), merged(down))


def _visible(rects: list[Rect]) -> list[Rect]:
    """Rectangles of one colour that touch above each other are one; those inside one of their colour are none."""
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
    for rect in stacked:
        if not any(r[0] == rect[0] and _within(rect, r) for r in seen[-50:]):
            seen.append(rect)
    return seen


def _within(a: Rect, b: Rect) -> bool:
    return b[1] - TOUCH <= a[1] and b[2] - TOUCH <= a[2] and a[3] <= b[3] + TOUCH and a[4] <= b[4] + TOUCH


def with_edges(drawn: Rules, edges: Rules, boxes: list[tuple[int, int, float, float, float, float]]) -> Rules:
    """The drawn lines and the edges that say something new; `boxes` are those of meshes of drawn lines."""
    across = [e for e in edges.across if not _beside(e, drawn.across) and not _ruled(e, boxes, 1)]
    down = [e for e in edges.down if not _beside(e, drawn.down) and not _ruled(e, boxes, 0)]
    return Rules(
        merged([(r.at, r.start, r.end) for r in drawn.across + across]),
        merged([(r.at, r.start, r.end) for r in drawn.down + down]),
    )


def _beside(edge: Rule, drawn: list[Rule]) -> bool:
    """Whether a drawn line runs along the edge."""
    return any(
        abs(rule.at - edge.at) < NEAR and min(rule.end, edge.end) - max(rule.start, edge.start) > 0.5 * edge.length
        for rule in drawn
    )


def _ruled(edge: Rule, boxes: list[tuple[int, int, float, float, float, float]], axis: int) -> bool:
    """Whether the edge is inside a mesh whose own lines divide it in that direction."""
    middle = (edge.start + edge.end) / 2
    for inner_down, inner_across, left, top, right, bottom in boxes:
        x, y = (middle, edge.at) if axis else (edge.at, middle)
        if left - 2 <= x <= right + 2 and top - 2 <= y <= bottom + 2 and (inner_across > 1 if axis else inner_down > 0):
            return True
    return False
