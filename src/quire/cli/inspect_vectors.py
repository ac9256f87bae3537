"""`quire inspect` of a dataset: Parquet files of vectors or chunks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from quire.cli.command_errors import print_report
from quire.core.errors import EXIT_COMPLETE

if TYPE_CHECKING:
    from quire.retrieval.embed.dataset_report import Spread, VectorReport


_MAGIC = b"PAR1"


def is_dataset(path: Path) -> bool:
    """Whether a path is a folder, or a Parquet file by its first bytes."""
    if path.is_dir():
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def show_dataset(path: Path, *, as_json: bool) -> int:
    from quire.retrieval.embed.dataset_report import inspect_vectors

    reports = inspect_vectors(path)
    lines = [line for number, report in enumerate(reports) for line in (*([""] if number else []), *_lines(report))]
    print_report({"path": str(path), "datasets": reports}, lines, as_json=as_json)
    return EXIT_COMPLETE


def _lines(report: VectorReport) -> Iterator[str]:
    yield f"{report['family'] or 'chunks'}  {report['rows']} rows of {report['documents']} documents"
    facts = {
        "model": report["model"],
        "dim": str(report["dim"] or ""),
        "normalised": report["normalised"],
        "norms": _spread(report["norms"]),
        "entries": _spread(report["entries"]),
        "terms": str(report["terms"] or ""),
        "sparsity": "" if report["sparsity"] is None else f"{report['sparsity']:.4f}",
        "files": f"{report['files']}, {report['bytes']:,} bytes",
        "schema": report["schema"],
        "settings": report["cfg_hash"],
        "written by": report["created_by"],
    }
    width = max(map(len, facts))
    yield from (f"{name:<{width}}  {value}" for name, value in facts.items() if value)


def _spread(numbers: Spread | None) -> str:
    return "" if numbers is None else f"{numbers['min']:g} to {numbers['max']:g}, {numbers['mean']:g} on average"
