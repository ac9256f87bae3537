"""How often values are right that extraction calls probable, for documents of origins to which nothing was fitted.

Every value that the default extractor returns is compared with the truth, and so is every one of what was learnt from
samples (five folds). The weights that make a probability of the evidence are fitted to all origins but one, and tell
the probabilities of that one; of sets that the rules were tuned on, only the half counts that was not looked at.
`contracts-nda` and `forms-funsd` are never fitted to: their licences say nothing of weights, or forbid it. A receipt,
an order form or an invoice counts with all of its values, a report with thousands of figures with every k-th, at most
60. A value for which the document has no true one is wrong.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks import agreements, extraction, formfields, leaves
from benchmarks.corpus import CORPUS
from benchmarks.extraction import HALVES, field_documents, read_catalog
from benchmarks.report import Options, Report, Table, goal
from quire.core.context import Json
from quire.evidence.extract import calibration
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.extractor import Extractor
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.reports.value_rows import value_rows
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import SURE, LeafEvidence
from quire.evidence.learn.features import feature
from quire.evidence.learn.regression import ChoiceRows, learnt_weights
from quire.pages.recognize.options import OcrMode

FITTED = (
    *("receipts-sroie", "invoices", "adbuy-forms"),
    *(f"extract-json/{kind}" for kind in ("10kq", "credit_agreement", "research", "resume", "swimming")),
)
"""The origins whose licences allow weights that are shipped: CC BY, MIT, public filings with labels under MIT."""
MEASURED = ("contracts-nda", "forms-funsd")
SCANNED = ("invoices", "adbuy-forms")
"""Digital documents that are also read as pictures, so that OCR is measured on more than one origin."""
BINS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
THRESHOLDS = (0.7, 0.8, 0.85, 0.9, 0.95)
MOST_OF_DOCUMENT = 60
INVOICE_FIELDS = {
    "issuer": ("issuer", "text"),
    "date": ("date", "date"),
    "invoice_number": ("invoice_number", "text"),
    "amount": ("amount", "amount"),
    "currency": ("currency", "text"),
    "net_amount": ("amount_untaxed", "amount"),
    "tax_amount": ("amount_tax", "amount"),
    "vat_number": ("vat", "text"),
    "iban": ("iban", "text"),
    "due_date": ("date_due", "date"),
    "customer_number": ("client_id", "text"),
}
"""Names of fields with those of the truth of `invoices`, and their kinds."""


class Judged(NamedTuple):
    """A value with its evidence, and whether it is right."""

    origin: str
    document: str
    half: str
    value: Json
    evidence: LeafEvidence
    right: bool


def run(options: Options) -> Report:
    judged = judged_values(options)
    told = [one for origin in (*FITTED, *MEASURED) for one in _left_out(judged, origin)]
    unseen = [pair for pair in told if pair[0].half == HALVES[1] or pair[0].origin in MEASURED]
    report = Report("How sure a value is, and how often that is right")
    rows = [
        [f"{_percent(low)} to {_percent(high)}", len(those), _mean(p for _, p in those), _share(those)]
        for low, high in zip(BINS, (*BINS[1:], 1.0), strict=True)
        if (those := [pair for pair in unseen if low <= pair[1] < high + (high == 1.0)])
    ]
    thresholds = []
    for least in THRESHOLDS:
        kept = [pair for pair in unseen if pair[1] >= least]
        asked = goal(_share(kept), SURE) if least == SURE else ["", ""]
        thresholds.append([_percent(least), len(kept), len(kept) / max(len(unseen), 1), _share(kept), *asked])
    origins = []
    for origin in (*FITTED, *MEASURED):
        own = [pair for pair in unseen if pair[0].origin == origin]
        sure = [pair for pair in own if pair[1] >= SURE]
        origins.append([origin, len(own), _share(own), len(sure), _share(sure)])
    report.tables = [
        Table(["probability", "values", "mean probability", "share right"], rows, "Values of left-out origins"),
        Table(["at least", "values", "share of all", "share right", "goal", "reached"], thresholds, "Thresholds"),
        Table(["origin", "values", "share right", "values with 90 % and more", "share right"], origins, "By origin"),
    ]
    return report


def judged_values(options: Options) -> list[Judged]:
    """The values of all origins, each with whether it is right."""
    found: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for one in (*_fields(options), *_agreements(options), *_leaves(options), *_forms(options)):
        found[one.origin, one.document].append(one)
    return [one for those in found.values() for one in those[:: 1 + len(those) // MOST_OF_DOCUMENT]]


def fitted_weights(judged: Sequence[Judged], least: int = 1) -> dict[str, float]:
    """The weights of what speaks for a value, and against it, from values that were judged; `least` is from how many
    origins there must be values that were found in a way, for it to be measured.

    A step that would count against a value though a figure rises is left out.
    """
    origins: dict[str, set[str]] = defaultdict(set)
    for one in judged:
        origins[calibration.signs_of(one.value, one.evidence)[0]].add(one.origin)
    rows = [(calibration.signs_of(one.value, one.evidence), one.right) for one in judged]
    rows = [(signs, right) for signs, right in rows if len(origins[signs[0]]) >= least]
    steps = {f"{name} {step}" for name, those in calibration.STEPS.items() for step in those}
    left_out: set[str] = set()
    while True:
        weights = _weights([([one for one in signs if one not in left_out], right) for signs, right in rows])
        falling = {name for name, weight in weights.items() if name in steps and weight < 0}
        if not falling:
            return weights
        left_out |= falling


def _weights(rows: Sequence[tuple[Sequence[str], bool]]) -> dict[str, float]:
    """By a choice for each value: it is right, with what is known about it, or wrong, of which nothing is known."""
    names = {feature(sign): sign for signs, _ in rows for sign in signs}
    choices = [
        ChoiceRows.of([[feature(f"wrong {number}")], [feature(sign) for sign in signs]], [int(right)])
        for number, (signs, right) in enumerate(rows)
    ]
    found = learnt_weights(choices)
    return {names[number]: weight for number, weight in found.items() if number in names}


def _left_out(judged: Sequence[Judged], origin: str) -> Iterator[tuple[Judged, float]]:
    """The values of one origin with the probabilities that the others tell."""
    weights = fitted_weights([one for one in judged if one.origin in FITTED and one.origin != origin])
    with patch.object(calibration, "_weights", lambda: weights):
        for one in judged:
            if one.origin == origin:
                yield one, calibration.probability_of(one.value, one.evidence)


def _fields(options: Options) -> Iterator[Judged]:
    for origin, kinds in extraction.SETS.items():
        documents = field_documents(origin)[: extraction.QUICK if options.quick else None]
        named = {field: (field, kind) for field, kind in kinds.items()}
        learned = extraction.learned(origin, documents, read_catalog)
        for number, document in enumerate(documents):
            fields = {**named, **INVOICE_FIELDS} if origin == "invoices" else named
            fields = {
                name: (field, kind)
                for name, (field, kind) in fields.items()
                if field in kinds or document.fields.get(field) is not None
            }
            schema = {"properties": {name: {"type": "string", "kind": kind} for name, (_, kind) in fields.items()}}

            def right(path: str, value: Json, fields: Any = fields, truth: Any = document.fields) -> bool:
                field, kind = fields[path]
                return extraction.is_same(kind, truth.get(field), value)

            asked = origin, document.path, HALVES[number % 2], schema
            yield from _judged(*asked, OfflineExtractor(), right)
            if origin in SCANNED:
                yield from _judged(*asked, OfflineExtractor(), right, ocr="always")
            if document.path in learned:
                every = _judged(*asked, learned[document.path], right)
                yield from (one for one in every if one.evidence.extractor == "learned")


def _agreements(options: Options) -> Iterator[Judged]:
    origin = agreements.SET
    for number, document in enumerate(field_documents(origin)[: extraction.QUICK if options.quick else None]):

        def right(path: str, value: Json, truth: Any = document.fields) -> bool:
            field = path.split("[")[0]
            return any(agreements._same(agreements.KINDS[field], one, value) for one in truth.get(field) or ())

        half = HALVES[number % 2]
        yield from _judged(origin, document.path, half, agreements.SCHEMA, OfflineExtractor(), right)


def _leaves(options: Options) -> Iterator[Judged]:
    for document in leaves.json_documents()[:: leaves.QUICK if options.quick else 1]:
        schema = ExtractSchema.of(document.schema)
        found = extract(read_catalog(document.path), schema, [OfflineExtractor()])
        right = set(leaves.right_paths(document.schema, document.gold, found.values))
        for row in value_rows(found):
            if row.value is not None:
                origin = f"extract-json/{document.path.parent.name}"
                yield Judged(origin, str(document.path), document.half, row.value, row.evidence, row.path in right)


def _forms(options: Options) -> Iterator[Judged]:
    truths = sorted((CORPUS / formfields.SET / "truth").glob("*.json"))[: extraction.QUICK if options.quick else None]
    for number, path in enumerate(truths):
        truth = json.loads(path.read_text())
        asked = formfields.asked_fields(truth["fields"])
        if not asked:
            continue
        answers = {f"field{at}": answer for at, answer in enumerate(asked.values())}
        schema = {"properties": {f"field{at}": {"type": "string", "title": label} for at, label in enumerate(asked)}}

        def right(name: str, value: Json, answers: Mapping[str, str] = answers) -> bool:
            return formfields._same(answers[name], str(value))

        file = CORPUS / formfields.SET / truth["file"]
        yield from _judged(formfields.SET, file, HALVES[number % 2], schema, OfflineExtractor(), right)


def _judged(
    origin: str,
    path: Path,
    half: str,
    schema: Mapping[str, Any],
    extractor: Extractor,
    right: Callable[[str, Json], bool],
    ocr: OcrMode = "auto",
) -> Iterator[Judged]:
    found = extract(read_catalog(path, ocr=ocr), ExtractSchema.of(schema), [extractor])
    for row in value_rows(found):
        if row.value is not None:
            yield Judged(origin, str(path), half, row.value, row.evidence, right(row.path, row.value))


def _share(pairs: Sequence[tuple[Judged, float]]) -> float | None:
    return sum(one.right for one, _ in pairs) / len(pairs) if pairs else None


def _mean(figures: Iterator[float]) -> float:
    listed = list(figures)
    return sum(listed) / len(listed)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
