"""The items of a document in a search engine: one for each chunk, and a record that says which of them count.

Every time a document is put, its chunks are of a new generation; the record names the one that searches see.
"""

from __future__ import annotations

import base64
import json
import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quire.core.keys import digest_of
from quire.retrieval.search.engine_conditions import place_of, stamp
from quire.retrieval.search.entries import DocumentEntry
from quire.retrieval.search.hits import IndexedDocument, PageChunk, StoredChunk, packed

if TYPE_CHECKING:
    from numpy.typing import NDArray

Fields = Mapping[str, Any]

KNOWN, BEGUN = "known", "begun"
"""States of a record: searches see a generation of the document, or none yet, or none any more."""
OWNER = ("tenant", "document", "generation")
LOADED = (
    *OWNER,
    *("name", "path", "position", "first_page", "last_page", "kinds", "statement", "terms", "row", "near"),
)
OF_PAGES = (*OWNER, "first_page", "last_page", "kinds", "terms")


class EngineItem(NamedTuple):
    """A chunk. Its `vector` is None in an index of words, and where it is zero, which engines refuse."""

    id: int
    fields: Fields
    vector: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """The record of a document. `revision` changes with each write of it.

    `current` is the generation that searches see, `writing` the one that is being written, and `stale` those whose
    chunks are to be erased. All generations that may have chunks are in it.
    """

    tenant: str
    document: str
    path: str = ""
    digest: str = ""
    current: str = ""
    writing: str = ""
    stale: tuple[str, ...] = ()
    revision: str = ""

    @property
    def id(self) -> int:
        return number_of(self.tenant, self.document)

    def to_fields(self) -> Fields:
        state = KNOWN if self.current else BEGUN
        return {**asdict(self), "stale": list(self.stale), "state": state}

    @classmethod
    def of(cls, fields: Fields) -> DocumentRecord:
        named = {name: str(fields.get(name, "")) for name in RECORD if name != "stale"}
        return cls(**named, stale=tuple(map(str, fields.get("stale", ()))))

    def changed(self, **changes: Any) -> DocumentRecord:
        return replace(self, **changes, revision=secrets.token_hex(8))

    def with_stale(self, *generations: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.stale, *filter(None, generations)]))


RECORD = tuple(one.name for one in fields(DocumentRecord))


def number_of(*parts: object) -> int:
    """The id of an item: 63 bits, so that every engine takes it."""
    return int(digest_of([str(part) for part in parts])[:16], 16) >> 1


def items_of(document: IndexedDocument, entry: DocumentEntry, generation: str) -> list[EngineItem]:
    """The chunks of a document, as items of a generation."""
    tenant, id, name, path, media_type, modified, _, _ = entry.columns
    shared = {
        "tenant": tenant,
        "document": id,
        "generation": generation,
        "name": name,
        "path": path,
        "place": place_of(path),
        "media_type": media_type,
        "modified": stamp(modified),
        "metadata": [f"{key}={value}" for key, value in sorted(document.metadata.items())],
    }
    found = []
    for chunk, indexed in zip(entry.chunks, document.chunks, strict=True):
        position, first_page, last_page, kinds, statement = chunk.columns
        own = {
            "position": position,
            "first_page": first_page,
            "last_page": last_page,
            "kinds": kinds.split(),
            "statement": statement,
            "terms": chunk.terms.strip(),
            "length": len(indexed.terms),
            "row": json.loads(zlib.decompress(chunk.packed)),
            "near": "" if indexed.vector is None else _near(indexed.vector),
        }
        vector = None if indexed.vector is None or not indexed.vector.any() else indexed.vector
        found.append(EngineItem(number_of(generation, position), {**shared, **own}, vector))
    return found


def stored_of(id: int, fields: Fields) -> StoredChunk:
    """A chunk of the fields `LOADED`."""
    return StoredChunk(
        id=id,
        document=fields["document"],
        name=fields["name"],
        path=fields["path"],
        position=fields["position"],
        first_page=fields["first_page"],
        last_page=fields["last_page"],
        packed=packed(fields["row"]),
        terms=f" {fields['terms']} ",
        statement=fields["statement"],
        vector=_vector(fields["near"]) if fields["near"] else None,
    )


def page_chunk_of(fields: Fields) -> PageChunk:
    """A chunk of the fields `OF_PAGES`."""
    kinds = f" {' '.join(fields['kinds'])} "
    return PageChunk(fields["document"], fields["first_page"], fields["last_page"], kinds, f" {fields['terms']} ")


def numbers(vector: NDArray[np.float32]) -> Sequence[float]:
    """A vector for JSON, in half precision, which is shorter and enough."""
    found: list[float] = vector.astype(np.float16).tolist()
    return found


def _near(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f2").tobytes()).decode()


def _vector(near: str) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(near), "<f2").astype(np.float32)
