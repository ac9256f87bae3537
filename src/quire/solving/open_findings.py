"""An answer with what a review has against it: a value with an open finding is not shown as if it were settled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.evidence.extract.values import Extraction, LeafEvidence
from quire.solving.findings import Finding


def with_findings(answer: Extraction, findings: Sequence[Finding]) -> Extraction:
    """The answer in which values with open findings are in conflict, with the reasons."""
    reasons: dict[str, list[str]] = {}
    for one in findings:
        if one.open and one.path in answer.evidence:
            reasons.setdefault(one.path, []).append(one.reason)
    evidence = {path: _doubted(one, reasons[path]) if path in reasons else one for path, one in answer.evidence.items()}
    return replace(answer, evidence=evidence)


def _doubted(evidence: LeafEvidence, reasons: Sequence[str]) -> LeafEvidence:
    status = "conflict" if evidence.supported else evidence.status
    joined = "; ".join(dict.fromkeys([*filter(None, [evidence.reason]), *reasons]))
    return replace(evidence, status=status, reason=joined)
