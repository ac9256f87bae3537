"""Places of the characters of a block on its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from quire.core.types import BBox, Block, Cell, Part, Table, Word
from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.lexicon.phrases import TextSpan, folded, matches, solid
from quire.output.export._lines import words_by_place
from quire.pages.geometry.extents import are_level, has_middle


def record_places(catalog: SourceCatalog, record: EvidenceRecord, span: TextSpan) -> tuple[Part, ...]:
    """The boxes of some characters of a record, a box for each line; those of the record where they are not known."""
    blocks = [catalog.block_by_id[name] for name in record.blocks]
    if record.level == "cell" and blocks[0].table is not None:
        place = record.places[0]
        for cell in blocks[0].table.cells:
            if cell.bbox == place.bbox and cell.page == place.page and cell.text == record.text:
                return cell_places(blocks[0], cell, span)
    if record.level == "block":
        return span_places(blocks[0], span)
    wanted = folded(record.text[slice(*span)]).strip()
    for block in blocks:
        for found in matches(block.text, folded(block.text), wanted):
            return span_places(block, found)
    return record.places


def span_places(block: Block, span: TextSpan) -> tuple[Part, ...]:
    """A box for each line that some characters of a block stand on; those of the block where they are not known."""
    if block.table is not None:
        cells = _cells_at(block.table, span) if block.text == block.table.text else []
        return tuple(Part(cell.page, cell.bbox, cell.source) for cell in cells) or block.places
    listed = [(part, word) for part, there in zip(block.places, words_by_place(block), strict=True) for word in there]
    touched = _touched([solid(word.text) for _, word in listed], block.text, span)
    return tuple(_lines([listed[at] for at in touched])) or block.places


def cell_places(block: Block, cell: Cell, span: TextSpan) -> tuple[Part, ...]:
    """The same for characters of a cell of a table."""
    place = Part(cell.page, cell.bbox, cell.source)
    by_place = zip(block.places, words_by_place(block), strict=True)
    inside = [
        (place, word)
        for part, there in by_place
        if part.page == cell.page
        for word in there
        if has_middle(cell.bbox, word.bbox)
    ]
    touched = _touched([solid(word.text) for _, word in inside], cell.text, span)
    return tuple(_lines([inside[at] for at in touched])) or (place,)


def _touched(words: Sequence[str], text: str, span: TextSpan) -> range:
    """The words that some characters of a text are from; none if the words say something else than the text."""
    before, wanted, line = len(solid(text[: span[0]])), solid(text[slice(*span)]), "".join(words)
    if not wanted:
        return range(0)
    if line[before : before + len(wanted)] != wanted:
        if line.count(wanted) != 1:
            return range(0)
        before = line.index(wanted)
    bounds = list(pairwise(accumulate(map(len, words), initial=0)))
    at = [at for at, (first, last) in enumerate(bounds) if first < before + len(wanted) and last > before]
    return range(at[0], at[-1] + 1)


def _lines(words: Sequence[tuple[Part, Word]]) -> Iterator[Part]:
    """Boxes around words that follow each other on a line."""
    line: list[tuple[Part, Word]] = []
    for part, word in words:
        if line and not (line[-1][0] is part and _is_beside(line[-1][1].bbox, word.bbox)):
            yield _around(line)
            line = []
        line.append((part, word))
    if line:
        yield _around(line)


def _around(line: Sequence[tuple[Part, Word]]) -> Part:
    part = line[0][0]
    return Part(part.page, BBox.union(word.bbox for _, word in line), part.source)


def _is_beside(left: BBox, right: BBox) -> bool:
    """Whether a word stands on the line of the one before it: they share half of the lower one's height."""
    return are_level(left, right) and right.left >= left.left


def _cells_at(table: Table, span: TextSpan) -> list[Cell]:
    """The cells that some characters of `table.text` are from."""
    rows: list[list[Cell]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        if cell.text:
            rows[cell.row].append(cell)
    written = [cell for row in rows for cell in row]
    bounds = pairwise(accumulate((len(cell.text) + 1 for cell in written), initial=0))
    start, end = span
    return [cell for cell, (first, last) in zip(written, bounds, strict=True) if first < end and last - 1 > start]
