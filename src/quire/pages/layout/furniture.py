"""Page furniture: running headers, footers, page numbers.

A single page can only show that a line is isolated in the margin; `assemble` compares the pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from quire.core.types import BlockKind
from quire.pages.geometry.rows import baseline_rows
from quire.pages.layout.formulas.signs import RELATIONS
from quire.pages.layout.lines import Line
from quire.pages.layout.patterns import is_page_number

ZONE = 0.1  # of the page's height: how deep the margins with furniture are
WIDE_ZONE = 0.125  # for page numbers, lines spread over the width, and small type far from the text
TITLE_GAP = 2.0  # of the size: titles of columns are not further from them
LINE_GAP = 0.5  # of the size: lines of one text are not further from each other
MAX_ROWS = 3
FORMULA = 0.15  # of a formula's characters: those in fonts of formulas
_WORD = re.compile(r"[^\W\d_]{3}")
STAMP = 0.08  # of the page's width: how wide the margins with turned stamps are


def find_furniture(
    lines: Sequence[Line], body_size: float, size: tuple[float, float], rulings: Sequence[float]
) -> dict[int, BlockKind]:
    """Header, footer and page-number lines, by `id()`."""
    rows = baseline_rows(line for line in lines if not line.angle)
    found: dict[int, BlockKind] = {}
    if len(rows) < 2:
        return found
    height = size[1]
    if _is_last_number(rows, size[0]):
        found[id(rows[-1][0])] = "page_number"
        rows = rows[:-1]
    for place, kind in ((1, "header"), (-1, "footer")):
        inner = rows if place == 1 else rows[::-1]
        for number, row in enumerate(inner[:MAX_ROWS]):
            following = inner[number + 1] if number + 1 < len(inner) else None
            if following is None or not _apart(row, following, place, height, body_size, rulings):
                break
            for line in row:
                paged = is_page_number(line.text)
                found[id(line)] = "page_number" if paged else ("header" if kind == "header" else "footer")
    return found


def is_stamp(line: Line, width: float) -> bool:
    """Whether a turned line is in the outer margin, like the stamp of an archive or a Bates number."""
    return line.right < STAMP * width or line.left > (1 - STAMP) * width


def _is_last_number(rows: list[list[Line]], width: float) -> bool:
    """Whether the last row is a page number: alone, centred or at a side, wherever the text of the page ends."""
    last, above = rows[-1], rows[-2]
    if len(last) != 1 or not is_page_number(last[0].text):
        return False
    line = last[0]
    middle = (line.left + line.right) / 2
    centred = abs(middle - width / 2) < 0.03 * width
    outside = line.left > 0.85 * width or line.right < 0.15 * width
    gap = line.top - max(other.bottom for other in above)
    return gap > (1.2 if centred else 2.5) * line.size and (centred or outside)


def _apart(
    row: list[Line], following: list[Line], place: int, height: float, body_size: float, rulings: Sequence[float]
) -> bool:
    """Whether a row at the edge is separated by white space from what follows it towards the middle of the page."""
    top, bottom = min(line.top for line in row), max(line.bottom for line in row)
    numbers = [line for line in row if is_page_number(line.text)]
    size = max(line.size for line in row)
    inner = min(line.top for line in following) if place == 1 else max(line.bottom for line in following)
    gap = inner - bottom if place == 1 else top - inner
    spread = _spread(row)
    faint = size < 0.8 * body_size and gap > 2 * size
    zone = height * (WIDE_ZONE if spread or faint or len(numbers) == len(row) else ZONE)
    if (place == 1 and bottom > zone) or (place == -1 and top < height - zone):
        return False
    if any(_is_formula(line) for line in row):
        return False
    if size > 1.25 * body_size or len("".join(line.text for line in row)) > 200:
        return False
    if place == -1 and _footnote_like(row, body_size):
        return False
    if len(row) > 3 or (_ruled(top - 3 * size, top, rulings) and _ruled(bottom, bottom + 3 * size, rulings)):
        return False  # the head or foot of a table
    if gap < TITLE_GAP * size and (_over_columns(row, following) or _in_columns(row, following)):
        return False
    if _ruled(bottom if place == 1 else inner, inner if place == 1 else top, rulings):
        return True
    if spread and numbers and gap > -0.5 * size:  # a number beside a title: boxes of OCR text overlap
        return True
    if (len(numbers) == len(row) or spread) and gap > 0.25 * size:
        return True
    return gap > (0.8 if numbers else 1.0) * max(size, 0.9 * body_size)


def _is_formula(line: Line) -> bool:
    """Whether a line is a formula that stands alone at the edge: signs in fonts of formulas, a relation, no word."""
    return line.signs > FORMULA and any(sign in RELATIONS for sign in line.text) and not _WORD.search(line.text)


def _over_columns(row: list[Line], following: list[Line]) -> bool:
    """Whether several pieces of a row are over or under pieces of the next one: columns of a table."""
    return sum(any(_is_column(line, other) for other in following) for line in row) > 1


def _is_column(line: Line, other: Line) -> bool:
    """Whether one piece is centred over the other, or begins or ends where a number does: as years over amounts."""
    left, right = line.left - other.left, line.right - other.right
    if abs(left + right) < 2:
        return True
    return min(abs(left), abs(right)) < 2 and other.text[-1:].isdigit() and not _WORD.search(other.text)


def _in_columns(row: list[Line], following: list[Line]) -> bool:
    """Whether every piece of a row begins below or above one of the same size, without a gap: text in columns."""
    return len(row) > 1 and all(any(_is_next(line, other) for other in following) for line in row)


def _is_next(line: Line, other: Line) -> bool:
    gap = max(line.top - other.bottom, other.top - line.bottom)
    return abs(line.left - other.left) < 1 and abs(line.size - other.size) < 0.1 and gap < LINE_GAP * line.size


def _spread(row: list[Line]) -> bool:
    """Short pieces far from each other, as at the left, in the middle and at the right of the page."""
    ordered = sorted(row, key=lambda line: line.left)
    gaps = [b.left - a.right for a, b in pairwise(ordered)]
    apart = len(gaps) > 1 or any(is_page_number(line.text) for line in row)
    return apart and bool(gaps) and min(gaps) > 3 * row[0].size and all(len(line.text) < 60 for line in row)


def _footnote_like(row: list[Line], body_size: float) -> bool:
    first = min(row, key=lambda line: line.left)
    return first.size < 0.95 * body_size and first.text[:1] in "*†‡§¶1234567890" and len(first.text) > 30


def _ruled(low: float, high: float, rulings: Sequence[float]) -> bool:
    """Whether a long horizontal ruling lies between two heights."""
    return any(
        low - 1 <= rulings[i + 1] <= high + 1 and rulings[i + 2] - rulings[i] > 100
        for i in range(0, min(len(rulings), 2000), 5)
        if rulings[i + 1] == rulings[i + 3]
    )
