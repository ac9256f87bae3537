"""Labels with their values anywhere on a page: in one line, to the right, below, and under the heads of columns."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.catalog.records import SourceCatalog
from quire.extract.candidates.lines import PlacedLine, lines_of
from quire.types import BBox

REACH = 0.45  # of the width of the page: how far right of its label a value may begin
BELOW = 1.6  # of the height: how far below its label a value may be
STICKS = 0.9  # of the height: the gap between the lines of one value
WIDE = 1.8  # of the height: a gap within a value
ALIGNED = 1.5  # of the height: how far the left edges of the lines of a value may differ
LONGEST_LABEL, MOST_WORDS = 60, 9  # characters and words
MARKED = 8.0  # of the height: how far from its text a cross may be
ROWS_APART = 4.0  # of the height: the gap between the rows of a table
FEWEST_ROWS = 3  # below the heads of columns
ROW = 0.5  # of the lower height: how much two pieces of a row share
_COLON = re.compile(r"(?<!\d)\s?:(?!\d|//)|(?<=\d)\s?:(?=\s|$)")
_BLANK = re.compile(r"[\s_.…·-]*")
_NUMBERED = re.compile(r"^\(?\d{1,3}[.)]\s*")
_WORDED = re.compile(r"[^\W\d_]{2}")
_NAMED = re.compile(
    r"^((?:[^\W\d_][\w./&'-]*\s){0,4}(?:(?:No|Nr|Number|Nummer|Date|Datum|Code|#)\b[.#]?(?=.*\d)|Name\b))\s+(\S.*)$",
    re.IGNORECASE,
)
_TICKED = re.compile(r"^(\S.{2,40}?)\s+([xX✓✔☑☒])$")
_MARK = re.compile(r"[xX✓✔☑☒]")
_SENTENCE = re.compile(r"[a-z]{2,}[,;] [a-z]|\. [A-Z][a-z]+ [a-z]")


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A label with its value, and their places. `sure` is False where only their places say that they belong together.

    `records` are the blocks and cells of the value.
    """

    label: str
    value: str
    page: int
    label_bbox: BBox
    value_bbox: BBox
    records: tuple[str, ...]
    sure: bool


@dataclass(slots=True, eq=False)
class _Piece:
    """A part of a line: a label, or what may be a value. `rest` is what follows a label in its own line."""

    line: PlacedLine
    start: int
    end: int
    box: tuple[float, float, float, float]
    is_label: bool = False
    rest: _Piece | None = None

    @property
    def text(self) -> str:
        return self.line.text[self.start : self.end].strip()

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]


_Cells = list[tuple[int, list[_Piece]]]
"""The pieces of a row by the number of their column."""


def find_pairs(catalog: SourceCatalog) -> list[LabelledValue]:
    """The pairs of a document, from the top of each page; a value is that of one label."""
    sizes = {page.number: page.size for page in catalog.pages}
    by_page: dict[int, list[PlacedLine]] = {}
    for line in lines_of(catalog):
        if line.box is not None:
            by_page.setdefault(line.page, []).append(line)
    return [pair for page, lines in by_page.items() for pair in _PagePairs(lines, sizes[page]).pairs()]


class _PagePairs:
    def __init__(self, lines: Sequence[PlacedLine], size: tuple[float, float]) -> None:
        self._size = size
        pieces = [piece for line in lines for piece in _pieces(line, size)]
        self._pieces = sorted(pieces, key=lambda piece: (piece.box[1] + piece.box[3]) / 2)
        self._middles = [(piece.box[1] + piece.box[3]) / 2 for piece in self._pieces]
        self._tallest = max((piece.height for piece in self._pieces), default=0.0)
        self._taken: set[int] = set()

    def pairs(self) -> Iterator[LabelledValue]:
        yield from self._ticked()
        yield from self._in_columns()
        labels = [piece for piece in self._pieces if piece.is_label and id(piece) not in self._taken]
        for label in labels:
            first = label.rest
            if first is not None and _BLANK.fullmatch(first.text):
                first = None
            first = first or self._right(label)
            if first is not None and id(first) not in self._taken:
                note = self._note(label) if label.rest is None else []
                yield self._made(label, self._continued(label, first), sure=True, more=note)
        for label in labels:
            if label.rest is None and id(label) not in self._taken and (below := self._below(label)) is not None:
                yield self._made(label, self._continued(label, below), sure=True)
        yield from self._beside()

    def _ticked(self) -> Iterator[LabelledValue]:
        """A cross with the text that it is beside, on its left if there is one."""
        for mark in self._pieces:
            if _MARK.fullmatch(mark.text) is None or id(mark) in self._taken:
                continue
            row = [one for one in self._row(mark) if _WORDED.search(one.text) and id(one) not in self._taken]
            near = [
                one
                for one in row
                if not one.is_label and -0.5 * mark.height <= mark.box[0] - one.box[2] <= MARKED * mark.height
            ]
            if near:
                yield self._made(near[-1], [mark], sure=True)
                self._taken.add(id(mark))

    def _in_columns(self) -> Iterator[LabelledValue]:
        """The cells under the heads of columns: a row of names, and rows of short texts that stand under them."""
        rows = self._rows()
        number = 0
        while number < len(rows):
            heads = [[head] for head in rows[number]]
            below = (
                self._table(heads, rows[number + 1 :]) if len(heads) > 1 and all(map(_is_head, rows[number])) else []
            )
            for cells in below:
                for column, pieces in cells:
                    self._taken.update(map(id, [*heads[column], *pieces]))
                    yield self._made(heads[column][0], pieces, sure=True, more=heads[column][1:])
            number += max(len(below), 1)

    def _table(self, heads: list[list[_Piece]], rows: Sequence[Sequence[_Piece]]) -> list[_Cells]:
        """The rows under heads, which get their second lines; nothing if they are no table."""
        below: list[_Cells] = []
        above = heads[0][0]
        for row in rows:
            cells = _under(heads, row)
            if not cells or row[0].box[1] - above.box[3] > ROWS_APART * above.height:
                break
            near = row[0].box[1] - above.box[3] < STICKS * above.height
            above = row[0]
            if near and not below and not any(_has_digit(piece) for piece in row):
                for column, pieces in cells:
                    heads[column] += pieces
                continue
            below.append(cells)
        texts = [pieces[0] for cells in below for _, pieces in cells]
        first = [pieces[0] for cells in below for column, pieces in cells if column == 0]
        filled = sum(len(cells) > 1 for cells in below)
        listed = len(heads) == 2 and 5 * sum(map(_has_digit, first)) < len(first)  # labels with their values
        is_table = filled >= FEWEST_ROWS and 5 * sum(map(_has_digit, texts)) >= 2 * len(texts)
        return below if is_table and not listed else []

    def _rows(self) -> list[list[_Piece]]:
        rows: list[list[_Piece]] = []
        for piece in self._pieces:
            last = rows[-1][0] if rows else None
            shared = min(piece.box[3], last.box[3]) - max(piece.box[1], last.box[1]) if last else 0.0
            if last is not None and shared >= ROW * min(piece.height, last.height):
                rows[-1].append(piece)
            else:
                rows.append([piece])
        return [sorted(row, key=lambda piece: piece.box[0]) for row in rows]

    def _near(self, top: float, bottom: float) -> Sequence[_Piece]:
        return self._pieces[bisect_left(self._middles, top) : bisect_left(self._middles, bottom)]

    def _row(self, piece: _Piece) -> list[_Piece]:
        """The pieces on the same height, from left to right."""
        _, top, _, bottom = piece.box
        found = []
        for other in self._near(top - self._tallest / 2, bottom + self._tallest / 2):
            shared = min(bottom, other.box[3]) - max(top, other.box[1])
            if other is not piece and shared >= ROW * min(piece.height, other.height):
                found.append(other)
        return sorted(found, key=lambda other: other.box[0])

    def _right(self, label: _Piece) -> _Piece | None:
        """The next piece to the right, unless it is a label or has a nearer one."""
        for other in self._row(label):
            if other.box[0] < label.box[2] - 0.3 * label.height:
                continue
            far = other.box[0] - label.box[2] > REACH * self._size[0]
            return None if far or other.is_label or id(other) in self._taken else other
        return None

    def _below(self, label: _Piece) -> _Piece | None:
        """The first piece under a label."""
        left, _, right, bottom = label.box
        best, least = None, 1e9
        for other in self._near(bottom - 0.5 * label.height, bottom + BELOW * label.height + self._tallest / 2):
            gap = other.box[1] - bottom
            if other is label or not -0.3 * label.height <= gap <= BELOW * label.height or gap >= least:
                continue
            if min(right, other.box[2]) - max(left, other.box[0]) > 0:
                best, least = other, gap
        return None if best is None or best.is_label or id(best) in self._taken else best

    def _note(self, label: _Piece) -> list[_Piece]:
        """What a label goes on with in brackets below."""
        below = self._below(label)
        if below is None or not (below.text.startswith("(") and below.text.endswith(")")):
            return []
        self._taken.add(id(below))
        return [below]

    def _continued(self, label: _Piece, first: _Piece) -> list[_Piece]:
        """The value: its first piece, and the lines below that go on with it."""
        value = [first, *self._beyond(first)]
        self._taken.update(map(id, value))
        while True:
            following = self._next_line(label, first)
            if following is None:
                return value
            value += (following, *self._beyond(following))
            self._taken.update(map(id, value))
            first = following

    def _beyond(self, first: _Piece) -> list[_Piece]:
        """The pieces that go on with a value to the right, with a gap in between."""
        found: list[_Piece] = []
        right = first.box[2]
        for other in self._row(first):
            if other.box[0] < right:
                continue
            if other.is_label or id(other) in self._taken or other.box[0] - right > WIDE * first.height:
                break
            found.append(other)
            right = other.box[2]
        return found

    def _next_line(self, label: _Piece, last: _Piece) -> _Piece | None:
        left, _, _, bottom = last.box
        for other in self._near(bottom, bottom + STICKS * last.height + self._tallest / 2):
            gap = other.box[1] - bottom
            if not -0.3 * last.height <= gap <= STICKS * last.height or other.is_label or id(other) in self._taken:
                continue
            aligned = abs(other.box[0] - left) <= ALIGNED * last.height
            before = [one for one in self._row(other) if one.box[2] <= other.box[0]]
            if aligned and not any(one.is_label or one.box[0] <= label.box[2] for one in before):
                return other
        return None

    def _beside(self) -> Iterator[LabelledValue]:
        """Short texts without a colon that have one thing to their right, and stand where a label would."""
        for piece in self._pieces:
            if piece.is_label or id(piece) in self._taken or not _may_name(piece.text):
                continue
            row = [other for other in self._row(piece) if other.box[0] >= piece.box[2]]
            before = [other for other in self._row(piece) if other.box[2] <= piece.box[0]]
            if not row or row[0].is_label or id(row[0]) in self._taken:
                continue
            if (len(row) > 1 or before) and not _is_figure(row[0]):
                continue
            if row[0].box[0] - piece.box[2] <= REACH * self._size[0]:
                self._taken.add(id(piece))
                yield self._made(piece, self._continued(piece, row[0]), sure=False)

    def _made(
        self, label: _Piece, value: Sequence[_Piece], *, sure: bool, more: Sequence[_Piece] = ()
    ) -> LabelledValue:
        self._taken.add(id(label))
        return LabelledValue(
            label=" ".join(piece.text for piece in (label, *more)),
            value=" ".join(piece.text for piece in value),
            page=label.line.page,
            label_bbox=label.line.place(label.start, label.end),
            value_bbox=BBox.union(piece.line.place(piece.start, piece.end) for piece in value),
            records=tuple(dict.fromkeys(piece.line.record for piece in value)),
            sure=sure,
        )


def _pieces(line: PlacedLine, size: tuple[float, float]) -> Iterator[_Piece]:
    """A line as a label with what follows it, as often as it has colons; or as it is."""
    start = 0
    label: _Piece | None = None
    for match in _COLON.finditer(line.text):
        text = line.text[start : match.end()]
        if not _is_label(text):
            continue
        label = _piece(line, start, match.end(), size)
        label.is_label = True
        yield label
        start = match.end()
        break
    if label is None and (named := _NAMED.match(line.text) or _TICKED.match(line.text)) and _may_name(named[1]):
        label = _piece(line, 0, named.end(1), size)
        label.is_label = True
        yield label
        start = named.start(2)
    if start < len(line.text) and line.text[start:].strip():
        start += len(line.text[start:]) - len(line.text[start:].lstrip())
        rest = _piece(line, start, len(line.text), size)
        if line.is_label and label is None:
            rest.is_label = True
        if label is not None:
            label.rest = rest
        yield rest


def _is_head(piece: _Piece) -> bool:
    letters = sum(map(str.isalpha, piece.text))
    short = letters >= 3 and len(piece.text) <= 40 and 2 * letters >= len(piece.text)
    return short and piece.rest is None and not piece.text.endswith(":") and not _has_digit(piece)


def _has_digit(piece: _Piece) -> bool:
    return any(map(str.isdigit, piece.text))


def _under(heads: Sequence[Sequence[_Piece]], row: Sequence[_Piece]) -> _Cells:
    """The pieces of a row by the column that they are under; nothing if one is a label, or under none or two heads."""
    found: _Cells = []
    edges = [(one[0].box[2] + other[0].box[0]) / 2 for one, other in pairwise(heads)]
    for cell in row:
        over = [
            column
            for column, (head, *_) in enumerate(heads)
            if min(head.box[2], cell.box[2]) > max(head.box[0], cell.box[0])
        ] or [bisect_left(edges, (cell.box[0] + cell.box[2]) / 2)]
        if len(over) != 1 or (cell.is_label and cell.text.endswith(":")) or len(cell.text) > LONGEST_LABEL:
            return []
        if found and found[-1][0] == over[0]:
            found[-1][1].append(cell)
        else:
            found.append((over[0], [cell]))
    return found


def _is_figure(piece: _Piece) -> bool:
    """Whether a text is a number, a date or a code, with few letters besides."""
    text = piece.text
    return _has_digit(piece) and text.count(" ") <= 3 and 2 * sum(map(str.isalpha, text)) <= len(text)


def _piece(line: PlacedLine, start: int, end: int, size: tuple[float, float]) -> _Piece:
    return _Piece(line, start, end, line.place(start, end).points(size))


def _is_label(text: str) -> bool:
    """Whether a text before a colon is short and no sentence."""
    return len(text) <= LONGEST_LABEL and text.count(" ") < MOST_WORDS and _WORDED.search(text) is not None


def _may_name(text: str) -> bool:
    """Whether a text without a colon may be a label: few words, mostly letters, beginning with a capital."""
    plain = _NUMBERED.sub("", text)
    letters = sum(map(str.isalpha, plain))
    solid = len(plain) - plain.count(" ")
    short = 3 <= len(plain) <= 40 and plain.count(" ") < 6
    return short and letters >= 0.75 * solid and plain[:1].isupper() and not _SENTENCE.search(plain)
