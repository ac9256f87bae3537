"""Rows of the body of an unruled table: which lines belong to one row."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from quire.pages.layout.tables.word_rows import Row, TableWord
from quire.pages.layout.tables.wrap import are_numeric, goes_on

TIGHT = 1.5  # of the size: lines of one cell are not further apart
OVERLAP = 0.95  # of the size: lines nearer than this are of one row
LOOSER = 1.22  # gaps between rows that are this much wider than those between lines show where rows begin

COUNTED = 1.9  # of the size: lines of a text below an item that has a number are no further apart
PARTIAL = 0.6  # of the columns: a line that fills more may be a row of its own
TEXT = 2.5  # words in a line of a text, at least
MANY_CELLS, SHORT_CELL = 4, 2  # cells of a line, words of each

Parts = dict[int, list[TableWord]]


def group_rows(
    rows: Sequence[Row], parts: Sequence[Parts], widths: Sequence[float], rules: Sequence[float]
) -> list[list[int]]:
    """Indexes of the lines of each row of the table."""
    if not rows:
        return []
    groups = [[0]]
    tight = _line_pitch(rows)
    keyed = _keyed(rows, parts)
    for i in range(1, len(rows)):
        ruled = any(rows[i - 1].middle < y < rows[i].middle for y in rules)
        above: Parts = {}
        for k in groups[-1]:
            above |= parts[k]
        if not ruled and (not keyed[i] if keyed else _continues(rows, parts, above, i, widths, tight)):
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _keyed(rows: Sequence[Row], parts: Sequence[Parts]) -> list[bool]:
    """Which lines begin a row, if rows begin where the first column is filled: the lines without it are nearer.

    Such lines go on with a text in one column, or leave columns empty; where they do not, the first column may name
    groups of rows. Below rows that are counted, lines of one text need not be nearer. A label may go on in a line
    that begins small. Nothing is returned where rows do not begin so.
    """
    begins = [0 in part and not (i and _starts_small(part[0])) for i, part in enumerate(parts)]
    if not any(begins):
        return []
    start = begins.index(True)
    pitches = [b.baseline - a.baseline for a, b in itertools.pairwise(rows[start:])]
    before = [pitch for pitch, begin in zip(pitches, begins[start + 1 :], strict=True) if begin]
    inside = [pitch for pitch, begin in zip(pitches, begins[start + 1 :], strict=True) if not begin]
    if not before or not inside:
        return []
    lines = [part for part, begin in zip(parts[start:], begins[start:], strict=True) if not begin]
    shared = set.intersection(*(set(line) for line in lines))
    texts = sum(not are_numeric(words) for line in lines for words in line.values())
    counted = max(map(len, lines)) == 1 and all(are_numeric(part[0]) for part in parts if 0 in part)
    if shared and counted and 2 * texts > len(lines):
        return begins if max(inside) < COUNTED * max(row.size for row in rows) else []
    if start:
        return []
    text = any(sum(len(line[c]) for line in lines) >= TEXT * len(lines) for c in shared)
    if not text and max(map(len, lines)) == 1:
        return []
    if not text and 2 * sum(len(line) > PARTIAL * max(map(len, parts)) for line in lines) > len(lines):
        return []
    near = min(before) > LOOSER * max(inside) and max(inside) < TIGHT * max(row.size for row in rows)
    return begins if near else []


def _line_pitch(rows: Sequence[Row]) -> float:
    """The line pitch inside cells where rows are further apart than lines; 0 where they are not."""
    pitches = [b.baseline - a.baseline for a, b in itertools.pairwise(rows)]
    usable = [p for p in pitches if p > 0.7 * rows[0].size]
    if len(usable) < 2:
        return 0.0
    least = min(usable)
    looser = sum(1 for p in usable if p > LOOSER * least)
    return least * 1.1 if looser * 4 >= len(usable) and least < TIGHT * rows[0].size else 0.0


def _continues(
    rows: Sequence[Row], parts: Sequence[Parts], above: Parts, i: int, widths: Sequence[float], tight: float
) -> bool:
    """Whether line i continues the row that ends above it."""
    here = parts[i]
    pitch = rows[i].baseline - rows[i - 1].baseline
    if pitch < OVERLAP * max(rows[i].size, rows[i - 1].size):
        return not any(c in above and are_numeric(above[c]) and are_numeric(words) for c, words in here.items())
    if pitch > TIGHT * max(rows[i].size, rows[i - 1].size):
        return False
    if len(here) >= MANY_CELLS and here.keys() == above.keys() and max(map(len, here.values())) <= SHORT_CELL:
        return False  # that many short cells do not all continue at once
    if any(c and are_numeric(words) for c, words in here.items()):
        return _label_continues(above, here, widths)
    if not here.keys() <= above.keys():
        return False
    near = bool(tight) and pitch <= tight
    if 0 in here:
        if not goes_on(above[0], here[0], widths[0]):
            return False
        if (
            here.keys() == above.keys()
            and len(here) > 2
            and not all(goes_on(above[c], here[c], widths[c]) for c in here)
        ):
            return False  # texts of several columns that end on the same line are those of a row
        return _starts_small(here[0]) or near
    return near or all(goes_on(above[c], here[c], widths[c]) or _runs_on(above[c], here[c]) for c in here)


def _runs_on(above: Sequence[TableWord], here: Sequence[TableWord]) -> bool:
    """Whether a line begins small below the words of a sentence."""
    return here[0].text[:1].islower() and len(above) > 1 and above[-1].text[-1:] not in ".:;"


def _label_continues(above: Parts, here: Parts, widths: Sequence[float]) -> bool:
    """A label of two lines whose numbers are beside the second."""
    if above.keys() != {0} or 0 not in here:
        return False
    return _starts_small(here[0]) and goes_on(above[0], here[0], widths[0])


def _starts_small(words: Sequence[TableWord]) -> bool:
    first = words[0].text[:1]
    return first.islower() or first in "(&"
