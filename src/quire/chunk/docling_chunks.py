"""Chunks as docling-serve returns them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from quire.chunk.values import Chunk
from quire.export import Described
from quire.export._docling import origin


class DoclingChunkMetadata(TypedDict):
    origin: dict[str, Any]
    has_image: bool


class DoclingChunk(TypedDict):
    """One entry of `chunks` in the answer of docling-serve's chunk endpoints."""

    filename: str
    chunk_index: int
    text: str
    raw_text: str | None
    num_tokens: int | None
    headings: list[str] | None
    captions: list[str] | None
    doc_items: list[str]
    page_numbers: list[int]
    metadata: DoclingChunkMetadata


def docling_chunks(
    document: Described,
    chunks: Iterable[Chunk],
    *,
    references: Mapping[str, str | Sequence[str]],
    include_raw_text: bool = False,
) -> list[DoclingChunk]:
    """The chunks of a document for docling's clients.

    `references` says which items of its DoclingDocument a block is: `export.docling_references` for one that we
    wrote, what the conversion kept for a document that docling converted. A block without items is left out.
    """
    from_document: DoclingChunkMetadata = {"origin": origin(document), "has_image": False}
    return [
        {
            "filename": document.name,
            "chunk_index": chunk.index,
            "text": chunk.text,
            "raw_text": chunk.raw_text if include_raw_text else None,
            "num_tokens": chunk.tokens,
            "headings": list(chunk.headings) or None,
            "captions": list(chunk.captions) or None,
            "doc_items": list(dict.fromkeys(_items(chunk, references))),
            "page_numbers": list(chunk.pages),
            "metadata": {**from_document, "has_image": chunk.has_image},
        }
        for chunk in chunks
    ]


def _items(chunk: Chunk, references: Mapping[str, str | Sequence[str]]) -> Iterable[str]:
    for block in chunk.blocks:
        items = references.get(block, ())
        yield from (items,) if isinstance(items, str) else items
