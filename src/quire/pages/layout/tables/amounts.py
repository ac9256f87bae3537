"""Tables of amounts, like financial statements: labels, and numbers that end below each other, in rows with or without
rules, shaded bands and gaps between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from quire.core.median import median
from quire.lexicon.amounts import is_number
from quire.lexicon.finance.periods import is_period_title, names_unit
from quire.pages.geometry.rows import grouped, near_values
from quire.pages.layout.tables.columns import SIGNS
from quire.pages.layout.tables.header import Head, read_head
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.ruled import CAPTION
from quire.pages.layout.tables.strokes import Rule
from quire.pages.layout.tables.table_values import FoundTable
from quire.pages.layout.tables.word_rows import PIECE_GAP, Row, TableWord, pieces_of

LEAST_ROWS = 4  # with amounts
LEAST_SUMS = 3  # rows of a label and one amount with its currency, as below the items of an invoice
LEAST_TITLES = 2  # above rows of amounts
SAME_END = 0.75  # of the size: amounts whose ends differ by less are of one column
BRACKET = 0.33  # of the size: a closing bracket ends beyond the column of its number
TITLE_REACH = 4.0  # of the size: how far before its amounts a title may begin, and half as far again beside others
BESIDE = 0.9  # of the size: lines nearer than this are of other columns of text
PERCENT = 0.83  # of the size: the width of a percent sign
APART = 4.0  # of the size: rows of one table are no further apart
HEAD_APART = 2.5  # nor the lines of its header
PITCH = 1.5  # of the size: lines of one label are no further apart
MAX_HEAD = 6  # lines
LONG = 30  # words: a longer line is no label
LONELY = 5  # rows: in a longer table an amount alone in its column is none
FIT = 0.8  # of the rows with amounts: those that must have a label in one piece

_RANGE = re.compile(r"\d+[-–]\d+%\Z")
_EMPTY = re.compile(r"[$€£¥]?[-–—−]{1,2}%?\Z|n/?[am]\Z|[*†‡§]\Z", re.IGNORECASE)
_TAIL = re.compile(r"[)%]{1,2}\Z|\((?:[a-z]|\d)\)\Z")
_MONEY = re.compile(r"[$€£¥]|\(\d|\d,\d{3}")
_YEAR = re.compile(r"(19|20)\d\d(\(.\))?\Z")
_SIGNED = re.compile(r"[$€£¥]")


class Amount(NamedTuple):
    """A number with its currency sign and brackets."""

    words: list[TableWord]
    end: float  # where its last digit ends

    @property
    def left(self) -> float:
        return self.words[0].left


class AmountRow(NamedTuple):
    """A row with its label and the amounts behind it."""

    row: Row
    label: list[TableWord]
    amounts: list[Amount]

    @property
    def titles(self) -> bool:
        """Whether its numbers are years: titles of columns."""
        return bool(self.amounts) and all(_YEAR.match(_text(amount)) for amount in self.amounts)


def amount_tables(rows: Sequence[Row], across: Sequence[Rule]) -> list[tuple[FoundTable, list[Row]]]:
    """The tables of amounts among rows from top to bottom, each with its rows."""
    found = []
    start = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or rows[end].top - rows[end - 1].bottom > APART * rows[end].size:
            found += _tables(_by_digits([_read(row) for row in rows[start:end]]), across)
            start = end
    return found


def _read(row: Row) -> AmountRow:
    """The row as a label and the amounts at its end."""
    amounts: list[Amount] = []
    words = row.words
    i = len(words)
    while i:
        group: list[TableWord] = []
        while i and _TAIL.match(words[i - 1].text) and i > 1 and _near(words[i - 2], words[i - 1]):
            i -= 1
            group.insert(0, words[i])
        text = words[i - 1].text if i else ""
        if not (is_number(text) or _RANGE.match(text) or _EMPTY.match(text)):
            i += len(group)
            break
        i -= 1
        group.insert(0, words[i])
        while i and all(sign in SIGNS for sign in words[i - 1].text):
            i -= 1
            group.insert(0, words[i])
        digits = next(w for w in group if w.text == text)
        bracket = BRACKET * row.size if text.endswith(")") else 0.0
        amounts.insert(0, Amount(group, digits.right - bracket))
    while amounts and i and amounts[0].left - words[i - 1].right <= PIECE_GAP * row.size:
        i += len(amounts.pop(0).words)
    return AmountRow(row, words[:i], amounts)


def _by_digits(rows: list[AmountRow]) -> list[AmountRow]:
    """The rows; where more percents are below other numbers by their digits than by their signs, the digits count."""
    numbers = [a.end for row in rows for a in row.amounts if not _is_percent(a)]
    percents = [(a.end, row.row.size) for row in rows for a in row.amounts if _is_percent(a)]

    def fitting(sign: float) -> int:
        return sum(any(abs(end - sign * size - x) < SAME_END / 2 * size for x in numbers) for end, size in percents)

    if not percents or fitting(PERCENT) <= fitting(0.0):
        return rows
    return [
        row._replace(
            amounts=[a._replace(end=a.end - PERCENT * row.row.size) if _is_percent(a) else a for a in row.amounts]
        )
        for row in rows
    ]


def _is_percent(amount: Amount) -> bool:
    return any(word.text.endswith("%") and len(word.text) > 1 for word in amount.words)


def _near(a: TableWord, b: TableWord) -> bool:
    return b.left - a.right < PIECE_GAP * b.size


def _text(amount: Amount) -> str:
    return "".join(word.text for word in amount.words)


def _tables(rows: list[AmountRow], across: Sequence[Rule]) -> list[tuple[FoundTable, list[Row]]]:
    """The tables in rows that follow each other."""
    found = []
    start = 0
    while start < len(rows):
        if not rows[start].amounts or rows[start].titles:
            start += 1
            continue
        end = start + 1
        ends = _columns(rows[start:])
        while end < len(rows) and _belongs(rows[end], ends):
            end += 1
        last = max(i for i in range(start, end) if rows[i].amounts)
        near = all(_are_near(a, b) for a, b in pairwise(rows[last : end + 1]))
        if end < len(rows) and near and _goes_on(rows[end - 1], rows[end]):
            while end < len(rows) and _are_near(rows[end - 1], rows[end]) and not rows[end].titles:
                end += 1
            start = end
            continue
        end = last + 1
        body = _with_long_labels(rows[start:end])
        stated = _is_statement(body)
        first, head = _head(rows, start, body)
        if stated or _has_dates(rows[first : first + head], body):
            while not stated and head > 1 and _is_above_labels(rows[first], body):
                first, head = first + 1, head - 1  # a line with the units: `with_periods` adds it
            lines = rows[first : first + head]
            beside = rows[max(first - 1, 0) : first] + rows[end : end + 1]
            if any(_is_beside(other, rows[first]) or _is_beside(other, rows[end - 1]) for other in beside):
                start = end
                continue
            if _are_titles(lines, body, across) and not (first and _is_other_row(rows[first], rows[first - 1])):
                found.append(_built(rows[first:start], head, body, across))
        start = end
    return found


def _columns(rows: Sequence[AmountRow]) -> list[float]:
    """The right ends of the amounts of the first rows, for as long as they are below each other."""
    ends: list[float] = []
    for row in rows:
        if row.titles or (not row.amounts and len(row.row.pieces) > 1):
            break
        new = [a.end for a in row.amounts if not any(abs(a.end - end) < SAME_END * row.row.size for end in ends)]
        if ends and new and len(new) == len(row.amounts) and len(new) > 1:
            break
        ends += new
    return sorted(ends)


def _belongs(row: AmountRow, ends: Sequence[float]) -> bool:
    """Whether a row continues a table with these columns."""
    if row.titles:
        return False
    size = row.row.size
    if row.amounts:
        return all(any(abs(a.end - end) < SAME_END * size for end in ends) for a in row.amounts)
    return len(row.row.pieces) == 1 and len(row.label) <= LONG and row.row.right < ends[-1] - 2 * size


def _goes_on(last: AmountRow, row: AmountRow) -> bool:
    """Whether the row after a table is of it: amounts that end elsewhere are not set flush right."""
    return _is_other_row(last, row) or (len(row.amounts) > 1 and not row.titles and _are_near(last, row))


def _are_near(last: AmountRow, row: AmountRow) -> bool:
    return max(row.row.top - last.row.bottom, last.row.top - row.row.bottom) < row.row.size


def _is_beside(other: AmountRow, row: AmountRow) -> bool:
    """Whether a row is too near for the same column of text."""
    return abs(other.row.baseline - row.row.baseline) < BESIDE * max(other.row.size, row.row.size)


def _is_other_row(last: AmountRow, row: AmountRow) -> bool:
    """Whether a row beyond the last one of a table still is of it: then it is not one of amounts alone."""
    several = not row.amounts and len(row.row.pieces) > 2
    return several and _are_near(last, row) and not any(is_period_title(word.text) for word in row.row.words)


def _with_long_labels(body: list[AmountRow]) -> list[AmountRow]:
    """The rows; a number before the first column, where no other row has one, ends the label."""
    size = median([row.row.size for row in body])
    ends = [a.end for row in body for a in row.amounts]
    done = []
    for row in body:
        first = row.amounts[0] if row.amounts else None
        if first and len(body) > LONELY and sum(abs(end - first.end) < SAME_END * size for end in ends) == 1:
            row = AmountRow(row.row, row.label + first.words, row.amounts[1:])
        done.append(row)
    return done


def _is_statement(body: Sequence[AmountRow]) -> bool:
    """Whether rows are amounts of money with labels, in columns."""
    filled = [row for row in body if row.amounts]
    several = sum(1 for row in filled if len(row.amounts) > 1)
    if not several and len(filled) >= LEAST_SUMS and len(filled) == len(body):
        return all(_SIGNED.search(_text(row.amounts[0])) and len(pieces_of(row.label)) == 1 for row in body)
    if len(filled) < LEAST_ROWS or 2 * several < len(filled):
        return False
    if sum(1 for row in filled if row.label and len(pieces_of(row.label)) == 1) < FIT * len(filled):
        return False
    texts = [_text(amount) for row in filled for amount in row.amounts]
    return 4 * sum(1 for text in texts if _MONEY.search(text)) > len(texts)


def _has_dates(head: Sequence[AmountRow], body: Sequence[AmountRow]) -> bool:
    """Whether rows, however few, have a label each and amounts below titles that name dates or units."""
    filled = [row.amounts for row in body if row.amounts]
    columns = _merged([a.end for amounts in filled for a in amounts], SAME_END * body[0].row.size)
    if len(columns) < LEAST_TITLES or max(map(len, filled)) < len(columns):
        return False
    if any(len(pieces_of(row.label)) != 1 for row in body):
        return False
    left = min(amounts[0].left for amounts in filled)
    over = [[p for p in line.row.pieces if p[0].left + p[-1].right > 2 * (left - line.row.size)] for line in head]
    words = [word for line in head for word in line.row.words]
    return any(map(_is_dated, words)) and max(map(len, over), default=0) >= LEAST_TITLES


def _is_dated(word: TableWord) -> bool:
    """Whether a word in a header names a date or a unit."""
    return is_period_title(word.text) or names_unit(word.text)


def _is_above_labels(line: AmountRow, body: Sequence[AmountRow]) -> bool:
    return len(line.row.pieces) == 1 and line.row.left < body[0].row.left + line.row.size


def _head(rows: Sequence[AmountRow], start: int, body: Sequence[AmountRow]) -> tuple[int, int]:
    """The first row of the table, and the number of its lines before the amounts that are titles over its columns.

    Labels between the header and the first amounts are rows of the table.
    """
    left = min(row.amounts[0].left for row in body if row.amounts)
    first, last = start, -1
    for i in range(start - 1, max(start - MAX_HEAD, 0) - 1, -1):
        row, below = rows[i].row, rows[i + 1].row
        if below.top - row.bottom > HEAD_APART * row.size or len(row.words) > LONG:
            break
        if CAPTION.match(" ".join(word.text for word in row.words[:3])):
            break
        if any(is_number(word.text) and not _YEAR.match(word.text) and "." in word.text for word in row.words):
            break  # a sum of other amounts
        if rows[i].amounts and not rows[i].titles:
            break
        edge = left - (TITLE_REACH if rows[i].titles else 1.5) * row.size
        titles = [piece for piece in row.pieces if (piece[0].left + piece[-1].right) / 2 > edge]
        others = [piece for piece in row.pieces if piece not in titles]
        reach = TITLE_REACH * (1.5 if len(titles) > 2 else 1.0)
        if any(piece[0].left < left - reach * row.size for piece in titles) or len(others) > 1:
            break
        if others and others[0][-1].right > left + row.size:
            break
        if titles or (others and names_unit(" ".join(w.text for w in others[0]))):
            first = i
            last = i + 1 if last < 0 else last
        elif last >= 0:
            break
    return first, max(last - first, 0)


def _are_titles(head: Sequence[AmountRow], body: Sequence[AmountRow], across: Sequence[Rule]) -> bool:
    """Whether lines above amounts are titles: they name dates or units, have no labels, or a rule is under them."""
    words = [word for line in head for word in line.row.words]
    if not words or any(map(_is_dated, words)):
        return True
    left = min(row.amounts[0].left for row in body if row.amounts)
    if not any(line.row.pieces[0][-1].right < left for line in head):
        return True
    last = head[-1].row
    return any(0 < rule.at - last.middle < 1.5 * last.size and rule.end > last.left for rule in across)


def _built(
    above: Sequence[AmountRow], head: int, body: Sequence[AmountRow], across: Sequence[Rule]
) -> tuple[FoundTable, list[Row]]:
    """The table of these rows; the first `head` of those above the amounts are header."""
    lines = [AmountRow(row.row, row.row.words, []) for row in above[head:]] + list(body)
    ends = _merged([a.end for row in body for a in row.amounts], SAME_END * median([r.row.size for r in body]))
    lefts = [min(a.left for row in body for a in row.amounts if _at(a, ends) == c) for c in range(len(ends))]
    label = max([row.label[-1].right for row in body if row.label and row.amounts], default=lefts[0])
    size = median([row.row.size for row in body])
    bounds = [(label + lefts[0]) / 2 if label < lefts[0] else lefts[0] - 0.5]
    bounds += [max((end + left) / 2, end - size) for end, left in zip(ends[:-1], lefts[1:], strict=True)]
    rights = [
        max(a.words[-1].right for row in body for a in row.amounts if _at(a, ends) == c) for c in range(len(ends))
    ]
    extents = [(min(row.row.left for row in lines), bounds[0]), *zip(lefts, rights, strict=True)]
    rows = [row.row for row in above[:head]]
    made = read_head(rows, bounds, extents, across) if rows else Head([], [])
    groups = _labelled(lines)
    bands = made.bands(rows) + [(group[0].row.top, group[-1].row.bottom) for group in groups]
    ys = [bands[0][0] - 0.5]
    for (_, bottom), (top, _) in pairwise(bands):
        ys.append(max((bottom + top) / 2, ys[-1] + 0.5))
    ys.append(max(bands[-1][1] + 0.5, ys[-1] + 0.5))
    everything = [*rows, *(row.row for row in lines)]
    mesh = Mesh([min(r.left for r in everything) - 0.5, *bounds, max(r.right for r in everything) + 0.5], ys)
    made.fill(mesh)
    for number, group in enumerate(groups):
        atoms = mesh.atoms[len(made.levels) + number]
        for line in group:
            atoms[0] += line.label
            for amount in line.amounts:
                atoms[1 + _at(amount, ends)] += amount.words
    return mesh.table(len(made.levels)), everything


def _at(amount: Amount, ends: Sequence[float]) -> int:
    return min(range(len(ends)), key=lambda c: abs(ends[c] - amount.end))


def _merged(values: list[float], near: float) -> list[float]:
    """The places where values lie, each the median of those that are near."""
    return [median(group) for group in near_values(values, near)]


def _labelled(lines: Sequence[AmountRow]) -> list[list[AmountRow]]:
    """The lines of each row: a label may have several, before or after that with the amounts."""
    return grouped(lines, _continues)


def _continues(group: Sequence[AmountRow], line: AmountRow) -> bool:
    last = group[-1]
    if not line.label or not last.label or line.row.baseline - last.row.baseline > PITCH * line.row.size:
        return False
    if line.amounts and any(other.amounts for other in group):
        return False
    return line.label[0].text[:1].islower() or line.label[0].text[:2] in ("($", "$0")
