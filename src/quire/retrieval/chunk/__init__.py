"""Chunks of a document for search and language models, each with the blocks, pages and boxes that it comes from."""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.keys import digest_of
from quire.core.types import Block, Part
from quire.output.export._flow import flow
from quire.output.export.contracts import Exportable
from quire.retrieval.chunk.chunk_values import CHUNKERS, DEFAULT_TOKENIZER, Chunk, ChunkerName, ChunkOptions
from quire.retrieval.chunk.elements import Element, Piece, elements
from quire.retrieval.chunk.hybrid import HybridChunker, context
from quire.retrieval.chunk.table_text import row_places
from quire.retrieval.chunk.tokenizers import Tokenizer, find_tokenizer

__all__ = [
    "CHUNKERS",
    "DEFAULT_TOKENIZER",
    "Chunk",
    "ChunkOptions",
    "ChunkerName",
    "Tokenizer",
    "chunks",
    "find_tokenizer",
    "settings_of",
]

_SCHEME = "2"
"""Part of every id: changes when the same options cut a document elsewhere."""


def chunks(
    result: Exportable, options: ChunkOptions | None = None, *, tokenizer: Tokenizer | None = None
) -> list[Chunk]:
    """The chunks of a document, in reading order, without page headers, footers and page numbers.

    `tokenizer` replaces the one that the options name. Raises UsageError for a tokenizer that is not on this machine.
    """
    options = options or ChunkOptions()
    parts = elements(result.blocks, options)
    chunker = None
    if options.chunker == "hybrid":
        tokenizer = tokenizer or find_tokenizer(options.tokenizer)
        chunker = HybridChunker(options, tokenizer)
        parts = chunker.elements(parts)
    settings = digest_of(settings_of(options, tokenizer if chunker else None))
    pages = {page.number for page in result.pages}
    return [_chunk(part, index, result.id, settings, pages, chunker) for index, part in enumerate(parts)]


def settings_of(options: ChunkOptions, tokenizer: Tokenizer | None) -> dict[str, object]:
    """The options that decide the chunks; `tokenizer` is None for hierarchical chunks, which count none."""
    settings: dict[str, object] = {
        "scheme": _SCHEME,
        "chunker": options.chunker,
        "markdown_tables": options.use_markdown_tables,
        "markdown_text": options.use_markdown_text,
        "image": options.image_placeholder if options.use_markdown_images else None,
    }
    if tokenizer is not None:
        settings |= {
            "tokenizer": tokenizer.id,
            "max_tokens": options.max_tokens or tokenizer.max_tokens,
            "merge_peers": options.merge_peers,
            "min_tokens": options.min_tokens,
            "soft_margin": options.soft_margin if options.min_tokens else None,
        }
    return settings


def _chunk(
    element: Element, index: int, document: str, settings: str, pages: set[int], chunker: HybridChunker | None
) -> Chunk:
    pieces, body = element.pieces, element.text
    blocks = tuple({piece.block.id: piece.block for piece in pieces}.values())
    text = chunker.text(element) if chunker else context(element.headings) + body
    places = tuple(part for part in _places(pieces, blocks) if part.page in pages)
    start, end = pieces[0].start, pieces[-1].end
    ids = tuple(block.id for block in blocks)
    return Chunk(
        id=digest_of([document, settings, ids, start, end])[:32],
        document=document,
        index=index,
        text=text,
        raw_text=body,
        headings=tuple(flow(heading.text) for heading in element.headings),
        captions=tuple(flow(block.text) for block in blocks if block.kind == "caption"),
        kinds=tuple(dict.fromkeys(block.kind for block in blocks)),
        blocks=ids,
        pages=tuple(sorted({part.page for part in places})),
        places=tuple(part for part in places if part.bbox.width or part.bbox.height),
        start=start,
        end=end,
        tokens=chunker.tokens(element) if chunker else None,
        has_image=any(block.kind == "figure" for block in blocks),
    )


def _places(pieces: Sequence[Piece], blocks: Sequence[Block]) -> list[Part]:
    """The places of the blocks; of a table only that of its rows when some are in another chunk."""
    found: list[Part] = []
    for block in blocks:
        own = [piece for piece in pieces if piece.block is block]
        shown = {piece.row for piece in own}
        if block.table is None or len(shown) == own[0].rows:
            found += block.places
        else:
            found += row_places(block.table, shown)
    return found
