"""What a batch does with the chunks of a document instead of writing files: embed them, and put them into the index.

Vectors are looked up in the store first: those that a flow or an earlier run has made are not made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from quire.asking import Asker
from quire.chunk import ChunkOptions, find_tokenizer, settings_of
from quire.context import Json
from quire.embed.batches import dense_vectors
from quire.embed.registry import find_embedder
from quire.embedder import Embedder
from quire.keys import digest_of
from quire.search import passages, statements
from quire.search import terms as lexical
from quire.search.backend import IndexBackend, IndexProfile, check_embedder, embedder_version
from quire.search.values import IndexedChunk, IndexedDocument
from quire.store.artifacts import ArtifactStore

if TYPE_CHECKING:
    from quire.chunk.rows import ChunkRow

FLOW = "chunks"
"""The built-in flow that makes the chunks."""
INPUTS: Mapping[str, Json] = {"use_markdown_tables": True}
"""Its inputs, unless others are given: a row of a table once, not a sentence for each of its cells."""
PLACE = "/quire-index"
"""Below it are the records of what was indexed, in place of output files: one folder for each version."""


@dataclass(frozen=True, slots=True)
class IndexTarget:
    """Which index a batch fills: by its embedder and the way it cuts documents. Goes with the request of the batch."""

    embedder: str
    max_tokens: int | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> IndexTarget:
        return cls(str(value["embedder"]), cast("int | None", value.get("max_tokens")))

    def to_json(self) -> dict[str, Json]:
        return {"embedder": self.embedder, "max_tokens": self.max_tokens}

    def profile(self, embedder: Embedder | None) -> IndexProfile:
        options = ChunkOptions(max_tokens=self.max_tokens, use_markdown_tables=True)
        chunks = digest_of(settings_of(options, find_tokenizer(options.tokenizer)))
        contents = f"{lexical.VERSION}/{passages.VERSION}/{statements.VERSION}"
        if embedder is None:
            return IndexProfile(chunks, contents)
        version = embedder_version(embedder)
        profile = IndexProfile(chunks, contents, embedder.name, version, embedder.dimension)
        check_embedder(profile, embedder)
        return profile

    def output(self, profile: IndexProfile) -> str:
        """The place of the records of a version."""
        return f"{PLACE}/{profile.digest()[:16]}"


class IndexDelivery:
    """Puts the documents of a batch into an index. Thread-safe."""

    def __init__(self, store: ArtifactStore, index: IndexBackend, embedder: Embedder | None) -> None:
        self._store, self._index, self._embedder = store, index, embedder

    def put(self, document: str, path: Path, rows: list[ChunkRow]) -> int:
        """Replace what the index has of a document; returns how many chunks it has now."""
        texts = [passages.passage(row) for row in rows]
        vectors = None
        if self._embedder is not None:
            asker = Asker(self._store, document=document, check=lambda: None, tell=_silently)
            vectors = dense_vectors(texts, self._embedder, asker)
        chunks = [
            IndexedChunk(
                row, tuple(lexical.terms(row["text"])), statement, None if vectors is None else vectors[number]
            )
            for number, (row, statement) in enumerate(zip(rows, statements.statements(rows), strict=True))
        ]
        self._store.flush()  # an index never has what the store has not
        self._index.put([_document(document, path, rows, chunks)])
        return len(chunks)


def delivery_to(store: ArtifactStore, target: IndexTarget) -> IndexDelivery:
    """For a batch that was submitted with this target. The version exists, because submitting made it."""
    from quire.durable.indexing.opening import open_indexes

    embedder = find_embedder(target.embedder)
    profile = target.profile(embedder)
    indexes = open_indexes(store)
    return IndexDelivery(store, indexes.open(profile) or indexes.make(profile), embedder)


def _document(document: str, path: Path, rows: list[ChunkRow], chunks: list[IndexedChunk]) -> IndexedDocument:
    try:
        modified = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    except OSError:  # gone since it was read
        modified = ""
    return IndexedDocument(
        document=document,
        name=path.name,
        path=str(path),
        digest=digest_of([row["chunk_id"] for row in rows]),
        chunks=chunks,
        media_type=rows[0]["meta"]["media_type"] if rows else "",
        modified=modified,
    )


def _silently(*_: object, **__: object) -> None:
    """Events of batches of vectors are not recorded: the outcome of the document is."""
