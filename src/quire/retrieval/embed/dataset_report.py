"""Reports about datasets of vectors or chunks: Parquet files that Quire wrote. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from quire.core.errors import InputError
from quire.retrieval.chunk.parquet import check_parquet

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREFIX = b"quire."


class Spread(TypedDict):
    """The least, the mean and the largest of some numbers."""

    min: float
    mean: float
    max: float


class VectorReport(TypedDict):
    """The files of one family, model and settings. `sparsity` is the share of the dimensions that are 0 on average."""

    schema: str
    family: str
    model: str
    dim: int
    normalised: str
    cfg_hash: str
    created_by: str
    files: int
    bytes: int
    rows: int
    documents: int
    norms: Spread | None
    entries: Spread | None
    terms: int | None
    sparsity: float | None


def inspect_vectors(path: Path) -> list[VectorReport]:
    """A report for each kind of file in a folder, or for one file. Raises InputError for files of other programs."""
    check_parquet()
    listed = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    found: dict[tuple[str, ...], _Kind] = {}
    for file in listed:
        about = _footer(file)
        if about is None and path.is_dir():
            continue
        if about is None:
            raise InputError("is a Parquet file, but not one of Quire: its footer says nothing", document=str(path))
        key = tuple(about.get(name, "") for name in ("schema_version", "family", "model", "dim", "cfg_hash"))
        found.setdefault(key, _Kind(about)).add(file)
    if not found:
        raise InputError(
            "has no Parquet files of Quire; `quire embed -o DIR --to parquet` makes some", document=str(path)
        )
    return [found[key].report() for key in sorted(found)]


class _Kind:
    """The files of one kind, added up."""

    def __init__(self, about: Mapping[str, str]) -> None:
        self._about = about
        self._files = self._bytes = self._rows = 0
        self._documents: set[str] = set()
        self._terms: set[Any] = set()
        self._norms: list[NDArray[np.float64]] = []
        self._entries: list[NDArray[np.float64]] = []

    def add(self, path: Path) -> None:
        from pyarrow import parquet as files

        self._files += 1
        self._bytes += path.stat().st_size
        with files.ParquetFile(path) as opened:
            columns = [
                name
                for name in ("doc_id", "vector", "weights", "terms", "indices")
                if name in opened.schema_arrow.names
            ]
            for part in opened.iter_batches(4096, columns=columns):
                self._rows += part.num_rows
                self._documents.update(part.column("doc_id").to_pylist())
                self._count(part)

    def _count(self, part: Any) -> None:
        names = part.schema.names
        if "vector" in names:
            width = part.schema.field("vector").type.list_size
            vectors = part.column("vector").flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
            self._norms.append(np.linalg.norm(vectors.astype(np.float64), axis=1))
            self._entries.append((vectors != 0).sum(1).astype(np.float64))
        elif "weights" in names:
            weights = part.column("weights").to_pylist()
            self._norms.append(np.array([np.linalg.norm(one) for one in weights]))
            self._entries.append(np.array([len(one) for one in weights], np.float64))
            words = part.column("indices" if "indices" in names else "terms")
            self._terms.update(words.flatten().to_pylist())

    def report(self) -> VectorReport:
        about, dim = self._about, int(self._about.get("dim") or 0)
        entries = _spread(self._entries)
        size = dim or len(self._terms)
        return {
            "schema": about.get("schema_version", ""),
            "family": about.get("family", ""),
            "model": about.get("model", ""),
            "dim": dim,
            "normalised": about.get("normalised", ""),
            "cfg_hash": about.get("cfg_hash", ""),
            "created_by": about.get("created_by", ""),
            "files": self._files,
            "bytes": self._bytes,
            "rows": self._rows,
            "documents": len(self._documents),
            "norms": _spread(self._norms),
            "entries": entries,
            "terms": len(self._terms) if self._terms else None,
            "sparsity": round(1 - entries["mean"] / size, 6) if entries and size else None,
        }


def _footer(path: Path) -> dict[str, str] | None:
    """The entries of Quire in the footer of a file, without their prefix; None for a file of another program."""
    import pyarrow
    from pyarrow import parquet as files

    try:
        metadata = files.read_schema(path).metadata or {}
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"is no complete Parquet file: {error}", document=str(path)) from error
    about = {
        name.removeprefix(PREFIX).decode(): value.decode(errors="replace")
        for name, value in metadata.items()
        if name.startswith(PREFIX)
    }
    return about or None


def _spread(parts: Iterable[NDArray[np.float64]]) -> Spread | None:
    listed = [part for part in parts if len(part)]
    if not listed:
        return None
    numbers = np.concatenate(listed)
    low, mean, high = (round(float(value), 6) for value in (numbers.min(), numbers.mean(), numbers.max()))
    return {"min": low, "mean": mean, "max": high}
