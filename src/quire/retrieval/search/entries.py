"""The entries of a document in an index, whatever holds it: the columns of its row, and those of its chunks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import NamedTuple

from quire.core.errors import UsageError
from quire.database.paths import path_text
from quire.retrieval.search.backend import IndexProfile
from quire.retrieval.search.hits import IndexedChunk, IndexedDocument, Statistics, packed

DOCUMENT_COLUMNS = "tenant, document, name, path, media_type, modified, metadata, digest"
CHUNK_COLUMNS = "position, first_page, last_page, kinds, statement"
CHUNKS, LENGTH = SUMS = ("", " ")
"""In place of terms, among the frequencies: how many chunks there are, and how many terms they have together."""


class ChunkEntry(NamedTuple):
    """A chunk: the values of `CHUNK_COLUMNS`, its terms between spaces, and its row as bytes."""

    columns: tuple[int, int, int, str, str]
    terms: str
    packed: bytes


class DocumentEntry(NamedTuple):
    """A document: the values of `DOCUMENT_COLUMNS`, its chunks, and in how many of them each term is, with `SUMS`."""

    columns: tuple[str, ...]
    chunks: list[ChunkEntry]
    frequencies: Counter[str]


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
    frequencies.update({CHUNKS: len(document.chunks), LENGTH: sum(len(chunk.terms) for chunk in document.chunks)})
    return DocumentEntry(columns, [_chunk(chunk) for chunk in document.chunks], frequencies)


def removed_terms(texts: list[str]) -> Counter[str]:
    """In how many of the chunks with these terms each term is, with `SUMS`."""
    frequencies: Counter[str] = Counter()
    for text in texts:
        terms = text.split()
        frequencies.update({*terms})
        frequencies.update({CHUNKS: 1, LENGTH: len(terms)})
    return frequencies


def statistics_of(rows: Iterable[Sequence[object]]) -> Statistics:
    """The statistics in rows of terms, with their frequencies for the tenant and for all."""
    found = {str(term): (int(str(own)), int(str(every))) for term, own, every in rows}
    count, length = (found.pop(term, (0, 0))[0] for term in (CHUNKS, LENGTH))
    own = {term: times for term, (times, _) in found.items() if times}
    return Statistics(count, length / count if count else 0.0, own, {term: found[term][1] for term in own})


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
