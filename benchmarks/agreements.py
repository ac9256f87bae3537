"""Parties, governing law, beginning and term of agreements, found without a language model and without samples.

Compared as the scorer does: texts in capitals, dates when one reading of both is the same; a field may have several
values. The rules were tuned on the first half (every second document by name).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from benchmarks.extraction import HALVES, QUICK, field_documents, is_same, rates, read_catalog
from benchmarks.report import Options, Report, Table, goal
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema

SET = "contracts-nda"
GOAL = 0.50
KINDS = {"party": "capitals", "jurisdiction": "capitals", "effective_date": "date", "term": "capitals"}
SCHEMA = {
    "type": "object",
    "properties": {
        "party": {"type": "array", "items": {"type": "string"}},
        "jurisdiction": {"type": "string"},
        "effective_date": {"type": "string", "format": "date"},
        "term": {"type": "string"},
    },
}


def run(options: Options) -> Report:
    schema, extractor = ExtractSchema.of(SCHEMA), OfflineExtractor()
    counts: dict[str, Counter[str]] = {half: Counter() for half in (*HALVES, "all")}
    for number, document in enumerate(field_documents(SET)[: QUICK if options.quick else None]):
        catalog = read_catalog(document.path)
        begin = time.process_time()
        found: dict[str, list[Any]] = {}
        for one in extractor.propose(catalog, schema):
            found.setdefault(one.path.split("[")[0], []).append(one.value)
        counted = _compared(document.fields, found)
        counted.update(microseconds=round(1e6 * (time.process_time() - begin)), pages=len(catalog.pages))
        for half in (HALVES[number % 2], "all"):
            counts[half].update(counted)
    rows: list[list[object]] = []
    for half, count in counts.items():
        figures = rates(count["correct"], count["predicted"], count["expected"])
        speed = count["microseconds"] / 1000 / max(count["pages"], 1)
        rows.append(
            [half, count["expected"], *figures, speed, *(goal(figures[2], GOAL) if half == "all" else ("", ""))]
        )
    columns = ["documents", "values", "precision", "recall", "F1", "ms per page", "goal", "reached"]
    report = Report("Agreements without a language model")
    report.tables = [Table(columns, rows, "Fields")]
    return report


def _compared(truth: Mapping[str, Any], found: Mapping[str, list[Any]]) -> Counter[str]:
    counts: Counter[str] = Counter(expected=0, predicted=0, correct=0)
    for field, kind in KINDS.items():
        expected, left = truth.get(field) or [], list(found.get(field, ()))
        counts.update(expected=len(expected), predicted=len(left))
        for value in expected:
            hit = next((one for one in left if _same(kind, value, one)), None)
            if hit is not None:
                left.remove(hit)
                counts["correct"] += 1
    return counts


def _same(kind: str, truth: Any, value: Any) -> bool:
    if kind == "capitals":
        return " ".join(str(truth).split()).upper() == " ".join(str(value).split()).upper()
    return is_same(kind, truth, value)
