"""Chunks as docling-serve returns them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict

from quire.core.errors import UsageError
from quire.core.types import Block, PageInfo
from quire.output.export import docling_references
from quire.output.export._docling import origin
from quire.output.export.contracts import Described, Exportable, Structured
from quire.retrieval.chunk.chunk_values import Chunk, ChunkOptions
from quire.retrieval.chunk.tokenizers import Tokenizer, find_tokenizer


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


def docling_options(request: Mapping[str, Any], *, use_markdown_text: bool = False) -> ChunkOptions:
    """The options of a request to docling-serve; `include_raw_text` is for `docling_chunks`.

    `use_markdown_text` is for documents whose emphasis and links docling keeps: all but PDFs and images.
    """
    names = {field.name for field in fields(ChunkOptions)} - {"use_markdown_text"}
    unknown = request.keys() - names - {"include_raw_text"}
    if unknown:
        raise UsageError(f"there is no option {min(unknown)!r} for chunks; choose from {', '.join(sorted(names))}")
    options = {name: value for name, value in request.items() if name in names}
    return ChunkOptions(**options, use_markdown_text=use_markdown_text)


@dataclass(frozen=True, slots=True)
class _WithBlocks:
    """A document with other blocks."""

    id: str
    name: str
    media_type: str
    pages: Sequence[PageInfo]
    blocks: Sequence[Block]


def cut_for_docling(
    result: Exportable, request: Mapping[str, Any], descriptions: Mapping[str, str] | None = None
) -> list[DoclingChunk]:
    """The chunks of a document for a request to docling-serve. Raises UsageError as `tokenizer_for` does.

    `descriptions` of pictures, by their reference, become part of the text.
    """
    from quire.retrieval.chunk import chunks

    structure = result.structure if isinstance(result, Structured) else None
    options = docling_options(request, use_markdown_text=structure is not None)
    references = docling_references(result)
    shown = _described(result, references, descriptions) if descriptions else result
    return docling_chunks(
        result,
        chunks(shown, options, tokenizer=tokenizer_for(options)),
        references=references,
        include_raw_text=bool(request.get("include_raw_text")),
        paged=structure is None or bool(json.loads(structure()).get("pages")),
    )


def _described(
    result: Exportable, references: Mapping[str, str | Sequence[str]], descriptions: Mapping[str, str]
) -> _WithBlocks:
    """The document with the descriptions of its pictures as their text, below what stands in them."""
    texts = {
        block: descriptions[item]
        for block, items in references.items()
        for item in ((items,) if isinstance(items, str) else items)
        if item in descriptions
    }
    blocks = [
        replace(block, text=f"{block.text}\n{texts[block.id]}".strip()) if block.id in texts else block
        for block in result.blocks
    ]
    return _WithBlocks(result.id, result.name, result.media_type, result.pages, blocks)


def tokenizer_for(options: ChunkOptions) -> Tokenizer | None:
    """The tokenizer of a request, by its name and never by a path; None for the hierarchical chunker.

    Raises UsageError for one that is not on this machine, or that does not say how many tokens fit.
    """
    if options.chunker != "hybrid":
        return None
    tokenizer = find_tokenizer(options.tokenizer, paths=False)
    if options.max_tokens is None and tokenizer.max_tokens is None:
        raise UsageError(f"the tokenizer {options.tokenizer!r} does not say how many tokens fit; send max_tokens")
    return tokenizer


def docling_chunks(
    document: Described,
    chunks: Iterable[Chunk],
    *,
    references: Mapping[str, str | Sequence[str]],
    include_raw_text: bool = False,
    paged: bool = True,
) -> list[DoclingChunk]:
    """The chunks of a document for docling's clients.

    `references` says which items of its DoclingDocument a block is: `export.docling_references` for one that we
    wrote, what the conversion kept for a document that docling converted. A block without items is left out.
    `paged` is False for a document in which docling sees no pages, such as Markdown.
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
            "page_numbers": list(chunk.pages) if paged else [],
            "metadata": {**from_document, "has_image": chunk.has_image},
        }
        for chunk in chunks
    ]


def _items(chunk: Chunk, references: Mapping[str, str | Sequence[str]]) -> Iterable[str]:
    for block in chunk.blocks:
        items = references.get(block, ())
        yield from (items,) if isinstance(items, str) else items
