"""The invisible text layer of a page as PDF operators: text rendering mode 3, each word as wide as its box."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from quire.core.median import median
from quire.core.types import Word
from quire.output.export._glyphless import DESCENT, WIDTH, Codes
from quire.output.export._lines import Points, Size, TextLine, is_spaced, upright
from quire.pages.layout.lines import is_right_to_left

WordTest = Callable[[Word], bool]

_AXES = {0: (1, 0), 90: (0, -1), 180: (-1, 0), 270: (0, 1)}
"""Map the direction of writing to that of the line on the page, to the right and upwards."""

_LONG = 5.0  # heights: a line of at least this width determines its slope
_STEEPEST = 0.2
_UNEVEN = 1.6  # of the median height: where the words of a line differ more, one of them is unreliable
_NARROWEST = 0.1  # of the height: a space where two words touch; PDFium ignores narrower ones

_LEFT_TO_RIGHT = re.compile(r"[0-9A-Za-z\u00c0-\u024f][0-9A-Za-z\u00c0-\u024f.,:/%+-]*")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def operators(lines: Iterable[TextLine], size: Size, font: str, codes: Codes, is_written: WordTest) -> bytes:
    """The words that `is_written` lets pass, on a page of `size` in points with its origin at the bottom left."""
    written = [text for line in lines for text in _line(line, size, font, codes, is_written)]
    return "\n".join(["BT", "3 Tr", *written, "ET"]).encode() if written else b""


def _line(line: TextLine, size: Size, font: str, codes: Codes, is_written: WordTest) -> list[str]:
    """A line on one baseline, which may slope. Written in visual order, from left to right in its own direction."""
    placed = [(word.text, upright(word.bbox.points(size), line.angle)) for word in line.words if is_written(word)]
    if not line.words:
        placed = _spread(line.text, upright(line.bbox.points(size), line.angle))
    placed = [(text, box) for text, box in placed if text.strip() and box[2] > box[0]]
    if not placed:
        return []
    middle, top, bottom, slope = _fitted([box for _, box in placed])
    height = max(bottom - top, 0.1)
    baseline = bottom + height * DESCENT / 1000
    leftwards = sum(is_right_to_left(text) for text, _ in placed) * 2 > len(placed)
    placed = _apart(sorted(placed, key=lambda pair: pair[1][0]), _NARROWEST * height)
    written = [f"/{font} {_number(height)} Tf"]
    for number, (text, (left, _, right, _)) in enumerate(placed):
        pieces = [(_as_seen(text) if is_right_to_left(text) else text, left, right)]
        if number + 1 < len(placed):
            following, (start, *_) = placed[number + 1]
            if is_spaced(following, text) if leftwards else is_spaced(text, following):
                pieces.append((" ", right, max(start, right + _NARROWEST * height)))
        for piece, begin, end in pieces:
            x, down = _on_page(begin, baseline + slope * (begin - middle), line.angle)
            scale = 100 * max(end - begin, _NARROWEST * height) / (len(piece) * height * WIDTH / 1000)
            place = f"{_direction(line.angle, slope)} {_number(x)} {_number(size[1] - down)} Tm"
            written.append(f"{place} {_number(scale)} Tz <{codes.encoded(piece).hex()}> Tj")
    return written


def _apart(placed: Sequence[tuple[str, Points]], gap: float) -> list[tuple[str, Points]]:
    """Words from left to right; those that touch or overlap are cut in the middle: PDFium would join them."""
    apart = list(placed)
    for number, ((text, box), (following, other)) in enumerate(pairwise(placed)):
        if other[0] < box[2] + gap and is_spaced(text, following):
            middle = (max(other[0], apart[number][1][0]) + min(box[2], other[2])) / 2
            left = apart[number][1][0]
            apart[number] = text, (left, box[1], max(middle - gap / 2, left + gap), box[3])
            apart[number + 1] = following, (min(middle + gap / 2, other[2] - gap), *other[1:])
    return apart


def _direction(angle: int, slope: float) -> str:
    """The first four numbers of the text matrix."""
    along, up = _AXES[angle]
    length = math.hypot(1, slope)
    x, y = (along + up * slope) / length, (up - along * slope) / length
    return " ".join(_number(value, 5) for value in (x, y, -y, x))


def _on_page(x: float, y: float, angle: int) -> tuple[float, float]:
    """A point of the frame that `upright` returns, mapped back to the page (downwards from the top left)."""
    return {0: (x, y), 90: (-y, x), 180: (-x, -y), 270: (y, -x)}[angle]


def _spread(text: str, box: Points) -> list[tuple[str, Points]]:
    """The words of a line with only one box for the whole line, each with its share of the width."""
    left, top, right, bottom = box
    unit = (right - left) / max(len(text), 1)
    return [
        (match.group(), (left + unit * match.start(), top, left + unit * match.end(), bottom))
        for match in re.finditer(r"\S+", text)
    ]


def _fitted(boxes: Sequence[Points]) -> tuple[float, float, float, float]:
    """The position of a line at its middle (x, top, bottom), and its slope: points down per point to the right."""
    middles = [(box[0] + box[2]) / 2 for box in boxes]
    height = median(box[3] - box[1] for box in boxes)
    middle = sum(middles) / len(middles)
    slope = 0.0
    if len(boxes) > 2 and max(middles) - min(middles) > _LONG * height:
        centres = [(box[1] + box[3]) / 2 for box in boxes]
        mean = sum(centres) / len(centres)
        spread = sum((x - middle) ** 2 for x in middles)
        slope = sum((x - middle) * (y - mean) for x, y in zip(middles, centres, strict=True)) / spread
        slope = slope if abs(slope) <= _STEEPEST else 0.0
    tops = [box[1] - slope * (x - middle) for box, x in zip(boxes, middles, strict=True)]
    bottoms = [box[3] - slope * (x - middle) for box, x in zip(boxes, middles, strict=True)]
    if max(bottoms) - min(tops) > _UNEVEN * height:
        return middle, median(tops), median(bottoms), slope
    return middle, min(tops), max(bottoms), slope


def _as_seen(word: str) -> str:
    """A word of a right-to-left script, in visual order.

    PDFs store such text in visual order, and programs that copy it expect that; numbers inside it run the other way.
    """
    mirrored = word[::-1].translate(_MIRRORED)
    return _LEFT_TO_RIGHT.sub(lambda match: match.group()[::-1], mirrored)


def _number(value: float, decimals: int = 3) -> str:
    """Format a number for PDF: no exponent, no trailing zeros."""
    written = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if written in ("-0", "") else written
