"""Pictures and drawings of a page that are figures, with the labels inside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from quire.core.pagetext import PageText
from quire.core.types import Box
from quire.pages.geometry.extents import Boxed, area, box_of, has_middle, shared_area, touch, touching
from quire.pages.geometry.rows import baseline_rows, from_left
from quire.pages.layout.lines import Line, is_white
from quire.pages.layout.patterns import caption_of

LEAST_SIDE = 24.0  # points: smaller pictures are ornaments
LEAST_SHARE = 0.006  # of the page
MOST_SHARE = 0.75  # a larger picture is a background
REACH = 12.0  # points: drawings nearer than this belong together
CORNER = 6.0  # points: how far from each other the sides of a frame may end
LABEL = 40  # characters of a label, at most
FRAME = 20.0  # points: rulings longer than this can be the axes or the frame of a drawing
MAX_DRAWINGS = 3000
MAX_SHAPES = 400  # a page with more is a drawing
MAX_PANELS = 40  # more shapes are a drawing
PANEL_EDGE = 4.0  # points: shapes that differ by less are one, filled and outlined, or its shadow
MIN_BARS = 4  # fewer rectangles are not a chart

_NUMBER = re.compile(r"^[-+−–]?[\d.,:%/×eE()\s$€£°]+$")


class Figure:
    """A region of pictures or drawings and the lines that label it."""

    __slots__ = ("bottom", "left", "lines", "right", "top")

    def __init__(self, box: Box) -> None:
        self.left, self.top, self.right, self.bottom = box
        self.lines: list[Line] = []


def find_figures(page: PageText, lines: Sequence[Line], body_size: float) -> list[Figure]:
    """The figures of a page, each with the lines that label it."""
    bars = _bars(page, lines)
    framed = _captioned(page, lines)
    if not page.images and not page.drawings and not bars and not framed:
        return []
    whole = page.width * page.height
    seeds = [*touching(_pictures(page), 2.0), *framed]
    shapes = [*_drawn(page), *bars]
    drawn = [box for box in touching(shapes, REACH) if not _is_background(box, shapes, lines)]
    seeds += [_framed(page, box) for box in drawn]
    seeds = [box for box in touching(seeds, 2.0) if _is_large(box, whole)]
    if not seeds:
        return []
    small = [line for line in lines if _label(line, body_size, page.width)]
    boxes = touching([box if box in framed else _with_labels(box, small) for box in seeds], 4.0)
    figures: list[Figure] = []
    for box in boxes:
        figure = Figure(box)
        inside = [line for line in lines if _inside(line, box)]
        recognised = [line for line in inside if page.recognised and line.runs[0] >= page.recognised]
        written = [line for line in inside if not page.recognised or line.runs[0] < page.recognised]
        if _labels(written, box) or any(_inside(frame, box) for frame in framed):
            figure.lines = inside
            figures.append(figure)
        elif not written or _beside_text(written, box):
            figure.lines = recognised
            figures.append(figure)
    return figures


def drawn_figures(page: PageText, lines: Sequence[Line], meshes: Sequence[Box]) -> list[Figure]:
    """The drawings whose lines made these meshes, each with its frame and all lines in it."""
    boxes = [_with_labels(box, _beside(lines, box)) for box in touching([_framed(page, box) for box in meshes], 4.0)]
    figures = [Figure(box) for box in boxes]
    for figure in figures:
        box = Box(figure.left, figure.top, figure.right, figure.bottom)
        figure.lines = [line for line in lines if _inside(line, box)]
    return figures


def _beside(lines: Sequence[Line], box: Box) -> list[Line]:
    """The short lines on the height of a box; a title is above it."""
    return [line for line in lines if len(line.text) <= LABEL and box.top <= (line.top + line.bottom) / 2 <= box.bottom]


def find_shapes(page: PageText, lines: Sequence[Line]) -> list[Figure]:
    """Filled shapes without text: figures only where the file's tags say that it has some."""
    rects = page.rects
    boxes = [Box(*rects[4 * i : 4 * i + 4]) for i, c in enumerate(page.rect_colors[:MAX_DRAWINGS]) if not is_white(c)]
    large = [box for box in touching(boxes, 2.0) if _is_large(box, page.width * page.height)]
    return [Figure(box) for box in large if not any(_inside(line, box) for line in lines)]


def figure_text(lines: Sequence[Line]) -> str:
    """The words in a figure as they stand: row by row, the labels of a row separated by tabs, rotated ones last."""
    rows = [from_left(row) for row in baseline_rows(line for line in lines if not line.angle)]
    rows += [[line] for line in sorted((line for line in lines if line.angle), key=lambda line: (line.left, line.top))]
    return "\n".join(["\t".join([line.text for line in row]) for row in rows])


def _is_background(cluster: Box, shapes: Sequence[Box], lines: Sequence[Line]) -> bool:
    """Whether a cluster of shapes is behind text: a tinted box, or several of them."""
    if len(shapes) > MAX_SHAPES or not any(_inside(line, cluster) for line in lines):
        return False
    left, top, right, bottom = cluster
    return _are_panels([b for b in shapes if b[0] >= left and b[1] >= top and b[2] <= right and b[3] <= bottom], lines)


def _are_panels(boxes: Sequence[Box], lines: Sequence[Line]) -> bool:
    """Whether shapes are backgrounds of text: each has lines of it, and none lies over a part of another."""
    if len(boxes) > MAX_PANELS:
        return False
    apart: list[Box] = []
    for box in boxes:
        same = False
        for other in apart:
            if all(abs(a - b) <= PANEL_EDGE for a, b in zip(box, other, strict=True)):
                same = True
            elif shared_area(box, other) > 0:
                return False
        if not same:
            apart.append(box)
    return all(any(_inside(line, box) for line in lines) for box in apart)


def _is_large(box: Box, whole: float) -> bool:
    width, height = box.right - box.left, box.bottom - box.top
    return min(width, height) >= LEAST_SIDE and LEAST_SHARE * whole <= width * height <= MOST_SHARE * whole


def _captioned(page: PageText, lines: Sequence[Line]) -> list[Box]:
    """The frames on a scan above or below the caption of a figure: everything in them is the figure."""
    captions = [line for line in lines if not line.angle and caption_of(line.text).startswith("fig")]
    if not captions or not (page.engine or 2 * page.invisible > page.chars):
        return []
    level, upright = [], []
    for x0, y0, x1, y1, _ in zip(*[iter(page.rulings[: 5 * MAX_DRAWINGS])] * 5, strict=True):
        if x1 - x0 > 3 * FRAME:
            level.append(Box(x0, y0, x1, y1))
        elif y1 - y0 > 3 * FRAME:
            upright.append(Box(x0, y0, x1, y1))
    found = []
    for top, bottom in combinations(sorted(level, key=lambda rule: rule.top), 2):
        frame = Box(min(top.left, bottom.left), top.top, max(top.right, bottom.right), bottom.top)
        if abs(top.left - bottom.left) > CORNER or abs(top.right - bottom.right) > CORNER:
            continue
        sides = [side for side in upright if side.top < frame.top + CORNER and side.bottom > frame.bottom - CORNER]
        closed = all(any(abs(side.left - x) < CORNER for side in sides) for x in (frame.left, frame.right))
        if closed and any(_is_beside(frame, line) for line in captions):
            found.append(frame)
    return [frame for frame in found if _is_large(frame, page.width * page.height)]


def _is_beside(frame: Box, line: Line) -> bool:
    """Whether a caption stands directly below or above a frame."""
    near = -2.0 < line.top - frame.bottom < 2 * line.size or -2.0 < frame.top - line.bottom < 2 * line.size
    return near and frame.left < (line.left + line.right) / 2 < frame.right


def _framed(page: PageText, box: Box) -> Box:
    """The box with the axes and frames around it: long rulings that touch it."""
    left, top, right, bottom = box
    rulings = page.rulings
    for x0, y0, x1, y1, _ in zip(*[iter(rulings[: 5 * MAX_DRAWINGS])] * 5, strict=True):
        if x1 - x0 + y1 - y0 < FRAME or x1 - x0 > 0.9 * page.width or y1 - y0 > 0.9 * page.height:
            continue
        if x0 <= right + 6 and x1 >= left - 6 and y0 <= bottom + 6 and y1 >= top - 6:
            left, top, right, bottom = min(left, x0), min(top, y0), max(right, x1), max(bottom, y1)
    return Box(left, top, right, bottom)


def _label(line: Line, body_size: float, width: float) -> bool:
    """Whether a line can be a label beside a figure: rotated, a number, or small and short."""
    if line.angle:
        return True
    if len(line.text) > LABEL or line.width > 0.3 * width or caption_of(line.text):
        return False
    return line.size < 0.95 * body_size or bool(_NUMBER.match(line.text))


def _with_labels(box: Box, lines: list[Line]) -> Box:
    """The box grown by the labels close to it, first those next to it, then those next to them."""
    for _ in range(3):
        grown = box_of([box, *(line for line in lines if touch(line, box, 0.5 * line.size + 6))])
        if grown == box:
            return box
        box = grown
    return box


def _pictures(page: PageText) -> list[Box]:
    images = page.images
    found = []
    for i in range(0, len(images), 4):
        left, top = max(images[i], 0.0), max(images[i + 1], 0.0)
        right, bottom = min(images[i + 2], page.width), min(images[i + 3], page.height)
        if right - left > 2 and bottom - top > 2:
            found.append(Box(left, top, right, bottom))
    return found[:MAX_DRAWINGS]


def _drawn(page: PageText) -> list[Box]:
    drawings = page.drawings
    found = []
    for i in range(0, min(len(drawings), 4 * MAX_DRAWINGS), 4):
        box = Box(*drawings[i : i + 4])
        if box.right - box.left < 0.9 * page.width and box.bottom - box.top < 0.9 * page.height:
            found.append(box)
    return found if len(found) >= 3 else []


def _bars(page: PageText, lines: Sequence[Line]) -> list[Box]:
    """The bars of a chart: filled rectangles of different sizes that share a side and hold no text."""
    rects, colors = page.rects, page.rect_colors
    if not MIN_BARS <= len(colors) <= MAX_DRAWINGS:
        return []
    boxes = [Box(*rects[4 * i : 4 * i + 4]) for i, color in enumerate(colors) if not is_white(color)]
    boxes = [b for b in boxes if b.right - b.left < 0.5 * page.width and b.bottom - b.top < 0.5 * page.height]
    for side in (3, 0):  # standing on one line, or beginning at one
        shared: dict[int, list[Box]] = {}
        for box in boxes:
            shared.setdefault(round(box[side]), []).append(box)
        group = max(shared.values(), key=len, default=[])
        lengths = {round(box.bottom - box.top if side == 3 else box.right - box.left) for box in group}
        if (
            len(group) >= MIN_BARS
            and len(lengths) > len(group) // 2
            and not any(_inside(line, box) for box in group for line in lines)
        ):
            return group
    return []


def _inside(line: Boxed, box: Box) -> bool:
    return has_middle(box, line, near=2)


def _beside_text(lines: list[Line], box: Box) -> bool:
    """Whether the text in a figure leaves most of it free, so that it still counts as a figure."""
    covered = sum(line.width * line.height for line in lines)
    return covered < 0.15 * area(box)


def _labels(lines: list[Line], box: Box) -> bool:
    """Whether the lines in a figure are its labels and not text over a picture."""
    if not lines:
        return False
    letters = sum(len(line.text) for line in lines)
    covered = sum(line.width * line.height for line in lines)
    longest = max(len(line.text) for line in lines)
    return covered < 0.3 * area(box) and letters / len(lines) < 14 and longest < 60
