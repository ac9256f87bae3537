"""The lines of a document with their places: words of one block on one baseline, without a wide gap between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from quire.core.median import median
from quire.core.types import NO_BOX, BBox, Block, Box, Cell, PageInfo, Word
from quire.evidence.catalog.builder import cell_id
from quire.evidence.catalog.records import SourceCatalog
from quire.output.export._lines import words_by_place
from quire.pages.geometry.extents import distance_from, has_middle, middle

GAP = 1.3  # of the height of a line: words further apart are two lines beside each other
SAME_ROW = 0.5  # of the height: how far the middles of words of one line may differ
NOWHERE = Box(0.0, 0.0, 1.0, 1.0)
"""The box of a line whose place is not known."""
_SKIPPED = frozenset({"formula"})


@dataclass(frozen=True)
class PlacedLine:
    """Words beside each other. `box` is their place in points, `NOWHERE` in a document without pages.

    `record` is the id of the cell or block in the catalog. `label` is the text of the label of a `field` block whose
    value the line belongs to; `is_label` says that it is such a label itself.
    """

    text: str
    page: int
    bbox: BBox
    box: Box
    block: Block
    record: str
    order: int
    words: tuple[Word, ...] = ()
    cell: Cell | None = None
    label: str = ""
    is_label: bool = False

    @property
    def is_placed(self) -> bool:
        return self.box is not NOWHERE

    @property
    def height(self) -> float:
        return self.box.bottom - self.box.top

    @property
    def middle(self) -> float:
        return middle(self.box)

    @property
    def bold(self) -> bool:
        return self.block.style is not None and self.block.style.bold

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The position in the text at which each word begins."""
        found, at = [], 0
        for word in self.words:
            found.append(at)
            at += len(word.text) + 1
        return tuple(found)

    def place(self, start: int, end: int) -> BBox:
        """The box of the words that characters of the text are in; a part of a word has its share of it."""
        if not self.words or (start == 0 and end >= len(self.text)):
            return self.bbox
        boxes = []
        for at, word in zip(self.starts, self.words, strict=True):
            first, last = max(start - at, 0), min(end - at, len(word.text))
            if first < last:
                share = word.bbox.width / max(len(word.text), 1)
                left, width = word.bbox.left + first * share, (last - first) * share
                boxes.append(BBox(round(left, 5), word.bbox.top, round(width, 5), word.bbox.height))
        return BBox.union(boxes) if boxes else self.bbox

    def confidence(self, start: int, end: int) -> float | None:
        """The lowest of the OCR in these characters; None for text of the file."""
        confidences = [
            word.confidence
            for at, word in zip(self.starts, self.words, strict=True)
            if word.confidence is not None and at < end and start < at + len(word.text)
        ]
        return min(confidences, default=self.block.confidence if not self.words else None)


def lines_of(catalog: SourceCatalog) -> list[PlacedLine]:
    """The lines of a document in reading order."""
    pages = {page.number: page for page in catalog.pages}
    found: list[PlacedLine] = []
    for block in catalog.blocks:
        for part in _parts(block) if block.kind not in _SKIPPED else ():
            page, cell = pages.get(part.page), part.cell
            record = cell_id(block.id, cell.row, cell.column) if cell is not None else block.id
            for text, bbox, words in part.lines(page):
                box = bbox.points(page.size) if bbox != NO_BOX and page is not None else NOWHERE
                order = len(found)
                line = PlacedLine(
                    text, part.page, bbox, box, block, record, order, words, cell, part.label, part.is_label
                )
                found.append(line)
    return found


class _Part(NamedTuple):
    """A part of a block in one cell, as the label or the value of a field, or on one page: its words, or a text where
    they are not known."""

    page: int
    words: Sequence[Word] = ()
    text: str = ""
    bbox: BBox = NO_BOX
    cell: Cell | None = None
    label: str = ""
    is_label: bool = False

    def lines(self, page: PageInfo | None) -> Iterator[tuple[str, BBox, tuple[Word, ...]]]:
        for line in _lines(self.words, page):
            yield " ".join(word.text for word in line), BBox.union(word.bbox for word in line), tuple(line)
        for raw in self.text.splitlines():
            if text := " ".join(raw.split()):
                yield text, self.bbox, ()


def _parts(block: Block) -> Iterator[_Part]:
    words = [word for word in block.words if word.text.strip()]
    if not words or not block.placed:
        yield from _unplaced(block)
    elif block.table is not None:
        yield from _in_cells(block, block.table.cells)
    elif (field := block.field) is not None:
        count = _label_length(field.label, words)
        yield _Part(block.page, words[:count], is_label=True)
        yield _Part(block.page, words[count:], label=field.label)
    else:
        for page, there in _words_by_page(block).items():
            yield _Part(page, there)


def _unplaced(block: Block) -> Iterator[_Part]:
    """The texts of a block without words."""
    if (field := block.field) is not None:
        yield _Part(block.page, text=field.label, bbox=field.label_bbox, is_label=True)
        yield _Part(block.page, text=field.value, bbox=field.value_bbox, label=field.label)
    elif block.table is not None:
        for cell in block.table.cells:
            yield _Part(cell.page, text=cell.text, bbox=cell.bbox, cell=cell)
    else:
        yield _Part(block.page, text=block.text, bbox=block.bbox)


def _in_cells(block: Block, cells: Sequence[Cell]) -> Iterator[_Part]:
    """The words of each cell: each word is in the cell around its middle, or in the nearest of its page."""
    filled = [cell for cell in cells if cell.text]
    inside: dict[int, list[Word]] = defaultdict(list)
    for page, words in _words_by_page(block).items():
        numbers = [number for number, cell in enumerate(filled) if cell.page == page]
        here, last = [filled[number] for number in numbers], 0
        for word in words if here else ():
            last = _position(word, here, last)
            inside[numbers[last]].append(word)
    for number, cell in enumerate(filled):
        yield _Part(cell.page, inside[number], cell=cell)


def _position(word: Word, cells: Sequence[Cell], last: int) -> int:
    """The position of the cell that a word is in; that of the word before is likely. The box of a cell is where its
    column is, which is not all of its text: a cell that has no such word is not the one."""
    if has_middle(cells[last].bbox, word.bbox) and word.text in cells[last].text:
        return last
    order: list[int] = [*range(last, len(cells)), *range(last)]
    found = next((number for number in order if has_middle(cells[number].bbox, word.bbox)), None)
    if found is None or word.text not in cells[found].text:
        having = [number for number in order if word.text in cells[number].text]
        if having or found is None:
            found = min(having or order, key=lambda number: distance_from(cells[number].bbox, word.bbox))
    return found


def _label_length(label: str, words: Sequence[Word]) -> int:
    """The number of words that are the label of a field: they come first."""
    size, count = len("".join(label.split())), 0
    while count < len(words) and size > 0:
        size -= len(words[count].text)
        count += 1
    while 0 < count < len(words) and words[count].text in (":", "."):
        count += 1
    return count


def _words_by_page(block: Block) -> dict[int, list[Word]]:
    found: dict[int, list[Word]] = defaultdict(list)
    for place, words in zip(block.places, words_by_place(block), strict=True):
        found[place.page] += [word for word in words if word.text.strip()]
    return found


def _lines(words: Sequence[Word], page: PageInfo | None) -> list[list[Word]]:
    """The words in lines from the top, cut at wide gaps."""
    if not words:
        return []
    if page is None:
        return [list(words)]
    rows: list[list[Word]] = []
    middles: list[float] = []  # of the words of each row so far
    for height, word in sorted(((middle(word.bbox), word) for word in words), key=lambda one: one[0]):
        for number in range(len(rows) - 1, max(len(rows) - 3, -1), -1):
            row = rows[number]
            if abs(height - middles[number]) <= SAME_ROW * min(row[0].bbox.height, 1.5 * word.bbox.height):
                row.append(word)
                middles[number] += (height - middles[number]) / len(row)
                break
        else:
            rows.append([word])
            middles.append(height)
    lines: list[list[Word]] = []
    for row in rows:
        row.sort(key=lambda word: word.bbox.left)
        height = median(word.bbox.height for word in row) * page.height
        line = [row[0]]
        for word in row[1:]:
            if (word.bbox.left - line[-1].bbox.right) * page.width > GAP * height:
                lines.append(line)
                line = []
            line.append(word)
        lines.append(line)
    return lines
