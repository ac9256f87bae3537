"""The lines of a document with their places: words of one block on one baseline, without a wide gap between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from quire.core.median import median
from quire.core.types import NO_BOX, BBox, Block, Box, Cell, PageInfo, Word
from quire.evidence.catalog.builder import cell_id
from quire.evidence.catalog.records import SourceCatalog
from quire.pages.geometry.extents import box_of, distance_from, has_middle, middle

GAP = 1.3  # of the height of a line: words further apart are two lines beside each other
SAME_ROW = 0.5  # of the height: how far the middles of words of one line may differ
_SKIPPED = frozenset({"formula"})


@dataclass(frozen=True)
class PlacedLine:
    """Words beside each other. `box` is their place in points, None in a document without pages.

    `record` is the id of the cell or block in the catalog. `label` is the text of the label of a `field` block whose
    value the line belongs to; `is_label` says that it is such a label itself.
    """

    text: str
    page: int
    bbox: BBox
    box: Box | None
    block: Block
    record: str
    order: int
    words: tuple[Word, ...] = ()
    cell: Cell | None = None
    label: str = ""
    is_label: bool = False

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1] if self.box else 1.0

    @property
    def middle(self) -> float:
        return middle(self.box) if self.box else 0.0

    @property
    def bold(self) -> bool:
        return self.block.style is not None and self.block.style.bold

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each word begins in the text."""
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
        known = [
            word.confidence
            for at, word in zip(self.starts, self.words, strict=True)
            if word.confidence is not None and at < end and start < at + len(word.text)
        ]
        return min(known, default=self.block.confidence if not self.words else None)


def lines_of(catalog: SourceCatalog) -> list[PlacedLine]:
    """The lines of a document in reading order."""
    pages = {page.number: page for page in catalog.pages}
    found: list[PlacedLine] = []
    for block in catalog.blocks:
        if block.kind in _SKIPPED:
            continue
        for page, bbox, words, text, cell, label, is_label in _parts(block, pages):
            record = cell_id(block.id, cell.row, cell.column) if cell is not None else block.id
            box = bbox.points(pages[page].size) if bbox != NO_BOX and page in pages else None
            found.append(PlacedLine(text, page, bbox, box, block, record, len(found), words, cell, label, is_label))
    return found


_Part = tuple[int, BBox, tuple[Word, ...], str, Cell | None, str, bool]


def _parts(block: Block, pages: Mapping[int, PageInfo]) -> Iterator[_Part]:
    words = [word for word in block.words if word.text.strip()]
    if not words or not block.placed:
        yield from _unplaced(block)
    elif block.table is not None:
        yield from _in_cells(block, words, pages)
    elif block.field is not None:
        yield from _in_field(block, words, pages)
    else:
        for page, those in _by_page(block, words):
            for line in _lines(those, pages.get(page)):
                yield page, BBox.union(word.bbox for word in line), tuple(line), _text(line), None, "", False


def _unplaced(block: Block) -> Iterator[_Part]:
    """The texts of a block without words."""
    if block.field is not None:
        if block.field.label:
            yield block.page, block.field.label_bbox, (), block.field.label, None, "", True
        for text in _split(block.field.value):
            yield block.page, block.field.value_bbox, (), text, None, block.field.label, False
    elif block.table is not None:
        for cell in block.table.cells:
            for text in _split(cell.text):
                yield cell.page, cell.bbox, (), text, cell, "", False
    else:
        for text in _split(block.text):
            yield block.page, block.bbox, (), text, None, "", False


def _split(text: str) -> list[str]:
    return [line for raw in text.splitlines() if (line := " ".join(raw.split()))]


def _in_cells(block: Block, words: Sequence[Word], pages: Mapping[int, PageInfo]) -> Iterator[_Part]:
    """The lines of the cells of a table: each word is in the cell around its middle, or in the nearest."""
    assert block.table is not None
    cells = [cell for cell in block.table.cells if cell.text]
    several = len({cell.page for cell in cells}) > 1
    by_cell: dict[int, list[Word]] = {}
    if several:  # the words do not say on which page they are, but they come in the order of the cells
        rest = list(words)
        for number, cell in enumerate(cells):
            size = len("".join(cell.text.split()))
            while rest and size > 0:
                word = rest.pop(0)
                size -= len("".join(word.text.split()))
                by_cell.setdefault(number, []).append(word)
    else:
        boxes = [box_of((cell.bbox,)) for cell in cells]
        last = 0
        for word in words if cells else ():
            last = _cell_of(word.bbox, boxes, last)
            if word.text not in cells[last].text:  # boxes of cells are where their column is, not all of their text
                having = [number for number, cell in enumerate(cells) if word.text in cell.text]
                last = min(having, key=lambda number: distance_from(boxes[number], word.bbox), default=last)
            by_cell.setdefault(last, []).append(word)
    for number, cell in enumerate(cells):
        for line in _lines(by_cell.get(number, ()), pages.get(cell.page)):
            yield cell.page, BBox.union(word.bbox for word in line), tuple(line), _text(line), cell, "", False


def _cell_of(bbox: BBox, boxes: Sequence[Box], last: int) -> int:
    """The number of the cell around the middle of a box, or of the nearest; the one of the word before is likely."""
    x, y = bbox.left + bbox.width / 2, bbox.top + bbox.height / 2
    order: list[int] = [*range(last, len(boxes)), *range(last)]
    for number in order:
        left, top, right, bottom = boxes[number]
        if left <= x <= right and top <= y <= bottom:
            return number
    return min(order, key=lambda number: distance_from(boxes[number], bbox))


def _in_field(block: Block, words: Sequence[Word], pages: Mapping[int, PageInfo]) -> Iterator[_Part]:
    """The lines of the label and those of the value: the words come in the order of the text."""
    assert block.field is not None
    size = len("".join(block.field.label.split()))
    label: list[Word] = []
    rest = list(words)
    while rest and size > 0:
        label.append(rest.pop(0))
        size -= len(label[-1].text)
    while rest and not any(map(str.isalnum, rest[0].text)) and label and rest[0].text in (":", "."):
        label.append(rest.pop(0))
    page = pages.get(block.page)
    for line in _lines(label, page):
        yield block.page, BBox.union(w.bbox for w in line), tuple(line), _text(line), None, "", True
    for line in _lines(rest, page):
        yield block.page, BBox.union(w.bbox for w in line), tuple(line), _text(line), None, block.field.label, False


def _by_page(block: Block, words: Sequence[Word]) -> Iterator[tuple[int, list[Word]]]:
    """The words of each page: those of a block that continues come in order, and each lies in the box of its part."""
    parts = block.places
    at = 0
    found: list[Word] = []
    for word in words:
        while at + 1 < len(parts) and not _is_in(word.bbox, parts[at].bbox) and _is_in(word.bbox, parts[at + 1].bbox):
            if found and parts[at + 1].page != parts[at].page:
                yield parts[at].page, found
                found = []
            at += 1
        found.append(word)
    if found:
        yield parts[at].page, found


def _is_in(inner: BBox, outer: BBox) -> bool:
    return has_middle(outer, inner, near=0.005)


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


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)
