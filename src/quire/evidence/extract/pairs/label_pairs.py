"""Labels with their values anywhere on a page: in one line, to the right, below, above, and under heads of columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.core.types import BBox
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.lines import PlacedLine, lines_of
from quire.evidence.extract.pairs.form_tables import HeadedTable, TableFinder
from quire.evidence.extract.pairs.label_likeness import label_scores
from quire.evidence.extract.pairs.pieces import LinePiece, numbering, pieces_of
from quire.pages.geometry.neighbours import Way, gap_to

LABEL, CERTAIN = 0.5, 1.6  # the scores from which on a text without a colon is a label, and is never a value
COLONS = 0.8  # how much higher the first is where labels have colons
MOST_LINES = 2_000  # of a page: one with more is no form, and could take long
REACH = 0.8  # of the width of the page: how far right of its label a value may begin
STACKED: Mapping[Way, float] = {"below": 1.6, "above": 0.8}  # of the height: how far from its label a value may be
STICKS = 0.9  # of the height: the gap between the lines of one value
WIDE = 1.8  # of the height: a gap within a value
ALIGNED = 1.5  # of the height: how far the left edges of the lines of a value may differ
MUCH_NEARER = 2  # times: than the text left of a cross, so that the one on its right has it
MARKED = 8.0  # of the height: how far from its text a cross may be
PREFERRED: Mapping[Way, float] = {"right": 1.0, "below": 0.9, "above": 0.7}  # where labels have their values
UNDER, FARTHEST, LIKE_LABEL = 0.2, 0.4, 0.2  # what counts for values at the same edge, and against far ones and labels
USUAL = 0.6  # what the way in which most labels of the page have their values counts
_BLANK = re.compile(r"[\s_.…·-]*")
_WORDED = re.compile(r"[^\W\d_]{2}")
_MARK = re.compile(r"[xX✓✔☑☒]")


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A label with its value, and their places. `sure` is False where only their places say that they belong together.

    `records` are the blocks and cells of the value. `tabular` says that the label heads a column or a row of a table.
    """

    label: str
    value: str
    page: int
    label_bbox: BBox
    value_bbox: BBox
    records: tuple[str, ...]
    sure: bool
    tabular: bool = False


class _Pair(NamedTuple):
    """The pieces of a label and of its value."""

    label: Sequence[LinePiece]
    value: Sequence[LinePiece]
    sure: bool
    tabular: bool = False

    @property
    def name(self) -> str:
        return " ".join(piece.text for piece in self.label)

    def made(self) -> LabelledValue:
        return LabelledValue(
            label=self.name,
            value=" ".join(piece.text for piece in self.value),
            page=self.label[0].line.page,
            label_bbox=BBox.union(piece.line.place(piece.start, piece.end) for piece in self.label),
            value_bbox=BBox.union(piece.line.place(piece.start, piece.end) for piece in self.value),
            records=tuple(dict.fromkeys(piece.line.record for piece in self.value)),
            sure=self.sure,
            tabular=self.tabular,
        )


@dataclass(frozen=True, slots=True)
class LinePart:
    """What a part of a line is: a label, of which the first `numbering` characters number its field, or the value of
    one, whose text is `label`. The value goes on in the lines with the orders `following`."""

    start: int
    end: int
    label: str = ""
    is_label: bool = False
    numbering: int = 0
    following: tuple[int, ...] = ()


def find_pairs(catalog: SourceCatalog) -> list[LabelledValue]:
    """The pairs of a document, row by row; a value is that of one label, but a cell also that of its row."""
    return [pair for page in _pages(catalog, lines_of(catalog)) for pair in page.in_order()]


def find_line_parts(catalog: SourceCatalog, lines: Sequence[PlacedLine]) -> dict[int, list[LinePart]]:
    """The labels in the lines of a document and the beginnings of their values, by the order of the lines. What the
    heads of a table say is left out."""
    found: dict[int, list[LinePart]] = {}
    for page in _pages(catalog, lines):
        for piece, part in page.line_parts():
            found.setdefault(piece.line.order, []).append(part)
    return found


def _pages(catalog: SourceCatalog, lines: Sequence[PlacedLine]) -> Iterator[_PagePairs]:
    sizes = {page.number: page.size for page in catalog.pages}
    by_page: dict[int, list[PlacedLine]] = {}
    for line in lines:
        if line.is_placed:
            by_page.setdefault(line.page, []).append(line)
    return (_PagePairs(those, sizes[page]) for page, those in by_page.items() if len(those) <= MOST_LINES)


class _PagePairs:
    def __init__(self, lines: Sequence[PlacedLine], size: tuple[float, float]) -> None:
        self._size = size
        self._pieces = pieces_of(lines, size)
        self._own, self._scores = label_scores(self._pieces.all, self._pieces.rows)
        self._taken: set[LinePiece] = set()
        names = [piece for piece in self._pieces.all if piece.is_label or (self._scores[piece] > 0 and piece.may_name)]
        self._least = LABEL + COLONS * sum(piece.is_label for piece in names) / max(len(names), 1)

    def in_order(self) -> list[LabelledValue]:
        """The pairs in the order of their labels, row by row."""
        order = {piece: number for number, piece in enumerate(piece for row in self._pieces.rows for piece in row)}
        return [pair.made() for pair in sorted(self._pairs(), key=lambda pair: order[pair.label[0]])]

    def line_parts(self) -> Iterator[tuple[LinePiece, LinePart]]:
        """The pieces that are labels, and those with which values outside of tables begin."""
        inside = {piece for pair in self._in_tables() for piece in pair.value}
        values = {pair.value[0]: pair for pair in self._outside()}
        for piece in self._pieces.all:
            if piece in values:
                further = tuple(other.line.order for other in values[piece].value[1:] if other.is_line)
                yield piece, LinePart(piece.start, piece.end, label=values[piece].name, following=further)
            elif piece not in inside and self._is_label(piece) and self._own[piece] > 0:
                yield piece, LinePart(piece.start, piece.end, is_label=True, numbering=numbering(piece.text))

    def _pairs(self) -> Iterator[_Pair]:
        yield from self._ticked()
        yield from self._in_tables()
        yield from self._outside()

    def _outside(self) -> Iterator[_Pair]:
        """Pairs that are in no table."""
        labels = [piece for piece in self._pieces.all if piece.is_label and piece not in self._taken]
        for label in labels:
            first = label.rest
            if first is not None and _BLANK.fullmatch(first.text):
                first = None
            first = first or self._at(label, "right")
            if first is not None and first not in self._taken:
                note = self._note(label) if label.rest is None else []
                yield self._made(label, self._continued(label, first), sure=True, more=note)
        for label in labels:
            if label.rest is None and label not in self._taken and (below := self._at(label, "below")) is not None:
                yield self._made(label, self._continued(label, below), sure=True)
        yield from self._unmarked()
        yield from self._before_numbers()

    def _is_label(self, piece: LinePiece) -> bool:
        return piece.is_label or (self._scores[piece] >= self._least and piece.may_name)

    def _is_free(self, piece: LinePiece, label: LinePiece | None = None) -> bool:
        """Whether it may be the value of a label; one with a colon may have what else would be a label."""
        if piece in self._taken or piece.is_label:
            return False
        return (label is not None and label.is_label and self._scores[piece] < CERTAIN) or not self._is_label(piece)

    def _ticked(self) -> Iterator[_Pair]:
        """A cross with the text that it is beside: on its left, unless the one on its right is much nearer."""
        for mark in self._pieces.all:
            if _MARK.fullmatch(mark.text) is None or mark in self._taken:
                continue
            row = [one for one in self._pieces.row_of(mark) if _WORDED.search(one.text) and one not in self._taken]
            left = [(mark.box[0] - one.box[2], one) for one in row if not one.is_label and one.box[0] < mark.box[0]]
            right = [(one.box[0] - mark.box[2], one) for one in row if not one.is_label and one.box[2] > mark.box[2]]
            near = [
                (gap * nearer, one)
                for sides, nearer in ((left[-1:], 1), (right[:1], MUCH_NEARER))
                for gap, one in sides
                if -0.5 * mark.height <= gap and gap * nearer <= MARKED * mark.height
            ]
            if near:
                yield self._made(min(near, key=lambda one: one[0])[1], [mark], sure=True)
                self._taken.add(mark)

    def _in_tables(self) -> Iterator[_Pair]:
        """The cells of tables, with the heads of their columns and with the names of their rows."""
        finder = TableFinder(self._scores, self._least)
        for table in finder.laid_out([piece for piece in self._pieces.all if piece not in self._taken]):
            yield from self._cells(table)
        rows = [free for row in self._pieces.rows if (free := [piece for piece in row if piece not in self._taken])]
        for table in finder.below_heads(rows):
            yield from self._cells(table)

    def _cells(self, table: HeadedTable) -> Iterator[_Pair]:
        self._taken.update(piece for pieces in table.heads.values() for piece in pieces)
        for cells in table.rows:
            self._taken.update(piece for pieces in cells.values() for piece in pieces)
            (first, name), *others = sorted(cells.items())
            for column, pieces in others if table.named_rows else [(first, name), *others]:
                if column in table.heads:
                    yield _Pair(table.heads[column], pieces, sure=True, tabular=True)
            for _, pieces in others if table.named_rows else ():
                yield _Pair(name, pieces, sure=True, tabular=True)

    def _at(self, label: LinePiece, way: Way) -> LinePiece | None:
        """The next piece in a direction, unless it is far, a label, or the value of one."""
        found = self._pieces.next_to(label, way, self._reach(label, way))
        return found if found and self._is_free(found, label if way != "above" else None) else None

    def _reach(self, label: LinePiece, way: Way) -> float:
        return REACH * self._size[0] if way == "right" else STACKED[way] * label.height

    def _note(self, label: LinePiece) -> list[LinePiece]:
        """What a label goes on with in brackets below."""
        below = self._at(label, "below")
        if below is None or not (below.text.startswith("(") and below.text.endswith(")")):
            return []
        self._taken.add(below)
        return [below]

    def _continued(self, label: LinePiece, first: LinePiece) -> list[LinePiece]:
        """The value: its first piece, and the lines below that go on with it."""
        value = [first, *self._beyond(first)]
        self._taken.update(value)
        while True:
            following = self._next_line(label, first)
            if following is None:
                return value
            value += (following, *self._beyond(following))
            self._taken.update(value)
            first = following

    def _beyond(self, first: LinePiece) -> list[LinePiece]:
        """The pieces that go on with a value to the right, with a gap in between."""
        found: list[LinePiece] = []
        right = first.box[2]
        for other in self._pieces.row_of(first):
            if other.box[0] < right:
                continue
            if not self._is_free(other) or other.box[0] - right > WIDE * first.height:
                break
            found.append(other)
            right = other.box[2]
        return found

    def _next_line(self, label: LinePiece, last: LinePiece) -> LinePiece | None:
        left, _, _, bottom = last.box
        for other in self._pieces.near(bottom, bottom + STICKS * last.height + self._pieces.tallest / 2):
            gap = other.box[1] - bottom
            if not -0.3 * last.height <= gap <= STICKS * last.height or not self._is_free(other):
                continue
            aligned = abs(other.box[0] - left) <= ALIGNED * last.height
            before = [one for one in self._pieces.row_of(other) if one.box[2] <= other.box[0]]
            if aligned and not any(self._is_label(one) or one.box[0] <= label.box[2] for one in before):
                return other
        return None

    def _unmarked(self) -> Iterator[_Pair]:
        """Labels without a colon, each with the value that is nearest in the way that is usual on the page."""
        labels = [
            one for one in self._pieces.all if not one.is_label and one not in self._taken and self._is_label(one)
        ]
        ways = {label: dict(self._ways(label)) for label in labels}
        usual = Counter(way for found in ways.values() for way in found)
        choices = [
            (score + USUAL * usual[way] / len(labels), -number, way)
            for number, label in enumerate(labels)
            for way, score in ways[label].items()
        ]
        for _, number, way in sorted(choices, reverse=True):
            label = labels[-number]
            if label not in self._taken and (value := self._at(label, way)) is not None:
                self._taken.add(label)
                yield self._made(label, self._continued(label, value), sure=False)

    def _before_numbers(self) -> Iterator[_Pair]:
        """Short texts that have nothing but a number to their right."""
        for piece in self._pieces.all:
            if piece in self._taken or piece.is_label or not piece.may_name:
                continue
            value = self._at(piece, "right")
            if value is not None and value.is_numeric and self._pieces.row_of(piece) == [value]:
                yield self._made(piece, self._continued(piece, value), sure=False)

    def _ways(self, label: LinePiece) -> Iterator[tuple[Way, float]]:
        """Where a label has something that may be its value, with a score for how near and how likely it is."""
        for way, score in PREFERRED.items():
            value = self._at(label, way)
            if value is not None:
                aligned = way == "below" and abs(value.box[0] - label.box[0]) <= ALIGNED * label.height
                far = FARTHEST * gap_to(label.box, value.box, way) / self._reach(label, way)
                yield way, score + UNDER * aligned - far - LIKE_LABEL * self._scores[value]

    def _made(
        self, label: LinePiece, value: Sequence[LinePiece], *, sure: bool, more: Sequence[LinePiece] = ()
    ) -> _Pair:
        self._taken.add(label)
        return _Pair((label, *more), value, sure)
