"""What stands around a line on its page: the texts to the left and above, the heads of its cell, the heading above."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from quire.core.types import Cell, Table
from quire.evidence.extract.lines import PlacedLine

ROW = 0.5  # of the lower height: how much two lines of a row share
HIGH_ABOVE = 2.2  # of the height: how far above a label may be
LINE_BELOW = 1.2  # of the height: how far below the next line of an address may be
TALLER = 1.8  # how much the heights of such lines may differ
OVERLAP = 0.2  # of the narrower width: how much a label above shares with its value
LONGEST_HEAD = 80  # characters: a longer text names nothing
_NUMBER_LABEL = re.compile(r"^(?:(?:no|nr|id|ref)\s?[.:]|n[°º]|#)[\s.:]*$", re.IGNORECASE)
_HEADINGS = frozenset({"title", "heading"})


@dataclass(frozen=True, slots=True)
class Around:
    """The texts around a line; empty where there is none."""

    left: str = ""
    skipped: int = 0
    """Texts without words between the line and what is `left` of it."""
    above: str = ""
    row_head: str = ""
    column_head: str = ""
    section: str = ""


class Neighbourhood:
    """Finds what stands around each line of a document."""

    def __init__(self, lines: Sequence[PlacedLine]) -> None:
        by_page: dict[int, list[PlacedLine]] = defaultdict(list)
        for line in lines:
            by_page[line.page].append(line)
        self._pages = {page: _PageLines(those) for page, those in by_page.items()}
        self._heads: dict[str, _TableHeads] = {}
        self._sections: dict[int, str] = {}
        last = ""
        for line in lines:
            self._sections[line.order] = last
            if line.block.kind in _HEADINGS and line.cell is None:
                last = line.text

    def around(self, line: PlacedLine) -> Around:
        row_head = column_head = ""
        if line.cell is not None and line.block.table is not None:
            heads = self._heads.get(line.block.id)
            if heads is None:
                heads = self._heads[line.block.id] = _TableHeads(line.block.table)
            row_head, column_head = heads.of_row(line.cell), heads.of_column(line.cell)
        if line.box is None:
            before = row_head or line.label
            return Around(before, 0, "", row_head, column_head, self._sections[line.order])
        page = self._pages[line.page]
        left, skipped = (line.label, 0) if line.label else page.left_of(line)
        above = page.above(line)
        return Around(left, skipped, above, row_head, column_head, page.section(line) or self._sections[line.order])

    def below(self, line: PlacedLine) -> PlacedLine | None:
        """The line that continues this one below, if it is near."""
        return self._pages[line.page].below(line) if line.box is not None else None


class _PageLines:
    """The lines of a page by their height on it."""

    def __init__(self, lines: Sequence[PlacedLine]) -> None:
        placed = sorted((line for line in lines if line.box), key=lambda line: line.middle)
        self._lines = [(*line.box, line) for line in placed if line.box]
        self._middles = [line.middle for line in placed]
        self._tallest = max((line.height for line in placed), default=0.0)
        self._headings = [line for line in placed if line.block.kind in _HEADINGS and line.cell is None]

    def _between(self, top: float, bottom: float) -> Sequence[tuple[float, float, float, float, PlacedLine]]:
        """The lines whose middle is between two heights, each after its box."""
        return self._lines[bisect_left(self._middles, top) : bisect_left(self._middles, bottom)]

    def left_of(self, line: PlacedLine) -> tuple[str, int]:
        """The nearest text to the left that has letters, and how many without are between; a number only where there is
        nothing else."""
        assert line.box is not None
        left, top, _, bottom = line.box
        found: list[tuple[float, PlacedLine]] = []
        height, edge = bottom - top, left + 0.3 * (bottom - top)
        for _, above, right, below, other in self._between(top - self._tallest / 2, bottom + self._tallest / 2):
            if right > edge or other is line:
                continue
            if min(bottom, below) - max(top, above) >= ROW * min(height, below - above):
                found.append((left - right, other))
        found.sort(key=lambda one: one[0])
        for skipped, (_, other) in enumerate(found):
            if _is_worded(other.text) or _NUMBER_LABEL.match(other.text):
                return other.text, skipped
        return (found[0][1].text, 0) if found else ("", 0)

    def above(self, line: PlacedLine) -> str:
        """The nearest text above that stands over a part of the line, unless that has its own value to the right."""
        assert line.box is not None
        left, top, right, _ = line.box
        best, least, height = None, 1e9, line.height
        for start, _, end, below, other in self._between(top - HIGH_ABOVE * height - self._tallest / 2, line.middle):
            gap = top - below
            if gap >= least or not -0.5 * height <= gap <= HIGH_ABOVE * height or other is line:
                continue
            shared = min(right, end) - max(left, start)
            if shared >= OVERLAP * min(right - left, end - start):
                best, least = other, gap
        return "" if best is None or _says_its_value(best.text) or self._has_number(best) else best.text

    def _has_number(self, line: PlacedLine) -> bool:
        """Whether the next text to the right in the same row is a number."""
        assert line.box is not None
        _, top, right, bottom = line.box
        found, nearest, height = None, 1e9, line.height
        for start, above, _, below, other in self._between(top - self._tallest / 2, bottom + self._tallest / 2):
            gap = start - right
            if gap >= nearest or gap < -0.3 * height:
                continue
            if min(bottom, below) - max(top, above) >= ROW * min(height, below - above):
                found, nearest = other, gap
        return found is not None and any(map(str.isdigit, found.text)) and not _is_worded(found.text)

    def below(self, line: PlacedLine) -> PlacedLine | None:
        """The next line below that stands under a part of this one, close to it and of about the same height."""
        assert line.box is not None
        left, _, right, bottom = line.box
        best, least, height = None, 1e9, line.height
        for start, above, end, low, other in self._between(
            line.middle, bottom + LINE_BELOW * height + self._tallest / 2
        ):
            gap = above - bottom
            if gap >= least or other is line or not -0.5 * height <= gap <= LINE_BELOW * height:
                continue
            shared = min(right, end) - max(left, start)
            alike = max(height, low - above) <= TALLER * min(height, low - above)
            if alike and shared >= OVERLAP * min(right - left, end - start):
                best, least = other, gap
        return best

    def section(self, line: PlacedLine) -> str:
        """The lowest heading that begins above the line, or beside it, and not to the right of it."""
        assert line.box is not None
        found = ""
        for heading in self._headings:
            assert heading.box is not None
            if heading.box[1] > line.box[1] + 0.5 * line.height:
                break
            if heading is not line and heading.box[0] <= line.box[0] + line.height:
                found = heading.text
        return found


class _TableHeads:
    """The texts that name the rows and columns of a table."""

    def __init__(self, table: Table) -> None:
        self._rows: dict[int, list[Cell]] = defaultdict(list)
        self._columns: dict[int, list[Cell]] = defaultdict(list)
        for cell in table.cells:
            if not cell.text or len(cell.text) > LONGEST_HEAD:
                continue
            for row in range(cell.row, cell.row + cell.row_span):
                self._rows[row].append(cell)
            for column in range(cell.column, cell.column + cell.column_span):
                self._columns[column].append(cell)
        self._marked = any(cell.header for cell in table.cells)

    def of_row(self, cell: Cell) -> str:
        """The first text with letters of the row, left of the cell."""
        left = [other for other in self._rows[cell.row] if other.column < cell.column and _is_worded(other.text)]
        return _joined([left[0]]) if left else ""

    def of_column(self, cell: Cell) -> str:
        """The header cells above, or the nearest text without numbers where the table has none."""
        above = [other for other in self._columns[cell.column] if other.row < cell.row]
        if heads := [other for other in above if other.header and not cell.header]:
            return _joined(heads)
        worded = [other for other in above if _is_worded(other.text) and not any(map(str.isdigit, other.text))]
        return _joined(worded[-1:])


def _says_its_value(text: str) -> bool:
    """Whether a text is a label with a number behind it: `Policy No. HR 4471-220-9`."""
    words = text.split()
    return len(words) > 2 and sum(map(str.isdigit, words[-1])) >= 3 and not any(map(str.isdigit, words[0]))


def _joined(cells: Sequence[Cell]) -> str:
    return " ".join(" ".join(cell.text.split()) for cell in cells)


def _is_worded(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= 3
