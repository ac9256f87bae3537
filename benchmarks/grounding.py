"""Grounding: whether the boxes of right values hold the value and nothing else.

Values of `receipts-sroie`, `invoices`, `adbuy-forms` and `contracts-nda`, extracted without a language model. Of those
that are right, `exact` is the share whose boxes hold the letters and digits of what they quote and no other: the words
of the page with their middle in one of the boxes, joined. `page` is the share whose page has a text that says the
value. Receipts have boxes of lines in their truth: `IoU` is, of the right values that are a whole line of it, the share
with a box that has half of its union with that of the line in common. `QUIRE_STORE` may name a store in which the
documents were read before.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpus import CORPUS
from benchmarks.evidence import KINDS
from benchmarks.extraction import field_documents, folded, is_same, read_catalog
from benchmarks.report import Options, Report, Table, goal
from quire.core.types import BBox
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Extraction, LeafEvidence
from quire.output.export._lines import words_by_place
from quire.pages.geometry.extents import has_middle
from quire.solving.evaluation.grades import SAME_BOX, intersection_over_union

QUICK = 6
EXACT_GOAL, PAGE_GOAL = 0.80, 0.98


def run(options: Options) -> Report:
    report = Report("Grounding of right values")
    rows: list[list[object]] = []
    missed: list[str] = []
    for name, kinds in KINDS.items():
        counts: Counter[str] = Counter()
        schema = ExtractSchema.of(
            {"type": "object", "properties": {field: {"x-quire": {"kind": kind}} for field, kind in kinds.items()}}
        )
        for document in field_documents(name)[: QUICK if options.quick else None]:
            catalog = read_catalog(document.path)
            found = extract(catalog, schema, [OfflineExtractor()])
            for path, evidence in _right(found, document.fields, kinds):
                counts.update(_placed(evidence, catalog, _lines(name, document.path)))
                if not _is_exact(evidence, catalog):
                    missed.append(f"{name} {document.path.stem[:20]} {path}: {evidence.quote!r}")
        right = max(counts["right"], 1)
        rows.append(
            [
                name,
                counts["right"],
                *goal(counts["exact"] / right, EXACT_GOAL),
                counts["exact"] / right,
                *goal(counts["page"] / right, PAGE_GOAL),
                counts["page"] / right,
                counts["lines"],
                counts["same"] / counts["lines"] if counts["lines"] else "",
            ]
        )
    columns = ["set", "right values", "goal", "reached", "exact", "goal", "reached", "page", "whole lines", "IoU"]
    report.tables = [Table(columns, rows)]
    report.data = {"missed": missed}
    return report


def _right(found: Extraction, truth: Mapping[str, Any], kinds: Mapping[str, str]) -> Iterator[tuple[str, LeafEvidence]]:
    """The right values that cite a place or should: those of a field with several true values may be any of them."""
    for path, evidence in found.evidence.items():
        field, _, index = path.partition("[")
        if evidence.status == "not_found":
            continue
        value = found.values[field][int(index[:-1])] if index else found.values[field]
        expected = truth.get(field)
        true = expected if isinstance(expected, list) else [expected]
        if any(is_same(_kind(kinds[field]), one, value) for one in true):
            yield path, evidence


def _kind(kind: str) -> str:
    return kind if kind in ("amount", "date") else "text"


def _placed(evidence: LeafEvidence, catalog: SourceCatalog, lines: Sequence[tuple[str, BBox]]) -> Counter[str]:
    quote = folded(evidence.quote)
    page = " ".join(block.text for block in catalog.blocks if evidence.page in {part.page for part in block.places})
    true = [box for text, box in lines if folded(text) == quote]
    return Counter(
        right=1,
        exact=_is_exact(evidence, catalog),
        page=evidence.page is not None and quote in folded(page),
        lines=bool(true),
        same=any(intersection_over_union(one, box) >= SAME_BOX for one in true for box in evidence.bboxes),
    )


def _is_exact(evidence: LeafEvidence, catalog: SourceCatalog) -> bool:
    inside = [
        word.text
        for block in catalog.blocks
        for part, words in zip(block.places, words_by_place(block), strict=True)
        if part.page == evidence.page
        for word in words
        if any(has_middle(box, word.bbox) for box in evidence.bboxes)
    ]
    return bool(evidence.bboxes) and folded("".join(inside)) == folded(evidence.quote)


def _lines(name: str, path: Path) -> list[tuple[str, BBox]]:
    truth = CORPUS / name / "truth" / f"{path.stem}.json"
    if name != "receipts-sroie" or not truth.exists():
        return []
    listed = json.loads(truth.read_text())["boxes"]
    return [(one["text"], BBox(one["left"], one["top"], one["width"], one["height"])) for one in listed]
