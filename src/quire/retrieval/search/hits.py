"""The values of search: documents and chunks as an index takes and returns them, and hits."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from quire.core.types import BBox, Part
from quire.retrieval.search.chunk_places import main_page
from quire.retrieval.search.excerpts import ExcerptLine, excerpt_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quire.retrieval.chunk.rows import ChunkRow


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as it is put into an index. `vector` is None in an index of words alone."""

    row: ChunkRow
    terms: tuple[str, ...]
    statement: str = ""
    """The financial statement that it is part of: `balance`, `income` or `cash flow`."""
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as it is put into an index, with all its chunks. `digest` says from which artifacts it was made."""

    document: str
    name: str
    path: str
    digest: str
    chunks: Sequence[IndexedChunk]
    media_type: str = ""
    modified: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    tenant: str = ""


class Statistics(NamedTuple):
    """Of the chunks of a tenant: how many, how many terms each has on average, and in how many each term is.

    Scores depend on nothing else, so that they say nothing about documents of others. `everywhere` is in how many
    chunks of all tenants a term is: what looking for it costs. Empty in engines that look for it themselves.
    """

    chunks: int
    mean_length: float
    frequencies: Mapping[str, int]
    everywhere: Mapping[str, int] = {}


class PageChunk(NamedTuple):
    """A chunk as part of its page, which is compared as a whole: its terms and kinds of blocks, each between spaces."""

    document: str
    first_page: int
    last_page: int
    kinds: str
    terms: str


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as an index gives it back. `packed` is its row, which is unpacked only for hits."""

    id: int
    document: str
    name: str
    path: str
    position: int
    first_page: int
    last_page: int
    packed: bytes
    terms: str
    statement: str = ""
    vector: NDArray[np.float32] | None = None

    @property
    def row(self) -> ChunkRow:
        row: ChunkRow = json.loads(zlib.decompress(self.packed))
        return row

    @property
    def page(self) -> int:
        """The page that holds most of it."""
        return self.first_page if self.first_page == self.last_page else main_page(self.row)


def packed(row: ChunkRow) -> bytes:
    """A row as an index stores it."""
    return zlib.compress(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace"), 1)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A place in a document that fits a query.

    `page` and `bbox` are the best place; `places` all of them. `marks` are the matching words, as ranges of `text`.
    `scores` has a score by source: `lexical` (BM25 of the chunk), `page` (BM25 of its page), `dense` (cosine), `total`.
    """

    document: str
    name: str
    path: str
    page: int
    bbox: BBox | None
    text: str
    marks: tuple[tuple[int, int], ...]
    section: tuple[str, ...]
    kinds: tuple[str, ...]
    blocks: tuple[str, ...]
    places: tuple[Part, ...]
    chunk: str
    index: int
    score: float
    scores: Mapping[str, float]
    reason: str = ""
    also: tuple[str, ...] = ()
    """Names of other documents that say the same there."""

    @property
    def excerpt(self) -> tuple[ExcerptLine, ...]:
        """The lines of `text` to show: the best row with the header of its table, or the best sentences."""
        return excerpt_of(self.text, self.marks)

    def to_json(self) -> dict[str, object]:
        return {
            "document": self.document,
            "name": self.name,
            "path": self.path,
            "page": self.page,
            "bbox": asdict(self.bbox) if self.bbox else None,
            "text": self.text,
            "marks": [list(mark) for mark in self.marks],
            "excerpt": [line.to_json() for line in self.excerpt],
            "section": list(self.section),
            "kinds": list(self.kinds),
            "blocks": list(self.blocks),
            "places": [{"page": place.page, "bbox": asdict(place.bbox)} for place in self.places],
            "chunk": self.chunk,
            "index": self.index,
            "score": self.score,
            "scores": dict(self.scores),
            "reason": self.reason,
            "also": list(self.also),
        }
