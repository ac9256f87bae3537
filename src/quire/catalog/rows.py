"""A source catalog as rows: lines of JSON, and the columns of a Parquet file."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, TypedDict

from quire.catalog.records import SourceCatalog
from quire.types import NO_BOX, BBox

if TYPE_CHECKING:
    import pyarrow

SCHEMA = "quire-catalog/1"


class _Box(TypedDict):
    """A place on a page, in fractions of it."""

    page: int
    left: float
    top: float
    width: float
    height: float


class CatalogRow(TypedDict):
    """One record. `bbox` is where it begins, None without a place; `version` is that of the catalog it belongs to."""

    schema_version: str
    version: str
    doc_id: str
    chunk_id: str
    level: str
    page_id: str
    page_number: int
    text: str
    bbox: list[float] | None
    places: list[_Box]
    blocks: list[str]
    source_image: str
    provider: str
    provider_version: str
    profile: str | None
    answer: str | None
    tier: str
    confidence: float | None


def catalog_rows(catalog: SourceCatalog) -> list[CatalogRow]:
    """Every record as plain values. Without times, so that two runs are equal."""
    return [
        {
            "schema_version": SCHEMA,
            "version": catalog.version,
            "doc_id": catalog.document,
            "chunk_id": record.id,
            "level": record.level,
            "page_id": record.page_id,
            "page_number": record.page,
            "text": record.text,
            "bbox": _sides(record.places[0].bbox) if record.places else None,
            "places": [
                {"page": one.page, **dict(zip(("left", "top", "width", "height"), sides, strict=True))}  # type: ignore[typeddict-item]
                for one in record.places
                if (sides := _sides(one.bbox)) is not None
            ],
            "blocks": list(record.blocks),
            "source_image": record.source_image,
            "provider": record.provider,
            "provider_version": record.provider_version,
            "profile": record.profile,
            "answer": record.answer,
            "tier": record.tier,
            "confidence": record.confidence,
        }
        for record in catalog.records
    ]


def catalog_jsonl(catalog: SourceCatalog) -> bytes:
    """A line of JSON for each record."""
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in catalog_rows(catalog))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def catalog_parquet(catalog: SourceCatalog, *, created_by: str) -> bytes:
    """The rows as a Parquet file; its footer names the version of the catalog. Raises ConfigurationError without
    pyarrow."""
    from quire.chunk.parquet import COMPRESSION_LEVEL, check_parquet

    check_parquet()
    import pyarrow
    from pyarrow import parquet as files

    footer = {"quire.schema_version": SCHEMA, "quire.version": catalog.version, "quire.created_by": created_by}
    plain = json.loads(b"[%s]" % b",".join(catalog_jsonl(catalog).splitlines()))  # without text that is no UTF-8
    table = pyarrow.Table.from_pylist(plain, schema=_schema().with_metadata(footer))
    written = io.BytesIO()
    files.write_table(table, written, compression="zstd", compression_level=COMPRESSION_LEVEL)
    return written.getvalue()


def _schema() -> pyarrow.Schema:
    import pyarrow as pa

    text, number = pa.string(), pa.int32()
    box = pa.struct([("page", number), *((side, pa.float64()) for side in ("left", "top", "width", "height"))])
    typed = {
        "page_number": number,
        "bbox": pa.list_(pa.float64()),
        "places": pa.list_(box),
        "blocks": pa.list_(text),
        "confidence": pa.float64(),
    }
    return pa.schema([(name, typed.get(name, text)) for name in CatalogRow.__annotations__])


def _sides(box: BBox) -> list[float] | None:
    return None if box == NO_BOX else [box.left, box.top, box.width, box.height]
