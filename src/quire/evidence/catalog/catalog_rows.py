"""The source catalog as rows: for lines of JSON and Parquet, like chunks. The same catalog is the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from quire.core.errors import UsageError
from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.retrieval.chunk.parquet import check_parquet, place_type, written_rows
from quire.retrieval.chunk.rows import PlaceRow, place_row

if TYPE_CHECKING:
    import pyarrow

SCHEMA = "quire-catalog/1"


class CatalogRow(TypedDict):
    """One record. `chunk_id` is the id to cite of a record of any `level`: a chunk, a block or a cell.

    `bbox` is where it begins, `boxes` are all its places; `cells` are the ids of the cells of its tables.
    """

    schema_version: str
    catalog_version: str
    doc_id: str
    source: str
    chunk_id: str
    level: str
    page_id: str
    page_number: int
    text: str
    bbox: PlaceRow
    boxes: list[PlaceRow]
    source_image: str
    provider: str
    provider_version: str
    profile: str | None
    answer_key: str | None
    tier: str
    confidence: float | None
    blocks: list[str]
    cells: list[str]


def catalog_rows(catalog: SourceCatalog) -> list[CatalogRow]:
    """The records of a catalog as plain values. Without times, so that two runs are equal."""
    return [_row(catalog, record) for record in catalog.records]


def load_catalog_rows(path: Path) -> list[CatalogRow]:
    """The rows of a file of lines of JSON that `quire catalog` wrote. Raises UsageError for any other file."""
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise UsageError(f"the catalog {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"the catalog {path} is not lines of JSON: {error}") from error
    if any(not isinstance(row, dict) or row.get("schema_version") != SCHEMA for row in rows):
        raise UsageError(f"{path} is not a catalog: its lines are not of the schema {SCHEMA}")
    return rows


def catalog_parquet(listed: Iterable[CatalogRow], *, created_by: str) -> bytes:
    """The rows as a Parquet file, compressed with zstd; its footer has `quire.schema_version` and `quire.created_by`.

    Raises ConfigurationError when pyarrow is not installed.
    """
    check_parquet()
    footer = {"quire.schema_version": SCHEMA, "quire.created_by": created_by}
    return written_rows(listed, _schema().with_metadata(footer))


def _row(catalog: SourceCatalog, record: EvidenceRecord) -> CatalogRow:
    boxes = list(map(place_row, record.places))
    inside = catalog.records_of(record.blocks) if record.level != "cell" else ()
    return {
        "schema_version": SCHEMA,
        "catalog_version": catalog.version,
        "doc_id": catalog.document,
        "source": catalog.name,
        "chunk_id": record.id,
        "level": record.level,
        "page_id": record.page_id,
        "page_number": record.page,
        "text": record.text,
        "bbox": boxes[0],
        "boxes": boxes,
        "source_image": record.source_image,
        "provider": record.provider,
        "provider_version": record.provider_version,
        "profile": record.profile,
        "answer_key": record.answer,
        "tier": record.tier,
        "confidence": record.confidence,
        "blocks": list(record.blocks),
        "cells": [one.id for one in inside if one.level == "cell"],
    }


def _schema() -> pyarrow.Schema:
    import pyarrow as pa

    text, texts = pa.string(), pa.list_(pa.string())
    types = {
        "page_number": pa.int32(),
        "bbox": place_type(),
        "boxes": pa.list_(place_type()),
        "confidence": pa.float64(),
        "blocks": texts,
        "cells": texts,
    }
    return pa.schema([(name, types.get(name, text)) for name in CatalogRow.__annotations__])
