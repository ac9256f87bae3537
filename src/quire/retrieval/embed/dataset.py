"""Vectors as files: lines of JSON or Parquet, one file for each family of a document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from quire.core.errors import DISTRIBUTION
from quire.core.keys import Digest
from quire.retrieval.chunk.parquet import check_parquet, written_table
from quire.retrieval.chunk.rows import ChunkRow
from quire.retrieval.embed.codec import SparseVector
from quire.retrieval.embed.vector_options import DatasetFamily, VectorFormat

if TYPE_CHECKING:
    import numpy as np
    import pyarrow
    from numpy.typing import NDArray

SCHEMA = "quire-vectors/1"
NORMALISED = "l2"
"""Dense vectors have length 1, so that the scalar product of two is their cosine."""


@dataclass(frozen=True, slots=True)
class ModelOfVectors:
    """The model that made the vectors of a file. `settings` is a digest of all settings that decide them."""

    family: DatasetFamily
    name: str
    dimension: int
    settings: Digest

    def footer(self, created_by: str) -> dict[str, str]:
        """The metadata of a Parquet file. Without a time, so that the same vectors are the same bytes."""
        dense = {"quire.normalised": NORMALISED} if self.family == "dense" else {}
        return {
            "quire.schema_version": SCHEMA,
            "quire.family": self.family,
            "quire.model": self.name,
            "quire.dim": str(self.dimension),
            "quire.cfg_hash": self.settings,
            "quire.created_by": created_by,
            **dense,
        }


@dataclass(frozen=True, slots=True)
class VectorFile:
    """The vectors of one family for some chunks, in their order."""

    made_by: ModelOfVectors
    chunks: Sequence[ChunkRow]
    vectors: NDArray[np.float32] | Sequence[SparseVector]

    def encoded(self, format: VectorFormat) -> bytes:
        return self.parquet(f"quire {version(DISTRIBUTION)}") if format == "parquet" else self.jsonl()

    def jsonl(self) -> bytes:
        """A line of JSON for each chunk, with the columns of the Parquet file, its family and its model."""
        made_by = self.made_by
        about = {"family": made_by.family, "model": made_by.name, "cfg_hash": made_by.settings}
        columns = self._columns()
        rows = (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
        lines = (json.dumps({**row, **about}, ensure_ascii=False, allow_nan=False) for row in rows)
        return "".join(f"{line}\n" for line in lines).encode()

    def parquet(self, created_by: str) -> bytes:
        """A Parquet file, compressed with zstd. Raises ConfigurationError when pyarrow is not installed."""
        check_parquet()
        import pyarrow

        schema = _schema(self.made_by).with_metadata(self.made_by.footer(created_by))
        return written_table(pyarrow.Table.from_pydict(self._columns(), schema=schema))

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "schema_version": [SCHEMA] * len(self.chunks),
            "doc_id": [row["doc_id"] for row in self.chunks],
            "chunk_id": [row["chunk_id"] for row in self.chunks],
            "index": [row["index"] for row in self.chunks],
            "pages": [row["pages"] for row in self.chunks],
            "text": [row["text"].encode("utf-8", "replace").decode() for row in self.chunks],
            **self._vector_columns(),
        }

    def _vector_columns(self) -> dict[str, list[Any]]:
        sparse = [vector for vector in self.vectors if isinstance(vector, SparseVector)]
        weights = [list(vector.weights) for vector in sparse]
        match self.made_by.family:
            case "dense":
                return {"vector": [vector.tolist() for vector in self.vectors if not isinstance(vector, SparseVector)]}
            case "sparse":
                return {"indices": [[int(term) for term in vector.terms] for vector in sparse], "weights": weights}
        return {"terms": [list(vector.terms) for vector in sparse], "weights": weights}


def _schema(made_by: ModelOfVectors) -> pyarrow.Schema:
    import pyarrow as pa

    fields = [
        ("schema_version", pa.string()),
        ("doc_id", pa.string()),
        ("chunk_id", pa.string()),
        ("index", pa.int32()),
        ("pages", pa.list_(pa.int32())),
        ("text", pa.string()),
    ]
    match made_by.family:
        case "dense":
            return pa.schema([*fields, ("vector", pa.list_(pa.float32(), made_by.dimension))])
        case "sparse":
            return pa.schema([*fields, ("indices", pa.list_(pa.int32())), ("weights", pa.list_(pa.float32()))])
    return pa.schema([*fields, ("terms", pa.list_(pa.string())), ("weights", pa.list_(pa.float32()))])
