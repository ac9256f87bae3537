"""What stands around a line on its page: the texts to the left and above, the heads of its cell, the heading above."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from math import inf
from typing import TypedDict

from quire.core.types import Cell, Table
from quire.evidence.extract.lines import PlacedLine
from quire.pages.geometry.neighbours import Neighbours

HIGH_ABOVE = 2.2  # of the height: how far above a label may be
LINE_BELOW = 1.2  # of the height: how far below the next line of an address may be
TALLER = 1.8  # how much the heights of such lines may differ
OVERLAP = 0.2  # of the narrower width: how much a label above shares with its value
LONGEST_HEAD = 80  # characters: a longer text names nothing
_NUMBER_LABEL = re.compile(r"^(?:(?:no|nr|id|ref)\s?[.:]|n[°º]|#)[\s.:]*$", re.IGNORECASE)
_HEADINGS = frozenset({"title", "heading"})


class Around(TypedDict, total=False):
    """The texts around a line, as a candidate has them; those that there are none of are left out."""

    left: str
    skipped: int
    above: str
    row_head: str
    column_head: str
    section: str


class Neighbourhood:
    """Finds what stands around each line of a document."""

    def __init__(self, lines: Sequence[PlacedLine]) -> None:
        by_page: dict[int, list[PlacedLine]] = defaultdict(list)
        self._heads: dict[str, _TableHeads] = {}
        self._headings: dict[int, list[PlacedLine]] = defaultdict(list)
        self._sections: dict[int, str] = {}
        last = ""
        for line in lines:
            self._sections[line.order] = last
            is_heading = line.block.kind in _HEADINGS and line.cell is None
            last = line.text if is_heading else last
            if line.is_placed:
                by_page[line.page].append(line)
                if is_heading:
                    self._headings[line.page].append(line)
        self._pages = {page: Neighbours(those) for page, those in by_page.items()}
        for headings in self._headings.values():
            headings.sort(key=lambda line: line.middle)

    def around(self, line: PlacedLine) -> Around:
        row_head = column_head = ""
        if line.cell is not None and line.block.table is not None:
            heads = self._heads.get(line.block.id)
            if heads is None:
                heads = self._heads[line.block.id] = _TableHeads(line.block.table)
            row_head, column_head = heads.of_row(line.cell), heads.of_column(line.cell)
        section = self._sections[line.order]
        if not line.is_placed:
            left = row_head or line.label
            return {"left": left, "row_head": row_head, "column_head": column_head, "section": section}
        left, skipped = (line.label, 0) if line.label else self._left_of(line)
        return {
            "left": left,
            "skipped": skipped,
            "above": self._above(line),
            "row_head": row_head,
            "column_head": column_head,
            "section": self._heading(line) or section,
        }

    def below(self, line: PlacedLine) -> PlacedLine | None:
        """The line that continues this one below, if it is near and of about the same height."""
        if not line.is_placed:
            return None
        found = self._pages[line.page].next_to(line, "below", LINE_BELOW * line.height, OVERLAP)
        if found is None or max(line.height, found.height) > TALLER * min(line.height, found.height):
            return None
        return found

    def _left_of(self, line: PlacedLine) -> tuple[str, int]:
        """The nearest text to the left that has letters, and how many without are between; a number only where there is
        nothing else."""
        found = self._pages[line.page].left_of(line)
        for skipped, other in enumerate(found):
            if _is_worded(other.text) or _NUMBER_LABEL.match(other.text):
                return other.text, skipped
        return (found[0].text, 0) if found else ("", 0)

    def _above(self, line: PlacedLine) -> str:
        """The nearest text above that stands over a part of the line, unless that has its own value to the right."""
        page = self._pages[line.page]
        found = page.next_to(line, "above", HIGH_ABOVE * line.height, OVERLAP)
        if found is None or _says_its_value(found.text):
            return ""
        value = page.next_to(found, "right", inf)
        has_number = value is not None and any(map(str.isdigit, value.text)) and not _is_worded(value.text)
        return "" if has_number else found.text

    def _heading(self, line: PlacedLine) -> str:
        """The lowest heading that begins above the line, or beside it, and not to the right of it."""
        found = ""
        for heading in self._headings.get(line.page, ()):
            if heading.box.top > line.box.top + 0.5 * line.height:
                break
            if heading is not line and heading.box.left <= line.box.left + line.height:
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
