"""The documents that are measured: `../shared/corpus`, which is not part of the repository."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pypdfium2

from benchmarks.report import LeftOut

T = TypeVar("T")

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = REPOSITORY.parent / "shared"
CORPUS = SHARED / "corpus"
SAMPLE = REPOSITORY / "examples" / "sample.pdf"

LONG = "long-digital"
PAPERS = "digital-arxiv-text"
DPBENCH = "digital-dpbench"
SCAN = "long-scan"
RECEIPTS = "receipts-sroie"
MIXED = {
    "arXiv": (PAPERS,),
    "vector": ("pid-drawings", "tables-icdar2013", "docling-reference/pdf"),
    "scan": (SCAN, "docling-reference/pdf-scanned"),
    "other": ("finance-qa", "extract-json/10kq", "page-facts", "invoices", "adbuy-forms"),
}
"""Kinds of pages and the sets they are taken from, the same number of each kind."""


def pdfs(name: str) -> list[Path]:
    """The PDFs of a set, in order of their names."""
    found = sorted((CORPUS / name).rglob("*.pdf"))
    if not found:
        raise LeftOut(f"there is no ../shared/corpus/{name} beside the repository")
    return found


def shown(path: Path) -> str:
    """How a document is named in tables."""
    return path.relative_to(CORPUS).as_posix() if path.is_relative_to(CORPUS) else path.name


def one_page() -> Path:
    """A real one-page document with a heading, text and a table."""
    return pdfs(DPBENCH)[0]


def pictures(name: str) -> list[Path]:
    """The pictures of a set, in order of their names."""
    found = sorted(path for path in (CORPUS / name).rglob("*") if path.suffix in (".png", ".jpg"))
    if not found:
        raise LeftOut(f"there is no ../shared/corpus/{name} beside the repository")
    return found


def one_scan() -> Path:
    """A picture of a receipt."""
    return pictures(RECEIPTS)[0]


@contextmanager
def mixed(count: int) -> Iterator[tuple[Path, dict[str, int]]]:
    """One PDF of `count` pages of mixed kinds, the same ones every time, and how many there are of each kind."""
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as folder:
        target = pypdfium2.PdfDocument.new()
        counts = {kind: _add(target, kind, count // len(MIXED)) for kind in MIXED}
        path = Path(folder, "mixed.pdf")
        target.save(path)
        target.close()
        yield path, counts


def _add(target: pypdfium2.PdfDocument, kind: str, count: int) -> int:
    chosen = spread([(path, index) for path in _sources(kind) for index in range(_length(path))], count)
    for path in dict.fromkeys(path for path, _ in chosen):
        source = pypdfium2.PdfDocument(path)
        target.import_pages(source, [index for other, index in chosen if other == path])
        source.close()
    return len(chosen)


def _sources(kind: str) -> list[Path]:
    return [path for name in MIXED[kind] for path in pdfs(name)]


def _length(path: Path) -> int:
    document = pypdfium2.PdfDocument(path)
    try:
        return min(len(document), 25)  # so that a long report does not crowd the others out
    finally:
        document.close()


def spread(items: Sequence[T], count: int) -> list[T]:
    """`count` of the items, evenly spread."""
    count = min(count, len(items))
    return [items[i * len(items) // count] for i in range(count)]
