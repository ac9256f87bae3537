"""Runs of a page to lines: the smallest thing the layout reasons about.

Coordinates are points of the displayed page. A page whose text is turned as a whole is first turned upright
(`quire.layout.frame`), so that everything here reads from left to right and from top to bottom.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from quire.pagetext import INVISIBLE, LINE, SPACE, PageText

MERGE_GAP = 0.9  # of the size: pieces of a line nearer than this belong together
WHITE = 0xFA  # text with all three colours at or above this is seen only on something darker
MERGE_SHIFT = 0.25  # of the size: how far their baselines may differ


_MATH_FONT = re.compile(
    r"cm(mi|sy|ex|bsy|mib)\d|msam|msbm|math|symbol|mtmi|mtsy|mtex|rmtmi|euf[mb]|eus[mb]|mjx|katex|lm(mi|sy|ex)|txmi|txsy",
    re.IGNORECASE,
)


@cache
def is_math_font(name: str) -> bool:
    """Whether a font holds the signs and variables of formulas."""
    return bool(_MATH_FONT.search(name))


class Line:
    """Words on one baseline: box, type and the runs they are made of."""

    __slots__ = (
        "angle",
        "baseline",
        "bold",
        "bottom",
        "color",
        "font",
        "italic",
        "left",
        "mono",
        "right",
        "runs",
        "signs",
        "size",
        "text",
        "top",
    )

    def __init__(self, page: PageText, runs: list[int]) -> None:
        self.runs = runs
        self.measure(page)

    def measure(self, page: PageText) -> None:
        """Box, type and text from the runs, which stand in reading order."""
        boxes, sizes, fonts, texts, flags = page.boxes, page.sizes, page.fonts, page.texts, page.flags
        runs = self.runs
        if len(runs) == 1:
            main = runs[0]
            self.left, self.top, self.right, self.bottom = boxes[4 * main : 4 * main + 4]
            self.text = texts[main]
            letters = {fonts[main]: 1}
        else:
            self.left = min([boxes[4 * r] for r in runs])
            self.right = max([boxes[4 * r + 2] for r in runs])
            weights: dict[float, int] = {}
            letters = {}
            pieces: list[str] = []
            for r in runs:
                text = texts[r]
                if flags[r] & SPACE:
                    pieces.append(" ")
                pieces.append(text)
                count = len(text)
                size, font = sizes[r], fonts[r]
                weights[size] = weights.get(size, 0) + count
                letters[font] = letters.get(font, 0) + count
            self.text = "".join(pieces).strip()
            common = max(weights, key=lambda s: (weights[s], s))
            main = next(r for r in runs if sizes[r] == common)
            full = [r for r in runs if sizes[r] >= 0.9 * common]
            self.top = min([boxes[4 * r + 1] for r in full])
            self.bottom = max([boxes[4 * r + 3] for r in full])
        self.size = sizes[main]
        self.baseline = page.baselines[main]
        self.angle = page.angles[main]
        self.color = page.colors[main]
        total = sum(letters.values())
        table = page.font_table
        self.bold = 2 * sum([n for f, n in letters.items() if table[f]["weight"] >= 600]) > total
        self.italic = 2 * sum([n for f, n in letters.items() if table[f]["italic"]]) > total
        self.mono = 2 * sum([n for f, n in letters.items() if table[f]["mono"]]) > total
        self.signs = sum([n for f, n in letters.items() if is_math_font(table[f]["name"])]) / total
        self.font = max(letters, key=lambda f: letters[f])

    @property
    def math(self) -> bool:
        """Whether most of the line is set in the fonts of formulas."""
        return self.signs > 0.5

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    def __repr__(self) -> str:
        return f"Line({self.left:.0f},{self.top:.0f},{self.right:.0f},{self.bottom:.0f} {self.size:g} {self.text!r})"


def find_lines(page: PageText) -> list[Line]:
    """The lines of a page in the order of the file; invisible and off-page text is left out."""
    pieces: list[list[int]] = []
    flags, boxes, texts = page.flags, page.boxes, page.texts
    width, height = page.width, page.height
    hide = INVISIBLE if page.invisible < page.chars else 0
    covered = _backgrounds(page)
    current: list[int] = []
    for run in range(len(texts)):
        flag = flags[run]
        if flag & LINE and current:
            pieces.append(current)
            current = []
        if flag & hide:
            continue
        at = 4 * run
        if boxes[at] > width or boxes[at + 2] < 0 or boxes[at + 1] > height or boxes[at + 3] < 0:
            continue
        if is_white(page.colors[run]) and not _on_background(boxes[at : at + 4], covered):
            continue
        current.append(run)
    if current:
        pieces.append(current)
    lines = [Line(page, runs) for runs in pieces]
    return _joined(page, [line for line in lines if line.text and line.text.strip("\ufffd")])


def is_white(color: int) -> bool:
    return color >> 16 >= WHITE and (color >> 8) & 255 >= WHITE and color & 255 >= WHITE


def _backgrounds(page: PageText) -> list[Sequence[float]]:
    """What white text can stand on and be seen: filled rectangles that are not white, pictures, drawings."""
    if not any(map(is_white, set(page.colors))):
        return []
    rects, images, drawings = page.rects, page.images, page.drawings
    dark = [rects[4 * i : 4 * i + 4] for i, color in enumerate(page.rect_colors) if not is_white(color)]
    thick = [
        (x0 - t / 2, y0 - t / 2, x1 + t / 2, y1 + t / 2)
        for x0, y0, x1, y1, t in zip(*[iter(page.rulings)] * 5, strict=True)
        if t > 5
    ]
    others = [array[4 * i : 4 * i + 4] for array in (images, drawings) for i in range(len(array) // 4)]
    return [*dark, *thick, *others]


def _on_background(box: Sequence[float], covered: list[Sequence[float]]) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(b[0] <= x <= b[2] and b[1] <= y <= b[3] for b in covered)


def _joined(page: PageText, lines: list[Line]) -> list[Line]:
    """Pieces that stand on one baseline next to each other, though the file wrote them apart, are one line.

    Parts of a formula are joined only when the file wrote them one after the other: what it wrote between them,
    like the limits of a sum, belongs between them.
    """
    order = sorted(range(len(lines)), key=lambda i: (lines[i].angle, round(lines[i].baseline), lines[i].left))
    gone: set[int] = set()
    last = list(range(len(lines)))
    for position, start in enumerate(order):
        index = start
        if index in gone or lines[index].angle:
            continue
        for other in order[position + 1 :]:
            line, near = lines[index], lines[other]
            if near.angle or near.baseline - line.baseline > 2 + MERGE_SHIFT * max(line.size, near.size):
                break
            if other in gone or not _continues(line, near):
                continue
            if (line.signs or near.signs) and last[min(index, other)] + 1 != max(index, other):
                continue
            runs = line.runs + near.runs if line.left <= near.left else near.runs + line.runs
            first, second = min(index, other), max(index, other)
            lines[first] = Line(page, runs)
            last[first] = last[second]
            gone.add(second)
            index = first
    return [line for i, line in enumerate(lines) if i not in gone]


def _continues(line: Line, near: Line) -> bool:
    size = max(line.size, near.size)
    if abs(line.baseline - near.baseline) > MERGE_SHIFT * size:
        return False
    if min(line.size, near.size) < 0.5 * size:
        return False
    gap = max(near.left - line.right, line.left - near.right)
    return -0.3 * size < gap < MERGE_GAP * size


def words_of(page: PageText, runs: Iterable[int]) -> list[list[int]]:
    """Runs grouped to words: a run without a space before it continues the word."""
    words: list[list[int]] = []
    flags = page.flags
    for run in runs:
        if words and not flags[run] & SPACE:
            words[-1].append(run)
        else:
            words.append([run])
    return words
