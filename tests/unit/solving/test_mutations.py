"""Good answers made wrong in every way: the reviewer finds each value that was changed, and accuses no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from benchmarks.mutations import answer_mutations

from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Extraction
from quire.solving.checks.answer_review import AnswerReviewer
from quire.solving.joined_catalog import JoinedCatalog
from tests.scans import scanned, slip
from tests.unit.solving import answers
from tests.unit.solving.answers import Schema, offline_answer


def scan() -> JoinedCatalog:
    return answers.joined((scanned(slip(answers.SCAN_LINES)), "scan.pdf"))


def arabic() -> JoinedCatalog:
    return answers.joined((answers.arabic_pdf(), "port.pdf"))


Made = Callable[[JoinedCatalog], Extraction]
CASES: dict[str, tuple[Schema, Callable[[], JoinedCatalog], Made | None, int]] = {
    "invoice": (answers.INVOICE, answers.invoice, None, 600),
    "contract": (answers.CONTRACT, answers.invoice, answers.contract_answer, 190),
    "report": (answers.REPORT, answers.report, answers.report_answer, 400),
    "two documents": (answers.REPORT, answers.two_documents, answers.report_answer, 400),
    "japanese": (answers.JAPANESE, answers.japanese, None, 90),
    "arabic": (answers.ARABIC, arabic, answers.arabic_answer, 60),
    "scan": (answers.SCAN, scan, None, 90),
}


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("name", CASES)
def test_every_changed_value_is_found_and_no_other_is_accused(name):
    asked, read, made, fewest = CASES[name]
    documents = read()
    reviewer = AnswerReviewer(ExtractSchema.of(asked), documents)
    answer = made(documents) if made else offline_answer(asked, documents)
    assert not [one for one in reviewer.findings(answer) if one.open]
    wrong: list[object] = []
    made_wrong: Counter[str] = Counter()
    for mutation in answer_mutations(answer, documents):
        made_wrong[mutation.name] += 1
        findings = reviewer.findings(mutation.answer)
        found = {one.path for one in findings if one.open or mutation.remark}
        accused = {one.path for one in findings if one.open} - mutation.paths
        if accused or not mutation.paths <= found:
            wrong.append((mutation.name, "not found", mutation.paths - found, "accused", accused))
    assert not wrong
    assert made_wrong.total() >= fewest, made_wrong
