"""Values of scanned forms, asked for by the name of their label, without a language model and without samples.

The fields of a form are the linked questions of FUNSD that stand once on it and have one answer. A value is right when
its letters and digits are those of the answer, or at least 0.8 alike from four on, or when both are the same date.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from benchmarks.corpus import CORPUS
from benchmarks.extraction import HALVES, QUICK, agree, folded, rates, read_catalog
from benchmarks.report import LeftOut, Options, Report, Table
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.lexicon.dates import date_readings

SET = "forms-funsd"
SHORTEST = 4  # letters and digits of a label


def run(options: Options) -> Report:
    if not (CORPUS / SET).exists():
        raise LeftOut(f"there is no ../shared/corpus/{SET} beside the repository")
    truths = sorted((CORPUS / SET / "truth").glob("*.json"))[: QUICK if options.quick else None]
    counts: dict[str, Counter[str]] = {half: Counter() for half in (*HALVES, "all")}
    extractor = OfflineExtractor()
    for number, path in enumerate(truths):
        truth = json.loads(path.read_text())
        asked = asked_fields(truth["fields"])
        if not asked:
            continue
        leaves = {f"field{at}": {"type": "string", "title": label} for at, label in enumerate(asked)}
        schema = ExtractSchema.of({"type": "object", "properties": leaves})
        proposed = extractor.propose(read_catalog(CORPUS / SET / truth["file"]), schema)
        found = {one.path: str(one.value) for one in proposed}
        right = sum(_same(answer, found.get(f"field{at}")) for at, answer in enumerate(asked.values()))
        for half in (HALVES[number % 2], "all"):
            counts[half].update(expected=len(asked), predicted=len(found), correct=right)
    rows: list[list[object]] = [
        [half, count["expected"], *rates(count["correct"], count["predicted"], count["expected"])]
        for half, count in counts.items()
    ]
    report = Report("Fields of scanned forms by their labels")
    report.tables = [Table(["documents", "values", "precision", "recall", "F1"], rows, "Fields")]
    return report


def asked_fields(fields: list[dict[str, Any]]) -> dict[str, str]:
    """The answers by their questions."""
    often = Counter(folded(one["question"]) for one in fields)
    return {
        one["question"].strip(" :"): one["answer"]
        for one in fields
        if often[folded(one["question"])] == 1 and len(folded(one["question"])) >= SHORTEST and folded(one["answer"])
    }


def _same(answer: str, value: str | None) -> bool:
    if value is None:
        return False
    close = "".join(answer.split())  # the truth writes 10/ 3/ 96
    dates = date_readings(answer) | date_readings(close)
    return agree(folded(answer), folded(value)) or not dates.isdisjoint(date_readings(value))
