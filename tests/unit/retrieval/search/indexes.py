"""Documents for an index, and what is in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quire.core.keys import Digest, digest_bytes
from quire.lexicon.terms import terms
from quire.retrieval.chunk.rows import SCHEMA, ChunkRow
from quire.retrieval.search.backend import IndexBackend, Indexes, IndexProfile
from quire.retrieval.search.hits import IndexedChunk, IndexedDocument, SearchHit
from quire.retrieval.search.index_search import search
from quire.retrieval.search.query import SearchFilter
from tests.fakes.hashed_words import HashedWords

EMBEDDER = HashedWords()
WORDS = IndexProfile(Digest("c" * 64), "terms")
VECTORS = IndexProfile(Digest("c" * 64), "terms", EMBEDDER.name, EMBEDDER.version, EMBEDDER.dimension)


def row(document: str, index: int, text: str, *, kinds: Sequence[str] = ("text",)) -> ChunkRow:
    """Each chunk is on a page of its own."""
    return {
        "schema_version": SCHEMA,
        "doc_id": document,
        "chunk_id": digest_bytes(f"{document} {index}".encode()),
        "index": index,
        "text": text,
        "raw_text": None,
        "tokens": None,
        "span": {"start": 0, "end": len(text)},
        "section": [],
        "blocks": [f"{index + 1}.1"],
        "pages": [index + 1],
        "boxes": [{"page": index + 1, "left": 0.1, "top": 0.1, "width": 0.5, "height": 0.1}],
        "meta": {"source": document, "media_type": "", "captions": [], "kinds": [*kinds], "has_image": False},
    }


def document(
    name: str, *texts: str, kinds: Sequence[str] = ("text",), vectors: bool = True, **more: Any
) -> IndexedDocument:
    id = digest_bytes(name.encode())
    chunks = [
        IndexedChunk(
            row(id, number, text, kinds=kinds),
            tuple(terms(text)),
            vector=EMBEDDER.vector(text) if vectors else None,
        )
        for number, text in enumerate(texts)
    ]
    return IndexedDocument(id, name, more.pop("path", f"/reports/{name}"), "d" * 64, chunks, **more)


def found(index: IndexBackend, query: str, filters: SearchFilter | None = None) -> list[SearchHit]:
    return search(index, query, embed=EMBEDDER.vector, filters=filters)


def names(index: IndexBackend, query: str, **filters: Any) -> set[str]:
    return {hit.name for hit in found(index, query, SearchFilter(**filters))}


def contents(indexes: Indexes, tenant: str = "") -> Mapping[str, object]:
    """All that can be found of each document in the current version: its path, digest, chunks and their vectors."""
    index = indexes.open()
    assert index is not None
    return {
        document: (
            place,
            [
                (chunk.row, chunk.terms, None if chunk.vector is None else chunk.vector.round(3).tolist())
                for chunk in index.around(document, 0, 1 << 20, SearchFilter(tenant=tenant))
            ],
        )
        for document, place in sorted(index.known(tenant=tenant).items())
    }
