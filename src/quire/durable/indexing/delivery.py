"""The delivery of a document to an index: its chunks are embedded, and replace those that the index had of it.

Vectors are looked up in the store first: those that a flow or an earlier run has made are not made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import quote

from quire.asking import Asker
from quire.core.context import Json, Store
from quire.core.embedder import Embedder
from quire.core.keys import digest_of
from quire.lexicon import terms as lexical
from quire.retrieval.chunk import ChunkOptions, find_tokenizer, settings_of
from quire.retrieval.embed.batches import dense_vectors
from quire.retrieval.search import passages, statements
from quire.retrieval.search.backend import IndexBackend, IndexProfile, check_embedder, embedder_version
from quire.retrieval.search.hits import IndexedChunk, IndexedDocument
from quire.system.stage_versions import stage_version
from quire.system.workers import WorkerPool, shared_pool

if TYPE_CHECKING:
    from quire.retrieval.chunk.rows import ChunkRow

FLOW = "chunks"
"""The built-in flow that makes the chunks."""
INPUTS: Mapping[str, Json] = {"use_markdown_tables": True}
"""Its inputs, unless others are given: a row of a table once, not a sentence for each of its cells."""
PLACE = "/quire-index"
"""Below it are the records of what was indexed, in place of output files: one folder for each version."""


@dataclass(frozen=True, slots=True)
class IndexTarget:
    """The version of an index that is filled, and how documents are cut and embedded for it. Goes with requests.

    Without a `version`, the one of its profile is filled, and made when it is new.
    """

    embedder: str
    max_tokens: int | None = None
    version: str = ""
    engine: str = ""
    """The address of the search engine that the index is in; "" where it is with the facts."""

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> IndexTarget:
        most = cast("int | None", value.get("max_tokens"))
        return cls(str(value["embedder"]), most, str(value["version"]), str(value.get("engine", "")))

    def to_json(self) -> dict[str, Json]:
        found: dict[str, Json] = {
            "embedder": self.embedder,
            "max_tokens": self.max_tokens,
            "version": self.version,
        }
        return found | ({"engine": self.engine} if self.engine else {})

    @property
    def output(self) -> str:
        """The place of the records of its version."""
        return records_of(self.version, self.engine)

    def profile(self, embedder: Embedder | None) -> IndexProfile:
        options = ChunkOptions(max_tokens=self.max_tokens, use_markdown_tables=True)
        chunks = digest_of(settings_of(options, find_tokenizer(options.tokenizer)))
        contents = stage_version("index")
        if embedder is None:
            return IndexProfile(chunks, contents)
        version = embedder_version(embedder)
        profile = IndexProfile(chunks, contents, embedder.name, version, embedder.dimension)
        check_embedder(profile, embedder)
        return profile


def records_of(version: str, engine: str = "") -> str:
    """The place of the records of a version. Versions in different engines may have the same name."""
    return f"{PLACE}/{quote(engine, safe='')}/{version}" if engine else f"{PLACE}/{version}"


class IndexOwner(NamedTuple):
    """To whom a document in an index belongs: the part of the store with its artifacts, its id there, its tenant."""

    store: Store
    document: str
    tenant: str = ""
    modified: float | None = None
    """Seconds since 1970, where that is not the time of its file."""


class IndexDelivery:
    """Puts documents into an index. Thread-safe."""

    def __init__(
        self,
        store: Store,
        index: IndexBackend,
        embedder: Embedder | None,
        *,
        pool: Callable[[], WorkerPool] = shared_pool,
    ) -> None:
        self._store, self._index, self._embedder, self._pool = store, index, embedder, pool

    def put(self, document: str, path: PurePath, rows: list[ChunkRow], *, owner: IndexOwner | None = None) -> int:
        """Replace what the index has of a document; returns how many chunks it has now."""
        owner = owner or IndexOwner(self._store, document)
        texts = [passages.passage(row) for row in rows]
        vectors = None
        if self._embedder is not None:
            asker = Asker(owner.store, document=document, check=lambda: None, tell=_silently, pool=self._pool)
            vectors = dense_vectors(texts, self._embedder, asker)
        chunks = [
            IndexedChunk(
                row, tuple(lexical.terms(row["text"])), statement, None if vectors is None else vectors[number]
            )
            for number, (row, statement) in enumerate(zip(rows, statements.statements(rows), strict=True))
        ]
        self._store.flush()  # an index never has what the store has not
        self._index.put([_document(owner, path, rows, chunks)])
        return len(chunks)


def _document(owner: IndexOwner, path: PurePath, rows: list[ChunkRow], chunks: list[IndexedChunk]) -> IndexedDocument:
    try:
        at = owner.modified or Path(path).stat().st_mtime
        modified = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    except OSError:  # gone since it was read
        modified = ""
    return IndexedDocument(
        document=owner.document,
        tenant=owner.tenant,
        name=path.name,
        path=str(path),
        digest=digest_of([row["chunk_id"] for row in rows]),
        chunks=chunks,
        media_type=rows[0]["meta"]["media_type"] if rows else "",
        modified=modified,
    )


def _silently(*_: object, **__: object) -> None:
    """Events of batches of vectors are not recorded: the outcome of the document is."""
