"""Reviews an answer without a model: every claim in it is checked again from scratch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Extraction
from quire.solving.checks.ambiguous_numbers import reading_findings
from quire.solving.checks.citations import citation_findings
from quire.solving.checks.contradictions import contradiction_findings, version_findings
from quire.solving.checks.footnotes import footnote_findings
from quire.solving.checks.list_rows import row_findings
from quire.solving.checks.reviewed_answer import ReviewedAnswer, ReviewedDocuments
from quire.solving.checks.schema_checks import missing_findings, schema_findings
from quire.solving.checks.sums import sum_findings
from quire.solving.findings import FINDING_KINDS, Finding
from quire.solving.joined_catalog import JoinedCatalog

MOST_FINDINGS = 200


def review_answer(
    answer: Extraction, schema: ExtractSchema, documents: JoinedCatalog, *, decided: Collection[str] = ()
) -> list[Finding]:
    """The findings about an answer as it was stored, in the order of the schema. A pure function.

    `decided` are the paths about which a person has decided: a status that says so is not believed by itself.
    """
    return AnswerReviewer(schema, documents).findings(answer, decided=decided)


class AnswerReviewer:
    """Reviews several answers from the same documents, one after the other."""

    def __init__(self, schema: ExtractSchema, documents: JoinedCatalog) -> None:
        self._source = ReviewedDocuments(schema, documents)

    def findings(self, answer: Extraction, *, decided: Collection[str] = ()) -> list[Finding]:
        """Those of `review_answer`."""
        reviewed = ReviewedAnswer(answer, self._source, frozenset(decided))
        wrong = [
            *schema_findings(reviewed),
            *citation_findings(reviewed),
            *row_findings(reviewed),
            *reading_findings(reviewed),
            *missing_findings(reviewed),
        ]
        doubtful = frozenset(one.path for one in wrong if one.open)
        found = [
            *wrong,
            *contradiction_findings(reviewed),
            *version_findings(reviewed),
            *sum_findings(reviewed, doubtful),
            *footnote_findings(reviewed),
        ]
        found.sort(key=lambda one: (reviewed.position(one.path), FINDING_KINDS.index(one.kind)))
        return bounded(_once(found))


def bounded(findings: Sequence[Finding]) -> list[Finding]:
    """The first findings, and how many more there are."""
    if len(findings) <= MOST_FINDINGS:
        return list(findings)
    left = findings[MOST_FINDINGS - 1 :]
    more = Finding("", "doubt", f"{len(left)} more findings are left out", open=any(one.open for one in left))
    return [*findings[: MOST_FINDINGS - 1], more]


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once: two checks may see the same other value."""
    seen: dict[object, Finding] = {}
    for one in findings:
        seen.setdefault((one.path, one.kind, repr(one.other) if one.other is not None else one.reason), one)
    return list(seen.values())
