"""Labels with their values: `Invoice number: 42`, a label left of its value, or above it.

A colon makes a label, and on a page of short lines (an invoice, a form) so does a short text with a number to its
right. What a table holds is not looked at: its rows say what belongs together.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from quire.core.pagetext import PageText
from quire.pages.geometry.extents import box_of
from quire.pages.geometry.rows import TIGHT_ROW, baseline_rows, from_left
from quire.pages.layout.labels import (
    FEWEST_PAIRS,
    is_known_label,
    is_label,
    is_number,
    is_numeric,
    is_prose,
    names_number,
)
from quire.pages.layout.lines import Line
from quire.pages.layout.patterns import bullet, list_number

VALUE_LENGTH = 70
PROSE_LINE = 60  # characters: a longer line is no value
MOST_LINES = 1_000  # of a page with fields
NEAR = 1.3  # of the size: the gap to the line below that still belongs to it
STICKS = 0.6  # of the size: the gap between the lines of a value
STEP = 2.5  # of the size: from one field to the next below it
LARGER = 1.5  # of the size of the label: a value beside it is smaller
SAME_HEIGHT = 0.4  # of the size: how far the middle of a value may be from that of its label
ALIGNED = 0.4  # of the size
EDGE = 8.0  # points: labels, or values, that begin this near to each other are in one column
COLUMN = 8.0  # of the size: how far below each other fields of a column may be
REACH = 0.7  # of the page's width: how far a value may be from its label
BEYOND = 12.0  # of the size: right of the values of a column
CONTENTS = 4  # rows that end with a small number: a table of contents
_SENTENCE = re.compile(r"\w+ \w+ .*[.?!]\Z")
_SMALL = re.compile(r"\d{1,3}\Z")


class FieldPair:
    """A label with its value, as a thing to be ordered; the value may be missing or have several lines."""

    __slots__ = ("bottom", "label", "left", "right", "top", "value")

    def __init__(self, label: list[Line], value: list[Line]) -> None:
        self.label, self.value = label, value
        self.left, self.top, self.right, self.bottom = box_of(self.lines)

    @property
    def lines(self) -> list[Line]:
        return [*self.label, *self.value]

    @property
    def is_stacked(self) -> bool:
        """Whether the value is below its label."""
        return bool(self.value) and self.value[0].top > self.label[-1].middle


class _Found:
    """A label that may have a value, with the lines of the page that they are made of."""

    __slots__ = ("label", "lines", "sure", "value")

    def __init__(self, label: Line, value: Line | None, lines: list[Line], *, sure: bool) -> None:
        self.label, self.value, self.lines, self.sure = label, value, lines, sure

    @property
    def left(self) -> float:
        return self.label.left

    @property
    def edge(self) -> float:
        """The left edge of the value; the right edge of a label without one."""
        return self.value.left if self.value else self.label.right

    @property
    def edge_below(self) -> float:
        """The left edge of the lines of the value that stand below the label."""
        return self.value.left if self.value else self.label.left


def find_fields(page: PageText, lines: Sequence[Line], *, form: bool) -> tuple[list[FieldPair], list[Line]]:
    """The fields of a page, and the lines that are in none of them; `form` says that it has mostly short lines."""
    if len(lines) > MOST_LINES:
        return [], list(lines)
    if not form and not any(":" in line.text and len(line.text) < PROSE_LINE for line in lines):
        return [], list(lines)
    seen = [pair for row in baseline_rows(lines, TIGHT_ROW) for pair in _in_row(page, from_left(row), form=form)]
    found = _believed(seen, lines, form=form)
    if form:
        found += _in_columns(lines, {id(line) for pair in found for line in pair.lines})
    if not found:
        return [], list(lines)
    taken = {id(line) for pair in found for line in pair.lines}
    rest = [line for line in lines if id(line) not in taken]
    pairs = []
    for pair in found:
        more = _below(pair, rest, lines, form=form)
        used = {id(line) for line in more}
        rest = [line for line in rest if id(line) not in used]
        pairs.append(FieldPair([pair.label], [*([pair.value] if pair.value else ()), *more]))
    return pairs, rest


def _in_row(page: PageText, row: Sequence[Line], *, form: bool) -> list[_Found]:
    """The fields of the lines on one baseline, from left to right."""
    found = []
    rest = list(row)
    while rest:
        line, *rest = rest
        label, value = _cut(page, line, form=form)
        if label and value and rest and is_numeric(value.text) and is_numeric(rest[0].text):
            return []  # a row of a table
        if label and value:
            found.append(_Found(label, value, [line], sure=False))
        elif label and rest and _is_value_of(page, label, rest[0]):
            if len(rest) > 1 and is_numeric(rest[1].text):
                return []  # a row of a table
            found.append(_Found(label, rest[0], [line, rest.pop(0)], sure=True))
        elif label:
            found.append(_Found(label, None, [line], sure=False))
        elif form and rest and names_number(line.text, rest[0].text) and _is_value_of(page, line, rest[0]):
            if len(rest) > 1 and not is_label(rest[1].text):
                return []  # a row of a table
            found.append(_Found(line, rest[0], [line, rest.pop(0)], sure=True))
    return found


def _in_columns(lines: Sequence[Line], taken: set[int]) -> list[_Found]:
    """Labels below each other, without colons, each with a value to their right, in another type."""
    ordered = sorted((line for line in lines if id(line) not in taken), key=lambda line: line.middle)
    middles = [line.middle for line in ordered]
    beside = []
    for label in ordered:
        reach = SAME_HEIGHT * label.size
        row = ordered[bisect_left(middles, label.middle - reach) : bisect_right(middles, label.middle + reach)]
        right = [line for line in row if line.left - label.right > ALIGNED * label.size]
        if right and is_label(label.text):
            value = min(right, key=lambda line: line.left)
            if len(value.text) <= VALUE_LENGTH:
                beside.append(_Found(label, value, [label, value], sure=True))
    found = []
    for pair in beside:
        column = [other for other in beside if _are_in_column(pair, other)]
        marked = sum(1 for other in column if other.value and _looks_different(other.label, other.value))
        if len(column) >= FEWEST_PAIRS and 2 * marked > len(column):
            found.append(pair)
    values = Counter(id(pair.value) for pair in found)
    return [pair for pair in found if values[id(pair.value)] == 1]


def _are_in_column(pair: _Found, other: _Found) -> bool:
    same = abs(pair.left - other.left) < EDGE and abs(pair.edge - other.edge) < EDGE
    return same and abs(pair.label.baseline - other.label.baseline) < COLUMN * pair.label.size


def _looks_different(label: Line, value: Line) -> bool:
    return label.bold != value.bold or abs(label.size - value.size) > 0.05 * value.size or label.color != value.color


def _cut(page: PageText, line: Line, *, form: bool) -> tuple[Line | None, Line | None]:
    """The label with which a line begins, up to its colon, and the rest of the line."""
    if line.angle or (":" not in line.text and not form):
        return None, None
    ends = (n for n, run in enumerate(line.runs, start=1) if page.texts[run].endswith(":"))
    number = next(ends, 0)
    if not number and form and len(line.runs) > 1 and is_known_label(page.texts[line.runs[0]]):
        label, value = Line(page, line.runs[:1], line.tag), Line(page, line.runs[1:], line.tag)
        return (label, value) if any(map(str.isdigit, value.text)) or "@" in value.text else (None, None)
    if not number:
        return _cut_by_weight(page, line) if form else (None, None)
    label = Line(page, line.runs[:number], line.tag)
    if not is_label(label.text):
        return None, None
    if number == len(line.runs):
        return label, None
    value = Line(page, line.runs[number:], line.tag)
    return (label, value) if _may_be_value(value, form=form) else (None, None)


def _may_be_value(value: Line, *, form: bool) -> bool:
    """Whether what follows a colon is short, and neither a sentence nor a formula; in a text, no address either."""
    text = value.text
    if len(text) > VALUE_LENGTH or value.signs or _SENTENCE.match(text):
        return False
    return form or not (text.endswith(".") or "://" in text)


def _cut_by_weight(page: PageText, line: Line) -> tuple[Line | None, Line | None]:
    """A bold label before a number, or the other way round, without a colon."""
    if page.fonts[line.runs[0]] == page.fonts[line.runs[-1]]:
        return None, None
    bold = [page.font_table[page.fonts[run]].look.bold for run in line.runs]
    changes = [number for number, (a, b) in enumerate(pairwise(bold), start=1) if a != b]
    if len(changes) != 1:
        return None, None
    label, value = Line(page, line.runs[: changes[0]], line.tag), Line(page, line.runs[changes[0] :], line.tag)
    return (label, value) if is_label(label.text) and is_numeric(value.text) else (None, None)


def _is_value_of(page: PageText, label: Line, line: Line) -> bool:
    """Whether a line to the right of a label is short, near, hardly larger, and no label itself."""
    if line.angle or line.signs or len(line.text) > VALUE_LENGTH or line.text.rstrip().endswith(":"):
        return False
    if line.size > LARGER * label.size:
        return False
    colon = line.text.find(": ")
    return line.left - label.right < REACH * page.width and not (colon > 0 and is_label(line.text[:colon]))


def _believed(found: list[_Found], lines: Sequence[Line], *, form: bool) -> list[_Found]:
    """Without what is more likely a sentence with a colon, a page number or a table of contents."""
    small = [pair for pair in found if pair.sure and pair.value and _SMALL.match(pair.value.text)]
    if len(small) >= CONTENTS:
        found = [pair for pair in found if pair not in small]
    for pair in found:
        if pair.sure and _is_beyond(pair, found):
            pair.value, pair.lines, pair.sure = None, pair.lines[:1], False
    kept = []
    for pair in found:
        is_sure = pair not in small and form and (pair.sure or (pair.value is not None and is_number(pair.value.text)))
        alone = form and pair.value is None and bool(_below(pair, lines, lines, form=form))
        if not is_sure and pair.value and _goes_on(pair, found, lines):
            continue
        if is_sure or alone or any(_are_stacked(pair, other) for other in found if other is not pair):
            kept.append(pair)
    return kept


def _is_beyond(pair: _Found, found: Sequence[_Found]) -> bool:
    """Whether a value is far to the right of where those of the labels below and above begin: it is not of this one."""
    column = sorted(
        other.edge for other in found if other is not pair and other.value and abs(other.left - pair.left) < EDGE
    )
    if len(column) < FEWEST_PAIRS:
        return False
    usual = column[len(column) // 2]
    return pair.edge > usual + BEYOND * pair.label.size and pair.label.right < usual


def _goes_on(pair: _Found, found: Sequence[_Found], lines: Sequence[Line]) -> bool:
    """Whether the line below a field continues it from the left, as a sentence would."""
    labels = {id(line) for other in found for line in other.lines}
    label = pair.label
    return any(
        id(line) not in labels
        and abs(line.left - label.left) < ALIGNED * label.size
        and label.middle < line.top < label.bottom + STICKS * label.size
        for line in lines
    )


def _are_stacked(pair: _Found, other: _Found) -> bool:
    """Whether two fields of the same type are one above the other, their labels or their values aligned."""
    size = pair.label.size
    near = abs(pair.label.baseline - other.label.baseline) < STEP * size
    alike = abs(other.label.size - size) < 0.05 * size
    return near and alike and (abs(pair.left - other.left) < size or abs(pair.edge - other.edge) < size)


def _below(pair: _Found, rest: Sequence[Line], lines: Sequence[Line], *, form: bool) -> list[Line]:
    """More lines of a value, below its first; the value itself where there is none beside the label.

    `rest` are the lines that may belong to it. A line with another one beside it, below the label, does not.
    """
    label = pair.label
    above = pair.value or label
    if pair.value is None and not form:
        return []
    found: list[Line] = []
    size = above.size
    for line in sorted(rest, key=lambda line: line.top):
        if line.top < above.middle or abs(line.left - pair.edge_below) > ALIGNED * size:
            continue
        gap = line.top - above.bottom
        if gap > (NEAR if not found and pair.value is None else STICKS) * size or _is_other(line, label, lines):
            break
        if found and abs(line.size - above.size) > 0.1 * size:
            break
        found.append(line)
        above = line
    return found


def _is_other(line: Line, label: Line, lines: Sequence[Line]) -> bool:
    """Whether a line below a value is something else: prose, a label, or beside a label of its own."""
    if is_prose(line) or line.text.rstrip().endswith(":") or bullet(line.text) or list_number(line.text):
        return True
    return any(
        other.right <= line.left and other.right > label.left and abs(other.baseline - line.baseline) < line.size / 2
        for other in lines
    )
