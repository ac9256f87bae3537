"""What every engine stores of a document: the columns of its row, and those of its chunks."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import NamedTuple

from quire.database.places import path_text
from quire.errors import UsageError
from quire.search.backend import IndexProfile
from quire.search.values import IndexedChunk, IndexedDocument, packed

DOCUMENT_COLUMNS = "tenant, document, name, path, media_type, modified, metadata, digest"
CHUNK_COLUMNS = "position, first_page, last_page, kinds, statement"


class ChunkEntry(NamedTuple):
    """A chunk: the values of `CHUNK_COLUMNS`, its terms between spaces, and its row as bytes."""

    columns: tuple[int, int, int, str, str]
    terms: str
    packed: bytes


class DocumentEntry(NamedTuple):
    """A document: the values of `DOCUMENT_COLUMNS`, its chunks, and in how many of them each term is."""

    columns: tuple[str, ...]
    chunks: list[ChunkEntry]
    frequencies: Counter[str]
    length: int
    """Terms of all chunks together."""


def entry_of(document: IndexedDocument, profile: IndexProfile) -> DocumentEntry:
    """Raises UsageError when its vectors do not fit the index."""
    _check(document, profile)
    metadata = "".join(f"\n{name}={value}" for name, value in sorted(document.metadata.items()))
    columns = (
        document.tenant,
        document.document,
        path_text(document.name),
        path_text(document.path),
        document.media_type,
        document.modified,
        f"{metadata}\n".replace("\0", ""),  # PostgreSQL has no such character
        document.digest,
    )
    frequencies: Counter[str] = Counter()
    for chunk in document.chunks:
        frequencies.update({*chunk.terms})
    length = sum(len(chunk.terms) for chunk in document.chunks)
    return DocumentEntry(columns, [_chunk(chunk) for chunk in document.chunks], frequencies, length)


def removed_terms(texts: list[str]) -> tuple[Counter[str], int]:
    """In how many of the chunks with these terms each term is, and how many terms they have together."""
    frequencies: Counter[str] = Counter()
    length = 0
    for text in texts:
        terms = text.split()
        frequencies.update({*terms})
        length += len(terms)
    return frequencies, length


def profile_text(profile: IndexProfile) -> str:
    return json.dumps(asdict(profile))


def profile_of(text: object) -> IndexProfile:
    return IndexProfile(**json.loads(str(text)))


def _chunk(chunk: IndexedChunk) -> ChunkEntry:
    row, pages = chunk.row, chunk.row["pages"] or [0]
    kinds = f" {' '.join(row['meta']['kinds'])} "
    columns = row["index"], min(pages), max(pages), kinds, chunk.statement
    return ChunkEntry(columns, f" {' '.join(chunk.terms)} ", packed(row))


def _check(document: IndexedDocument, profile: IndexProfile) -> None:
    expected = profile.dimension
    for chunk in document.chunks:
        size = 0 if chunk.vector is None else len(chunk.vector)
        if size != expected:
            raise UsageError(
                f"{document.name}: a vector has {size} dimensions, the index has {expected}; "
                f"use the embedder of the index ({profile.embedder or 'none'}), or make another version"
            )
