"""The findings of a runner that reviews: claims about an answer, checked against the documents like any other.

Each line of its `findings.jsonl` is about one value:

    {"path": "total", "kind": "contradiction", "reason": "page 3 says 145.00", "record": "p3-b2", "quote": "145.00"}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quire.core.types import Part
from quire.evidence.catalog.block_places import record_places
from quire.evidence.catalog.records import EvidenceRecord
from quire.evidence.extract.agreement import is_same
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.value_paths import field_of, value_at
from quire.evidence.extract.values import Extraction
from quire.evidence.verify.matches import is_short, quoted_in
from quire.solving.checks.answer_review import bounded
from quire.solving.findings import FINDING_KINDS, Finding, FindingKind
from quire.solving.joined_catalog import JoinedCatalog

FINDINGS = "findings.jsonl"
LONGEST_REASON, LONGEST_QUOTE = 500, 1000
MOST_LINES = 1000


def merged_findings(
    checks: Sequence[Finding],
    written: bytes,
    documents: JoinedCatalog,
    reviewer: str,
    *,
    answer: Extraction,
    schema: ExtractSchema,
) -> list[Finding]:
    """The findings of the checks, then those of a reviewer that they do not have. `written` is its `findings.jsonl`.

    Findings about paths that neither the answer nor the schema has are dropped. One whose quote does not stand in the
    documents is a remark, and no longer open.
    """
    found = list(checks)
    known = {(one.path, one.kind) for one in checks}
    for line in _lines(written):
        one = _finding(line, documents, reviewer, answer, schema)
        if one is not None and (one.path, one.kind) not in known:
            known.add((one.path, one.kind))
            found.append(one)
    return bounded(found)


def is_settled(finding: Finding, answer: Extraction, checks: Sequence[Finding], notes: str = "") -> bool:
    """Whether a later answer settles a finding.

    One of the checks is settled when `checks`, those of the later answer, have it no more. One of a reviewer is settled
    when the value has changed, or when the solver's notes name its path: whether the explanation is good is for the
    reviewer, or for a person, to say.
    """
    if finding.by == "checks":
        return not any(one.open and (one.path, one.kind) == (finding.path, finding.kind) for one in checks)
    if finding.path and finding.path in notes:
        return True
    return not is_same(finding.value, value_at(answer.values, finding.path))


def _finding(
    line: Mapping[str, Any], documents: JoinedCatalog, reviewer: str, answer: Extraction, schema: ExtractSchema
) -> Finding | None:
    path, kind, reason = line.get("path"), line.get("kind"), line.get("reason")
    if not isinstance(path, str) or not _is_known(path, answer, schema):
        return None
    made = Finding(
        path,
        _kind(kind),
        " ".join(reason.split())[:LONGEST_REASON] if isinstance(reason, str) else "",
        value=value_at(answer.values, path),
        by=reviewer,
    )
    quote = line.get("quote")
    if not isinstance(quote, str) or not quote.strip():
        return made if made.reason else None
    named = line.get("record")
    place = _place(quote[:LONGEST_QUOTE].strip(), named if isinstance(named, str) else "", documents)
    if place is None:
        reason = f"{made.reason} (not supported: its quote {quote[:80]!r} is not in the documents)".strip()
        return replace(made, reason=reason, open=False)
    record, places, printed = place
    page = places[0].page
    at, number = documents.place_of(page)
    return replace(
        made,
        document=documents.shorts[at],
        page=number,
        bboxes=tuple(one.bbox for one in places if one.page == page),
        quote=printed,
        record=record.id.rpartition("/")[2],
    )


def _kind(given: object) -> FindingKind:
    return next((kind for kind in FINDING_KINDS if kind == given), "doubt")


def _is_known(path: str, answer: Extraction, schema: ExtractSchema) -> bool:
    """Whether the schema has a path, or a list of it, and the answer its item."""
    leaves = [leaf.path for leaf in schema.leaves]
    field = field_of(path)
    named = field in leaves or field.removesuffix("[]") in leaves or any(one.startswith(f"{field}[]") for one in leaves)
    return named and (path == field or path in answer.evidence or value_at(answer.values, path) is not None)


def _place(quote: str, name: str, documents: JoinedCatalog) -> tuple[EvidenceRecord, Sequence[Part], str] | None:
    """Where a quote stands: in the record that is named, else anywhere if it is long enough to tell."""
    catalog = documents.whole
    named = [record for record in (catalog.by_id.get(name),) if record is not None and record.tier != "semantic"]
    others = () if is_short(quote) else catalog.texts.searched
    for record in (*named, *others):
        for span in quoted_in(quote, catalog.texts.of(record))[:1]:
            return record, record_places(catalog, record, span), record.text[slice(*span)]
    return None


def _lines(data: bytes) -> Iterator[Mapping[str, Any]]:
    for line in data.decode("utf-8-sig", "replace").splitlines()[:MOST_LINES]:
        try:
            found = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found
