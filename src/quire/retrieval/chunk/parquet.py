"""Chunks as a Parquet file. Needs pyarrow."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from quire.core.errors import ConfigurationError, install_advice
from quire.core.keys import Digest
from quire.retrieval.chunk.rows import SCHEMA, ChunkRow, jsonl

if TYPE_CHECKING:
    import pyarrow

COMPRESSION_LEVEL = 5


def parquet(listed: Sequence[ChunkRow], *, settings: Digest, created_by: str) -> bytes:
    """The rows as a Parquet file, compressed with zstd.

    The footer has `quire.schema_version`, `quire.cfg_hash` (the digest of the options that decide the chunks) and
    `quire.created_by`. It has no time, so that the same chunks are the same bytes.
    """
    check_parquet()
    footer = {"quire.schema_version": SCHEMA, "quire.cfg_hash": settings, "quire.created_by": created_by}
    return written_rows(listed, _schema().with_metadata(footer))


def written_rows(listed: Iterable[Mapping[str, object]], schema: pyarrow.Schema) -> bytes:
    """Rows that JSON can say as a Parquet file. The same rows are the same bytes."""
    import pyarrow

    plain = json.loads(b"[%s]" % b",".join(jsonl(listed).splitlines()))  # text that UTF-8 cannot encode is replaced
    return written_table(pyarrow.Table.from_pylist(plain, schema=schema))


def written_table(table: pyarrow.Table) -> bytes:
    """A table as a Parquet file, compressed with zstd."""
    from pyarrow import parquet as files

    written = io.BytesIO()
    files.write_table(table, written, compression="zstd", compression_level=COMPRESSION_LEVEL)
    return written.getvalue()


def check_parquet() -> None:
    """Raises ConfigurationError when pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ConfigurationError(f"Parquet files need pyarrow: {install_advice('parquet')}") from error


def place_type() -> pyarrow.StructType:
    """The type of a `PlaceRow`."""
    import pyarrow as pa

    return pa.struct([("page", pa.int32()), *((side, pa.float64()) for side in ("left", "top", "width", "height"))])


def _schema() -> pyarrow.Schema:
    import pyarrow as pa

    text, texts, number = pa.string(), pa.list_(pa.string()), pa.int32()
    box = place_type()
    return pa.schema(
        [
            ("schema_version", text),
            ("doc_id", text),
            ("chunk_id", text),
            ("index", number),
            ("text", text),
            ("raw_text", text),
            ("tokens", number),
            ("span", pa.struct([("start", pa.int64()), ("end", pa.int64())])),
            ("section", texts),
            ("blocks", texts),
            ("pages", pa.list_(number)),
            ("boxes", pa.list_(box)),
            (
                "meta",
                pa.struct(
                    [
                        ("source", text),
                        ("media_type", text),
                        ("captions", texts),
                        ("kinds", texts),
                        ("has_image", pa.bool_()),
                    ]
                ),
            ),
        ]
    )
