"""Groups the runs of a page into lines: the smallest unit the layout reasons about.

Coordinates are points of the displayed page. A page whose whole text is rotated is first turned upright
(`quire.pages.layout.frame`), so that everything here reads from left to right and from top to bottom.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import sub

from quire.core.pagetext import INVISIBLE, LINE, SPACE, PageText
from quire.pages.layout.account import Account

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdfd\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")

MERGE_GAP = 0.9  # of the size: pieces of a line nearer than this belong together
SCAN_GAP = (
    0.4  # the same on a scan, where boxes are generous and the OCR engine has already joined what belongs together
)
UNEVEN_GAP = 0.4  # the same for pieces of different size
WHITE = 0xFA  # text with all three colours at or above this is visible only on something darker
SQUARE = 4  # points: larger than the distance between a text and its double
DOUBLE = 0.15  # of the size: the same text this near is the same one drawn twice
MONO = 0.9  # of the letters of a line of code are in a font of fixed width
CHANGED = 20  # of the size: how far the text of a changed line of code is from its plus or minus
MERGE_SHIFT = 0.25  # of the size: how far their baselines may differ


class Line:
    """Words on one baseline: box, type and the runs they are made of."""

    __slots__ = (
        "angle",
        "baseline",
        "bold",
        "bottom",
        "cap",
        "color",
        "font",
        "gap",
        "italic",
        "left",
        "marker",
        "mono",
        "right",
        "runs",
        "signs",
        "size",
        "tag",
        "text",
        "top",
    )

    def __init__(self, page: PageText, runs: list[int], tag: int = -1) -> None:
        self.runs = runs
        self.tag = tag
        self.cap = 0.0
        self.marker = ""
        self.measure(page)

    def measure(self, page: PageText) -> None:
        """Box, type and text from the runs, which are in reading order."""
        runs = self.runs
        first, end = runs[0], runs[-1] + 1
        if len(runs) == 1:
            self.left, self.top, self.right, self.bottom = page.boxes[4 * first : 4 * end]
            self.gap = 0.0
            self.text = page.texts[first]
            self.size, self.baseline = page.sizes[first], page.baselines[first]
            self.angle, self.color = page.angles[first], page.colors[first]
            self._look_of_one(page, page.fonts[first])
            return
        if end - first == len(runs) and runs == list(
            range(first, end)
        ):  # consecutive, as nearly always: slices are fastest
            boxes = page.boxes[4 * first : 4 * end]
            sizes, fonts = page.sizes[first:end], page.fonts[first:end]
            texts, spaces = page.texts[first:end], [flag & SPACE for flag in page.flags[first:end]]
        else:
            boxes = [value for run in runs for value in page.boxes[4 * run : 4 * run + 4]]
            sizes, fonts = [page.sizes[run] for run in runs], [page.fonts[run] for run in runs]
            texts, spaces = [page.texts[run] for run in runs], [page.flags[run] & SPACE for run in runs]
        lefts, rights = boxes[0::4], boxes[2::4]
        self.left, self.right = min(lefts), max(rights)
        self.gap = max(map(sub, lefts[1:], rights), default=0.0)
        main = 0
        if sizes.count(sizes[0]) == len(sizes):
            self.top, self.bottom = min(boxes[1::4]), max(boxes[3::4])
        else:
            main = sizes.index(_usual_size(sizes, texts))
            full = [i for i, size in enumerate(sizes) if size >= 0.9 * sizes[main]]
            self.top = min([boxes[4 * i + 1] for i in full])
            self.bottom = max([boxes[4 * i + 3] for i in full])
        spaces[0] = SPACE
        if 0 not in spaces:
            self.text = " ".join(texts)
        else:
            self.text = "".join([f" {t}" if space else t for t, space in zip(texts, spaces, strict=True)])[1:]
        run = runs[main]
        self.size, self.baseline = sizes[main], page.baselines[run]
        self.angle, self.color = page.angles[run], page.colors[run]
        self._look(page, fonts, texts)

    def _look_of_one(self, page: PageText, font: int) -> None:
        self.font = font
        self.bold, self.italic, self.mono, math = page.font_table[font].look
        self.signs = 1.0 if math else 0.0

    def _look(self, page: PageText, fonts: Sequence[int], texts: Sequence[str]) -> None:
        table = page.font_table
        font = fonts[0]
        if fonts.count(font) == len(fonts):
            self._look_of_one(page, font)
            return
        letters: dict[int, int] = {}
        for font, text in zip(fonts, texts, strict=True):
            letters[font] = letters.get(font, 0) + len(text)
        self.font = max(letters, key=lambda f: letters[f])
        bold = italic = mono = signs = total = 0
        for font, count in letters.items():
            look = table[font].look
            total += count
            bold += count if look.bold else 0
            italic += count if look.italic else 0
            mono += count if look.mono else 0
            signs += count if look.math else 0
        self.bold, self.italic, self.mono = 2 * bold > total, 2 * italic > total, mono > MONO * total
        self.signs = signs / total

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


def _usual_size(sizes: Sequence[float], texts: Sequence[str]) -> float:
    """The size of most characters, the larger one of two equally frequent."""
    letters: dict[float, int] = {}
    for size, text in zip(sizes, texts, strict=True):
        letters[size] = letters.get(size, 0) + len(text)
    return max(letters, key=lambda size: (letters[size], size))


def find_lines(page: PageText, account: Account) -> list[Line]:
    """The lines of a page in the order of the file; invisible and off-page text, and text drawn twice, is left out.

    Invisible text is what the pictures below it show where most of the page is written like that, or all of it.
    """
    pieces: list[list[int]] = []
    flags, boxes, texts, colors = page.flags, page.boxes, page.texts, page.colors
    white = set(filter(is_white, set(colors)))
    width, height = page.width, page.height
    hide = INVISIBLE if page.invisible < page.chars else 0
    below: list[Sequence[float]] = [*page.pictures()] if hide and 2 * page.invisible > page.chars else []
    covered = _backgrounds(page)
    current: list[int] = []
    hidden: list[int] = []
    outside: list[int] = []
    plain = not white and not any(flag & hide for flag in set(flags)) and not _leaves_page(page)
    if plain:
        starts = [run for run, flag in enumerate(flags) if flag & LINE]
        pieces = [list(range(a, b)) for a, b in pairwise([0, *starts, len(texts)]) if a < b]
    for run in range(0 if plain else len(texts)):
        flag = flags[run]
        if flag & LINE and current:
            pieces.append(current)
            current = []
        at = 4 * run
        if not texts[run]:  # it is part of another word
            continue
        if flag & hide and not (below and _on_background(boxes[at : at + 4], below)):
            hidden.append(run)
        elif boxes[at] > width or boxes[at + 2] < 0 or boxes[at + 1] > height or boxes[at + 3] < 0:
            outside.append(run)
        elif colors[run] in white and not flag & INVISIBLE and not _on_background(boxes[at : at + 4], covered):
            hidden.append(run)
        else:
            current.append(run)
    if current:
        pieces.append(current)
    account.leave_out(hidden, "hidden")
    account.leave_out(outside, "off_page")
    shown: list[Line] = []
    for line in _drawn_once([Line(page, runs) for runs in pieces], account):
        if line.text and line.text.strip("\ufffd"):
            shown.append(line)
        else:
            account.leave_out(line.runs, "unmapped")
    return shown if page.ordered else _joined(page, shown)


def _leaves_page(page: PageText) -> bool:
    """Whether any run is beside the page."""
    boxes = page.boxes
    return bool(boxes) and (
        max(boxes[0::4]) > page.width or min(boxes[2::4]) < 0 or max(boxes[1::4]) > page.height or min(boxes[3::4]) < 0
    )


def _drawn_once(lines: list[Line], account: Account) -> list[Line]:
    """The lines without those drawn again at the same place, for weight or as a shadow."""
    texts = [line.text for line in lines]
    if len(set(texts)) == len(texts):
        return lines
    counts = Counter(texts)
    found: dict[str, dict[tuple[int, int], Line]] = {}  # by text and square of the page
    once = []
    for line in lines:
        if counts[line.text] == 1:
            once.append(line)
            continue
        x, y = int(line.left) // SQUARE, int(line.baseline) // SQUARE
        places = found.setdefault(line.text, {})
        near = [(x + i, y + j) for i in (0, -1, 1) for j in (0, -1, 1)] if places else ()
        if any(place in places and _same_place(line, places[place]) for place in near):
            account.leave_out(line.runs, "duplicate")
        else:
            places[x, y] = line
            once.append(line)
    return once


def _same_place(line: Line, other: Line) -> bool:
    near = DOUBLE * line.size
    return (
        line.angle == other.angle
        and abs(line.left - other.left) < near
        and abs(line.right - other.right) < near
        and abs(line.top - other.top) < near
        and abs(line.baseline - other.baseline) < near
    )


def is_white(color: int) -> bool:
    return color >> 16 >= WHITE and (color >> 8) & 255 >= WHITE and color & 255 >= WHITE


def _backgrounds(page: PageText) -> list[Sequence[float]]:
    """Backgrounds on which white text is visible: filled rectangles that are not white, pictures, drawings."""
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


def is_right_to_left(text: str) -> bool:
    """Whether a text has letters of Hebrew, Arabic or a script written like them."""
    return not text.isascii() and bool(_RIGHT_TO_LEFT.search(text))


def _joined(page: PageText, lines: list[Line]) -> list[Line]:
    """Join pieces next to each other on one baseline into one line, even if the file wrote them apart.

    Parts of a formula are joined only when the file wrote them one after the other: what it wrote between them,
    like the limits of a sum, belongs between them.
    """
    widest = SCAN_GAP if page.engine and page.recognised == 0 else MERGE_GAP
    order = sorted(range(len(lines)), key=lambda i: (lines[i].angle, round(lines[i].baseline), lines[i].left))
    gone: set[int] = set()
    last = list(range(len(lines)))
    for position, start in enumerate(order):
        index = start
        if index in gone or lines[index].angle:
            continue
        line = lines[index]
        for place in range(position + 1, len(order)):
            other = order[place]
            near = lines[other]
            size = near.size if near.size > line.size else line.size
            if near.angle or near.baseline - line.baseline > 2 + MERGE_SHIFT * size:
                break
            far = near.left - line.right >= widest * size and not near.mono
            if far or other in gone or not _continues(line, near, widest):
                continue
            if (line.signs or near.signs) and last[min(index, other)] + 1 != max(index, other):
                continue
            forwards = (line.left <= near.left) != (is_right_to_left(line.text) or is_right_to_left(near.text))
            runs = line.runs + near.runs if forwards else near.runs + line.runs
            first, second = min(index, other), max(index, other)
            lines[first] = Line(page, runs)
            last[first] = last[second]
            gone.add(second)
            index, line = first, lines[first]
    return [line for i, line in enumerate(lines) if i not in gone]


def _continues(line: Line, near: Line, widest: float) -> bool:
    """Whether two pieces share a baseline and are no further apart than this multiple of their size."""
    size = max(line.size, near.size)
    if abs(line.baseline - near.baseline) > MERGE_SHIFT * size:
        return False
    if min(line.size, near.size) < 0.5 * size:
        return False
    gap = max(near.left - line.right, line.left - near.right)
    first = line if line.left <= near.left else near
    if line.mono and near.mono and first.text in ("+", "-"):
        return -0.3 * size < gap < CHANGED * size
    if min(line.size, near.size) < 0.87 * size:  # a heading beside text across a narrow gutter, not a raised sign
        return -0.3 * size < gap < min(widest, UNEVEN_GAP) * size
    return -0.3 * size < gap < widest * min(line.size, near.size)


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
