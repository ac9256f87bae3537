"""The report of an evaluation: scores overall, by family and by fixture, every cell, and the changes since another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.keys import Digest, digest_of
from quire.evidence.extract.values import EvidenceCoverage
from quire.solving.evaluation.grades import CellGrade, F1Score, FixtureGrade, added, mean_f1
from quire.solving.evaluation.process_report import process_differences, process_totals

SCHEMA = "quire-evaluation/1"
SCORES = ("value", "page", "box")


@dataclass(frozen=True, slots=True)
class EvaluationFailure:
    """A fixture without an output: why its document could not be read, or nothing extracted from it."""

    fixture: str
    family: str
    version: str
    reason: str


@dataclass(frozen=True, slots=True)
class TracedRuns:
    """What a report says of runs that have a trace, by the names of their fixtures. Those of `ungraded` have none."""

    executions: Mapping[str, str]
    processes: Mapping[str, Mapping[str, Json]]
    ungraded: Sequence[str] = ()

    def keys(self) -> list[Json]:
        """The part of the key of a report, none without traces."""
        return [sorted(self.executions.items())] if self.executions else []

    def of(self, name: str) -> dict[str, Json]:
        return {"execution": self.executions[name], "process": self.processes[name]} if name in self.executions else {}

    def totals(self, names: Iterable[str]) -> dict[str, Json]:
        found = [self.processes[name] for name in dict.fromkeys(names) if name in self.processes]
        return {"process": process_totals(found)} if found else {}


NO_TRACES = TracedRuns({}, {})


def evaluation_report(
    grades: Sequence[FixtureGrade],
    failures: Sequence[EvaluationFailure],
    outputs: Mapping[str, Digest],
    extractors: Sequence[str],
    baseline: Mapping[str, Any] | None = None,
    traced: TracedRuns = NO_TRACES,
) -> dict[str, Json]:
    """The report as JSON. `outputs` are the digests of what was graded, by fixture: with the versions of the fixtures
    and the execution ids of those that were solved they are the key of the report."""
    families = sorted({one.family for one in grades})
    versions = {one.fixture: one.version for one in grades} | {one.fixture: one.version for one in failures}
    report: dict[str, Json] = {
        "schema_version": SCHEMA,
        "key": digest_of([SCHEMA, sorted(versions.items()), sorted(outputs.items()), *traced.keys()]),
        "extractors": list(extractors),
        "overall": {**_summary(grades, failures), **traced.totals([*versions, *traced.ungraded])},
        "families": {
            family: _of_family(
                [one for one in grades if one.family == family],
                [one for one in failures if one.family == family],
                traced,
            )
            for family in families
        },
        "fixtures": [{**_fixture(one, outputs[one.fixture]), **traced.of(one.fixture)} for one in grades],
        "failures": [{**asdict(one), **traced.of(one.fixture)} for one in failures],
    }
    if traced.ungraded:
        report["runs"] = [{"name": name, **traced.of(name)} for name in traced.ungraded]
    if baseline is not None:
        report["baseline"] = _differences(baseline, report)
    return report


def _of_family(
    grades: Sequence[FixtureGrade], failures: Sequence[EvaluationFailure], traced: TracedRuns
) -> dict[str, Json]:
    names = [*(one.fixture for one in grades), *(one.fixture for one in failures)]
    return {**_summary(grades, failures), **traced.totals(names)}


def encode_report(report: Mapping[str, Json]) -> bytes:
    """The report as a file: equal reports are equal bytes."""
    text = json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")  # broken fonts map to lone surrogates: JSON escapes them


def decode_report(data: bytes, place: str) -> dict[str, Any]:
    """The report of a file. Raises UsageError for something else."""
    try:
        report = json.loads(data)
    except ValueError:
        raise UsageError(f"{place} is no JSON") from None
    if not isinstance(report, dict) or report.get("schema_version") != SCHEMA:
        raise UsageError(f"{place} is not a report of `quire eval`")
    return report


def _summary(grades: Sequence[FixtureGrade], failures: Sequence[EvaluationFailure]) -> dict[str, Json]:
    outcomes: Counter[str] = Counter()
    for one in grades:
        outcomes.update(one.outcomes)
    coverage = {
        name: sum(getattr(one.coverage, name) for one in grades) for name in EvidenceCoverage.__dataclass_fields__
    }
    found = coverage["found"]
    return {
        "fixtures": len(grades),
        "failed": len(failures),
        **{
            name: {**_score(added(scores)), "mean_f1": _rounded(mean_f1(scores))}
            for name in SCORES
            for scores in [[getattr(one, name) for one in grades]]
        },
        "outcomes": dict(outcomes),
        "coverage": {
            **coverage,
            "share": _rounded(found / coverage["leaves"] if coverage["leaves"] else None),
            "share_of_returned": _rounded(found / coverage["returned"] if coverage["returned"] else None),
        },
    }


def _fixture(one: FixtureGrade, output: Digest) -> dict[str, Json]:
    return {
        "name": one.fixture,
        "family": one.family,
        "version": one.version,
        "output": output,
        **{name: _score(getattr(one, name)) for name in SCORES},
        "outcomes": dict(one.outcomes),
        "cells": [_cell(cell) for cell in one.cells],
    }


def _cell(one: CellGrade) -> dict[str, Json]:
    return {
        "expected_path": one.cell.expected_path,
        "path": one.cell.path,
        "outcome": one.outcome,
        "expected": one.cell.expected,
        "value": one.cell.value,
        "status": one.status,
        "page": one.page,
        "page_right": one.page_right,
        "box_right": one.box_right,
        "quote": one.quote,
        "records": list(one.records),
        "crop": one.crop,
    }


def _score(score: F1Score) -> dict[str, Json]:
    rates = {name: _rounded(getattr(score, name)) for name in ("f1", "precision", "recall")}
    return {**rates, **asdict(score)}


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 4)


def _differences(baseline: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Json]:
    """What became better or worse since the baseline: scores, and every cell whose outcome is another."""
    before, after = _outcomes(baseline), _outcomes(report)
    changed = [
        {"fixture": fixture, "path": path, "before": before[fixture, path], "after": outcome}
        for (fixture, path), outcome in after.items()
        if before.get((fixture, path), outcome) != outcome
    ]
    versions = {one["name"]: one["version"] for one in baseline["fixtures"]}
    earlier, now = baseline["overall"].get("process"), report["overall"].get("process")
    process = {} if earlier is None or now is None else {"process": process_differences(earlier, now)}
    return {
        "key": baseline["key"],
        "scores": {
            name: {"before": baseline["overall"][name]["f1"], "after": report["overall"][name]["f1"]} for name in SCORES
        },
        **process,
        "changed": changed,
        "other_versions": [
            one["name"] for one in report["fixtures"] if versions.get(one["name"], one["version"]) != one["version"]
        ],
        "only_before": sorted(versions.keys() - {one["name"] for one in report["fixtures"]}),
        "only_after": sorted({one["name"] for one in report["fixtures"]} - versions.keys()),
    }


def _outcomes(report: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    return {
        (one["name"], cell["expected_path"]): cell["outcome"]
        for one in report["fixtures"]
        for cell in one["cells"]
        if cell["expected_path"] is not None
    }
