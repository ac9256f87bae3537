"""Rulings of a page made simple: straight strokes merged, edges of filled rectangles added."""

from __future__ import annotations

from dataclasses import dataclass

from quire.pagetext import PageText

SAME_LINE = 2.5  # points: strokes nearer than this are one line, or a double one
JOIN = 1.6  # points: strokes on one line with a smaller gap are one
DASH = 8.0  # points: shorter strokes are dashes, which join over
DASH_GAP = 4.5  # points
MAX_RULES = 30_000  # before merging: a page with more is a drawing
MAX_MERGED = 1_500
WHITE = 0xFCFCFC
MIN_RECT = 4.0  # points


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line: `at` is its y (horizontal) or its x (vertical), `start` and `end` its extent."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Rules:
    """The horizontal and vertical lines of a page, each sorted by position."""

    across: list[Rule]
    down: list[Rule]


def find_rules(page: PageText) -> Rules:
    """The merged rulings of a page; none where there are too many to be those of tables."""
    if len(page.rulings) // 5 + len(page.rects) // 2 > MAX_RULES:
        return Rules([], [])
    across: list[tuple[float, float, float]] = []
    down: list[tuple[float, float, float]] = []
    rulings = page.rulings
    for i in range(0, len(rulings), 5):
        x0, y0, x1, y1 = rulings[i : i + 4]
        if y0 == y1:
            across.append((y0, x0, x1))
        elif x0 == x1:
            down.append((x0, y0, y1))
    _add_rectangles(page, across, down)
    merged = Rules(_merged(across), _merged(down))
    if len(merged.across) > MAX_MERGED or len(merged.down) > MAX_MERGED:
        return Rules([], [])
    return merged


def _add_rectangles(
    page: PageText, across: list[tuple[float, float, float]], down: list[tuple[float, float, float]]
) -> None:
    """The edges of coloured rectangles, but for those as large as the page."""
    rects = page.rects
    for i, color in enumerate(page.rect_colors):
        left, top, right, bottom = rects[4 * i : 4 * i + 4]
        if color >= WHITE or right - left < MIN_RECT or bottom - top < MIN_RECT:
            continue
        if bottom - top > 0.9 * page.height or (right - left) * (bottom - top) > 0.8 * page.width * page.height:
            continue
        across += [(top, left, right), (bottom, left, right)]
        down += [(left, top, bottom), (right, top, bottom)]


def _merged(strokes: list[tuple[float, float, float]]) -> list[Rule]:
    """Strokes on one line that touch or overlap become one; the result is sorted."""
    strokes.sort()
    rules: list[Rule] = []
    first = 0
    for i in range(1, len(strokes) + 1):
        if i == len(strokes) or strokes[i][0] - strokes[first][0] > SAME_LINE:
            rules += _joined(strokes[first:i])
            first = i
    return [rule for rule in rules if rule.length > DASH / 2]


def _joined(strokes: list[tuple[float, float, float]]) -> list[Rule]:
    """Strokes of one line, joined where they touch."""
    strokes.sort(key=lambda s: s[1])
    rules: list[Rule] = []
    at, start, end = strokes[0]
    piece = end - start
    for y, s, e in strokes[1:]:
        dashes = piece < DASH and e - s < DASH
        if s - end <= (DASH_GAP if dashes else JOIN):
            if e - s > piece:
                at, piece = y, e - s
            end = max(end, e)
        else:
            rules.append(Rule(at, start, end))
            at, start, end, piece = y, s, e, e - s
    rules.append(Rule(at, start, end))
    return rules
