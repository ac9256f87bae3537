"""Formulas on scans as LaTeX, by resolution, and formulas that are read where there are none.

Pages of `formulas-latex` and `formulas-latex-more` are drawn as pictures; the fetched model reads them. Rules were
made with documents of the first set in view, most with the even ones.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pypdfium2

import quire
from benchmarks import corpus
from benchmarks.report import LeftOut, Options, Report, Table
from benchmarks.scoring import Item, Judge
from quire.core.errors import ConfigurationError, QuireError
from quire.pages.recognize import engine_registry as registry

SETS = ("formulas-latex", "formulas-latex-more")
DPIS = (144, 200, 300)
ORDINARY = ("scans-misc", "receipts-sroie", "forms-funsd")
QUICK_ITEMS, ORDINARY_ITEMS = 2, 20
FORMULAS = "pix2tex"


def run(options: Options) -> Report:
    try:
        registry.make(FORMULAS)
    except ConfigurationError as reason:
        raise LeftOut(str(reason)) from reason
    report = Report("Formulas on scans")
    with Judge() as judge:
        for name in SETS:
            items = judge.items(name)[: QUICK_ITEMS if options.quick else None]
            rows = [_row(judge, name, items, dpi, report) for dpi in (DPIS[:1] if options.quick else DPIS)]
            columns = ("resolution", "even documents", "odd", "all", "similarity", "unsure")
            report.tables.append(Table(columns, rows, f"{name}: display formulas right"))
    names = ORDINARY if options.quick else (*ORDINARY, corpus.SCAN)
    rows = [_false(name, QUICK_ITEMS if options.quick else ORDINARY_ITEMS) for name in names]
    report.tables.append(
        Table(("scans without formulas", "pages", "blocks with LaTeX"), rows, "Formulas that are none")
    )
    report.notes.append(
        "Right: the same after normalisation, as the harness counts for born-digital pages; means over documents. "
        "Unsure: the share of the formulas found that say so."
    )
    return report


def _row(judge: Judge, name: str, items: Sequence[Item], dpi: int, report: Report) -> list[object]:
    scores, found, unsure = [], 0, 0
    for item in items:
        with _drawn(item.path, dpi) as path:
            result = quire.read(path)
        spans = [span for block in result.blocks if block.latex for span in block.spans if span.latex]
        found, unsure = found + len(spans), unsure + sum(span.unsure for span in spans)
        row = judge.score(name, item, json.loads(result.to_json()), result.to_markdown())
        scores.append((row.get("display_exact", 0.0), row.get("display_similarity", 0.0)))
    right = [exact for exact, _ in scores]
    report.data[f"{name} {dpi}"] = {item.id: score for item, score in zip(items, scores, strict=True)}
    similar = _mean([similarity for _, similarity in scores])
    means = [_mean(right[::2]), _mean(right[1::2]), _mean(right), similar]
    return [f"{dpi} dpi", *(f"{mean:.3f}" for mean in means), f"{unsure} of {found}"]


def _false(name: str, most: int) -> list[object]:
    """How often a formula is read on scans that show none."""
    paths = corpus.pdfs(name)[:1] if name == corpus.SCAN else corpus.pictures(name)[:most]
    pages = formulas = 0
    for path in paths:
        try:
            result = quire.read(path)
        except QuireError:
            continue
        pages += len(result.pages)
        formulas += sum(1 for block in result.blocks if block.latex and block.engine != "native")
    return [name, pages, formulas]


@contextmanager
def _drawn(path: Path, dpi: int) -> Iterator[Path]:
    """The document as pictures of its pages."""
    with tempfile.TemporaryDirectory() as folder, pypdfium2.PdfDocument(path) as document:
        pages = [page.render(scale=dpi / 72, grayscale=True).to_pil() for page in document]
        scan = Path(folder) / path.name
        pages[0].save(scan, save_all=True, append_images=pages[1:], resolution=dpi, quality=90)
        yield scan


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
