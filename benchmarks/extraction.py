"""Fields of receipts, invoices and order forms, and label-value pairs of forms, found without a language model.

A field is right when it says what the truth says: amounts by value, dates when one reading of both is the same, other
texts by their letters and digits in words. F1 is over all fields of a set. The rules were tuned on the first half of
each set (every second document by name); the other half was not looked at. `learned` is a cross-validation in five
folds: each document is extracted from by what was learnt from the documents of the other folds.

A pair of a form is right when label and value agree with those of a linked question and answer: equal letters and
digits, or, from four on, at least 0.8 alike (edit distance over the longer), because OCR misreads some. `exact` counts
equal ones alone.
"""

from __future__ import annotations

import json
import os
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import quire
from benchmarks.corpus import CORPUS
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.evidence.catalog.builder import catalog_of
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extractor import Extractor
from quire.evidence.extract.pairs import find_pairs
from quire.evidence.extract.rules import RulesExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.verification import checked
from quire.evidence.learn.learned_extractor import LearnedExtractor
from quire.evidence.learn.samples import Sample
from quire.evidence.learn.training import learn
from quire.lexicon.amounts import number_readings
from quire.lexicon.dates import date_readings
from quire.lexicon.phrases import distance
from quire.pages.recognize.options import OcrMode

HALVES = ("tuned", "untuned")
ALIKE, SHORTEST = 0.8, 4
PAIRS_GOAL = 0.45
QUICK = 4
SETS: Mapping[str, Mapping[str, str]] = {
    "receipts-sroie": {"company": "text", "date": "date", "address": "text", "total": "amount"},
    "invoices": {"issuer": "text", "date": "date", "invoice_number": "text", "amount": "amount", "currency": "text"},
    "adbuy-forms": {
        "contract_num": "text",
        "advertiser": "text",
        "gross_amount": "amount",
        "flight_from": "date",
        "flight_to": "date",
    },
}
GOALS: Mapping[str, Mapping[str, float]] = {
    "rules": {"receipts-sroie": 0.70, "invoices": 0.70, "adbuy-forms": 0.60},
    "learned": {"receipts-sroie": 0.82, "adbuy-forms": 0.80},
}
FOLDS = 5
FEWEST = 10  # documents of a set that is learnt from: fewer say nothing


class FieldDocument(NamedTuple):
    """A document of a set with its true values by field."""

    path: Path
    fields: Mapping[str, Any]


Way = Callable[[str, Sequence[FieldDocument], Callable[[Path], SourceCatalog]], Mapping[Path, Extractor]]
"""Gives the extractor for each document of a set: one for all, or one that learnt from the other documents."""


def rules(
    name: str, documents: Sequence[FieldDocument], catalog: Callable[[Path], SourceCatalog]
) -> dict[Path, Extractor]:
    """The rules alone, without any sample."""
    extractor = RulesExtractor()
    return {document.path: extractor for document in documents}


def learned(
    name: str, documents: Sequence[FieldDocument], catalog: Callable[[Path], SourceCatalog]
) -> dict[Path, Extractor]:
    """Cross-validation in five folds: for each document what was learnt from those of the other folds."""
    if len(documents) < FEWEST:
        return {}
    schema = _schema(name)
    samples = [
        Sample.of(catalog(one.path), schema, {field: one.fields.get(field) for field in SETS[name]})
        for one in documents
    ]
    found: dict[Path, Extractor] = {}
    for fold in range(FOLDS):
        model = learn(sample for number, sample in enumerate(samples) if number % FOLDS != fold)
        found.update({one.path: LearnedExtractor(model) for one in documents[fold::FOLDS]})
    return found


WAYS: dict[str, Way] = {"rules": rules, "learned": learned}
"""What is measured."""


def run(options: Options) -> Report:
    report = Report("Fields and pairs without a language model")
    rows: list[list[object]] = []
    shares: dict[int, list[bool]] = {}
    for name in SETS:
        documents = field_documents(name)[: QUICK if options.quick else None]
        for way, extractors in WAYS.items():
            if made := extractors(name, documents, read_catalog):
                rows += _measured(name, way, documents, made, shares)
    columns = [
        "set",
        "way",
        "documents",
        "values",
        "precision",
        "recall",
        "F1",
        "at its place",
        "ms per page",
        "goal",
        "reached",
    ]
    table = [
        [f"{n / 10:.1f} to {(n + 1) / 10:.1f}", len(those), sum(those) / len(those)]
        for n, those in sorted(shares.items())
    ]
    pairs = _pairs(options)
    report.tables = [
        Table(columns, rows, "Fields"),
        Table(["confidence", "values", "share right"], table, "What the confidence of the rules means"),
        Table(
            ["documents", "true pairs", "found", "precision", "recall", "F1", "F1 exact", "goal", "reached"],
            pairs,
            "Pairs of forms",
        ),
    ]
    return report


def field_documents(name: str) -> list[FieldDocument]:
    """The documents of a set in order of their names."""
    folder = CORPUS / name
    if not folder.exists():
        raise LeftOut(f"there is no ../shared/corpus/{name} beside the repository")
    if (folder / "truth.jsonl").exists():
        truths = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
        return sorted((FieldDocument(folder / one["file"], one["fields"]) for one in truths), key=lambda one: one.path)
    found = []
    for path in sorted((folder / "truth").glob("*.json")):
        truth = json.loads(path.read_text())
        truth = truth[0] if isinstance(truth, list) else truth
        found.append(FieldDocument(folder / truth.get("file", f"pdf/{path.stem}.pdf"), truth.get("fields", truth)))
    return found


def read_catalog(path: Path, *, ocr: OcrMode = "auto") -> SourceCatalog:
    """The source catalog of a document; `QUIRE_STORE` names a folder that keeps what was read."""
    store = quire.FileStore(os.environ["QUIRE_STORE"]) if "QUIRE_STORE" in os.environ else None
    return catalog_of(quire.read(str(path), store=store, ocr=ocr)._export)


def _measured(
    name: str,
    way: str,
    documents: Sequence[FieldDocument],
    extractors: Mapping[Path, Extractor],
    shares: dict[int, list[bool]],
) -> Iterable[list[object]]:
    kinds = SETS[name]
    schema = ExtractSchema.of(_schema(name))
    counts: dict[str, Counter[str]] = {half: Counter() for half in (*HALVES, "all")}
    for number, document in enumerate(documents):
        catalog = read_catalog(document.path)
        begin = time.process_time()
        proposals = extractors[document.path].propose(catalog, schema)
        evidence = [checked(one, leaf, catalog) for one in proposals if (leaf := schema.leaf(one.path)) is not None]
        spent = time.process_time() - begin
        right = {one.path: is_same(kinds[one.path], document.fields.get(one.path), one.value) for one in proposals}
        if way == "rules":
            for one in proposals:
                shares.setdefault(min(int(10 * one.confidence), 9), []).append(right[one.path])
        for half in (HALVES[number % 2], "all"):
            counts[half].update(
                expected=sum(document.fields.get(field) is not None for field in kinds),
                predicted=len(proposals),
                correct=sum(right.values()),
                found=sum(one.supported for one in evidence),
                microseconds=round(1e6 * spent),
                pages=len(catalog.pages),
            )
    for half, count in counts.items():
        precision, recall, f1 = rates(count["correct"], count["predicted"], count["expected"])
        placed = count["found"] / max(count["predicted"], 1)
        speed = count["microseconds"] / 1000 / max(count["pages"], 1)
        asked = goal(f1, GOALS[way][name]) if half == "all" else ["", ""]
        yield [name, way, half, count["expected"], precision, recall, f1, placed, speed, *asked]


def _schema(name: str) -> dict[str, Any]:
    leaves = {field: {"type": "string", "kind": kind} for field, kind in SETS[name].items()}
    return {"type": "object", "properties": leaves}


def is_same(kind: str, truth: Any, value: Any) -> bool:
    """Whether a value says what the truth says."""
    if truth is None or value is None:
        return False
    if kind == "amount" and (numbers := number_readings(truth)):
        return not numbers.isdisjoint(number_readings(value))
    if kind == "date" and (dates := date_readings(str(truth))):
        return not dates.isdisjoint(date_readings(str(value)))
    return _words(str(truth)) == _words(str(value))


def _pairs(options: Options) -> list[list[object]]:
    truths = sorted((CORPUS / "forms-funsd" / "truth").glob("*.json"))[: QUICK if options.quick else None]
    counts: dict[str, Counter[str]] = {half: Counter() for half in (*HALVES, "all")}
    for number, path in enumerate(truths):
        truth = json.loads(path.read_text())
        catalog = read_catalog(CORPUS / "forms-funsd" / truth["file"])
        expected = [(folded(one["question"]), folded(one["answer"])) for one in truth["fields"]]
        found = [(folded(one.label), folded(one.value)) for one in find_pairs(catalog)]
        for half in (HALVES[number % 2], "all"):
            counts[half].update(
                expected=len(expected),
                predicted=len(found),
                correct=_matched(expected, found),
                exact=(Counter(expected) & Counter(found)).total(),
            )
    rows: list[list[object]] = []
    for half, count in counts.items():
        figures = rates(count["correct"], count["predicted"], count["expected"])
        exact = rates(count["exact"], count["predicted"], count["expected"])[2]
        asked = goal(figures[2], PAIRS_GOAL) if half == "all" else ["", ""]
        rows.append([half, count["expected"], count["predicted"], *figures, exact, *asked])
    return rows


def _matched(expected: Sequence[tuple[str, str]], found: Iterable[tuple[str, str]]) -> int:
    left = list(expected)
    for label, value in found:
        hit = next((one for one in left if agree(one[0], label) and agree(one[1], value)), None)
        if hit is not None:
            left.remove(hit)
    return len(expected) - len(left)


def agree(one: str, other: str) -> bool:
    longest = max(len(one), len(other))
    if one == other or min(len(one), len(other)) < SHORTEST or abs(len(one) - len(other)) > (1 - ALIKE) * longest:
        return one == other
    return 1 - distance(one, other) / longest >= ALIKE


def rates(correct: int, predicted: int, expected: int) -> tuple[float, float, float]:
    precision, recall = correct / max(predicted, 1), correct / max(expected, 1)
    return precision, recall, 2 * correct / max(predicted + expected, 1)


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text)).strip().upper()


def folded(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKD", text).casefold())
