"""The source catalog of a document that was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quire.core.document import page_image_name
from quire.core.keys import Digest, digest_of
from quire.core.types import AnswerSource, Block, Cell, Part
from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.output.export.contracts import Exportable
from quire.retrieval.chunk import Chunk, ChunkOptions, chunks


def catalog_of(document: Exportable, options: ChunkOptions | None = None) -> SourceCatalog:
    """Every chunk, block and cell of a document as a record, in reading order; `options` say how it is cut.

    Blocks without a text have no record. Raises UsageError for a tokenizer that is not on this machine.
    """
    blocks = {block.id: block for block in document.blocks}
    records = [
        *(_of_chunk(document.id, chunk, blocks) for chunk in chunks(document, options)),
        *_of_blocks(document.id, document.blocks),
    ]
    return SourceCatalog(
        document=document.id,
        name=document.name,
        version=_version(document, records),
        records=records,
        pages=document.pages,
        blocks=document.blocks,
    )


def page_id(document: str, page: int) -> str:
    """The id of a page, as `Page.id` has it."""
    return f"{document}/{page}"


def cell_id(block: str, row: int, column: int) -> str:
    """The id of the record of a cell: `p3-b12:r2c4`; rows and columns count from 0."""
    return f"{block}:r{row}c{column}"


def _of_blocks(document: str, blocks: Iterable[Block]) -> Iterator[EvidenceRecord]:
    for block in blocks:
        if block.text.strip():
            yield _of_block(document, block)
        for cell in block.table.cells if block.table else ():
            if cell.text.strip():
                yield _of_cell(document, block, cell)


def _of_block(document: str, block: Block) -> EvidenceRecord:
    return _record(document, block.id, block.text, block.places, (block.id,), block.sources, block.confidence)


def _of_cell(document: str, block: Block, cell: Cell) -> EvidenceRecord:
    sources = () if cell.source is None else (cell.source,)
    places = (Part(cell.page, cell.bbox, cell.source),)
    name = cell_id(block.id, cell.row, cell.column)
    return _record(document, name, cell.text, places, (block.id,), sources, cell.confidence)


def _of_chunk(document: str, chunk: Chunk, blocks: dict[str, Block]) -> EvidenceRecord:
    parts = [blocks[name] for name in chunk.blocks]
    sources = tuple(dict.fromkeys(source for block in parts for source in block.sources))
    known = [block.confidence for block in parts if block.confidence is not None]
    places = chunk.places or (Part(parts[0].page, parts[0].bbox),)
    return _record(document, chunk.id, chunk.text, places, chunk.blocks, sources, min(known, default=None), chunk=True)


def _record(
    document: str,
    name: str,
    text: str,
    places: tuple[Part, ...],
    blocks: tuple[str, ...],
    sources: tuple[AnswerSource, ...],
    confidence: float | None,
    *,
    chunk: bool = False,
) -> EvidenceRecord:
    """A record is as good as the worst of what it was read from: one semantic answer makes it semantic."""
    source = next((one for one in sources if one.tier == "semantic"), sources[0] if sources else None)
    page = places[0].page
    return EvidenceRecord(
        id=name,
        level="chunk" if chunk else "cell" if ":r" in name else "block",
        text=text,
        page=page,
        page_id=page_id(document, page),
        places=places,
        blocks=blocks,
        source_image=page_image_name(document, page),
        provider="native" if source is None else source.engine,
        provider_version="" if source is None else source.version,
        profile=None if source is None else source.profile,
        answer=None if source is None else source.key,
        tier="native" if source is None else source.tier,
        confidence=confidence,
    )


def _version(document: Exportable, records: Iterable[EvidenceRecord]) -> Digest:
    pages = [[page.number, page.width, page.height, page.status] for page in document.pages]
    return digest_of([document.id, pages, [_plain(record) for record in records]])


def _plain(record: EvidenceRecord) -> list[object]:
    """All of a record but the picture of its page, which follows from its document."""
    boxes = [
        [place.page, place.bbox.left, place.bbox.top, place.bbox.width, place.bbox.height] for place in record.places
    ]
    source = [record.provider, record.provider_version, record.profile, record.answer, record.tier, record.confidence]
    return [record.id, record.text, boxes, record.blocks, source]
