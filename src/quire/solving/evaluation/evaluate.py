"""Evaluating: the output of every fixture, graded, in one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from quire.core.context import Json
from quire.core.errors import InputError, RunError, UsageError
from quire.core.keys import Digest, digest_bytes
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.evidence.extract.values import Extraction
from quire.reading.call import ReadOptions
from quire.reading.extract_call import extract
from quire.solving.evaluation.evaluation_report import (
    EvaluationFailure,
    TracedRuns,
    decode_report,
    encode_report,
    evaluation_report,
)
from quire.solving.evaluation.fixture import Fixture, load_fixtures
from quire.solving.evaluation.grades import FixtureGrade, grade
from quire.solving.evaluation.process_report import process_json
from quire.solving.evaluation.report_page import report_page
from quire.solving.trace.trace_file import SUFFIX as TRACE
from quire.solving.trace.trace_file import Trace, TracedFixture, encode_trace, load_trace
from quire.system.atomic_files import write_files

if TYPE_CHECKING:
    from quire.evidence.extract.extractor import Extractor

OUTPUTS, TRACES = "outputs", "traces"
"""The folders beside a report."""
SUFFIX = ".extracted.json"
"""Of the output of a fixture, after its name."""

OutputOf = Callable[[Fixture], Extraction | Trace]
"""The output of a fixture: made now, or loaded. Raises QuireError where there is none."""
SolveFixture = Callable[[Fixture], Trace]
"""Solves the task of a fixture. Raises QuireError where that does not work."""


NOTHING: Mapping[str, Trace] = {}


class AskedValues(TypedDict, total=False):
    """A JSON Schema, or the names of fields."""

    schema: Mapping[str, Json]
    fields: Sequence[str]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The report of an evaluation, and what was graded, as files by the name of their fixture: the trace of one that
    was solved, the output of the others."""

    report: Mapping[str, Json]
    outputs: Mapping[str, bytes]
    traces: Mapping[str, bytes] = field(default_factory=dict)

    def save(self, folder: str | Path) -> list[Path]:
        """Write `report.json`, `report.html`, the outputs and the traces: the same report can be made from them."""
        target = Path(folder)
        files = {target / OUTPUTS / f"{name}{SUFFIX}": data for name, data in self.outputs.items()}
        files |= {target / TRACES / f"{name}{TRACE}": data for name, data in self.traces.items()}
        files[target / "report.json"] = encode_report(self.report)
        files[target / "report.html"] = report_page(self.report)
        write_files(files)
        return list(files)


def evaluated(
    fixtures: Sequence[str | Path],
    solve: SolveFixture | None,
    *,
    extractors: Sequence[str | Extractor] = (),
    replay: str | Path | None = None,
    baseline: str | Path | None = None,
    **options: Unpack[ReadOptions],
) -> Evaluation:
    """The evaluation of fixtures, as `quire.evaluate` describes it; those with a task are solved by `solve`."""
    listed = load_fixtures([Path(one) for one in fixtures])
    earlier = None if baseline is None else load_report(Path(baseline))
    if replay is not None:
        return graded(listed, stored_outputs(Path(replay)), earlier)

    def output(fixture: Fixture) -> Extraction:
        return extract(fixture.document, **asked_values(fixture), extractors=extractors, **options)

    return graded(listed, solved_or(output, solve), earlier)


def solved_or(extracted: Callable[[Fixture], Extraction], solve: SolveFixture | None) -> OutputOf:
    """Solves the fixtures that have a task, and extracts the values of the others."""
    return lambda fixture: solve(fixture) if solve is not None and fixture.task else extracted(fixture)


def asked_values(fixture: Fixture) -> AskedValues:
    """What a fixture asks for, as arguments of `extract`."""
    return {"schema": fixture.schema} if isinstance(fixture.schema, Mapping) else {"fields": fixture.schema}


def graded(
    fixtures: Sequence[Fixture],
    output: OutputOf,
    baseline: Mapping[str, Any] | None = None,
    on_failure: Callable[[EvaluationFailure], None] | None = None,
    ungraded: Mapping[str, Trace] = NOTHING,
) -> Evaluation:
    """The evaluation of some fixtures. One without an output is a failure, and the others are graded.

    `ungraded` are traces without a fixture: the report says how they came about.
    """
    grades: list[FixtureGrade] = []
    failures: list[EvaluationFailure] = []
    outputs: dict[str, bytes] = {}
    traces: dict[str, Trace] = {}
    extractors: set[str] = set()
    digests: dict[str, Digest] = {}
    for fixture in fixtures:
        try:
            made = output(fixture)
            if isinstance(made, Trace):
                traces[fixture.name] = replace(made, fixture=TracedFixture(fixture.name, fixture.content))
            found = _answer(made)
        except (InputError, UsageError, RunError) as error:
            failures.append(EvaluationFailure(fixture.name, fixture.family, fixture.version, str(error)))
            if on_failure is not None:
                on_failure(failures[-1])
            continue
        data = encode_extraction(found)
        digests[fixture.name] = digest_bytes(data)
        if fixture.name not in traces:
            outputs[fixture.name] = data
        extractors.update(found.extractors)
        grades.append(grade(fixture, found))
    seen = {**traces, **ungraded}
    runs = TracedRuns(
        {name: one.key for name, one in seen.items()},
        {name: process_json(one) for name, one in seen.items()},
        sorted(ungraded),
    )
    report = evaluation_report(grades, failures, digests, sorted(extractors), baseline, runs)
    return Evaluation(report, outputs, {name: encode_trace(one) for name, one in seen.items()})


def _answer(made: Extraction | Trace) -> Extraction:
    if isinstance(made, Extraction):
        return made
    if made.answer is None:
        last = made.attempts[-1].attempt.reason if made.attempts else "no runner was asked"
        raise UsageError(f"the run {made.run} has no answer: {last}")
    return made.answer


def stored_outputs(folder: Path) -> OutputOf:
    """Loads the traces and outputs of an earlier evaluation from the folder of its report."""

    def output(fixture: Fixture) -> Extraction | Trace:
        trace = folder / TRACES / f"{fixture.name}{TRACE}"
        if trace.is_file():
            return load_trace(trace)
        path = folder / OUTPUTS / f"{fixture.name}{SUFFIX}"
        try:
            return decode_extraction(path.read_bytes())
        except FileNotFoundError:
            raise UsageError(f"there is no output {path}") from None
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise UsageError(f"{path} is not the output of a fixture: {error}") from error

    return output


def load_report(path: Path) -> dict[str, Any]:
    """An earlier report. Raises UsageError for a file that is none."""
    try:
        return decode_report(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(f"the report {path} cannot be read: {error.strerror}") from error
