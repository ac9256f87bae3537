"""Review: open findings of the deterministic reviewer on values that are right, and wrong values that it catches.

The answers are those of the offline runner to receipts, invoices, order forms and agreements, compared with the truth
of the sets. Some answers are made wrong in every way (`mutations`); a currency that cites another amount with its sign
is not wrong, and counts as not found all the same. `QUIRE_STORE` may name a
store in which the documents were read before.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.corpus import CORPUS
from benchmarks.evidence import KINDS, _truths
from benchmarks.extraction import is_same, read_catalog
from benchmarks.mutations import answer_mutations
from benchmarks.report import LeftOut, Options, Report, Table
from quire.core.context import Json
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.value_paths import field_of, values_by_path, with_value
from quire.evidence.extract.values import Extraction
from quire.solving.answers import ClaimedAnswer, claimed_files, verified_answer
from quire.solving.checks.answer_review import AnswerReviewer
from quire.solving.findings import FINDING_KINDS
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.runners.offline_runner import _line

MOST_ACCUSED = 0.03
DOCUMENTS, QUICK, CHANGED = 40, 5, 3
"""Of each set; the last is the number of those whose answers are made wrong."""
LISTS = ("party",)
"""Fields of which a document has several."""


def run(options: Options) -> Report:
    report = Report("Review: findings on honest answers")
    rows: list[list[object]] = []
    kinds: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    for name in KINDS:
        if not (CORPUS / name).exists():
            report.notes.append(str(LeftOut(f"there is no ../shared/corpus/{name} beside the repository")))
            continue
        rows.append(_measured(name, QUICK if options.quick else DOCUMENTS, kinds, changed, report))
    total: list[Any] = [sum(int(str(row[column])) for row in rows) for column in range(1, 6)]
    rows.append(["all", *total, _share(total[2], total[1]), _share(total[4], total[3]), ""])
    columns = [
        "set",
        "documents",
        "right",
        "accused",
        "wrong",
        "caught",
        "share accused",
        "share caught",
        "ms per answer",
    ]
    by_kind = [[kind, kinds[f"{kind} right"], kinds[f"{kind} wrong"]] for kind in FINDING_KINDS]
    report.tables = [
        Table(columns, rows, "Values of the offline runner"),
        Table(["kind", "on right values", "on wrong values"], by_kind, "Open findings by kind"),
        Table(
            ["answers made wrong", "not found", "others accused"],
            [[changed["all"], changed["missed"], changed["accused"]]],
            "Mutations of the answers",
        ),
    ]
    report.data = {"goal": MOST_ACCUSED}
    return report


def _measured(name: str, most: int, kinds: Counter[str], changed: Counter[str], report: Report) -> list[object]:
    schema = ExtractSchema.of(_schema(name))
    listed = [(CORPUS / name / file, fields) for file, fields in _truths(CORPUS / name)]
    listed = listed[:: max(1, len(listed) // most)][:most]
    right = accused = wrong = caught = 0
    spent = 0.0
    for number, (path, truth) in enumerate(listed):
        documents = JoinedCatalog([read_catalog(path)])
        answer = offline_answer(schema, documents)
        begin = time.process_time()
        reviewer = AnswerReviewer(schema, documents)
        findings = [one for one in reviewer.findings(answer) if one.open]
        spent += time.process_time() - begin
        if number < CHANGED:
            _change(answer, documents, reviewer, changed, report)
        for place, value, is_right in _graded(name, answer, truth):
            against = [one for one in findings if one.path == place]
            right, wrong = right + is_right, wrong + (not is_right)
            accused, caught = accused + bool(against and is_right), caught + bool(against and not is_right)
            for one in against:
                kinds[f"{one.kind} {'right' if is_right else 'wrong'}"] += 1
                if is_right:
                    report.notes.append(f"{path.name}: {place} {value!r}: {one.kind}: {one.reason}")
    speed = f"{1000 * spent / max(len(listed), 1):.0f}"
    return [name, len(listed), right, accused, wrong, caught, _share(accused, right), _share(caught, wrong), speed]


def _change(
    answer: Extraction, documents: JoinedCatalog, reviewer: AnswerReviewer, changed: Counter[str], report: Report
) -> None:
    """Make an answer wrong in every way: each changed value has to be found, and no other to be accused."""
    before = {one.path for one in reviewer.findings(answer) if one.open}
    for mutation in answer_mutations(answer, documents):
        findings = reviewer.findings(mutation.answer)
        missed = mutation.paths - {one.path for one in findings if one.open or mutation.remark}
        accused = {one.path for one in findings if one.open} - mutation.paths - before
        changed.update(all=1, missed=bool(missed), accused=bool(accused))
        if missed or accused:
            report.notes.append(f"{answer.name}: {mutation.name}: missed {sorted(missed)}, accused {sorted(accused)}")


def offline_answer(schema: ExtractSchema, documents: JoinedCatalog) -> Extraction:
    """The verified answer of the offline runner."""
    values: Json = {}
    cited = {}
    for one in OfflineExtractor().propose(documents.whole, schema):
        values = with_value(values, one.path, one.value)
        cited[one.path] = _line(one)
    claimed = ClaimedAnswer.of(claimed_files(values, cited), "offline", signed=True)
    return verified_answer(claimed, schema, documents, "offline", "1")


def _schema(name: str) -> dict[str, Json]:
    leaves: dict[str, Json] = {}
    for key, kind in KINDS[name].items():
        leaf = {"type": "string", "x-quire": {"kind": kind}}
        leaves[key] = {"type": "array", "items": leaf} if key in LISTS else leaf
    return {"type": "object", "properties": leaves}


def _graded(name: str, answer: Extraction, truth: Mapping[str, Any]) -> Iterator[tuple[str, Json, bool]]:
    """The values of an answer, and whether each is right; those of which nothing is known are left out."""
    for path, value in values_by_path(answer.values):
        field = field_of(path).removesuffix("[]")
        expected = truth.get(field)
        if value is None or expected in (None, ""):
            continue
        every = expected if isinstance(expected, list) else [expected]
        yield path, value, any(is_same(KINDS[name][field], one, value) for one in every)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.4f}" if whole else "-"
