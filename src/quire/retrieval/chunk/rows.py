"""Chunks as rows: lines of JSON, and the columns of a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TypedDict

from quire.core.types import Part
from quire.output.export.contracts import Described
from quire.retrieval.chunk.chunk_values import Chunk

SCHEMA = "quire-chunks/1"


class _Span(TypedDict):
    start: int
    end: int


class PlaceRow(TypedDict):
    """A place on a page, in fractions of it."""

    page: int
    left: float
    top: float
    width: float
    height: float


class _Meta(TypedDict):
    source: str
    media_type: str
    captions: list[str]
    kinds: list[str]
    has_image: bool


class ChunkRow(TypedDict):
    """One chunk. `section` is the path of headings above it, `span` its place in the text of the document."""

    schema_version: str
    doc_id: str
    chunk_id: str
    index: int
    text: str
    raw_text: str | None
    tokens: int | None
    span: _Span
    section: list[str]
    blocks: list[str]
    pages: list[int]
    boxes: list[PlaceRow]
    meta: _Meta


def rows(document: Described, chunks: Iterable[Chunk], *, raw_text: bool = False) -> list[ChunkRow]:
    """The chunks of a document as plain values. Without times, so that two runs are equal."""
    return [
        {
            "schema_version": SCHEMA,
            "doc_id": chunk.document,
            "chunk_id": chunk.id,
            "index": chunk.index,
            "text": chunk.text,
            "raw_text": chunk.raw_text if raw_text else None,
            "tokens": chunk.tokens,
            "span": {"start": chunk.start, "end": chunk.end},
            "section": list(chunk.headings),
            "blocks": list(chunk.blocks),
            "pages": list(chunk.pages),
            "boxes": list(map(place_row, chunk.places)),
            "meta": {
                "source": document.name,
                "media_type": document.media_type,
                "captions": list(chunk.captions),
                "kinds": list(chunk.kinds),
                "has_image": chunk.has_image,
            },
        }
        for chunk in chunks
    ]


def place_row(place: Part) -> PlaceRow:
    """A place as plain values."""
    box = place.bbox
    return {"page": place.page, "left": box.left, "top": box.top, "width": box.width, "height": box.height}


def jsonl(listed: Iterable[Mapping[str, object]]) -> bytes:
    """A line of JSON for each row."""
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in listed)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
