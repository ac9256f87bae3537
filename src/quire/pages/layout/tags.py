"""The structure that a tagged PDF gives itself, used where it agrees with what the page shows.

Producers differ: some tag every line as a paragraph, some tag nothing but one big part. `Tags` is empty unless the
tags cover most of the text; each use below checks them against the geometry first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from quire.core.pagetext import PageText, TagInfo
from quire.core.types import BlockKind, Box
from quire.pages.geometry.extents import box_of
from quire.pages.layout.lines import Line
from quire.pages.layout.tables import FoundCell, FoundTable

COVERED = 0.6  # of the runs must be tagged
MAX_TABLE_CELLS = 5000

_HEADINGS = {"Title": 1, "H": None, "H1": 1, "H2": 2, "H3": 3, "H4": 4, "H5": 5, "H6": 6}
_KINDS: dict[str, BlockKind] = {
    "Caption": "caption",
    "Note": "footnote",
    "FENote": "footnote",
    "Formula": "formula",
    "Code": "code",
    "LI": "list_item",
}
_OUTER = frozenset({"LI", "Note", "FENote", "Caption"})
"""Blocks to which the paragraphs inside them belong."""

_BLOCKS = frozenset({*_HEADINGS, *_KINDS, "P", "TD", "TH", "TOCI", "BlockQuote", "Figure"})


class Tags:
    """The structure tree of one page, by marked-content id."""

    def __init__(self, page: PageText) -> None:
        self._page = page
        self._tags: Sequence[TagInfo] = page.tags
        self._block: dict[int, int] = {}
        self._order: dict[int, int] = {}
        if not page.tags:
            return
        for number, tag in enumerate(page.tags):
            for mcid in tag["mcids"]:
                self._order[mcid] = len(self._order)
                self._block[mcid] = self._block_of(number)
        covered = sum(1 for mcid in page.mcids if mcid in self._block)
        if covered < COVERED * len(page.texts):
            self._block, self._order = {}, {}

    def __bool__(self) -> bool:
        return bool(self._block)

    def _block_of(self, number: int) -> int:
        """The nearest element around a tag that is a block; list parts belong to their item."""
        found, at = -1, number
        while at >= 0:
            kind = self._tags[at]["type"]
            if kind in _BLOCKS and (found < 0 or kind in _OUTER):
                found = at
                if kind != "P":
                    break
            parent = self._tags[at]["parent"]
            at = parent if parent < at else -1  # a parent comes before its children; anything else is a cycle
        return found

    def mark(self, lines: Sequence[Line]) -> None:
        """Set on each line the block it belongs to; -1 for none."""
        for line in lines:
            line.tag = self.block(line)

    def block(self, line: Line) -> int:
        mcids = self._page.mcids
        return self._block.get(mcids[line.runs[len(line.runs) // 2]], -1)

    def is_artifact(self, line: Line) -> bool:
        """Whether the file marks a line as an artifact, not part of its text."""
        return bool(self) and all(self._page.mcids[run] not in self._block for run in line.runs)

    def place(self, runs: Sequence[int]) -> int | None:
        """The position of some runs in the order of the tree."""
        places = [self._order[m] for run in runs if (m := self._page.mcids[run]) in self._order]
        return min(places) if places else None

    def kind(self, lines: Sequence[Line]) -> tuple[BlockKind, int | None] | None:
        """Kind and level of a paragraph all of whose lines belong to one block, None when the tags do not say."""
        tag = lines[0].tag
        if tag < 0 or any(line.tag != tag for line in lines):
            return None
        name = self._tags[tag]["type"]
        if name in _HEADINGS:
            short = len(lines) <= 4 and sum(len(line.text) for line in lines) <= 220
            return ("heading", _HEADINGS[name]) if short else None
        kind = _KINDS.get(name)
        return (kind, None) if kind else None

    def alternatives(self) -> list[str]:
        """The alternative texts of the figures in tree order."""
        return [tag["alt"] for tag in self._tags if tag["type"] == "Figure" and tag["alt"]]

    def tables(self, lines: Sequence[Line]) -> list[FoundTable]:
        """Tables of the tree whose rows and columns are rows and columns on the page too."""
        if not self or not any(tag["type"] == "Table" for tag in self._tags):
            return []
        runs: dict[int, list[int]] = {}
        for line in lines:
            for run in line.runs:
                runs.setdefault(self._page.mcids[run], []).append(run)
        found = [self._table(number, runs) for number, tag in enumerate(self._tags) if tag["type"] == "Table"]
        return [table for table in found if table is not None]

    def _table(self, number: int, runs: dict[int, list[int]]) -> FoundTable | None:
        inside = self._inside(number)
        rows = [at for at in inside if self._tags[at]["type"] == "TR"]
        if len(rows) < 2 or any(self._tags[at]["type"] == "Table" for at in inside):
            return None
        widest = max(sum(self._tags[i]["parent"] == at for i in inside) for at in rows)
        taken: set[tuple[int, int]] = set()
        cells: list[FoundCell] = []
        for row, at in enumerate(rows):
            column = 0
            for cell in (i for i in inside if self._tags[i]["parent"] == at and self._tags[i]["type"] in ("TD", "TH")):
                while (row, column) in taken:
                    column += 1
                height, width = self._tags[cell]["row_span"], self._tags[cell]["column_span"]
                height, width = min(height, len(rows) - row), max(1, min(width, widest - column))
                taken.update((row + y, column + x) for y in range(height) for x in range(width))
                if len(taken) > MAX_TABLE_CELLS:
                    return None
                own = [
                    run for i in (cell, *self._inside(cell)) for m in self._tags[i]["mcids"] for run in runs.get(m, [])
                ]
                box = _around(self._page, own)
                header = self._tags[cell]["type"] == "TH"
                cells.append(FoundCell(row, column, height, width, header, box, own))
                column += width
        columns = max((c.column + c.column_span for c in cells), default=0)
        filled = [cell for cell in cells if cell.runs]
        if columns < 2 or len(filled) < 3 or not _in_rows_and_columns(filled):
            return None
        outer = box_of([cell.box for cell in filled])
        return FoundTable(outer, len(rows), columns, [_placed(cell, filled, outer) for cell in cells])

    def _inside(self, number: int) -> list[int]:
        """The descendants of an element; in tree order they follow it directly."""
        found = []
        within = {number}
        for at in range(number + 1, len(self._tags)):
            if self._tags[at]["parent"] not in within:
                if self._tags[at]["parent"] < number:
                    break
                continue
            within.add(at)
            found.append(at)
        return found


def _around(page: PageText, runs: Sequence[int]) -> Box:
    return box_of([page.box(run) for run in runs]) if runs else Box(0, 0, 0, 0)


def _in_rows_and_columns(cells: Sequence[FoundCell]) -> bool:
    """Whether cells are to the right of those before them in their row, and rows below each other."""
    tops: dict[int, float] = {}
    wrong = 0
    for cell in cells:
        tops[cell.row] = min(tops.get(cell.row, cell.box.top), cell.box.top)
    for a, b in pairwise(cells):
        if a.row == b.row:
            apart = b.box.top > a.box.bottom or b.box.bottom < a.box.top
            wrong += b.box.left < a.box.left or (apart and a.row_span == b.row_span == 1)
    ordered = [tops[row] for row in sorted(tops)]
    wrong += sum(1 for a, b in pairwise(ordered) if b < a - 1)
    return wrong <= 0.02 * len(cells)


def _placed(cell: FoundCell, filled: Sequence[FoundCell], outer: Box) -> FoundCell:
    """Give an empty cell the box where its row and column intersect."""
    if cell.runs:
        return cell
    row = [c.box for c in filled if c.row == cell.row] or [outer]
    column = [c.box for c in filled if c.column == cell.column and c.column_span == 1] or [outer]
    box = Box(
        min(b.left for b in column), min(b.top for b in row), max(b.right for b in column), max(b.bottom for b in row)
    )
    return FoundCell(cell.row, cell.column, cell.row_span, cell.column_span, cell.header, box, [])
