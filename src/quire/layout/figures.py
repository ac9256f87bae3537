"""Pictures and drawings of a page that are figures, with the labels inside them."""

from __future__ import annotations

from collections.abc import Sequence

from quire.layout.lines import Line
from quire.pagetext import Box, PageText

LEAST_SIDE = 24.0  # points: smaller pictures are ornaments
LEAST_SHARE = 0.006  # of the page
MOST_SHARE = 0.75  # a larger picture is a background
REACH = 12.0  # points: drawings nearer than this belong together
MAX_DRAWINGS = 3000


class Figure:
    """A region of pictures or drawings and the lines that label it."""

    __slots__ = ("bottom", "left", "lines", "right", "top")

    def __init__(self, box: Box) -> None:
        self.left, self.top, self.right, self.bottom = box
        self.lines: list[Line] = []


def find_figures(page: PageText, lines: Sequence[Line], taken: Sequence[Box]) -> list[Figure]:
    """Figures that do not stand in a table, each with the lines inside it."""
    if not page.images and not page.drawings:
        return []
    whole = page.width * page.height
    boxes = _clusters(_pictures(page), 2.0)
    boxes += _clusters(_drawn(page), REACH)
    figures: list[Figure] = []
    for box in _clusters(boxes, 0.0):
        area = (box.right - box.left) * (box.bottom - box.top)
        if min(box.right - box.left, box.bottom - box.top) < LEAST_SIDE or area < LEAST_SHARE * whole:
            continue
        if area > MOST_SHARE * whole or any(_overlap(box, other) > 0.3 * area for other in taken):
            continue
        figure = Figure(box)
        inside = [line for line in lines if _inside(line, box)]
        if _labels(inside, box):
            figure.lines = inside
            figures.append(figure)
        elif not inside or _beside_text(inside, box):
            figures.append(figure)
    return figures


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


def _clusters(boxes: list[Box], reach: float) -> list[Box]:
    """Boxes that touch, or nearly, as one box; sweeps until nothing changes."""
    current = sorted(boxes, key=lambda b: b.top)
    for _ in range(12):
        merged: list[Box] = []
        for box in current:
            for index in range(len(merged) - 1, max(-1, len(merged) - 60), -1):
                other = merged[index]
                if (
                    box.left <= other.right + reach
                    and box.right >= other.left - reach
                    and box.top <= other.bottom + reach
                    and box.bottom >= other.top - reach
                ):
                    merged[index] = Box(
                        min(box.left, other.left),
                        min(box.top, other.top),
                        max(box.right, other.right),
                        max(box.bottom, other.bottom),
                    )
                    break
            else:
                merged.append(box)
        if len(merged) == len(current):
            return merged
        current = merged
    return current


def _overlap(a: Box, b: Box) -> float:
    width = min(a.right, b.right) - max(a.left, b.left)
    height = min(a.bottom, b.bottom) - max(a.top, b.top)
    return width * height if width > 0 and height > 0 else 0.0


def _inside(line: Line, box: Box) -> bool:
    x, y = (line.left + line.right) / 2, (line.top + line.bottom) / 2
    return box.left - 2 <= x <= box.right + 2 and box.top - 2 <= y <= box.bottom + 2


def _beside_text(lines: list[Line], box: Box) -> bool:
    """Whether text in a figure leaves most of it free, so that it is still one."""
    covered = sum(line.width * line.height for line in lines)
    return covered < 0.15 * (box.right - box.left) * (box.bottom - box.top)


def _labels(lines: list[Line], box: Box) -> bool:
    """Whether the lines in a figure are its labels and not text that stands on a picture."""
    if not lines:
        return False
    letters = sum(len(line.text) for line in lines)
    covered = sum(line.width * line.height for line in lines)
    area = (box.right - box.left) * (box.bottom - box.top)
    longest = max(len(line.text) for line in lines)
    return covered < 0.3 * area and letters / len(lines) < 14 and longest < 60
