"""Small documents for an index, and an embedder without a model: words hashed to dimensions."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.lexicon.terms import terms
from quire.retrieval.chunk.rows import ChunkRow
from quire.retrieval.search.backend import IndexProfile
from quire.retrieval.search.hits import IndexedChunk, IndexedDocument
from quire.retrieval.search.sqlite_index import SqliteIndex, SqliteIndexes
from quire.retrieval.search.statements import statements

DIMENSION = 64


def embed(text: str) -> NDArray[np.float32]:
    vector = np.zeros(DIMENSION, np.float32)
    for term in terms(text):
        vector[zlib.crc32(term.encode()) % DIMENSION] += 1
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def row(
    text: str,
    *,
    page: int = 1,
    index: int = 0,
    kinds: Sequence[str] = ("paragraph",),
    section: Sequence[str] = (),
    also_on: int | None = None,
) -> ChunkRow:
    """A chunk on a page; with `also_on` a smaller part of it is on another."""
    boxes = [{"page": page, "left": 0.1, "top": 0.2, "width": 0.5, "height": 0.1}]
    if also_on is not None:
        boxes.insert(0, {"page": also_on, "left": 0.1, "top": 0.9, "width": 0.5, "height": 0.01})
    head = "".join(f"{heading}\n" for heading in section)
    made: ChunkRow = {
        "schema_version": "quire-chunks/1",
        "doc_id": "d",
        "chunk_id": f"c{index}",
        "index": index,
        "text": head + text,
        "raw_text": None,
        "tokens": None,
        "span": {"start": 0, "end": len(text)},
        "section": list(section),
        "blocks": [f"b{index}"],
        "pages": sorted({box["page"] for box in boxes}),
        "boxes": boxes,  # type: ignore[typeddict-item]
        "meta": {"source": "", "media_type": "", "captions": [], "kinds": list(kinds), "has_image": False},
    }
    return made


def document(name: str, rows: Sequence[ChunkRow]) -> IndexedDocument:
    for number, one in enumerate(rows):
        one["index"] = number
    chunks = [
        IndexedChunk(one, tuple(terms(one["text"])), statement, embed(one["text"]))
        for one, statement in zip(rows, statements(rows), strict=True)
    ]
    return IndexedDocument(name, name, f"reports/{name}", "1", chunks)


def index_of(folder: Path, *documents: IndexedDocument) -> SqliteIndex:
    profile = IndexProfile("chunks", "1", "hashed", "1", DIMENSION)  # type: ignore[arg-type]
    index = SqliteIndexes(folder / "search.sqlite3").make(profile)
    index.put(documents)
    return index
