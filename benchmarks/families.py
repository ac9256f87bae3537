"""Evaluation families over the corpus: value F1, page grounding F1 and word-box grounding F1, as `quire eval` counts.

Values by the extractor that needs no language model, graded by fixtures made of the truth of each set. Receipts and
FUNSD have boxes in their truth, `finance-qa` has pages. Of the other sets, and of values of receipts that are no whole
line, the place is where the letters and digits of the true value stand in what was read: that tells whether the right
place is cited, not whether it was read well; values that are printed otherwise have no place. `QUIRE_STORE` may name a
store in which the documents were read before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.corpus import CORPUS
from benchmarks.evidence import KINDS
from benchmarks.extraction import field_documents, folded, read_catalog
from benchmarks.formfields import asked_fields
from benchmarks.leaves import SCALES, finance_questions, json_documents
from benchmarks.report import LeftOut, Options, Report, Table
from quire.core.types import BBox
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.value_paths import values_by_path
from quire.evidence.extract.values import Extraction
from quire.output.export._lines import words_by_place
from quire.solving.evaluation.evaluate import graded
from quire.solving.evaluation.fixture import ExpectedPlace, Fixture, Tolerance

QUICK = 5
ALIKE = Tolerance(similarity=0.8)
LONGEST_WORDS = 30
SHORTEST = 3
"""Letters and digits of a value whose place is looked for: shorter ones stand everywhere."""
FIGURES = ("value", "page", "box")


def run(options: Options) -> Report:
    report = Report("Evaluation families")
    rows: list[list[object]] = []
    for name, fixtures in FAMILIES.items():
        try:
            listed = list(islice(fixtures(name), QUICK if options.quick else None))
        except LeftOut as reason:
            report.notes.append(str(reason))
            continue
        made = graded(listed, _extracted)
        overall = made.report["overall"]
        scores = [overall[figure] for figure in FIGURES]
        known = [one["expected"] for one in scores]
        rates = ["" if one["f1"] is None else one["f1"] for one in scores]
        rows.append([name, len(listed), *[cell for pair in zip(known, rates, strict=True) for cell in pair]])
    columns = ["family", "documents", "values", "value F1", "pages known", "page F1", "boxes known", "box F1"]
    report.tables = [Table(columns, rows)]
    return report


def _extracted(fixture: Fixture) -> Extraction:
    schema = ExtractSchema.of(fixture.schema)
    return extract(read_catalog(fixture.document), schema, [OfflineExtractor()])


def _field_fixtures(name: str) -> Iterator[Fixture]:
    kinds = KINDS[name]
    schema = {"type": "object", "properties": {field: {"x-quire": {"kind": kind}} for field, kind in kinds.items()}}
    for document in field_documents(name):
        expected = {field: document.fields.get(field) for field in kinds}
        lines = _lines(name, document.path)
        places = _places(read_catalog(document.path), expected)
        for field, value in expected.items():
            boxes = [box for text, box in lines if isinstance(value, str) and folded(text) == folded(value)]
            if boxes:
                places[field] = tuple(ExpectedPlace(1, box) for box in boxes)
        tolerances = {field: ALIKE for field, kind in kinds.items() if kind in ("name", "address", "text")}
        yield Fixture(
            document.path.stem, name, (document.path,), schema, expected, places=places, tolerances=tolerances
        )


def _form_fixtures(name: str) -> Iterator[Fixture]:
    if not (CORPUS / name).exists():
        raise LeftOut(f"there is no ../shared/corpus/{name} beside the repository")
    for path in sorted((CORPUS / name / "truth").glob("*.json")):
        truth = json.loads(path.read_text())
        entities = {one["id"]: one for one in truth["entities"]}
        answers = {(one["question"].strip(" :"), one["answer"]): one["answer_id"] for one in truth["fields"]}
        asked = asked_fields(truth["fields"])
        if not asked:
            continue
        names = {f"field{at}": one for at, one in enumerate(asked.items())}
        schema = {
            "type": "object",
            "properties": {at: {"type": "string", "title": one[0]} for at, one in names.items()},
        }
        places = {at: (ExpectedPlace(1, _box(entities[answers[one]])),) for at, one in names.items() if one in answers}
        expected = {at: answer for at, (_, answer) in names.items()}
        tolerances = dict.fromkeys(names, ALIKE)
        file = CORPUS / name / truth["file"]
        yield Fixture(path.stem, name, (file,), schema, expected, places=places, tolerances=tolerances)


def _json_fixtures(name: str) -> Iterator[Fixture]:
    for document in json_documents():
        yield Fixture(document.path.stem, name, (document.path,), document.schema, document.gold)


def _finance_fixtures(name: str) -> Iterator[Fixture]:
    by_file: dict[Path, list[Any]] = {}
    for one in finance_questions():
        by_file.setdefault(one.path, []).append(one)
    truths = [json.loads(line) for line in (CORPUS / name / "truth.jsonl").read_text().splitlines()]
    pages = {one["question"]: [place["page"] for place in one["evidence"]] for one in truths}
    for path, questions in by_file.items():
        named = {f"question{at}": one for at, one in enumerate(questions)}
        leaves = {at: {"type": "number", "description": one.text} for at, one in named.items()}
        accepted = {
            at: tuple(figure * scale for figure in one.figures for scale in SCALES) for at, one in named.items()
        }
        yield Fixture(
            path.stem,
            name,
            (path,),
            {"type": "object", "properties": leaves},
            {at: values[0] for at, values in accepted.items()},
            places={at: tuple(ExpectedPlace(page) for page in pages[one.text]) for at, one in named.items()},
            tolerances={at: Tolerance(relative=0.005, accept=values) for at, values in accepted.items()},
        )


FAMILIES: Mapping[str, Callable[[str], Iterator[Fixture]]] = {
    **dict.fromkeys(KINDS, _field_fixtures),
    "extract-json": _json_fixtures,
    "finance-qa": _finance_fixtures,
    "forms-funsd": _form_fixtures,
}


def _places(catalog: SourceCatalog, expected: Any) -> dict[str, tuple[ExpectedPlace, ...]]:
    """Where the letters and digits of each value stand: words in a row that are the whole of it."""
    wanted: dict[str, list[str]] = {}
    for path, value in values_by_path(expected):
        if isinstance(value, str) and len(folded(value)) >= SHORTEST:
            wanted.setdefault(folded(value), []).append(path)
    found: dict[str, list[ExpectedPlace]] = {}
    for block in catalog.blocks:
        for part, words in zip(block.places, words_by_place(block), strict=True):
            for text, place in _runs(part.page, [(folded(one.text), one.bbox) for one in words], wanted):
                for path in wanted[text]:
                    found.setdefault(path, []).append(place)
    return {path: tuple(places) for path, places in found.items()}


def _runs(
    page: int, words: Sequence[tuple[str, BBox]], wanted: Mapping[str, Any]
) -> Iterator[tuple[str, ExpectedPlace]]:
    longest = max(map(len, wanted), default=0)
    for first in range(len(words)):
        text = ""
        for last in range(first, min(first + LONGEST_WORDS, len(words))):
            text += words[last][0]
            if len(text) > longest:
                break
            if text in wanted and words[first][0] and words[last][0]:
                yield text, ExpectedPlace(page, BBox.union(box for _, box in words[first : last + 1]))


def _lines(name: str, path: Path) -> list[tuple[str, BBox]]:
    truth = CORPUS / name / "truth" / f"{path.stem}.json"
    if name != "receipts-sroie" or not truth.exists():
        return []
    return [(one["text"], _box(one)) for one in json.loads(truth.read_text())["boxes"]]


def _box(given: Mapping[str, Any]) -> BBox:
    return BBox(given["left"], given["top"], given["width"], given["height"])
