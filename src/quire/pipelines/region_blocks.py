"""Blocks of a page from the recognitions of its regions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from quire.core.engine import ReadBlock, Recognition
from quire.core.keys import Digest
from quire.core.lazy_words import PageWords
from quire.core.pagetext import PageText
from quire.core.types import BBox, Block, BlockKind, Cell, Layout, PageInfo, Region, Table, Word, mean_confidence
from quire.pages import layout as page_layout
from quire.pages.prepare import ImageMeasures, Prepared
from quire.pages.recognize.recognised_text import placed
from quire.pages.recognize.seen import Rule, Seen
from quire.pages.recognize.structured import with_evidence
from quire.pipelines.roles import PreparedPicture

Rules = Callable[[], tuple[Rule, ...]]
"""Finds the ruled lines of the page, in pixels of the displayed page: needed only where no regions were found."""


def blocks_of(
    info: PageInfo, size: tuple[int, int], layout: Layout, recognitions: Sequence[Recognition], rules: Rules
) -> tuple[Block, ...]:
    """The blocks in the order of the regions: a table for each grid, the page layout where the whole page was read.

    Boxes of layout and recognitions are fractions of the displayed page, whose picture has this `size`.
    """
    found: list[Block] = []
    tables: set[str | None] = set()
    pairs = list(zip(layout.regions, recognitions, strict=True))
    for region, read in pairs:
        if region.grid is not None:
            if region.parent not in tables:
                tables.add(region.parent)
                found.append(_table(info.number, [pair for pair in pairs if _is_cell_of(pair[0], region.parent)]))
        elif read.blocks:
            found += (_block(info.number, block, read, region) for block in read.blocks)
        elif region.role == "page" and read.lines:
            found += _page(info, size, read, _inside(region.bbox, size, rules()))
        elif read.lines:
            found.append(_text(info.number, region, read))
    return tuple(replace(block, id=f"p{info.number}-b{number}") for number, block in enumerate(found, 1))


def _is_cell_of(region: Region, table: str | None) -> bool:
    return region.grid is not None and region.parent == table


def _table(page: int, cells: Sequence[tuple[Region, Recognition]]) -> Block:
    placed_cells = sorted((_cell(page, region, read) for region, read in cells), key=lambda c: (c.row, c.column))
    rows = max(cell.row + cell.row_span for cell in placed_cells)
    columns = max(cell.column + cell.column_span for cell in placed_cells)
    table = Table(rows, columns, tuple(placed_cells))
    words = tuple(word for _, read in cells for word in _words(read))
    box = BBox.union(region.bbox for region, _ in cells)
    return Block(
        id="",
        page=page,
        kind="table",
        text=table.text,
        bbox=box,
        confidence=mean_confidence((read.confidence, len(read.text)) for _, read in cells),
        engine=cells[0][1].engine,
        words=words,
        table=table,
        source=next((cell.source for cell in placed_cells if cell.source), None),
    )


def _cell(page: int, region: Region, read: Recognition) -> Cell:
    grid = region.grid
    assert grid is not None
    return Cell(
        grid.row,
        grid.column,
        read.text,
        page,
        region.bbox,
        grid.row_span,
        grid.column_span,
        header=region.role == "header",
        confidence=read.confidence,
        source=read.provenance.source,
    )


def _block(page: int, block: ReadBlock, read: Recognition, region: Region) -> Block:
    source = read.provenance.source
    table = with_evidence(block, source)
    table = table and replace(table, cells=tuple(replace(c, page=page) for c in table.cells))
    return Block(
        id="",
        page=page,
        kind=block.kind,
        text=block.text,
        bbox=block.bbox or region.bbox,
        level=block.level,
        confidence=block.confidence,
        engine=read.engine,
        table=table,
        source=source,
    )


def _text(page: int, region: Region, read: Recognition) -> Block:
    kind: BlockKind = "figure" if region.role == "figure" else "paragraph"
    return Block(
        id="",
        page=page,
        kind=kind,
        text=read.text,
        bbox=region.bbox,
        confidence=read.confidence,
        engine=read.engine,
        words=tuple(_words(read)),
        source=read.provenance.source,
    )


def _words(read: Recognition) -> Iterator[Word]:
    return (word for line in read.lines for word in line.words)


def _page(info: PageInfo, size: tuple[int, int], read: Recognition, rules: tuple[Rule, ...]) -> Iterator[Block]:
    """Blocks of a page, or a part of it, that was read as lines: through the same layout as native text."""
    seen, source = Seen(_untouched(size), rules), read.provenance.source
    text = placed(PageText.empty(info), seen, [read], engine=read.engine, source=source, whole=True)
    for block in page_layout.page_blocks(text).blocks:
        if isinstance(block.words, PageWords):
            block.words.bind(lambda: text, info.number)
        yield block


def _inside(box: BBox, size: tuple[int, int], rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    left, top, right, bottom = box.points(size)
    return tuple(r for r in rules if left <= r[0] and r[2] <= right and top <= r[1] and r[3] <= bottom)


def _untouched(size: tuple[int, int]) -> Prepared:
    """An identity: the boxes were mapped to the displayed page before."""
    unknown = ImageMeasures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, bilevel=False, inverted=False)
    return Prepared(Digest(""), size, 0.0, size, 0, 0.0, False, (), unknown)


def rules_of(prepared: PreparedPicture, size: tuple[int, int]) -> tuple[Rule, ...]:
    """The ruled lines of a prepared picture, in pixels of the displayed page, whose picture has this `size`."""
    from quire.pages.detect.rulings import find_rulings
    from quire.pages.prepare.pixels import pixels_of

    picture, back = prepared.picture, prepared.to_given
    found = []
    for x0, y0, x1, y1, thickness in find_rulings(pixels_of(picture), picture.dpi):
        ends = [back.point(x / picture.width, y / picture.height) for x, y in ((x0, y0), (x1, y1))]
        left, right = sorted(x * size[0] for x, _ in ends)
        top, bottom = sorted(y * size[1] for _, y in ends)
        if right - left > bottom - top:
            top = bottom = (top + bottom) / 2
        else:
            left = right = (left + right) / 2
        found.append((left, top, right, bottom, thickness * size[0] / picture.width))
    return tuple(found)
